// What is held for AMQP clients: each kind is taken from the budget and given back, and what waits when there is none left.

import type { Duplex } from 'node:stream';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { ByteBudget, type ByteShare } from '../../src/budget/byte-budget.js';
import { MemoryJournal } from '../../src/journal/memory-journal.js';
import { type EmulatorUnderTest, openEmulatorUnderTest } from '../support/emulator-under-test.js';
import { type FrameChannel, isTrue } from '../support/frame-channel.js';
import { str } from '../support/frame-encoder.js';
import { conditionOf, pieceFields, receiverFields } from '../support/frame-fields.js';
import {
  attachReceiver,
  attachSender,
  beginSession,
  detachLink,
  giveCredit,
  lockToken,
  openClient,
  openSession,
  receiveOne,
  settle,
  takeDisposition,
  writeMessage,
} from '../support/frame-links.js';
import { composite } from '../support/frame-lists.js';
import { dataSection } from '../support/frame-message.js';
import { HeldJournal } from '../support/held-journal.js';
import { inTransaction, LinkClient, outcome } from '../support/link-client.js';
import { turns, until } from '../support/rhea-client.js';
import { VirtualTimers } from '../support/virtual-timers.js';
import { ManagementClient } from './management/management-client.js';
import { peekBody, uuids } from './management/request-bodies.js';

const LIMIT = 4_000_000;
/** With what is kept for those who hold little. */
const FULL = 2 * LIMIT;
const LARGE = dataSection('x'.repeat(200_000));

let budget: ByteBudget;
let timers: VirtualTimers;
let journal: HeldJournal;
let emulator: EmulatorUnderTest;
beforeEach(async () => {
  timers = new VirtualTimers();
  budget = new ByteBudget({ limitBytes: LIMIT, startTimer: timers.startTimer });
  journal = new HeldJournal(new MemoryJournal());
  emulator = await openEmulatorUnderTest({ queues: ['q'], journal, budget });
});
afterEach(async () => {
  expect(emulator.faults).toEqual([]);
  await emulator.stop();
  await until(() => budget.sum === 0, 'all is given back');
});

function heldIs(least: number, most = least * 1.1): Promise<void> {
  return until(
    () => budget.sum >= least && budget.sum <= most,
    `between ${least} and ${most} bytes are held`,
  );
}

async function senderOn(duplex: Duplex = emulator.connect()): Promise<FrameChannel> {
  const session = await openSession(duplex);
  await attachSender(session, 0, 'q');
  return session;
}

function writePiece(session: FrameChannel, bytes: number, { more = true, deliveryId = 0 } = {}): void {
  session.send('transfer', pieceFields(0, { deliveryId, more }), { payload: Buffer.alloc(bytes) });
}

async function send(count: number): Promise<void> {
  const session = await senderOn();
  for (let index = 0; index < count; index++) await takeDisposition(session, writeMessage(session, 0, LARGE));
}

describe('what is held for a client', () => {
  test('are the pieces of a message, until its rest has come or the client goes', async () => {
    const duplex = emulator.connect();
    const session = await senderOn(duplex);
    writePiece(session, 60_000);
    writePiece(session, 60_000);
    await heldIs(120_000);
    writePiece(session, 0, { more: false });
    await session.take('disposition');
    await heldIs(0);
    writePiece(session, 60_000, { deliveryId: 1 });
    await heldIs(60_000);
    duplex.destroy();
    await heldIs(0);
  });

  test('is the half of a frame', async () => {
    const duplex = emulator.connect();
    await openClient(duplex);
    duplex.write(Buffer.concat([Buffer.from([0, 0, 0xff, 0, 2, 0, 0, 0]), Buffer.alloc(50_000)]));
    await heldIs(50_000);
    duplex.destroy();
  });

  test('are messages that are not yet durable', async () => {
    const session = await senderOn();
    journal.hold();
    for (let count = 0; count < 5; count++) writeMessage(session, 0, LARGE);
    await heldIs(1_000_000);
    journal.release();
    await heldIs(0);
  });

  test('are messages of a transaction, until its discharge', async () => {
    const client = await LinkClient.open(emulator.connect());
    await client.openControl();
    await client.openSender(0, 'q');
    const id = await client.declare();
    client.write(0, LARGE, { state: inTransaction(id) });
    await heldIs(200_000);
    await client.commit(id);
    await heldIs(0);
  });

  test('are answers for which it has given no credit yet', async () => {
    await send(1);
    const manager = await ManagementClient.open(await openSession(emulator.connect()), 'q', { credit: 0 });
    for (let count = 0; count < 3; count++) manager.write('peek-message', peekBody());
    await heldIs(600_000);
    manager.give(3);
    for (let count = 0; count < 3; count++) await manager.takeReply();
    await heldIs(0);
  });

  test('are deliveries that it does not read', async () => {
    await send(8);
    const duplex = emulator.connect();
    const session = await openSession(duplex);
    await attachReceiver(session, 0, { path: 'q', isSettled: false });
    duplex.pause();
    giveCredit(session, 0, 8);
    await heldIs(1_000_000, 1_300_000);
    duplex.resume();
    for (let count = 0; count < 8; count++) await session.takeDelivery();
    await heldIs(0);
  });

  test('is a delivery for which its window has no room yet', async () => {
    await send(1);
    const session = await openSession(emulator.connect());
    await attachReceiver(session, 0, { path: 'q', isSettled: false });
    giveCredit(session, 0, 1, { incomingWindow: 1 });
    await heldIs(130_000, 140_000);
    giveCredit(session, 0, 1);
    await session.takeDelivery();
    await heldIs(0);
  });

  test('are the texts of a link, as far as they are unusual', async () => {
    const session = await openSession(emulator.connect());
    await attachReceiver(session, 0, { path: 'q', isSettled: false });
    await heldIs(0);
    const source = composite('source', { address: str('q') });
    session.send('attach', receiverFields(1, { name: str('n'.repeat(1000)), source }));
    await session.take('attach');
    await heldIs(1000 - 512);
    await detachLink(session, 1);
    await heldIs(0);
  });
});

