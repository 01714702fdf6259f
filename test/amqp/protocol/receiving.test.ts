// Messages to the client, frame by frame: credit and drain, what the client says of them, and a client that does not read.

import { afterEach, describe, expect, test } from 'vitest';
import { amqpSessionOf } from '../../support/amqp-session-of.js';
import { type EndpointUnderTest, openEndpoint } from '../../support/endpoint-under-test.js';
import { type Frame, type FrameChannel, numberOf } from '../../support/frame-channel.js';
import { big, FALSE, str, sym, TRUE, ubyte } from '../../support/frame-encoder.js';
import {
  creditFields,
  dispositionFields,
  flowFields,
  pieceFields,
  receiverFields,
  senderFields,
} from '../../support/frame-fields.js';
import { openSession } from '../../support/frame-links.js';
import { composite, type Fields } from '../../support/frame-lists.js';
import { turns, until } from '../../support/rhea-client.js';

const LARGEST = 0xffff_ffff;

let endpoint: EndpointUnderTest;
afterEach(() => {
  expect(endpoint.faults).toEqual([]);
});

async function openReceiver(shape: { incomingWindow?: number; fields?: Fields<'attach'> } = {}) {
  endpoint = openEndpoint();
  const session = await openSession(endpoint, { ...shape, maxFrameSize: 2 ** 32 - 1 });
  session.send('attach', receiverFields(0, shape.fields));
  await session.expect('attach');
  const [receiver] = endpoint.owner.receivers;
  if (receiver === undefined) throw new Error('nobody was attached');
  const sendMany = (count: number) => {
    for (let index = 0; index < count; index++) receiver.send(Buffer.from(`${index}`));
  };
  return { session, receiver, sendMany };
}

/** The next answer to a drain, as delivery-count and credit. */
async function takeDrained(session: FrameChannel): Promise<(number | undefined)[]> {
  const isDrain = (flow: Frame) => flow.field('drain')?.value === true;
  const flow = await session.take('flow', isDrain);
  return [numberOf(flow, 'deliveryCount'), numberOf(flow, 'linkCredit')];
}

describe('credit', () => {
  test('counts from the messages that the client had received when it gave it', async () => {
    const { session, receiver, sendMany } = await openReceiver();
    session.send('flow', creditFields(0, 3));
    sendMany(10);
    for (let index = 0; index < 3; index++) await session.takeDelivery();
    // Written before the three came: nothing new.
    session.send('flow', creditFields(0, 3));
    await session.expectNothing();
    session.send('flow', creditFields(0, 4, { deliveryCount: 1 }));
    for (let index = 0; index < 2; index++) await session.takeDelivery();
    await session.expectNothing();
    expect(receiver.link.credit).toBe(0);
    session.send('flow', creditFields(0, 0, { deliveryCount: 2 }));
    await turns();
    expect(receiver.link.credit).toBe(0);
  });

  test.each([2 ** 31 - 1, 2 ** 31, LARGEST])('of %d is credit', async (credit) => {
    const { session, sendMany } = await openReceiver();
    session.send('flow', creditFields(0, credit));
    sendMany(100);
    for (let index = 0; index < 100; index++) await session.takeDelivery();
    session.send('flow', creditFields(0, credit, { deliveryCount: 50 }));
    sendMany(100);
    for (let index = 0; index < 100; index++) await session.takeDelivery();
  });

  test('without a delivery-count counts from the first message', async () => {
    const { session, sendMany } = await openReceiver();
    const { deliveryCount: _, ...fields } = creditFields(0, 2);
    session.send('flow', fields);
    sendMany(5);
    for (let index = 0; index < 2; index++) await session.takeDelivery();
    await session.expectNothing();
  });

  test('may be taken back', async () => {
    const { session, receiver, sendMany } = await openReceiver();
    session.send('flow', creditFields(0, 5));
    session.send('flow', creditFields(0, 0));
    await turns();
    sendMany(1);
    await session.expectNothing();
    expect(receiver.waitingCount).toBe(1);
  });

  test('is announced when the client asks', async () => {
    const { session, sendMany } = await openReceiver();
    session.send('flow', creditFields(0, 5));
    sendMany(2);
    await session.takeDelivery();
    session.send('flow', creditFields(0, 5, { echo: true }));
    const flow = await session.take('flow');
    expect([numberOf(flow, 'deliveryCount'), numberOf(flow, 'linkCredit')]).toEqual([2, 3]);
    expect(flow.field('drain')?.value).toBe(false);
  });
});

