// The endpoint's sessions frame by frame: begin and end, what ends only a session, windows of both sides, ids that wrap.

import { afterEach, describe, expect, test } from 'vitest';
import { amqpSessionOf } from '../../support/amqp-session-of.js';
import { type EndpointUnderTest, openEndpoint } from '../../support/endpoint-under-test.js';
import { type FrameChannel, numberOf } from '../../support/frame-channel.js';
import { FALSE, fixed, map, str, sym, uint } from '../../support/frame-encoder.js';
import {
  beginFields,
  conditionOf,
  creditFields,
  dispositionFields,
  flowFields,
  pieceFields,
  receiverFields,
  senderFields,
} from '../../support/frame-fields.js';
import { beginSession, openClient, openSession } from '../../support/frame-links.js';
import { composite } from '../../support/frame-lists.js';
import { until } from '../../support/rhea-client.js';

const LARGEST = 0xffff_ffff;
/** 65,535 of them. */
const MANY_NULLS = fixed(0xf0, Buffer.from('000000050000ffff40', 'hex'));

let endpoint: EndpointUnderTest;
afterEach(() => {
  expect(endpoint.faults).toEqual([]);
});

/** An attached sender and the owner's side of it. */
async function attachSender(session: FrameChannel, handle = 0) {
  session.send('attach', senderFields(handle));
  await session.expect('attach');
  await session.expect('flow');
  const sender = endpoint.owner.senders.at(-1);
  if (sender === undefined) throw new Error('nobody was attached');
  return sender;
}

async function attachReceiver(session: FrameChannel, handle = 0) {
  session.send('attach', receiverFields(handle));
  await session.expect('attach');
  const receiver = endpoint.owner.receivers.at(-1);
  if (receiver === undefined) throw new Error('nobody was attached');
  return receiver;
}

describe('a session', () => {
  test('is begun and ended by the client, on any channel, again and again', async () => {
    endpoint = openEndpoint();
    const client = await openClient(endpoint);
    for (const channel of [0, 7, 65_535, 7]) {
      const session = client.channel(channel);
      session.send('begin', beginFields());
      const begin = await session.expect('begin');
      expect(begin.positions).toHaveLength(8);
      expect(numberOf(begin, 'remoteChannel')).toBe(channel);
      const sender = await attachSender(session);
      session.send('end', {});
      expect(conditionOf(await session.take('end'))).toBeUndefined();
      expect(sender.detachedCount).toBe(1);
    }
  });

  test('that is begun twice closes the connection', async () => {
    endpoint = openEndpoint();
    const client = await openClient(endpoint);
    await beginSession(client, 3);
    client.channel(3).send('begin', beginFields());
    expect(conditionOf(await client.expect('close'))).toBe('amqp:not-allowed');
  });

  test('ignores frames after its end, as pyamqp sends them', async () => {
    endpoint = openEndpoint();
    const client = await openClient(endpoint);
    const session = await beginSession(client);
    await attachSender(session);
    session.send('end', {});
    session.send('detach', { handle: uint(0), closed: FALSE });
    session.send('transfer', pieceFields(0, { deliveryId: 0 }));
    await session.take('end');
    await attachSender(await beginSession(client, 0));
  });

  test('that we end ignores frames until the client has ended it too', async () => {
    endpoint = openEndpoint();
    const client = await openClient(endpoint);
    const session = await beginSession(client);
    const sender = await attachSender(session);
    amqpSessionOf(sender.link).end({ condition: 'amqp:internal-error', description: 'Oh.' });
    expect(conditionOf(await session.take('end'))).toBe('amqp:internal-error');
    session.send('transfer', pieceFields(0, { deliveryId: 0 }));
    session.send('attach', senderFields(1));
    session.send('flow', flowFields({ echo: true }));
    session.send('detach', { handle: uint(77) });
    session.send('end', {});
    const again = await beginSession(client, 1);
    await again.expectNothing();
    expect(sender).toMatchObject({ deliveries: [], detachedCount: 1 });
    await attachSender(await beginSession(client, 0));
  });

  test('sends nothing when its owner writes after its end', async () => {
    endpoint = openEndpoint({ outcomeOf: () => undefined });
    const client = await openClient(endpoint);
    const session = await beginSession(client);
    const sender = await attachSender(session);
    const receiver = await attachReceiver(session, 1);
    session.send('flow', creditFields(1, 10));
    session.send('transfer', pieceFields(0, { deliveryId: 0 }));
    session.send('end', {});
    await session.take('end');
    sender.link.settle(0, { kind: 'accepted' });
    sender.link.setCredit(10);
    sender.link.detach({ condition: 'amqp:internal-error', description: 'Oh.' });
    receiver.send(Buffer.from('message'));
    receiver.link.settle(0, { kind: 'accepted' });
    receiver.link.drained();
    receiver.link.detach(undefined);
    amqpSessionOf(sender.link).end({ condition: 'amqp:internal-error', description: 'Oh.' });
    const other = await beginSession(client, 1);
    await other.expectNothing();
    await client.inbox.expectNothing();
  });
});

