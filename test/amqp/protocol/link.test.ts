// The endpoint's links frame by frame: how they are attached, answered late or never, refused, and detached.

import { afterEach, describe, expect, test } from 'vitest';
import type { Link } from '../../../src/amqp/protocol/link-table.js';
import { amqpSessionOf } from '../../support/amqp-session-of.js';
import { ScriptedReceiver } from '../../support/endpoint-owner.js';
import { type EndpointUnderTest, openEndpoint } from '../../support/endpoint-under-test.js';
import { type FrameChannel, numberOf } from '../../support/frame-channel.js';
import { FrameClient } from '../../support/frame-client.js';
import { described, FALSE, list, NULL, str, TRUE, uint, ulong } from '../../support/frame-encoder.js';
import {
  beginFields,
  conditionOf,
  creditFields,
  descriptionOf,
  dispositionFields,
  pieceFields,
  receiverFields,
  senderFields,
} from '../../support/frame-fields.js';
import { beginSession, openClient, openSession } from '../../support/frame-links.js';
import { composite, type Fields } from '../../support/frame-lists.js';
import { notation } from '../../support/frame-notation.js';
import { turns, until } from '../../support/rhea-client.js';

const GONE = { condition: 'amqp:not-found', description: 'There is no q.' } as const;

let endpoint: EndpointUnderTest;
afterEach(() => {
  expect(endpoint.faults).toEqual([]);
});

/** An endpoint whose owner answers no attach by itself. */
async function openUnanswered() {
  endpoint = openEndpoint({ onAttached: () => {} });
  const client = await openClient(endpoint);
  return { client, session: await beginSession(client) };
}

async function attached(): Promise<Link> {
  await until(() => endpoint.owner.links.length > 0, 'the attach came');
  return endpoint.owner.links.at(-1) as Link;
}

