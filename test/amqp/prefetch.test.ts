// Credit through the whole server, frame by frame: who is served, what is kept and used up, and what fetching ahead costs.

import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type EmulatorUnderTest, openEmulatorUnderTest } from '../support/emulator-under-test.js';
import { numberOf } from '../support/frame-channel.js';
import { settle } from '../support/frame-links.js';
import { composite } from '../support/frame-lists.js';
import { notation } from '../support/frame-notation.js';
import { QueueClient } from '../support/queue-client.js';

const LOCK_MS = 30_000;

let emulator: EmulatorUnderTest;

beforeEach(async () => {
  emulator = await openEmulatorUnderTest({ queues: ['q?lockDuration=PT30S'] });
});
afterEach(async () => {
  expect(emulator.faults).toEqual([]);
  await emulator.stop();
});

const sending = (...texts: readonly string[]) => QueueClient.sending(emulator.connect(), ...texts);
const receiving = (credit: number) => QueueClient.receiving(emulator.connect(), credit);

describe('credit', () => {
  test('is as many messages as are sent, though there are more [CRD-01]', async () => {
    await sending('a', 'b', 'c', 'd', 'e');
    const receiver = await receiving(3);
    expect(await receiver.takeTexts(3)).toEqual(['a', 'b', 'c']);
    await receiver.expectNone();
    receiver.give({ credit: 1, used: 3 });
    expect(await receiver.takeTexts(1)).toEqual(['d']);
    await receiver.expectNone();
  });

  test('that finds nothing is kept for what comes later [CRD-01]', async () => {
    const receiver = await receiving(3);
    await receiver.expectNone();
    emulator.clock.advance(3_600_000);
    const sender = await sending('a');
    expect(await receiver.takeTexts(1)).toEqual(['a']);
    await sender.send('b', 'c', 'd');
    expect(await receiver.takeTexts(2)).toEqual(['b', 'c']);
    await receiver.expectNone();
  });

  test('may be 50,000, which is what the Python SDK may ask for [LIM-18]', async () => {
    const sender = await sending('a', 'b', 'c');
    const receiver = await receiving(50_000);
    expect(await receiver.takeTexts(3)).toEqual(['a', 'b', 'c']);
    await sender.send('d');
    expect(await receiver.takeTexts(1)).toEqual(['d']);
  });

  test('of two receivers gets each the next messages in their order [CRD-04]', async () => {
    await sending('1', '2', '3', '4', '5', '6');
    const first = await receiving(2);
    expect(await first.takeTexts(2)).toEqual(['1', '2']);
    const second = await receiving(2);
    expect(await second.takeTexts(2)).toEqual(['3', '4']);
    first.give({ credit: 1, used: 2 });
    expect(await first.takeTexts(1)).toEqual(['5']);
    second.give({ credit: 1, used: 2 });
    expect(await second.takeTexts(1)).toEqual(['6']);
  });

  test('that was there first is served first [CRD-04, RCV-04]', async () => {
    const first = await receiving(2);
    const second = await receiving(2);
    await first.expectNone();
    const sender = await sending('1', '2', '3', '4');
    expect(await first.takeTexts(2)).toEqual(['1', '2']);
    expect(await second.takeTexts(2)).toEqual(['3', '4']);
    // Used up and given anew, it is behind the others.
    second.give({ credit: 1, used: 2 });
    await second.expectNone();
    first.give({ credit: 1, used: 2 });
    await first.expectNone();
    await sender.send('5', '6');
    expect(await second.takeTexts(1)).toEqual(['5']);
    expect(await first.takeTexts(1)).toEqual(['6']);
  });
});

describe('a drain', () => {
  test('is given what there is, then the rest of the credit is used up [CRD-02]', async () => {
    await sending('a', 'b');
    const receiver = await receiving(0);
    receiver.give({ credit: 5, drain: true });
    // The messages come before the word that there are no more.
    expect((await receiver.session.expect('transfer')).name).toBe('transfer');
    expect((await receiver.session.expect('transfer')).name).toBe('transfer');
    const drained = await receiver.takeDrained();
    expect([numberOf(drained, 'deliveryCount'), numberOf(drained, 'linkCredit')]).toEqual([5, 0]);
  });

  test('leaves no credit behind, and what was not sent is not locked [CRD-02]', async () => {
    const receiver = await receiving(0);
    receiver.give({ credit: 5, drain: true });
    await receiver.takeDrained();
    await sending('late');
    await receiver.expectNone();
    const other = await receiving(1);
    expect(await other.take()).toMatchObject({ text: 'late', deliveryCount: 0 });
  });

  test('gives no more than the credit, and the rest is free for others [CRD-02]', async () => {
    await sending('a', 'b', 'c');
    const receiver = await receiving(0);
    receiver.give({ credit: 2, drain: true });
    expect(await receiver.takeTexts(2)).toEqual(['a', 'b']);
    expect(numberOf(await receiver.takeDrained(), 'deliveryCount')).toBe(2);
    const other = await receiving(1);
    expect(await other.take()).toMatchObject({ text: 'c', deliveryCount: 0 });
  });
});

describe('a message fetched ahead', () => {
  test('is locked from when it was taken, not from when the client comes to it [CRD-03]', async () => {
    await sending('a', 'b', 'c');
    const takenAt = emulator.clock.now();
    const ahead = await receiving(3);
    const other = await receiving(3);
    await other.expectNone();
    emulator.clock.advance(LOCK_MS / 2);
    for (const text of ['a', 'b', 'c']) {
      expect(await ahead.take()).toMatchObject({ text, lockedUntil: takenAt + LOCK_MS });
    }
  });

  test('that lapses in the buffer of a client has had a delivery, and goes to others [CRD-03]', async () => {
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

describe('a receive that was given up', () => {
  test('leaves its credit to the next one of its link: what came in between has not been delivered before [CRD-05]', async () => {
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

  test('and whose credit was taken back is not in the way of the next one [CRD-05]', async () => {
    const receiver = await receiving(1);
    receiver.give({ credit: 0 });
    await sending('between');
    await receiver.expectNone();
    receiver.give({ credit: 1 });
    expect(await receiver.take()).toMatchObject({ text: 'between', deliveryCount: 0 });
  });

  test('may let go of what came all the same: it is there for the next one, not counted [CRD-05]', async () => {
    const receiver = await receiving(1);
    await sending('between');
    const { deliveryId } = await receiver.take();
    await settle(receiver.session, deliveryId, composite('released'));
    receiver.give({ credit: 1, used: 1 });
    expect(await receiver.take()).toMatchObject({ text: 'between', deliveryCount: 0 });
  });
});
