// Credit against window, drains against later flows, and what a client leaves unfinished: through the whole server, frame by frame.

import { afterEach, describe, expect, test } from 'vitest';
import { MemoryJournal } from '../../src/journal/memory-journal.js';
import { type EmulatorUnderTest, openEmulatorUnderTest } from '../support/emulator-under-test.js';
import { type FrameChannel, numberOf } from '../support/frame-channel.js';
import { FrameClient } from '../support/frame-client.js';
import { bin, FALSE, str, TRUE, uint } from '../support/frame-encoder.js';
import { attachReceiver, attachSender, openSession, sendPieces, settle } from '../support/frame-links.js';
import { composite } from '../support/frame-lists.js';
import { HeldJournal } from '../support/held-journal.js';
import { turns, until } from '../support/rhea-client.js';

/** A message of one data section of eight bytes. */
const MESSAGE = Buffer.from('005375a0083031323334353637', 'hex');
const LARGE_WINDOW = 2_147_483_647;

let emulator: EmulatorUnderTest;
afterEach(async () => {
  expect(emulator.faults).toEqual([]);
  await emulator.stop();
});

async function sendMessages(queue: string, count: number): Promise<void> {
  const session = await openSession(emulator.connect());
  await attachSender(session, 0, queue);
  for (let id = 0; id < count; id++) await sendPieces(session, 0, { pieces: [MESSAGE], deliveryId: id });
}

type Credit = { credit: number; used?: number; drain?: boolean; window?: number };

function flow(
  session: FrameChannel,
  { credit, used = 0, drain = false, window = LARGE_WINDOW }: Credit,
): void {
  session.send('flow', {
    nextIncomingId: uint(session.nextIncomingId),
    incomingWindow: uint(window),
    nextOutgoingId: uint(session.sentTransferCount),
    outgoingWindow: uint(LARGE_WINDOW),
    handle: uint(0),
    deliveryCount: uint(used),
    linkCredit: uint(credit),
    drain: drain ? TRUE : FALSE,
  });
}

async function openReceiver(queue: string, isSettled = false): Promise<FrameChannel> {
  const session = await openSession(emulator.connect());
  await attachReceiver(session, 0, { path: queue, isSettled });
  return session;
}

/** A receiver whose flows can reach the server in one piece. */
async function openCorkedReceiver(queue: string) {
  const duplex = emulator.connect();
  const session = await openSession(duplex);
  await attachReceiver(session, 0, { path: queue, isSettled: false });
  const flows = (...credits: readonly Credit[]) => {
    duplex.cork();
    for (const credit of credits) flow(session, credit);
    duplex.uncork();
  };
  return { session, flows };
}

describe('a drain', () => {
  test('that the client cancels before the answer does not affect later credit', async () => {
    emulator = await openEmulatorUnderTest({ queues: ['q'] });
    const { session, flows } = await openCorkedReceiver('q');
    flows({ credit: 10, drain: true }, { credit: 0 }, { credit: 5 });
    await turns();
    await sendMessages('q', 5);
    for (let count = 0; count < 5; count++) await session.takeDelivery();
  });

  test('that is overtaken by more credit does not swallow it', async () => {
    emulator = await openEmulatorUnderTest({ queues: ['q'] });
    await sendMessages('q', 2);
    const { session, flows } = await openCorkedReceiver('q');
    flows({ credit: 10, drain: true }, { credit: 12 });
    await sendMessages('q', 10);
    for (let count = 0; count < 12; count++) await session.takeDelivery();
  });

  test('that is requested twice is answered for the credit of the second', async () => {
    emulator = await openEmulatorUnderTest({ queues: ['q'] });
    const { session, flows } = await openCorkedReceiver('q');
    flows({ credit: 10, drain: true }, { credit: 12, drain: true });
    const answer = await session.take('flow', (frame) => numberOf(frame, 'deliveryCount') === 12);
    expect(numberOf(answer, 'linkCredit')).toBe(0);
  });
});

describe('a closed window', () => {
  test('keeps messages from being locked: none is dead-lettered unseen', async () => {
    emulator = await openEmulatorUnderTest({ queues: ['q?lockDuration=PT5S&maxDeliveryCount=2'] });
    await sendMessages('q', 3);
    const session = await openReceiver('q');
    flow(session, { credit: 100, window: 0 });
    for (let round = 0; round < 5; round++) {
      emulator.clock.advance(6000);
      await turns();
    }
    flow(session, { credit: 100 });
    for (let count = 0; count < 3; count++) {
      // Had it been locked before it could be written, that lock would be long over.
      const { deliveryId } = await session.takeDelivery();
      const outcome = await settle(session, deliveryId, composite('accepted'));
      expect(outcome.text).toContain('accepted');
    }
  });

  test('keeps receive-and-delete from consuming what it cannot write', async () => {
    emulator = await openEmulatorUnderTest({ queues: ['q'] });
    await sendMessages('q', 20);
    const session = await openReceiver('q', true);
    flow(session, { credit: 1000, window: 1 });
    await session.takeDelivery();
    session.send('detach', { handle: uint(0), closed: TRUE });
    await session.expect('detach');
    const next = await openReceiver('q', true);
    flow(next, { credit: 1000 });
    for (let count = 0; count < 19; count++) await next.takeDelivery();
  });

  test('that opens step by step lets as many messages through each time', async () => {
    emulator = await openEmulatorUnderTest({ queues: ['q'] });
    await sendMessages('q', 9);
    const session = await openReceiver('q');
    for (let used = 0; used < 9; used += 3) {
      flow(session, { credit: 9 - used, used, window: 3 });
      for (let count = 0; count < 3; count++) await session.takeDelivery();
      await session.expectNothing();
    }
  });
});

