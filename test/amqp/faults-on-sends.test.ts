// Faults of sends, frame by frame: what the sender is told, and what the broker has of the message.

import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { FaultyEmulator } from '../steer/faulty-emulator.js';
import { str, uint } from '../support/frame-encoder.js';
import { conditionOf, descriptionOf } from '../support/frame-fields.js';
import { hasCredit, openClient, takeDisposition, takeRefusal, writeMessage } from '../support/frame-links.js';
import { applicationProperties, dataSection, propertiesSection, section } from '../support/frame-message.js';
import { LinkClient, outcome } from '../support/link-client.js';

const BUSY = /^rejected\[error\['com\.microsoft:server-busy, "The request was terminated because /;
const BATCH_FORMAT = 0x80013700;
const TRACKING = /\. TrackingId:[0-9a-f-]{36}, SystemTracker:.*:q, Timestamp:/;

let under: FaultyEmulator;
let client: LinkClient;

beforeEach(async () => {
  under = await FaultyEmulator.open({ queues: ['q', 'other'], readsProperty: true });
  client = await LinkClient.open(under.connect());
  await client.openSender();
});
afterEach(() => under.stop());

/** What the sender is told about the message that it sends. */
async function sent(deliveryId: number, message = dataSection('x')): Promise<string> {
  client.transfer(message);
  return answer(deliveryId);
}

async function answer(deliveryId: number): Promise<string> {
  return outcome(await takeDisposition(client.session, deliveryId, 'receiver'));
}

function carrying(fault: string, messageId: string): Buffer {
  return Buffer.concat([
    propertiesSection({ messageId: str(messageId) }),
    applicationProperties({ 'x-jitney-fault': str(fault) }),
    dataSection('x'),
  ]);
}

/** The connections that are open. */
const openCount = () => under.emulator.connections.list().length;

describe('a send', () => {
  test('that fails is rejected with Azure’s text, and is not stored; the next is', async () => {
    under.faults.add({ on: 'send', error: 'server-busy', times: 1 });
    const answer = await sent(0);
    expect(answer).toMatch(BUSY);
    expect(answer).toMatch(TRACKING);
    expect(await under.messages()).toEqual([]);
    expect(await sent(1)).toBe('accepted[]');
    expect(await under.conditions()).toEqual(['active 0']);
  });

  test('that fails with a text of its own has it in the place of Azure’s', async () => {
    under.faults.add({ on: 'send', error: 'timeout', text: 'Too slow.' });
    expect(await sent(0)).toMatch(/^rejected\[error\['com\.microsoft:timeout, "Too slow\. TrackingId:/);
  });

  test('that fails and was sent settled is not stored, and nothing is said', async () => {
    under.faults.add({ on: 'send', error: 'server-busy', times: 1 });
    client.transfer(dataSection('x'), { settled: true });
    await client.session.expectNothing();
    expect(await under.messages()).toEqual([]);
  });

  test('can fail without end: the link still gets credit', async () => {
    under.faults.add({ on: 'send', error: 'server-busy' });
    for (let id = 0; id < 600; id++) client.transfer(dataSection('x'));
    expect(await answer(599)).toMatch(BUSY);
    await client.session.take('flow', hasCredit);
  });

  test('whose answer is lost is stored, and never answered; the next is answered', async () => {
    under.faults.add({ on: 'send', loseAnswer: true, times: 1 });
    client.transfer(dataSection('lost'));
    await client.session.expectNothing();
    expect(await under.conditions()).toEqual(['active 0']);
    expect(await sent(1)).toBe('accepted[]');
    await client.session.expectNothing();
  });

  test('can detach its link: it and those behind it are not stored, and other links stay', async () => {
    const other = await LinkClient.begin(await openClient(under.connect()), 0);
    await other.openSender(0, 'q');
    under.faults.add({ on: 'send', detach: true, nth: 2 });
    for (let count = 0; count < 3; count++) client.transfer(dataSection('x'));
    const { condition, description } = await takeRefusal(client.session);
    expect(condition).toBe('amqp:link:detach-forced');
    expect(description).toMatch(TRACKING);
    expect(await other.send(0, 'x')).toBe('accepted[]');
    expect(await under.messages()).toHaveLength(2);
    expect(openCount()).toBe(2);
  });

  test('can close its connection with a condition, and is not stored', async () => {
    const frames = await openClient(under.connect());
    const session = await LinkClient.begin(frames, 0);
    await session.openSender(0, 'q');
    under.faults.add({ on: 'send', close: true });
    session.write(0, dataSection('x'));
    const close = await frames.inbox.take('close');
    expect(conditionOf(close)).toBe('amqp:connection:forced');
    expect(descriptionOf(close)).toMatch(/^The connection was inactive for more than the allowed period/);
    expect(await under.messages()).toEqual([]);
  });

  test('can break its connection off: not a word is said, and it is not stored', async () => {
    under.faults.add({ on: 'send', reset: true });
    client.transfer(dataSection('x'));
    await expect(client.session.take('disposition')).rejects.toThrow(
      /the server closed the connection|broke/,
    );
    expect(await under.messages()).toEqual([]);
    expect(openCount()).toBe(0);
  });

  test('can silence its connection, which stays open: nothing is said and nothing heard any more', async () => {
    const frames = await openClient(under.connect());
    const session = await LinkClient.begin(frames, 0);
    await session.openSender(0, 'q');
    under.faults.add({ on: 'send', silence: true, times: 1 });
    for (let count = 0; count < 3; count++) session.write(0, dataSection('x'));
    frames.send('close', {});
    await frames.inbox.expectNothing();
    await session.session.expectNothing([]);
    expect([await under.messages(), openCount()]).toEqual([[], 2]);
    expect(await sent(0)).toBe('accepted[]');
  });
});

describe('a send that is held back', () => {
  test('is stored and answered after its time, with those behind it in their order', async () => {
    under.faults.add({ on: 'send', delay: 100, nth: 1 });
    for (const text of ['a', 'bb', 'ccc']) client.transfer(dataSection(text));
    await under.pass(99);
    await client.session.expectNothing();
    expect(await under.messages()).toEqual([]);
    await under.pass(1);
    for (const id of [0, 1, 2]) expect(await answer(id)).toBe('accepted[]');
    const sizes = (await under.messages()).map(({ sizeBytes }) => sizeBytes);
    expect(sizes).toEqual([sizes[0], Number(sizes[0]) + 1, Number(sizes[0]) + 2]);
  });

  test('counts as unfinished bytes until then', async () => {
    const message = dataSection('x'.repeat(1000));
    under.faults.add({ on: 'send', error: 'server-busy', delay: 100 });
    for (const id of [0, 1]) writeMessage(client.session, 0, message, { deliveryId: id });
    await under.pass(0);
    expect(under.emulator.server.trafficOf().heldBytes).toBe(2 * message.length);
    await under.pass(100);
    expect(await answer(1)).toMatch(BUSY);
    expect(under.emulator.server.trafficOf().heldBytes).toBe(0);
  });

  test.each([
    ['its link is closed', () => client.session.send('detach', { handle: uint(0) })],
    ['its connection is lost', () => client.vanish()],
  ])('is dropped when %s, and nothing is held any more', async (_, lose) => {
    under.faults.add({ on: 'send', delay: 100 });
    client.transfer(dataSection('a'));
    await under.pass(10);
    client.transfer(dataSection('b'));
    await under.pass(10);
    lose();
    await under.pass(0);
    expect([under.timers.delays, under.emulator.server.trafficOf().heldBytes]).toEqual([[], 0]);
    await under.pass(1000);
    expect(await under.messages()).toEqual([]);
  });

  test('is dropped when the send before it detaches their link', async () => {
    under.faults.add({ on: 'send', detach: 'stolen', delay: 100, nth: 1 });
    for (let count = 0; count < 3; count++) client.transfer(dataSection('x'));
    await under.pass(100);
    expect((await takeRefusal(client.session)).condition).toBe('amqp:link:stolen');
    expect(under.emulator.server.trafficOf().heldBytes).toBe(0);
    await under.pass(100);
    expect(await under.messages()).toEqual([]);
  });

  test('keeps its place also when the fault is removed meanwhile', async () => {
    const fault = under.faults.add({ on: 'send', delay: 100, error: 'server-busy', nth: 1 });
    client.transfer(dataSection('a'));
    await under.pass(0);
    under.faults.clear();
    client.transfer(dataSection('b'));
    await client.session.expectNothing();
    await under.pass(100);
    expect([await answer(0), await answer(1)]).toEqual([expect.stringMatching(BUSY), 'accepted[]']);
    expect(fault.firedCount).toBe(1);
  });
});

describe('a message of a send', () => {
  const inRegion = (region: string) =>
    Buffer.concat([applicationProperties({ region: str(region) }), dataSection('x')]);

  test('is what a match sees: one alone, or any of a batch, which fails as a whole', async () => {
    under.faults.add({ on: 'send', match: "region = 'EU'", error: 'server-busy' });
    expect(await sent(0, inRegion('US'))).toBe('accepted[]');
    expect(await sent(1, inRegion('EU'))).toMatch(BUSY);
    const batch = Buffer.concat(['US', 'EU'].map((region) => section('data', binary(inRegion(region)))));
    client.transfer(batch, { messageFormat: BATCH_FORMAT });
    expect(await answer(2)).toMatch(BUSY);
    expect(await under.messages()).toHaveLength(1);
  });

  test('that is none is refused for that, whatever a match says', async () => {
    under.faults.add({ on: 'send', match: '1=1', error: 'server-busy' });
    expect(await sent(0, Buffer.from('hello'))).toContain('com.microsoft:argument-error');
  });

  test('can carry its own fault, which hits it once: sent again, it is stored', async () => {
    expect(await sent(0, carrying('server-busy', 'one'))).toMatch(BUSY);
    expect(await sent(1, carrying('server-busy', 'one'))).toBe('accepted[]');
    expect(await sent(2, carrying('server-busi', 'two'))).toMatch(
      /argument-error.*Did you mean 'server-busy'\?/,
    );
    expect(under.fired.map(({ fault, path, effect }) => [fault, path, effect])).toEqual([
      [0, 'q', 'error com.microsoft:server-busy'],
      [0, 'q', 'error com.microsoft:argument-error'],
    ]);
  });
});

test('a fault that happens is in the activity stream, with the client and what it has done to it', async () => {
  const { id } = under.faults.add({ on: 'send', entity: 'Q', error: 'server-busy', delay: 100, times: 1 });
  client.transfer(dataSection('x'));
  await under.pass(100);
  await client.session.take('disposition');
  expect(under.fired).toEqual([
    expect.objectContaining({
      kind: 'fault-fired',
      path: 'q',
      operation: 'send',
      fault: id,
      effect: 'error com.microsoft:server-busy after 100 ms',
      client: expect.objectContaining({ name: 'a client', connectionId: expect.any(Number) }),
    }),
  ]);
  client.transfer(dataSection('x'));
  await client.session.take('disposition');
  expect(under.fired).toHaveLength(1);
});

function binary(message: Buffer): Buffer {
  const length = Buffer.alloc(4);
  length.writeUInt32BE(message.length);
  return Buffer.concat([Buffer.of(0xb0), length, message]);
}
