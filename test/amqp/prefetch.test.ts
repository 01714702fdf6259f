// Credit through the whole server, frame by frame: who is served, what is kept and used up, and what fetching ahead costs.

import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type EmulatorUnderTest, openEmulatorUnderTest } from '../support/emulator-under-test.js';
import { numberOf } from '../support/frame-channel.js';
import { settle } from '../support/frame-links.js';
import { composite } from '../support/frame-lists.js';
import { notation } from '../support/frame-notation.js';
import { LinkClient } from '../support/link-client.js';

const LOCK_MS = 30_000;

let emulator: EmulatorUnderTest;

beforeEach(async () => {
  emulator = await openEmulatorUnderTest({ queues: ['q?lockDuration=PT30S'] });
});
afterEach(async () => {
  expect(emulator.faults).toEqual([]);
  await emulator.stop();
});

const sending = (...texts: readonly string[]) => LinkClient.sending(emulator.connect(), ...texts);
const receiving = (credit: number) => LinkClient.receiving(emulator.connect(), credit);

describe('credit', () => {
  test('that finds no message is kept for later ones [CRD-01]', async () => {
    const receiver = await receiving(3);
    await receiver.expectNone();
    emulator.clock.advance(3_600_000);
    const sender = await sending('a');
    expect(await receiver.takeTexts(1)).toEqual(['a']);
    await sender.sendTexts('b', 'c', 'd');
    expect(await receiver.takeTexts(2)).toEqual(['b', 'c']);
    await receiver.expectNone();
  });
});

describe('a drain', () => {
  test('delivers the available messages, then uses up the rest of the credit [CRD-02]', async () => {
    await sending('a', 'b');
    const receiver = await receiving(0);
    receiver.give({ credit: 5, drain: true });
    // The messages come before the word that there are no more.
    expect((await receiver.session.expect('transfer')).name).toBe('transfer');
    expect((await receiver.session.expect('transfer')).name).toBe('transfer');
    const drained = await receiver.takeDrained();
    expect([numberOf(drained, 'deliveryCount'), numberOf(drained, 'linkCredit')]).toEqual([5, 0]);
  });
});

describe('a message fetched ahead', () => {
  test('whose lock ends in the buffer of a client counts a delivery, and goes to others [CRD-03]', async () => {
    await sending('a', 'b');
    const ahead = await receiving(2);
    const { deliveryId } = await ahead.take();
    const other = await receiving(2);
    emulator.clock.advance(LOCK_MS - 1);
    await other.expectNone();
    emulator.clock.advance(1);
    for (const text of ['a', 'b']) expect(await other.take()).toMatchObject({ text, deliveryCount: 1 });
    const word = await settle(ahead.session, deliveryId, composite('accepted'));
    expect(notation(word.field('state'))).toContain("'com.microsoft:message-lock-lost");
  });
});

describe('a receive that is given up', () => {
  test('leaves its credit to the next receive of its link, which gets a message sent in between uncounted [CRD-05]', async () => {
    const receiver = await receiving(1);
    await receiver.expectNone();
    // The client's caller is gone; its link is not told.
    await sending('between');
    expect(await receiver.take()).toMatchObject({ text: 'between', deliveryCount: 0 });
    await sending('next');
    await receiver.expectNone();
    receiver.give({ credit: 1, used: 1 });
    expect(await receiver.take()).toMatchObject({ text: 'next', deliveryCount: 0 });
  });

  test('and takes its credit back does not disturb the next receive [CRD-05]', async () => {
    const receiver = await receiving(1);
    receiver.give({ credit: 0 });
    await sending('between');
    await receiver.expectNone();
    receiver.give({ credit: 1 });
    expect(await receiver.take()).toMatchObject({ text: 'between', deliveryCount: 0 });
  });

  test('may release a late message, which the next receive gets uncounted [CRD-05]', async () => {
    const receiver = await receiving(1);
    await sending('between');
    const { deliveryId } = await receiver.take();
    await settle(receiver.session, deliveryId, composite('released'));
    receiver.give({ credit: 1, used: 1 });
    expect(await receiver.take()).toMatchObject({ text: 'between', deliveryCount: 0 });
  });
});