describe('a breach of the protocol in a session', () => {
  test.each<[string, (session: FrameChannel) => void, string]>([
    [
      'a transfer on a handle without a link',
      (session) => session.send('transfer', pieceFields(9, { deliveryId: 0 })),
      'amqp:session:unattached-handle',
    ],
    [
      'a flow on a handle without a link',
      (session) => session.send('flow', creditFields(9, 1)),
      'amqp:session:unattached-handle',
    ],
    [
      'a detach of a handle without a link',
      (session) => session.send('detach', { handle: uint(9) }),
      'amqp:session:unattached-handle',
    ],
    [
      'a handle attached twice',
      (session) => session.send('attach', receiverFields(0)),
      'amqp:session:handle-in-use',
    ],
    [
      'a name attached twice',
      (session) => session.send('attach', senderFields(5, { name: str('sender 0') })),
      'amqp:session:handle-in-use',
    ],
    [
      'a link name of more than 1,024 characters',
      (session) => session.send('attach', senderFields(5, { name: str('x'.repeat(1025)) })),
      'amqp:invalid-field',
    ],
    [
      'a transfer on a link that receives',
      (session) => session.send('transfer', pieceFields(1, { deliveryId: 0 })),
      'amqp:not-allowed',
    ],
    [
      'a message without a delivery-id',
      (session) => session.send('transfer', pieceFields(0)),
      'amqp:invalid-field',
    ],
    [
      'a message that begins inside of another',
      (session) => {
        session.send('transfer', pieceFields(0, { deliveryId: 0, more: true }));
        session.send('transfer', pieceFields(0, { deliveryId: 1 }));
      },
      'amqp:not-allowed',
    ],
    [
      'a disposition that runs backwards',
      (session) => session.send('disposition', dispositionFields(5, 4)),
      'amqp:invalid-field',
    ],
  ])('such as %s ends that session and leaves the others alone', async (_, breach, condition) => {
    endpoint = openEndpoint();
    const client = await openClient(endpoint);
    const session = await beginSession(client, 0);
    const other = await beginSession(client, 1);
    const sender = await attachSender(session);
    const receiver = await attachReceiver(session, 1);
    breach(session);
    const end = await session.take('end');
    expect(conditionOf(end)).toBe(condition);
    expect([sender.detachedCount, receiver.detachedCount]).toEqual([1, 1]);
    expect(endpoint.connection.held.unfinished).toBe(0);
    await attachSender(other);
    session.send('end', {});
    await attachSender(await beginSession(client, 0));
  });

  test.each<[string, (session: FrameChannel) => void, string]>([
    [
      'a handle above our handle-max',
      (session) => session.send('attach', senderFields(65_536)),
      'amqp:connection:framing-error',
    ],
    [
      'a delivery state that does not exist',
      (session) => session.send('disposition', dispositionFields(0, 0, { state: composite('source') })),
      'amqp:invalid-field',
    ],
    [
      'a field of the wrong type',
      (session) => session.send('attach', { ...senderFields(5), handle: str('five') }),
      'amqp:invalid-field',
    ],
    [
      'an array of 38 bytes that would take 3 MB of memory',
      (session) =>
        session.send('attach', { ...senderFields(5), properties: map([[sym('nulls'), MANY_NULLS]]) }),
      'amqp:decode-error',
    ],
  ])('such as %s closes the connection', async (_, breach, condition) => {
    endpoint = openEndpoint();
    const client = await openClient(endpoint);
    const session = await beginSession(client);
    breach(session);
    expect(conditionOf(await client.expect('close'))).toBe(condition);
  });
});