describe('a drain', () => {
  test('is answered at once with credit left over, and with none', async () => {
    const { session, sendMany } = await openReceiver();
    sendMany(3);
    session.send('flow', creditFields(0, 10, { drain: true }));
    expect(await takeDrained(session)).toEqual([10, 0]);
    session.send('flow', creditFields(0, 0, { deliveryCount: 10, drain: true }));
    expect(await takeDrained(session)).toEqual([10, 0]);
    sendMany(1);
    session.send('flow', creditFields(0, 1, { deliveryCount: 10 }));
    for (let index = 0; index < 4; index++) await session.takeDelivery();
  });

  test('is answered behind the messages that wait for the window', async () => {
    const { session, receiver } = await openReceiver({ incomingWindow: 1 });
    session.send('flow', creditFields(0, 10, { incomingWindow: 1 }));
    await turns();
    receiver.send(Buffer.alloc(700_000));
    await session.take('transfer');
    session.send('flow', creditFields(0, 10, { incomingWindow: 0, nextIncomingId: 1, drain: true }));
    await session.expectNothing([]);
    session.send('flow', flowFields({ incomingWindow: 100, nextIncomingId: 1 }));
    for (const kind of ['transfer', 'transfer', 'flow'] as const) await session.expect(kind);
  });
});

describe('a disposition of the client', () => {
  test('on a range applies to each of its unsettled deliveries', async () => {
    const { session, receiver, sendMany } = await openReceiver();
    session.send('flow', creditFields(0, 10));
    sendMany(10);
    for (let index = 0; index < 10; index++) await session.takeDelivery();
    session.send('disposition', dispositionFields(3, 4, { state: composite('accepted') }));
    session.send('disposition', dispositionFields(2, 6, { state: composite('released') }));
    await until(() => receiver.words.length === 5, 'five are settled');
    expect(
      receiver.words.map(({ deliveryId, context, state }) => [deliveryId, context, state?.kind]),
    ).toEqual([
      [3, 'message 3', 'accepted'],
      [4, 'message 4', 'accepted'],
      [2, 'message 2', 'released'],
      [5, 'message 5', 'released'],
      [6, 'message 6', 'released'],
    ]);
  });

  test.each([
    ['0 to 2^31-1', 0, 2 ** 31 - 1],
    ['2^32-1000 to 2^30, over the wrap', LARGEST - 999, 2 ** 30],
  ])('on %s applies at once', async (_, first, last) => {
    const { session, receiver, sendMany } = await openReceiver();
    session.send('flow', creditFields(0, 10));
    sendMany(3);
    await session.takeDelivery();
    session.send('disposition', dispositionFields(first, last, { state: composite('accepted') }));
    await until(() => receiver.words.length === 3, 'all are settled');
    expect(amqpSessionOf(receiver.link).outgoing.unsettledIds.length).toBe(0);
  });

  test('on 0 to 2^32-1, which is no range among ids that wrap, ends the session at once', async () => {
    const { session, receiver, sendMany } = await openReceiver();
    session.send('flow', creditFields(0, 10));
    sendMany(3);
    session.send('disposition', dispositionFields(0, LARGEST, { state: composite('accepted') }));
    await session.take('end');
    expect(receiver.words).toEqual([]);
  });

  test('that settles gets no answer, and nothing is left to settle', async () => {
    const { session, receiver, sendMany } = await openReceiver();
    session.send('flow', creditFields(0, 10));
    sendMany(1);
    await session.takeDelivery();
    session.send('disposition', dispositionFields(0, 0, { state: composite('accepted'), settled: true }));
    session.send('disposition', dispositionFields(0, 0, { state: composite('released'), settled: true }));
    await until(() => receiver.words.length === 1, 'it was heard');
    receiver.link.settle(0, { kind: 'accepted' });
    await session.expectNothing();
    expect(receiver.words).toMatchObject([{ isSettled: true, state: { kind: 'accepted' } }]);
  });

  test('arrives with everything that the client sent in it', async () => {
    const { session, receiver, sendMany } = await openReceiver();
    session.send('flow', creditFields(0, 10));
    sendMany(3);
    await session.takeDelivery();
    const error = composite('error', { condition: sym('a:condition'), description: str('why') });
    session.send('disposition', dispositionFields(0, 0, { state: composite('rejected', { error }) }));
    const modified = composite('modified', { deliveryFailed: TRUE, undeliverableHere: FALSE });
    session.send('disposition', dispositionFields(1, 1, { state: modified }));
    session.send('disposition', dispositionFields(2, 2, { settled: true }));
    await until(() => receiver.words.length === 3, 'all came');
    expect(receiver.words.map(({ state }) => state)).toMatchObject([
      { kind: 'rejected', error: { condition: 'a:condition', description: 'why' } },
      { kind: 'modified', deliveryFailed: true, undeliverableHere: false },
      undefined,
    ]);
  });

  test('about its own messages, as a sender, is ignored', async () => {
    const { session, receiver, sendMany } = await openReceiver();
    session.send('flow', creditFields(0, 10));
    sendMany(1);
    await session.takeDelivery();
    session.send('disposition', { ...dispositionFields(0, 0, { settled: true }), role: FALSE });
    await session.expectNothing();
    expect(receiver.words).toEqual([]);
  });

  test('is not needed for messages that are sent settled', async () => {
    const fields = { sndSettleMode: ubyte(1), rcvSettleMode: ubyte(0) };
    const { session, receiver, sendMany } = await openReceiver({ fields });
    session.send('flow', creditFields(0, 10));
    sendMany(2);
    expect((await session.takeDelivery()).isSettled).toBe(true);
    expect(amqpSessionOf(receiver.link).outgoing.unsettledIds.length).toBe(0);
  });
});

