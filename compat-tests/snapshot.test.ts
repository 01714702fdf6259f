// A snapshot restored under the SDK's clients: links stay, locks end, and messages come again as they were.

import { expect, test } from 'vitest';
import { importBuiltPackage } from './support/built-package.js';
import { connect, only, sendBodies } from './support/service-bus.js';

const { startEmulator } = await importBuiltPackage();

test('a receiver goes on after a restore, and gets the same message again', async () => {
  await using emulator = await startEmulator({ queues: ['orders'] });
  await using client = connect(emulator.connectionString);
  await sendBodies(client, 'orders', ['a']);
  const receiver = client.createReceiver('orders');
  const first = only(await receiver.receiveMessages(1));
  await receiver.abandonMessage(first);
  const prepared = await emulator.snapshot();

  const held = only(await receiver.receiveMessages(1));
  expect(await emulator.restore(prepared)).toBe(1);
  await expect(receiver.completeMessage(held)).rejects.toMatchObject({ code: 'MessageLockLost' });
  const again = only(await receiver.receiveMessages(1));
  expect(again.body).toBe('a');
  expect(again.sequenceNumber?.toString()).toBe(first.sequenceNumber?.toString());
  expect(again.deliveryCount).toBe(held.deliveryCount);
  await receiver.completeMessage(again);
});

test('a session that a receiver holds stays held, with the state of the snapshot', async () => {
  await using emulator = await startEmulator({ queues: ['jobs?requiresSession=true'] });
  await using client = connect(emulator.connectionString);
  await sendBodies(client, 'jobs', ['one'], { sessionId: 'a' });
  const receiver = await client.acceptSession('jobs', 'a');
  await receiver.setSessionState('begun');
  const prepared = await emulator.snapshot();
  await receiver.completeMessage(only(await receiver.receiveMessages(1)));
  await receiver.setSessionState('done');

  await emulator.restore(prepared);
  expect(await receiver.getSessionState()).toBe('begun');
  const again = only(await receiver.receiveMessages(1));
  await receiver.completeMessage(again);
  expect(again.body).toBe('one');
});
