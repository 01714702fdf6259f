// Thousands of deliveries that nobody settles yet, on one link through the whole server, whatever window the client keeps.

import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type EmulatorUnderTest, openEmulatorUnderTest } from '../support/emulator-under-test.js';
import { numberOf } from '../support/frame-channel.js';
import { dispositionFields } from '../support/frame-fields.js';
import { composite } from '../support/frame-lists.js';
import { dataSection } from '../support/frame-message.js';
import { notation } from '../support/frame-notation.js';
import { QueueClient } from '../support/queue-client.js';
import { turns } from '../support/rhea-client.js';

const COUNT = 6000;
const TEXTS = Array.from({ length: COUNT }, (_, index) => `${index}`);

let emulator: EmulatorUnderTest;

beforeEach(async () => {
  emulator = await openEmulatorUnderTest({ queues: ['q'] });
  const sender = await QueueClient.open(emulator.connect());
  await sender.openSender();
  for (const text of TEXTS) {
    sender.transfer(dataSection(text), { settled: true });
    if (Number(text) % 500 === 0) await turns(10);
  }
});
afterEach(async () => {
  expect(emulator.faults).toEqual([]);
  await emulator.stop();
});

/** Settles a range and waits until each of it is answered with accepted. */
async function complete({ session }: QueueClient, first: number, last: number): Promise<void> {
  session.send('disposition', dispositionFields(first, last, { state: composite('accepted') }));
  for (let answeredCount = 0; answeredCount <= last - first; ) {
    const word = await session.take('disposition');
    expect(notation(word.field('state'))).toBe('accepted[]');
    const from = numberOf(word, 'first') ?? 0;
    answeredCount += (numberOf(word, 'last') ?? from) - from + 1;
  }
}

describe('6,000 unsettled deliveries on one link', () => {
  test('are no obstacle to each other: any of them is settled, in any order [RCV-14]', async () => {
    const receiver = await QueueClient.receiving(emulator.connect(), COUNT);
    expect(await receiver.takeTexts(COUNT)).toEqual(TEXTS);
    await complete(receiver, 3000, 3000);
    await complete(receiver, 5000, 5999);
    await complete(receiver, 0, 2999);
    await complete(receiver, 3001, 4999);
    const other = await QueueClient.receiving(emulator.connect(), 1);
    emulator.clock.advance(3_600_000);
    await other.expectNone();
  });

  test('come through a window of 2,048 that the client opens as it reads [RCV-14]', async () => {
    const receiver = await QueueClient.open(emulator.connect());
    await receiver.openReceiver();
    const texts: string[] = [];
    for (let used = 0; used < COUNT; used += 2048) {
      receiver.give({ credit: COUNT - used, used, window: 2048 });
      texts.push(...(await receiver.takeTexts(Math.min(2048, COUNT - used))));
      await receiver.expectNone();
    }
    expect(texts).toEqual(TEXTS);
    await complete(receiver, 0, COUNT - 1);
  });

  test('run out like any lock, and all are there again in their order', async () => {
    const receiver = await QueueClient.receiving(emulator.connect(), COUNT);
    await receiver.takeTexts(COUNT);
    emulator.clock.advance(60_000);
    const other = await QueueClient.receiving(emulator.connect(), COUNT);
    for (const text of TEXTS) expect(await other.take()).toMatchObject({ text, deliveryCount: 1 });
  });
});
