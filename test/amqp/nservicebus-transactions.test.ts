// A handler of NServiceBus in its default mode: what it sends and the message that it handles are one transaction across entities.

import { afterEach, beforeEach, expect, test } from 'vitest';
import { type EmulatorUnderTest, openEmulatorUnderTest } from '../support/emulator-under-test.js';
import { str } from '../support/frame-encoder.js';
import { dataSection, propertiesSection } from '../support/frame-message.js';
import { DotnetClient } from './dotnet-client.js';

let emulator: EmulatorUnderTest;
/** Of the receive pump. */
let pump: DotnetClient;
let outside: DotnetClient;

beforeEach(async () => {
  const topics = [{ name: 'events', subscriptions: ['s'] }];
  emulator = await openEmulatorUnderTest({ queues: ['input', 'billing', 'shipping', 'error'], topics });
  pump = await DotnetClient.open(emulator, { isCrossEntity: true });
  outside = await DotnetClient.open(emulator);
});
afterEach(async () => {
  expect(new Set([...(await pump.rolledBack()), 'accepted'])).toEqual(new Set(['accepted']));
  expect(emulator.faults).toEqual([]);
  await emulator.stop();
});

const message = (text: string) =>
  Buffer.concat([propertiesSection({ messageId: str(`id of ${text}`) }), dataSection(text)]);

async function textsIn(path: string, count: number): Promise<string[]> {
  const receiver = await outside.receiver(path);
  const texts: string[] = [];
  for (let index = 0; index < count; index++) {
    const next = await receiver.receive();
    texts.push(next.text);
    await receiver.complete(next);
  }
  await receiver.receiveNothing();
  await receiver.close();
  return texts;
}

test('a handler succeeds, fails and is tried again at once, and gives up, each in one step [TXN-04, TXN-05, TXN-10]', async () => {
  const input = await pump.receiver('input');
  await (await outside.sender('input')).sendBatch([message('order'), message('bad order')]);

  // Each sender is attached before the first transaction is declared.
  const order = await input.receive();
  const senders = [await pump.sender('billing'), await pump.sender('shipping'), await pump.sender('events')];
  const handled = await pump.begin();
  const batches = senders.map((sender) => sender.sendBatch([message('one'), message('two')], handled));
  expect(await Promise.all(batches)).toEqual(['accepted', 'accepted', 'accepted']);
  expect(await input.complete(order, handled)).toBe('accepted');
  expect(await pump.commit(handled)).toBe('accepted');
  const destinations = ['billing', 'shipping', 'events/Subscriptions/s'];
  for (const path of destinations) expect(await textsIn(path, 2)).toEqual(['one', 'two']);

  // It fails when all is sent and completed: the abandon is right behind the roll back.
  const bad = await input.receive();
  const failed = await pump.begin();
  for (const sender of senders) expect(await sender.send(message('wrong'), failed)).toBe('accepted');
  expect(await input.complete(bad, failed)).toBe('accepted');
  pump.rollBack(failed);
  expect(await input.abandon(bad)).toBe('modified');
  for (const path of destinations) expect(await textsIn(path, 0)).toEqual([]);

  // It fails again before it has sent anything, and a copy goes where errors are kept.
  const again = await input.receive();
  expect(again.text).toBe('bad order');
  pump.rollBack(await pump.begin());
  const givenUp = await pump.begin();
  const errors = await pump.sender('error');
  expect(await errors.send(message('bad order'), givenUp)).toBe('accepted');
  expect(await input.complete(again, givenUp)).toBe('accepted');
  expect(await pump.commit(givenUp)).toBe('accepted');
  await input.receiveNothing();
  expect(await textsIn('error', 1)).toEqual(['bad order']);
});
