// Looks into an emulator in the same process, while the official SDK works with it.

import type { ServiceBusReceiver } from '@azure/service-bus';
import { expect, test } from 'vitest';
import { importBuiltPackage } from './support/built-package.js';
import { connect, sendBodies } from './support/service-bus.js';

const { JitneyError, startEmulator } = await importBuiltPackage();

/** Takes one message at a time, and works a little on each. */
function subscribe(receiver: ServiceBusReceiver, seen: unknown[]): void {
  receiver.subscribe(
    {
      processMessage: async ({ body }) => {
        await new Promise(setImmediate);
        seen.push(body);
      },
      processError: async ({ error }) => {
        seen.push(error);
      },
    },
    { maxConcurrentCalls: 1 },
  );
}

test('a message is shown as the SDK sent it', async () => {
  await using emulator = await startEmulator({ queues: ['orders'], control: false });
  await using client = connect(emulator.connectionString);
  const at = new Date(5);
  await sendBodies(client, 'orders', [{ id: 7 }, 'text', 7, Buffer.of(0, 255)], {
    subject: 'placed',
    correlationId: 'c',
    timeToLive: 60_000,
    applicationProperties: { region: 'EU', amount: 7, isNew: true, at, nothing: null },
  });
  const messages = await emulator.queue('orders').messages();
  expect(messages.map(({ body }) => body)).toEqual([{ id: 7 }, 'text', 7, Uint8Array.of(0, 255)]);
  expect(messages[0]).toMatchObject({
    subject: 'placed',
    correlationId: 'c',
    timeToLiveMs: 60_000,
    applicationProperties: { region: 'EU', amount: 7, isNew: true, at, nothing: null },
  });
});

test('idle is reached when a receiver of one message at a time has settled the last one', async () => {
  await using emulator = await startEmulator({ queues: ['orders'] });
  await using client = connect(emulator.connectionString);
  const bodies = Array.from({ length: 20 }, (_, index) => index);
  const seen: unknown[] = [];
  subscribe(client.createReceiver('orders'), seen);
  await sendBodies(client, 'orders', bodies);
  await emulator.idle();
  expect(seen).toEqual(bodies);
  expect(await emulator.queue('orders').counts()).toMatchObject({ active: 0, locked: 0 });
});

test('a wait for messages ends when the SDK sends them, and with the emulator', async () => {
  const emulator = await startEmulator({ queues: ['orders'], topics: ['notices/mail'] });
  await using client = connect(emulator.connectionString);
  const notices = emulator.topic('notices').subscription('mail').waitFor(2);
  const never = emulator.queue('orders').waitFor(1);
  const ended = expect(never).rejects.toMatchObject({ kind: 'not-running' });
  await sendBodies(client, 'notices', ['a', 'b']);
  expect((await notices).map(({ body }) => body)).toEqual(['a', 'b']);
  await emulator.stop();
  await ended;
  await expect(emulator.queue('orders').counts()).rejects.toThrow(JitneyError);
});