describe('an attach', () => {
  test('may come in one write with everything before and behind it', async () => {
    endpoint = openEndpoint();
    endpoint.owner.whenOutputReady = wrapped(endpoint.owner.whenOutputReady, () => {
      for (const receiver of endpoint.owner.receivers)
        if (receiver.sentCount === 0) receiver.send(Buffer.from('hello'));
    });
    const client = new FrameClient(endpoint.client);
    const session = client.channel(0);
    client.inOneWrite(() => {
      client.writeHeader('amqp');
      client.send('open', { containerId: str('a client') });
      session.send('begin', beginFields());
      session.send('attach', receiverFields(0));
      session.send('flow', creditFields(0, 1));
      session.send('attach', senderFields(1));
      session.send('transfer', pieceFields(1, { deliveryId: 0 }), { payload: Buffer.from('pipelined') });
      session.send('detach', { handle: uint(1), closed: TRUE });
    });
    await client.expectHeader('amqp');
    await client.expect('open');
    await session.expect('begin');
    // The answer comes before what is sent on the link.
    expect(numberOf(await session.expect('attach'), 'handle')).toBe(0);
    expect((await session.takeDelivery()).payload.toString()).toBe('hello');
    await session.take('attach');
    expect(numberOf(await session.take('disposition'), 'first')).toBe(0);
    await session.take('detach');
    expect(endpoint.owner.senders[0]?.deliveries[0]?.payload.toString()).toBe('pipelined');
  });

  test('of a sender and of a receiver may have one name', async () => {
    endpoint = openEndpoint();
    const session = await openSession(endpoint);
    const name = { name: str('both') };
    session.send('attach', senderFields(0, name));
    session.send('attach', receiverFields(1, name));
    const roles = [await session.expect('attach'), await session.take('attach')].map(
      ({ field }) => field('role')?.value,
    );
    expect(roles).toEqual([true, false]);
    session.send('detach', { handle: uint(0), closed: TRUE });
    await session.take('detach');
    session.send('flow', creditFields(1, 1));
    endpoint.owner.receivers[0]?.send(Buffer.from('still there'));
    await session.takeDelivery();
    session.send('attach', senderFields(0, name));
    await session.take('attach');
  });

  test.each(['source', 'target'] as const)(
    'to a %s whose address has more than 2,048 characters is refused',
    async (kind) => {
      endpoint = openEndpoint();
      const session = await openSession(endpoint);
      const terminus = (length: number) => ({
        [kind]: composite(kind, { address: str('2'.repeat(length)) }),
      });
      session.send('attach', senderFields(0, terminus(2048)));
      await session.expect('attach');
      session.send('attach', senderFields(1, terminus(2049)));
      const detach = await session.take('detach');
      expect(conditionOf(detach)).toBe('amqp:invalid-field');
      const begin = '2'.repeat(50);
      expect(descriptionOf(detach)).toBe(
        `The address of the ${kind} is "${begin}...", 2049 characters long; 2048 is the limit.`,
      );
    },
  );

  test('that is answered keeps its name, and not its termini, whether it is accepted or refused', async () => {
    const { session } = await openUnanswered();
    for (const handle of [0, 1]) session.send('attach', receiverFields(handle));
    await until(() => endpoint.owner.links.length === 2, 'both attaches came');
    const { links } = endpoint.owner;
    expect(links.map(({ attach }) => 'source' in attach)).toEqual([true, true]);
    endpoint.owner.accept(links[0] as Link);
    links[1]?.refuse(GONE);
    expect(links.map(({ attach: { name, source } }) => [name, source])).toEqual([
      ['receiver 0', undefined],
      ['receiver 1', undefined],
    ]);
  });

  test('is answered with all fields, its termini repeated as they came', async () => {
    endpoint = openEndpoint({ maxMessageSize: 262_144 });
    const session = await openSession(endpoint);
    const fields = senderFields(3);
    session.send('attach', fields);
    const answer = await session.expect('attach');
    expect(answer.positions).toHaveLength(14);
    expect(notation(answer.field('target'))).toBe('target["q"]');
    expect(notation(answer.field('source'))).toBe('source[]');
    expect(answer.text).toMatch(/^attach\["sender 3", uint 0, true, ubyte 2, ubyte 0, /);
    expect(notation(answer.field('maxMessageSize'))).toBe('ulong 262144');
    expect(notation(answer.field('properties'))).toBe('{}');
    // Only the side that sends says where its count starts.
    expect(notation(answer.field('initialDeliveryCount'))).toBe('null');
    session.send('attach', receiverFields(4));
    expect(notation((await session.take('attach')).field('initialDeliveryCount'))).toBe('uint 0');
  });

  test('takes our lowest handles, so that no handle-max of the client is too small', async () => {
    endpoint = openEndpoint();
    const session = await openSession(endpoint);
    const handles: (number | undefined)[] = [];
    for (const handle of [500, 600, 700]) {
      session.send('attach', senderFields(handle));
      handles.push(numberOf(await session.take('attach'), 'handle'));
    }
    session.send('detach', { handle: uint(600), closed: TRUE });
    await session.take('detach');
    session.send('attach', receiverFields(65_535));
    handles.push(numberOf(await session.take('attach'), 'handle'));
    expect(handles).toEqual([0, 1, 2, 1]);
  });
});

describe('an attach that is answered late', () => {
  test('keeps the credit, the drain and the messages that came meanwhile', async () => {
    const { session } = await openUnanswered();
    session.send('attach', receiverFields(0));
    session.send('flow', creditFields(0, 10, { drain: true }));
    session.send('attach', senderFields(1));
    session.send('transfer', pieceFields(1, { deliveryId: 0 }), { payload: Buffer.from('early') });
    await until(() => endpoint.owner.links.length === 2, 'both came');
    await session.expectNothing([]);
    for (const link of endpoint.owner.links) expect(endpoint.owner.accept(link)).toBe(true);
    await session.take('attach');
    expect(
      numberOf(await session.take('flow', (flow) => flow.field('drain')?.value === true), 'deliveryCount'),
    ).toBe(10);
    await session.take('disposition');
    expect(endpoint.owner.senders[0]?.deliveries).toHaveLength(1);
  });

  test('hands over early messages with the first credit, in their order', async () => {
    endpoint = openEndpoint({ onAttached: () => {}, credit: 0 });
    const session = await openSession(endpoint);
    const send = (deliveryId: number) => session.send('transfer', pieceFields(0, { deliveryId }));
    session.send('attach', senderFields(0));
    send(0);
    send(1);
    await turns();
    endpoint.owner.accept(await attached());
    await session.take('attach');
    send(2);
    await turns();
    const [sender] = endpoint.owner.senders;
    expect(sender?.deliveries).toEqual([]);
    sender?.link.setCredit(10);
    expect(sender?.deliveries.map(({ deliveryId }) => deliveryId)).toEqual([0, 1, 2]);
  });

  test('checks the size of early messages against the limit that it brings', async () => {
    endpoint = openEndpoint({ onAttached: () => {}, maxMessageSize: 10 });
    const session = await openSession(endpoint);
    session.send('attach', senderFields(0));
    for (const [deliveryId, size] of [10, 11].entries()) {
      session.send('transfer', pieceFields(0, { deliveryId }), { payload: Buffer.alloc(size) });
    }
    await turns();
    endpoint.owner.accept(await attached());
    const deliveries = endpoint.owner.senders[0]?.deliveries ?? [];
    expect(deliveries.map(({ isTooLarge, payload }) => [isTooLarge, payload.length])).toEqual([
      [false, 10],
      [true, 0],
    ]);
  });

  test('does not keep more than 16 MiB of early messages', async () => {
    const { session } = await openUnanswered();
    session.send('attach', senderFields(0));
    for (let deliveryId = 0; deliveryId < 300; deliveryId++) {
      session.send('transfer', pieceFields(0, { deliveryId }), { payload: Buffer.alloc(60_000) });
    }
    expect(conditionOf(await session.take('detach'))).toBe('amqp:link:transfer-limit-exceeded');
    expect(endpoint.owner.accept(await attached())).toBe(false);
  });

  test('comes to nothing when the client has detached', async () => {
    const { session } = await openUnanswered();
    session.send('attach', receiverFields(0));
    const link = await attached();
    session.send('detach', { handle: uint(0), closed: FALSE });
    expect(notation((await session.expect('attach')).field('source'))).toBe('null');
    expect((await session.expect('detach')).field('closed')?.value).toBe(false);
    expect(endpoint.owner.accept(link)).toBe(false);
    link.refuse(GONE);
    link.detach(GONE);
    await session.expectNothing([]);
    session.send('attach', receiverFields(0));
    await until(() => endpoint.owner.links.length === 2, 'the name and the handle are free again');
  });

  test('comes to nothing when the client has ended the session', async () => {
    const { client, session } = await openUnanswered();
    session.send('attach', senderFields(0));
    session.send('attach', receiverFields(1));
    await until(() => endpoint.owner.links.length === 2, 'both came');
    session.send('end', {});
    await session.expect('end');
    for (const link of endpoint.owner.links) {
      expect(endpoint.owner.accept(link)).toBe(false);
      link.refuse(GONE);
      link.detach(undefined);
    }
    await (await beginSession(client, 1)).expectNothing([]);
    await client.inbox.expectNothing([]);
  });

  test('comes to nothing when the connection is gone', async () => {
    const { session } = await openUnanswered();
    session.send('attach', senderFields(0));
    const link = await attached();
    endpoint.client.destroy();
    await until(() => endpoint.isClosed, 'the pipe is closed');
    expect(endpoint.owner.accept(link)).toBe(false);
    link.refuse(GONE);
  });
});

describe('a receiver that is to be answered later', () => {
  const ends: readonly [string, (session: FrameChannel) => void][] = [
    ['the client detaches', (session) => session.send('detach', { handle: uint(0), closed: TRUE })],
    ['the client ends the session', (session) => session.send('end', {})],
    ['the connection is gone', () => endpoint.client.destroy()],
  ];
  test.each(ends)('hears of it, once, when %s', async (_, end) => {
    const { session, receiver } = await openWaiting();
    end(session);
    await until(() => receiver.detachedCount > 0, 'the owner heard of it');
    expect(receiver.begin()).toBe(false);
    endpoint.client.destroy();
    await turns();
    expect(receiver.detachedCount).toBe(1);
  });

  test('gets nothing else before it is accepted, and then all that has come', async () => {
    const { session, receiver } = await openWaiting();
    receiver.send(Buffer.from('ready'));
    session.send('flow', creditFields(0, 1));
    session.send('flow', creditFields(0, 3, { echo: true }));
    await session.expectNothing([]);
    expect(receiver.waitingCount).toBe(1);
    expect(receiver.begin()).toBe(true);
    expect((await session.expect('attach')).field('source')?.type).toBe('described');
    expect((await session.takeDelivery()).payload.toString()).toBe('ready');
    expect(receiver.detachedCount).toBe(0);
  });

  async function openWaiting() {
    const { session } = await openUnanswered();
    session.send('attach', receiverFields(0));
    const link = await attached();
    if (link.role !== 'receiver') throw new Error('the client receives');
    const receiver = new ScriptedReceiver(link);
    link.answerLater(receiver);
    return { session, receiver };
  }
});

describe('a refused attach', () => {
  test('is answered without termini, and the reason comes in a later write', async () => {
    const { session } = await openUnanswered();
    session.send('attach', receiverFields(0));
    (await attached()).refuse(GONE);
    const answer = await session.expect('attach');
    expect(answer.positions).toHaveLength(14);
    expect([answer.field('source')?.type, answer.field('target')?.type]).toEqual(['null', 'null']);
    const detach = await session.expect('detach');
    expect(conditionOf(detach)).toBe('amqp:not-found');
    expect(detach.field('closed')?.value).toBe(true);
    expect(detach.writeIndex).toBeGreaterThan(answer.writeIndex);
  });

  test('ignores frames that the client sends before it knows, and frees name and handle', async () => {
    const { session } = await openUnanswered();
    session.send('attach', senderFields(0));
    (await attached()).refuse(GONE);
    session.send('transfer', pieceFields(0, { deliveryId: 0, more: true }), { payload: Buffer.from('lost') });
    session.send('flow', creditFields(0, 1));
    await session.take('detach');
    await turns();
    expect(endpoint.connection.held.unfinished).toBe(0);
    session.send('detach', { handle: uint(0), closed: TRUE });
    session.send('attach', senderFields(0));
    await until(() => endpoint.owner.links.length === 2, 'the next attach came');
    endpoint.owner.accept(await attached());
    await session.expect('attach');
    expect(endpoint.owner.senders[0]?.deliveries).toEqual([]);
  });

  test('that is detached without a reason gets a detach too', async () => {
    const { session } = await openUnanswered();
    session.send('attach', receiverFields(0));
    (await attached()).detach(undefined);
    expect((await session.expect('attach')).field('source')?.type).toBe('null');
    expect(conditionOf(await session.expect('detach'))).toBeUndefined();
  });
});

describe('an attach with a terminus that cannot be decoded', () => {
  test.each<[string, Fields<'attach'>]>([
    ['a target that is a number', { target: uint(5) }],
    ['a source whose address is a number', { source: composite('source', { address: uint(5) }) }],
    ['a source that is a delivery state', { source: composite('accepted') }],
    ['a target with a field too many', { target: described(ulong(0x29), list(Array(9).fill(NULL))) }],
  ])('such as %s is refused, and its owner never hears of it', async (_, fields) => {
    const { session } = await openUnanswered();
    session.send('attach', receiverFields(0, fields));
    expect((await session.expect('attach')).field('source')?.type).toBe('null');
    expect(conditionOf(await session.expect('detach'))).toMatch(/^amqp:(invalid-field|decode-error)$/);
    expect(endpoint.owner.links).toEqual([]);
    session.send('detach', { handle: uint(0), closed: TRUE });
    session.send('attach', receiverFields(0));
    await attached();
  });
});

describe('a detach', () => {
  test('of the client leaves its deliveries to be settled with a state as long as the session lives [LNK-01]', async () => {
    endpoint = openEndpoint();
    const session = await openSession(endpoint);
    for (const handle of [0, 1]) {
      session.send('attach', receiverFields(handle));
      session.send('flow', creditFields(handle, 10));
      await session.take('attach');
    }
    const [first, second] = endpoint.owner.receivers;
    for (let index = 0; index < 3; index++) {
      first?.send(Buffer.from('a'));
      second?.send(Buffer.from('b'));
    }
    for (let index = 0; index < 6; index++) await session.takeDelivery();
    session.send('detach', { handle: uint(0), closed: TRUE });
    await session.take('detach');
    expect(first?.detachedCount).toBe(1);
    // In turn, the deliveries are those of the first link and of the second.
    session.send('disposition', dispositionFields(0, 3, { settled: true, state: composite('released') }));
    session.send('disposition', dispositionFields(4, 5, { settled: true }));
    await until(() => second?.words.length === 3, 'the other link heard of its own');
    expect(first?.words.map(({ context }) => context)).toEqual(['message 0', 'message 1']);
    expect(amqpSessionOf(second?.link).outgoing.unsettledIds.length).toBe(0);
    await session.expectNothing();
  });

  test('of the client leaves no more than 5,000 unsettled deliveries behind, the newest', async () => {
    endpoint = openEndpoint();
    const session = await openSession(endpoint);
    session.send('attach', receiverFields(0));
    session.send('flow', creditFields(0, 6000));
    await session.take('attach');
    const [receiver] = endpoint.owner.receivers;
    await until(() => receiver?.link.credit === 6000, 'the credit came');
    for (let index = 0; index < 5002; index++) receiver?.send(Buffer.from('a'));
    session.send('detach', { handle: uint(0), closed: TRUE });
    await session.take('detach');
    const unsettled = [...amqpSessionOf(receiver?.link).outgoing.unsettledIds];
    expect([unsettled.length, unsettled[0]]).toEqual([5000, 2]);
  });

  test('of ours drops the deliveries that wait for the window, and the link is ignored from then on', async () => {
    endpoint = openEndpoint();
    const session = await openSession(endpoint, { incomingWindow: 1 });
    session.send('attach', receiverFields(0));
    session.send('flow', creditFields(0, 10, { incomingWindow: 1 }));
    await session.expect('attach');
    const [receiver] = endpoint.owner.receivers;
    receiver?.send(Buffer.alloc(600_000));
    await session.take('transfer');
    receiver?.link.detach(GONE);
    expect(conditionOf(await session.take('detach'))).toBe('amqp:not-found');
    session.send('flow', creditFields(0, 10, { incomingWindow: 100, nextIncomingId: 1 }));
    await session.expectNothing();
    session.send('detach', { handle: uint(0), closed: TRUE });
    await session.expectNothing();
    session.send('attach', receiverFields(0));
    await session.take('attach');
  });

  test('is not answered twice when both sides say it at once', async () => {
    endpoint = openEndpoint();
    const session = await openSession(endpoint);
    session.send('attach', senderFields(0));
    await session.expect('attach');
    const [sender] = endpoint.owner.senders;
    sender?.link.detach(GONE);
    session.send('detach', { handle: uint(0), closed: TRUE });
    await session.take('detach');
    await session.expectNothing();
    expect(sender?.detachedCount).toBe(1);
  });
});

function wrapped(first: () => void, second: () => void): () => void {
  return () => {
    first();
    queueMicrotask(second);
  };
}