describe('the window of the client', () => {
  test('of 1 lets through one frame at a time, each reopened by a flow', async () => {
    endpoint = openEndpoint();
    const session = await openSession(endpoint, { incomingWindow: 1 });
    const receiver = await attachReceiver(session);
    session.send('flow', creditFields(0, 10, { incomingWindow: 1 }));
    await until(() => receiver.link.credit === 10, 'the credit came');
    for (const body of ['a', 'b', 'c']) receiver.send(Buffer.from(body));
    for (const [index, body] of ['a', 'b', 'c'].entries()) {
      expect((await session.takeDelivery()).payload.toString()).toBe(body);
      await session.expectNothing();
      expect(receiver.sentCount).toBe(index + 1);
      session.send('flow', flowFields({ incomingWindow: 1, nextIncomingId: index + 1 }));
    }
  });

  test('of 1 is enough for a message of many frames', async () => {
    endpoint = openEndpoint();
    const client = await openClient(endpoint, { maxFrameSize: uint(512) });
    const session = await beginSession(client, 0, { incomingWindow: 1 });
    const receiver = await attachReceiver(session);
    session.send('flow', creditFields(0, 10, { incomingWindow: 1 }));
    await until(() => receiver.link.credit === 10, 'the credit came');
    const message = Buffer.from(Array.from({ length: 2000 }, (_, index) => index % 256));
    receiver.send(message);
    receiver.send(Buffer.from('next'));
    const pieces: Buffer[] = [];
    for (let more = true; more; ) {
      const frame = await session.take('transfer');
      await session.expectNothing();
      pieces.push(frame.payload);
      more = frame.field('more')?.value === true;
      session.send('flow', flowFields({ incomingWindow: 1, nextIncomingId: session.nextIncomingId }));
    }
    expect(Buffer.concat(pieces).equals(message)).toBe(true);
    expect((await session.takeDelivery()).payload.toString()).toBe('next');
  });

  test('of 0 holds everything until it opens, and a flow without a next-incoming-id counts from the start', async () => {
    endpoint = openEndpoint();
    const session = await openSession(endpoint, { incomingWindow: 0 });
    const receiver = await attachReceiver(session);
    session.send('flow', creditFields(0, 10, { incomingWindow: 0 }));
    receiver.send(Buffer.from('a'));
    receiver.send(Buffer.from('b'));
    await session.expectNothing();
    const { nextIncomingId: _, ...fields } = flowFields({ incomingWindow: 2 });
    session.send('flow', fields);
    await session.takeDelivery();
    await session.takeDelivery();
    // Both are in flight: the window of 2 is used up.
    receiver.send(Buffer.from('c'));
    session.send('flow', fields);
    await session.expectNothing();
    session.send('flow', flowFields({ incomingWindow: 2, nextIncomingId: 2 }));
    await session.takeDelivery();
  });

  test('of 2^32-1, as .NET sends it, holds up nothing', async () => {
    endpoint = openEndpoint();
    const session = await openSession(endpoint, { incomingWindow: LARGEST });
    const receiver = await attachReceiver(session);
    session.send('flow', creditFields(0, 5000, { incomingWindow: LARGEST }));
    for (let index = 0; index < 5000; index++) receiver.send(Buffer.from(`${index}`));
    for (let index = 0; index < 5000; index++) {
      expect((await session.takeDelivery()).payload.toString()).toBe(`${index}`);
    }
  });

  test('is counted right when our transfer-ids and delivery-ids wrap', async () => {
    endpoint = openEndpoint({ firstOutgoingId: LARGEST - 1 });
    const client = await openClient(endpoint);
    const session = client.channel(0);
    session.send('begin', beginFields({ incomingWindow: 3 }));
    expect(numberOf(await session.expect('begin'), 'nextOutgoingId')).toBe(LARGEST - 1);
    const receiver = await attachReceiver(session);
    session.send('flow', creditFields(0, 10, { incomingWindow: 3, nextIncomingId: LARGEST - 1 }));
    await until(() => receiver.link.credit === 10, 'the credit came');
    for (let index = 0; index < 5; index++) receiver.send(Buffer.from(`${index}`));
    const ids: number[] = [];
    for (let index = 0; index < 3; index++) ids.push((await session.takeDelivery()).deliveryId);
    await session.expectNothing();
    session.send('flow', flowFields({ incomingWindow: 3, nextIncomingId: 1 }));
    for (let index = 0; index < 2; index++) ids.push((await session.takeDelivery()).deliveryId);
    expect(ids).toEqual([LARGEST - 1, LARGEST, 0, 1, 2]);
    session.send('disposition', dispositionFields(LARGEST, 1, { state: composite('accepted') }));
    await until(() => receiver.words.length === 3, 'three are settled');
    expect(receiver.words.map(({ deliveryId }) => deliveryId)).toEqual([LARGEST, 0, 1]);
    expect([...amqpSessionOf(receiver.link).outgoing.unsettledIds]).toEqual([LARGEST - 1, 2]);
  });
});

describe('our window', () => {
  test('opens again while the client sends, and its ids wrap', async () => {
    endpoint = openEndpoint({ credit: 20_000 });
    const session = await openSession(endpoint, { nextOutgoingId: LARGEST - 10 });
    const sender = await attachSender(session);
    for (let id = 0; id < 10_000; id++) {
      session.send('transfer', pieceFields(0, { deliveryId: id, settled: true }), { payload: Buffer.of(1) });
    }
    await until(() => sender.deliveries.length === 10_000, 'all came');
    session.send('flow', flowFields({ echo: true }));
    const flow = await session.take('flow', (each) => numberOf(each, 'nextIncomingId') === 10_000 - 11);
    expect(numberOf(flow, 'incomingWindow')).toBeGreaterThan(1000);
  });

  test('is announced when the client asks', async () => {
    endpoint = openEndpoint();
    const session = await openSession(endpoint, { nextOutgoingId: 5 });
    session.send('flow', flowFields({ echo: true }));
    const flow = await session.expect('flow');
    expect(numberOf(flow, 'nextIncomingId')).toBe(5);
    expect(flow.field('handle')?.type ?? 'null').toBe('null');
  });
});