test('a message that waits for the window is whole, although its memory is used again', async () => {
  const { session, receiver } = await openReceiver({ incomingWindow: 1 });
  session.send('flow', creditFields(0, 10, { incomingWindow: 1 }));
  await until(() => receiver.link.credit === 10, 'the credit came');
  const memory = Buffer.alloc(1_000_001, 'a large message; ');
  const message = Buffer.from(memory.subarray(0, 500_000));
  receiver.send(memory.subarray(0, message.length));
  memory.fill(0xee);
  const delivery = session.takeDelivery();
  await turns();
  session.send('flow', flowFields({ incomingWindow: 100, nextIncomingId: 1 }));
  expect((await delivery).payload.equals(message)).toBe(true);
});

test('so is one whose head is large and whose rest is small', async () => {
  const { session, receiver } = await openReceiver({ incomingWindow: 1 });
  session.send('flow', creditFields(0, 10, { incomingWindow: 1 }));
  await until(() => receiver.link.credit === 10, 'the credit came');
  const memory = Buffer.alloc(10_000, 'a small rest; ');
  const head = Buffer.alloc(500_000, 'a large head; ');
  const message = Buffer.concat([head, memory.subarray(0, 4000)]);
  receiver.send(head, memory.subarray(0, 4000));
  memory.fill(0xee);
  const delivery = session.takeDelivery();
  await turns();
  session.send('flow', flowFields({ incomingWindow: 100, nextIncomingId: 1 }));
  expect((await delivery).payload.equals(message)).toBe(true);
});

describe('a client that does not read', () => {
  test('is held to a little over 1 MiB of messages, while its own are still taken, and gets the rest when it reads', async () => {
    const { session, receiver } = await openReceiver();
    session.send('attach', senderFields(1));
    session.send('flow', creditFields(0, 1000));
    await until(() => receiver.link.credit === 1000, 'the credit came');
    await turns();
    endpoint.client.pause();
    for (let index = 0; index < 500; index++) receiver.send(Buffer.alloc(20_000, index));
    await turns(200);
    const { connection } = endpoint;
    const heldBytes = connection.held.unsent + connection.output.byteLength;
    expect(heldBytes).toBeGreaterThan(900_000);
    expect(heldBytes).toBeLessThan(1_200_000);
    expect(receiver.waitingCount).toBeGreaterThan(400);
    expect(receiver.link.canSend).toBe(false);
    session.send('transfer', pieceFields(1, { deliveryId: 0 }), { payload: Buffer.from('taken') });
    await until(() => endpoint.owner.senders[0]?.deliveries.length === 1, 'its message was taken');
    endpoint.client.resume();
    for (let index = 0; index < 500; index++)
      expect((await session.takeDelivery()).payload[0]).toBe(index % 256);
  });

  test('but keeps sending requests is not read beyond some 4 MiB of answers, and is answered when it reads', async () => {
    await openReceiver();
    await turns();
    endpoint.client.pause();
    const body = composite('flow', flowFields({ echo: true }));
    const question = Buffer.concat([big(8 + body.length, 4), Buffer.of(2, 0, 0, 0), body]);
    const questionCount = 250_000;
    const chunk = Buffer.concat(Array(1000).fill(question));
    for (let count = 0; count < questionCount; count += 1000) {
      endpoint.client.write(chunk);
      await turns(2);
    }
    const { connection } = endpoint;
    const waitingBytes = connection.held.unsent + connection.output.byteLength;
    expect(waitingBytes).toBeGreaterThan(3 * 1024 * 1024);
    expect(waitingBytes).toBeLessThan(5 * 1024 * 1024);
    let answerBytes = 0;
    // Counted, and not decoded by the client under it: that would take seconds.
    endpoint.client.removeAllListeners('data');
    endpoint.client.on('data', (answers: Buffer) => {
      answerBytes += answers.length;
    });
    endpoint.client.resume();
    await until(() => answerBytes > questionCount * 20, 'all is answered');
  });

  test('holds up every link of its connection, and all go on when it reads', async () => {
    const { session, receiver } = await openReceiver();
    session.send('attach', receiverFields(1));
    for (const handle of [0, 1]) session.send('flow', creditFields(handle, 1000));
    await until(() => endpoint.owner.receivers[1]?.link.credit === 1000, 'the credit came');
    await turns();
    endpoint.client.pause();
    receiver.send(Buffer.alloc(2_000_000));
    await turns();
    const other = endpoint.owner.receivers[1];
    other?.send(Buffer.from('behind'));
    expect(other?.waitingCount).toBe(1);
    endpoint.client.resume();
    await session.takeDelivery();
    expect((await session.takeDelivery()).payload.toString()).toBe('behind');
  });
});
