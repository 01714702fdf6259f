// A reset while clients are at work: they go on, and nothing of before comes after.

import { ServiceBusAdministrationClient, type ServiceBusClient } from '@azure/service-bus';
import { expect, test } from 'vitest';
import { importBuiltPackage } from './support/built-package.js';
import { connect } from './support/service-bus.js';

const { startEmulator } = await importBuiltPackage();

const PAIRS = 10;
const RESETS = 3;
/** Messages that each receiver must get after each reset. */
const ENOUGH = 10;
const BATCH = 20;
/** What is settled without its lock; in a queue with sessions the service blames the lock of the session (ERR-03). */
const LOCK_LOST = ['MessageLockLost', 'SessionLockLost'];

const QUEUES = Array.from({ length: PAIRS }, (_, index) => `orders-${index}`);
const requiresSession = (name: string) => Number(name.slice(7)) % 5 === 0;

/** Sends batches until `isOver`, which the receiver is slower to take. */
async function keepSending(client: ServiceBusClient, queue: string, isOver: () => boolean): Promise<void> {
  const sender = client.createSender(queue);
  const batch = Array.from({ length: BATCH }, (_, body) => ({ body, sessionId: queue }));
  while (!isOver()) await sender.sendMessages(batch);
  await sender.close();
}

test('ten senders and ten receivers go on through resets, and get no earlier message', async () => {
  const queues = QUEUES.map((name) => ({ name, requiresSession: requiresSession(name) }));
  await using emulator = await startEmulator({ queues });
  await using client = connect(emulator.connectionString);
  /** By queue: the last number that was sent, the last before the latest reset, and how many messages came behind that. */
  const sent = new Map<string, number>();
  const boundaries = new Map<string, number>();
  const counts = new Map<string, number>();
  /** The boundaries of the resets that are over: nothing up to there may come any more. */
  let gone: ReadonlyMap<string, number> = new Map();
  emulator.events.subscribe((record) => {
    if (record.kind === 'enqueued') sent.set(record.path, record.sequenceNumber);
    if (record.kind !== 'purged') return;
    boundaries.set(record.path, sent.get(record.path) ?? 0);
    counts.set(record.path, 0);
  });
  const late: string[] = [];
  const errors: unknown[] = [];
  const receivers = await Promise.all(
    QUEUES.map((name) =>
      requiresSession(name) ? client.acceptSession(name, name) : client.createReceiver(name),
    ),
  );
  for (const [index, receiver] of receivers.entries()) {
    const queue = QUEUES[index] ?? '';
    receiver.subscribe({
      async processMessage({ sequenceNumber }) {
        const number = Number(sequenceNumber);
        if (number > (boundaries.get(queue) ?? 0)) counts.set(queue, (counts.get(queue) ?? 0) + 1);
        if (number <= (gone.get(queue) ?? 0)) late.push(`${queue} ${number}`);
      },
      async processError({ error }) {
        const { code = '' } = error as { readonly code?: string };
        if (!LOCK_LOST.includes(code)) errors.push(error); // the lock went with the reset
      },
    });
  }
  let isOver = false;
  const senders = QUEUES.map((name) => keepSending(client, name, () => isOver));
  const haveAllGot = () => QUEUES.every((name) => (counts.get(name) ?? 0) >= ENOUGH);
  await expect.poll(haveAllGot, { timeout: 60_000 }).toBe(true);
  for (let reset = 1; reset <= RESETS; reset++) {
    expect(await emulator.reset()).toBeGreaterThan(PAIRS);
    expect(boundaries.size).toBe(PAIRS);
    await receivers[0]?.peekMessages(1); // all receivers share its connection: what was on the wire has come with the answer
    gone = new Map(boundaries);
    await expect.poll(haveAllGot, { timeout: 60_000 }).toBe(true);
  }
  isOver = true;
  await Promise.all(senders);
  expect(errors).toEqual([]);
  await Promise.all(receivers.map((receiver) => receiver.close()));
  expect(late).toEqual([]);
});

test('a reset of everything also brings back the entities of the start', async () => {
  await using emulator = await startEmulator({ queues: ['orders'], topics: ['notices/mail'] });
  await using client = connect(emulator.connectionString);
  await client.createSender('orders').sendMessages([{ body: 1 }, { body: 2 }]);
  const administration = new ServiceBusAdministrationClient(
    emulator.connectionString,
    await emulator.adminOptions,
  );
  await administration.deleteTopic('notices');
  expect(await emulator.reset({ all: true })).toBe(2);
  expect(await emulator.queue('orders').counts()).toMatchObject({ active: 0 });
  expect(await emulator.subscription('notices', 'mail').counts()).toMatchObject({ active: 0 });
});