describe('deliveries and attaches that are not finished', () => {
  test('aborted deliveries give their credit back', async () => {
    emulator = await openEmulatorUnderTest({ queues: ['q'] });
    const session = await openSession(emulator.connect());
    await attachSender(session, 0, 'q');
    for (let id = 0; id < 3000; id++) {
      const naming = { deliveryId: uint(id), deliveryTag: bin(Buffer.of(1)), messageFormat: uint(0) };
      session.send('transfer', { handle: uint(0), ...naming, more: TRUE }, { payload: MESSAGE });
      session.send('transfer', { handle: uint(0), aborted: TRUE, more: FALSE });
    }
    const outcome = await sendPieces(session, 0, { pieces: [MESSAGE], deliveryId: 3000 });
    expect(outcome.text).toContain('accepted');
  });

  test('messages sent before the attach is answered count as held, and reading from the sockets pauses', async () => {
    const journal = new HeldJournal(new MemoryJournal());
    emulator = await openEmulatorUnderTest({ queues: ['q?maxSizeInMegabytes=5120'], journal });
    const blocker = await openSession(emulator.connect());
    await attachSender(blocker, 0, 'q');
    journal.hold();
    // Its turn is not durable, and so no attach behind it is answered.
    void sendPieces(blocker, 0, { pieces: [MESSAGE], deliveryId: 0 }).catch(() => {});
    const payload = Buffer.concat([Buffer.from('005375b0', 'hex'), big32(60_000), Buffer.alloc(60_000)]);
    const paused: (() => number)[] = [];
    for (let client = 0; client < 20; client++) {
      const duplex = emulator.connect();
      paused.push(() => duplex.writableLength);
      pipeline(new FrameClient(duplex), payload, 60);
    }
    await until(() => paused.every((waiting) => waiting() > 0), 'no connection is read any more');
    journal.release();
    await until(() => paused.every((waiting) => waiting() === 0), 'all goes on when the journal answers');
  });

  test('a connection with too many incomplete messages is closed, and the others go on', async () => {
    emulator = await openEmulatorUnderTest({ queues: ['q?maxSizeInMegabytes=5120'] });
    const hostile = await openSession(emulator.connect());
    const half = Buffer.alloc(60_000);
    for (let handle = 0; handle < 600; handle++) {
      hostile.send('attach', {
        name: str(`s${handle}`),
        handle: uint(handle),
        role: FALSE,
        source: composite('source'),
        target: composite('target', { address: str('q') }),
        initialDeliveryCount: uint(0),
      });
      const naming = { deliveryId: uint(handle), deliveryTag: bin(Buffer.of(1)), messageFormat: uint(0) };
      for (let piece = 0; piece < 4; piece++) {
        const fields = piece === 0 ? naming : {};
        hostile.send('transfer', { handle: uint(handle), ...fields, more: TRUE }, { payload: half });
      }
    }
    await expect(hostile.take('attach', () => false)).rejects.toThrow(/the server wrote close/);
    const session = await openSession(emulator.connect());
    await attachSender(session, 0, 'q');
    expect((await sendPieces(session, 0, { pieces: [MESSAGE], deliveryId: 0 })).text).toContain('accepted');
  });
});

/** Everything a sender has to say, without waiting for an answer. */
function pipeline(client: FrameClient, payload: Buffer, count: number): void {
  client.writeHeader('amqp');
  client.send('open', { containerId: str('a pipelining client') });
  const session = client.channel(0);
  const window = uint(LARGE_WINDOW);
  session.send('begin', { nextOutgoingId: uint(0), incomingWindow: window, outgoingWindow: window });
  session.send('attach', {
    name: str('s'),
    handle: uint(0),
    role: FALSE,
    source: composite('source'),
    target: composite('target', { address: str('q') }),
    initialDeliveryCount: uint(0),
  });
  for (let id = 0; id < count; id++) {
    const naming = { deliveryId: uint(id), deliveryTag: bin(Buffer.of(1)), messageFormat: uint(0) };
    session.send('transfer', { handle: uint(0), ...naming }, { payload });
  }
}

function big32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
}
