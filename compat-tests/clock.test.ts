// The clock with the real SDK: hours and days pass in milliseconds, and each thing that falls due does so.

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { ServiceBusClient } from '@azure/service-bus';
import { ServiceBusClient as PreviewClient } from 'service-bus-beta';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Emulator } from '../src/emulator.js';
import { importBuiltPackage } from './support/built-package.js';

const { startEmulator } = await importBuiltPackage();

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const QUEUES = [
  { name: 'orders', lockDuration: 5 * MINUTE, deadLetteringOnMessageExpiration: true },
  { name: 'sessions', requiresSession: true, lockDuration: MINUTE },
  { name: 'unique', requiresDuplicateDetection: true, duplicateDetectionHistoryTimeWindow: 10 * MINUTE },
  { name: 'idle', autoDeleteOnIdle: 'PT1H' },
];

let directory: string;
let emulator: Emulator;
let client: ServiceBusClient;

async function start(): Promise<void> {
  emulator = await startEmulator({
    queues: QUEUES,
    clock: 'virtual',
    dataDirectory: directory,
    tls: 'off',
    idleTimeouts: 'off',
  });
  client = new ServiceBusClient(emulator.connectionString);
}

async function stop(): Promise<void> {
  await client.close();
  await emulator.stop();
}

async function restart(): Promise<void> {
  await stop();
  await start();
}

beforeEach(async () => {
  directory = mkdtempSync(join(tmpdir(), 'jitney-clock-'));
  await start();
});
afterEach(async () => {
  await stop();
  rmSync(directory, { recursive: true, force: true });
});

async function send(queue: string, message: object = {}): Promise<void> {
  const sender = client.createSender(queue);
  await sender.sendMessages({ body: 'x', ...message });
  await sender.close();
}

async function receive(queue: string) {
  const receiver = client.createReceiver(queue);
  const messages = await receiver.receiveMessages(10, { maxWaitTimeInMs: 300 });
  await receiver.close();
  return messages;
}

describe('over a restart', () => {
  test('a message scheduled for tomorrow arrives tomorrow, and not before', async () => {
    const sender = client.createSender('orders');
    await sender.scheduleMessages({ body: 'tomorrow' }, new Date(Date.now() + DAY));
    await emulator.clock.advance(DAY - MINUTE);
    await restart();
    expect(await receive('orders')).toEqual([]);
    const { fired } = await emulator.clock.advance(MINUTE);
    expect(fired.map(({ kind }) => kind)).toEqual(['activated']);
    expect((await receive('orders')).map(({ body }) => body)).toEqual(['tomorrow']);
  });

  test('a week of time to live ends in the dead-letter queue', async () => {
    await send('orders', { timeToLive: 7 * DAY });
    await emulator.clock.advance('P6D');
    await restart();
    await emulator.clock.advance('P1D');
    const [dead] = await emulator.queue('orders').deadLetters();
    expect(dead?.deadLetterReason).toBe('TTLExpiredException');
  });

  test('the window of a message-id closes', async () => {
    await send('unique', { messageId: 'a' });
    await emulator.clock.advance('PT9M');
    await restart();
    await send('unique', { messageId: 'a' });
    await emulator.clock.advance('PT2M');
    await send('unique', { messageId: 'a' });
    expect(await receive('unique')).toHaveLength(2);
  });

  test('an idle queue is deleted', async () => {
    await emulator.clock.advance('PT30M');
    await restart();
    const { fired } = await emulator.clock.advance('PT61M');
    expect(fired.map(({ kind }) => kind)).toContain('entity-deleted');
    await expect(emulator.queue('idle').counts()).rejects.toThrow(/idle/);
  });
});

test('a setting that cannot be read is named, with what to do', async () => {
  await emulator.stop();
  writeFileSync(join(directory, 'clock.json'), 'garbage');
  await expect(start()).rejects.toMatchObject({
    code: 'JIT2018',
    message: expect.stringContaining('Delete it'),
  });
  rmSync(join(directory, 'clock.json'));
  await start();
});

test("a lock of five minutes ends although the SDK's own renewal runs", async () => {
  await send('orders');
  const errors: unknown[] = [];
  const receiver = client.createReceiver('orders', { maxAutoLockRenewalDurationInMs: HOUR });
  let received = 0;
  receiver.subscribe(
    {
      processMessage: async (message) => {
        received += 1;
        if (received > 1) return;
        await emulator.clock.advance('PT6M');
        await receiver.completeMessage(message).catch((error) => errors.push(error));
      },
      processError: async () => {},
    },
    { autoCompleteMessages: false },
  );
  while (received < 2) await sleep(5);
  expect(errors).toEqual([expect.objectContaining({ code: 'MessageLockLost' })]);
  await receiver.close();
});

test('the lock of a session ends', async () => {
  await send('sessions', { sessionId: 'a' });
  const receiver = await client.acceptSession('sessions', 'a');
  const { fired } = await emulator.clock.advance('PT2M');
  expect(fired.map(({ kind }) => kind)).toContain('session-lost');
  await expect(receiver.renewSessionLock()).rejects.toMatchObject({ code: 'SessionLockLost' });
  await receiver.close();
});

test('messages are deleted by the cutoff of now, and by a time that was read', async () => {
  await send('orders', { body: 'old' });
  await emulator.clock.advance('PT1H');
  await send('orders', { body: 'new' });
  const preview = new PreviewClient(emulator.connectionString);
  const receiver = preview.createReceiver('orders');
  const [, second] = await receiver.peekMessages(2);
  const beforeEnqueueTime = second?.enqueuedTimeUtc;
  if (beforeEnqueueTime === undefined) throw new Error('the second message has no time');
  expect(await receiver.deleteMessages({ maxMessageCount: 10, beforeEnqueueTime })).toBe(1);
  expect((await emulator.queue('orders').messages()).map(({ body }) => body)).toEqual(['new']);
  await emulator.clock.advance('PT1S');
  expect(await receiver.purgeMessages()).toBe(1);
  await preview.close();
});

test('a lock is never longer for the client than it is, however fast the clock', async () => {
  await emulator.clock.scale(60);
  await send('orders');
  const [message] = await receive('orders');
  const leftMs = (message?.lockedUntilUtc?.getTime() ?? 0) - Date.now();
  expect(leftMs).toBeGreaterThan(0);
  expect(leftMs).toBeLessThanOrEqual(5000);
});