describe('while others hold all there is', () => {
  let hog: ByteShare | undefined;
  let leave = () => {};

  /** Others hold the budget, what is kept for those who hold little, and both turns. */
  async function fill(): Promise<void> {
    hog = budget.open(() => {});
    hog.add(FULL + 1);
    const others = [0, 1].map((bytes) => {
      const other = budget.open(() => {});
      other.wait({ bytes, goOn: () => other.add(1) });
      return other;
    });
    await turns(5);
    expect(budget.sum).toBe(FULL + 3);
    leave = () => {
      hog?.close();
      for (const other of others) other.close();
    };
  }
  afterEach(() => leave());

  test('a message in pieces is not read on, and the connection not taken for silent', async () => {
    const session = await senderOn();
    await fill();
    writePiece(session, 60_000);
    await heldIs(FULL + 60_000, FULL + 70_000);
    for (let count = 0; count < 5; count++) writePiece(session, 60_000);
    await turns();
    expect(budget.sum).toBeLessThan(FULL + 130_000);
    leave();
    writePiece(session, 0, { more: false });
    await session.take('disposition');
  });

  test('a message in one piece is taken', async () => {
    const session = await senderOn();
    await fill();
    await takeDisposition(session, writeMessage(session, 0, dataSection('small')));
  });

  test('settlements, renewals and drains are answered, and peeks and deliveries wait', async () => {
    await send(3);
    const session = await openSession(emulator.connect());
    await attachReceiver(session, 0, { path: 'q', isSettled: false });
    const manager = await ManagementClient.open(session, 'q', { handle: 1 });
    const [first, second] = [await receiveOne(session, 0), await receiveOne(session, 0, 1)];
    await fill();
    const submit = vi.spyOn(emulator.engine, 'submit');
    manager.write('peek-message', peekBody());
    giveCredit(session, 0, 1, { deliveryCount: 2 });
    expect(outcome(await settle(session, first.deliveryId, composite('accepted')))).toBe('accepted[]');
    const token = { 'lock-tokens': uuids(lockToken(second.tag)) };
    expect(await manager.ask('renew-lock', token)).toMatchObject({
      status: 'int 200',
      correlationId: '"request 1"',
    });
    giveCredit(session, 0, 1, { deliveryCount: 2, drain: true });
    await session.take('flow', (flow) => isTrue(flow, 'drain'));
    expect(submit.mock.calls.filter(([{ kind }]) => kind === 'peek')).toEqual([]);
    leave();
    expect((await manager.takeReply()).correlationId).toBe('"request 0"');
    await receiveOne(session, 0, 3);
  });

  test('a message in a transaction is refused, and its discharge answered', async () => {
    const client = await LinkClient.open(emulator.connect());
    await client.openControl();
    await client.openSender(0, 'q');
    const id = await client.declare();
    await fill();
    const message = dataSection('x'.repeat(50_000));
    const sent = await client.answerTo(client.write(0, message, { state: inTransaction(id) }));
    expect(outcome(sent)).toMatch(/^rejected\[error\['amqp:resource-limit-exceeded, "There is no memory for/);
    expect(await client.commit(id)).toMatch(/^rejected\[error\['amqp:transaction:rollback/);
  });

  test('peeks in a transaction wait as others do', async () => {
    const connection = await openClient(emulator.connect());
    const client = await LinkClient.begin(connection, 0);
    const manager = await ManagementClient.open(await beginSession(connection, 1), 'q');
    await client.openControl();
    const id = await client.declare();
    await fill();
    for (let count = 0; count < 5; count++) {
      manager.transfer(manager.message('peek-message', peekBody()), { state: inTransaction(id) });
    }
    await turns();
    expect(budget.sum).toBeLessThan(FULL + 10_000);
    leave();
    for (let count = 0; count < 5; count++) {
      expect((await manager.takeReply()).correlationId).toBe(`"request ${count}"`);
    }
  });

  test('a client with half a message is closed after 60 s', async () => {
    const client = await openClient(emulator.connect());
    const session = await beginSession(client);
    await attachSender(session, 0, 'q');
    await fill();
    writePiece(session, 60_000);
    await heldIs(FULL + 60_000, FULL + 70_000);
    for (let second = 0; second <= 60; second++) {
      // The other goes on, so that it is not ended in its place.
      hog?.add(-LIMIT);
      hog?.add(LIMIT);
      timers.advance(1000);
      await turns(2);
    }
    expect(conditionOf(await client.expect('close'))).toBe('amqp:resource-limit-exceeded');
  });
});
