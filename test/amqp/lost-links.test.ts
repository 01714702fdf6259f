// What becomes of locked messages when their link or connection goes, through the whole server, frame by frame.

import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type EmulatorUnderTest, openEmulatorUnderTest } from '../support/emulator-under-test.js';
import { bin, map, str, TRUE, uint } from '../support/frame-encoder.js';
import { creditFields, dispositionFields, receiverFields } from '../support/frame-fields.js';
import { attachReceiver, type TextDelivery } from '../support/frame-links.js';
import { composite } from '../support/frame-lists.js';
import { notation } from '../support/frame-notation.js';
import { LinkClient } from '../support/link-client.js';
import { turns } from '../support/rhea-client.js';
import { ManagementClient } from './management/management-client.js';

const LOCK_MS = 30_000;
const QUEUE = 'q?lockDuration=PT30S';
/** The handle of a second receiver link. */
const RECEIVE_AND_DELETE = 9;

let emulator: EmulatorUnderTest;

beforeEach(async () => {
  emulator = await openEmulatorUnderTest({ queues: [QUEUE] });
});
afterEach(async () => {
  expect(emulator.faults).toEqual([]);
  await emulator.stop();
});

const sending = (...texts: readonly string[]) => LinkClient.sending(emulator.connect(), ...texts);
const receiving = (credit: number) => LinkClient.receiving(emulator.connect(), credit);

/** Receives one message under a lock, and loses it in this way. */
async function lose(way: 'closed link' | 'lost connection') {
  await sending('held');
  const client = await receiving(1);
  const delivery = await client.take();
  if (way === 'closed link') await client.detach();
  else client.vanish();
  await turns();
  return { client, delivery };
}

/** A client that can ask `$management`: on the connection of the lost link where that is still there. */
async function managing(way: 'closed link' | 'lost connection') {
  const { client, delivery } = await lose(way);
  const { session } = way === 'closed link' ? client : await LinkClient.open(emulator.connect());
  const manager = await ManagementClient.open(session, 'q', { handle: 2 });
  return { manager, delivery };
}

describe.each([
  ['closed link', 'LNK-01'],
  ['lost connection', 'LNK-02'],
] as const)('the message of a %s', (way, id) => {
  test(`stays locked until its lock ends, and then returns with the delivery counted [${id}]`, async () => {
    await lose(way);
    const other = await receiving(1);
    await turns();
    emulator.clock.advance(LOCK_MS - 1);
    await other.expectNone();
    emulator.clock.advance(1);
    expect(await other.take()).toMatchObject({ text: 'held', deliveryCount: 1 });
  });

  test(`is completed by its token, and gone [${id}, SET-08]`, async () => {
    const { manager, delivery } = await managing(way);
    expect(await manager.completeByToken(delivery)).toBe('200');
    await expectNothingLeft();
    expect(await manager.completeByToken(delivery)).toBe('410 com.microsoft:message-lock-lost');
  });

  test(`is free at once, and not counted, if locks are released on detach [LNK-04]`, async () => {
    await emulator.stop();
    emulator = await openEmulatorUnderTest({ queues: [QUEUE], releaseLocksOnDetach: true });
    await lose(way);
    const other = await receiving(1);
    expect(await other.take()).toMatchObject({ text: 'held', deliveryCount: 0 });
  });
});

describe('a link that comes after a lost one', () => {
  test('cannot settle its messages, by their number or by resuming the old link [LNK-03]', async () => {
    const { delivery } = await lose('lost connection');
    const client = await LinkClient.open(emulator.connect());
    const unsettled = map([[bin(delivery.tag), composite('accepted')]]);
    client.session.send('attach', { ...receiverFields(1, { unsettled }), name: str('receiver-1') });
    const attach = await client.session.expect('attach');
    // Of the old link nothing is known, and that is all (AMQP 2.6.13).
    expect(['absent', 'null']).toContain(notation(attach.field('unsettled')));
    expect(notation(attach.field('incompleteUnsettled'))).toBe('false');
    disposeOf(client, delivery);
    await client.session.expectNothing();
    await expectComesBack();
  });

  function disposeOf({ session }: LinkClient, { deliveryId }: TextDelivery): void {
    const state = composite('accepted');
    session.send('disposition', dispositionFields(deliveryId, deliveryId, { state }));
  }

  /** The message was still locked, and still is. */
  async function expectComesBack(): Promise<void> {
    const other = await receiving(1);
    await other.expectNone();
    emulator.clock.advance(LOCK_MS);
    expect(await other.take()).toMatchObject({ text: 'held', deliveryCount: 1 });
  }
});

describe('a message that returns in the same read that ends a link', () => {
  /** By the peek-lock link that abandons it, or by another, which would lose it. */
  test.each<[string, (session: LinkClient['session']) => void]>([
    ['detach', (session) => session.send('detach', { handle: uint(RECEIVE_AND_DELETE), closed: TRUE })],
    ['end', (session) => session.send('end', {})],
    ['close', (session) => session.send('close', {})],
  ])('is not delivered to the link that the %s ends', async (_, leave) => {
    await sending('held');
    const duplex = emulator.connect();
    const client = await LinkClient.receiving(duplex, 1);
    const { deliveryId } = await client.take();
    const given = { path: 'q', isSettled: true };
    await attachReceiver(client.session, RECEIVE_AND_DELETE, given);
    client.session.send('flow', creditFields(RECEIVE_AND_DELETE, 5));
    await turns();
    duplex.cork();
    const state = composite('modified', { deliveryFailed: TRUE });
    client.session.send('disposition', dispositionFields(deliveryId, deliveryId, { state }));
    leave(client.session);
    duplex.uncork();
    await turns();
    const other = await receiving(1);
    expect(await other.take()).toMatchObject({ text: 'held', deliveryCount: 1 });
  });
});

async function expectNothingLeft(): Promise<void> {
  const other = await receiving(1);
  emulator.clock.advance(LOCK_MS);
  await other.expectNone();
}
