// What the JavaScript SDK reports of each fault, and whether it tries again: the table of docs/fault-table.md. Other languages are taken
// through the same faults by `npm run languages`.

import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ServiceBusAdministrationClient, ServiceBusClient } from '@azure/service-bus';
import { expect, test } from 'vitest';
import type { Emulator } from '../src/emulator.js';
import { FAULT_CASES, type FaultCase } from './faults/cases.js';
import { type FaultRow, faultTablePage, readFaultTable } from './faults/table.js';
import { importBuiltPackage } from './support/built-package.js';
import { PROJECT } from './support/documentation.js';

const { startEmulator } = await importBuiltPackage();

const RETRY = { maxRetries: 2, retryDelayInMs: 1, maxRetryDelayInMs: 5 };
/** An attempt whose answer comes has as long as a busy machine needs; where none comes, the SDK tries again only after this. */
const ANSWER_LIMIT_MS = 30_000;
const NO_ANSWER_MS = 1000;
/** The faults that are an answer. */
const ANSWERS = ['error', 'status', 'endLock'];
/** Emulators side by side: more of them would slow each other, and time out. */
const SIDE_BY_SIDE = 4;

type Operations = Readonly<
  Record<
    FaultCase['operation'],
    (client: ServiceBusClient, emulator: Emulator, limitMs: number) => Promise<unknown>
  >
>;

const receiveOne = async (client: ServiceBusClient, limitMs: number) => {
  await client.createSender('other').sendMessages({ body: 'x' });
  const receiver = client.createReceiver('other');
  const [message] = await receiver.receiveMessages(1, { maxWaitTimeInMs: limitMs });
  return { receiver, message };
};

const OPERATIONS: Operations = {
  send: (client) => client.createSender('q').sendMessages({ body: 'x' }),
  receive: async (client, _, limitMs) => {
    const { message } = await receiveOne(client, limitMs);
    if (message === undefined) throw new Error('nothing received');
  },
  complete: async (client, _, limitMs) => {
    const { receiver, message } = await receiveOne(client, limitMs);
    if (message !== undefined) await receiver.completeMessage(message);
  },
  'renew-lock': async (client, _, limitMs) => {
    const { receiver, message } = await receiveOne(client, limitMs);
    if (message !== undefined) await receiver.renewMessageLock(message);
  },
  peek: (client) => client.createReceiver('q').peekMessages(1),
  schedule: (client) =>
    client.createSender('q').scheduleMessages({ body: 'x' }, new Date(Date.now() + 3_600_000)),
  'session-state': async (client) => (await client.acceptSession('sessions', 'a')).getSessionState(),
  administration: async (_, emulator) => {
    const retryOptions = { maxRetries: 2, retryDelayInMs: 1, maxRetryDelayInMs: 5 };
    const administration = new ServiceBusAdministrationClient(emulator.connectionString, {
      ...(await emulator.adminOptions),
      retryOptions,
    });
    await administration.getQueue('q');
  },
};

async function rowOf(emulator: Emulator, { operation, fault }: FaultCase): Promise<FaultRow> {
  const limitMs = ANSWERS.some((name) => name in fault) ? ANSWER_LIMIT_MS : NO_ANSWER_MS;
  const client = new ServiceBusClient(emulator.connectionString, {
    retryOptions: { ...RETRY, timeoutInMs: limitMs },
  });
  try {
    const added = emulator.faults.add(fault as unknown as Parameters<typeof emulator.faults.add>[0]);
    const outcome = await OPERATIONS[operation](client, emulator, limitMs).then(
      () => 'succeeds',
      (error: unknown) => nameOf(error),
    );
    return { outcome, attempts: added.matchedCount };
  } finally {
    await client.close();
  }
}

/** Several attempts are reported as one error with the errors of all, of which the last is named. */
function nameOf(error: unknown): string {
  const { name, code, errors } = error as { name?: string; code?: string; errors?: readonly unknown[] };
  const [last] = errors?.slice(-1) ?? [];
  if (last !== undefined) return `${name} of ${nameOf(last)}`;
  return code === undefined ? (name ?? String(error)) : `${name} ${code}`;
}

test('the JavaScript SDK reports each fault as the table says, and tries again as often', async () => {
  const expected = await readFaultTable();
  const seen: Record<string, FaultRow> = {};
  const waiting = [...FAULT_CASES];
  const worker = async () => {
    await using emulator = await startEmulator({
      queues: ['q', 'other', { name: 'sessions', requiresSession: true }],
    });
    for (let one = waiting.shift(); one !== undefined; one = waiting.shift()) {
      seen[one.id] = await rowOf(emulator, one);
      emulator.faults.clear();
      await emulator.reset();
    }
  };
  await Promise.all(Array.from({ length: SIDE_BY_SIDE }, worker));
  expect(seen).toEqual(expected.javascript);
});

test('the page with the table says what the data say', async () => {
  const page = await readFile(join(PROJECT, 'docs/fault-table.md'), 'utf8');
  expect(page).toBe(faultTablePage(await readFaultTable()));
});
