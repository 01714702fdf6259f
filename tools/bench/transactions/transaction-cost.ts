// What a transaction costs the server: messages received, others sent and the received ones completed, with a transaction and
// without, in turn. A client waits for each answer before it goes on, as the SDKs do.

import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { composite } from '../../../test/support/frame-lists.js';
import { inTransaction, TransactionClient } from '../../../test/support/transaction-client.js';
import { Broker } from '../brokers.js';
import { BODY_BYTES, QUEUE } from '../scenarios.js';
import { median } from '../statistics.js';

/** What a handler does at a time, or in a transaction. */
export type Work = { readonly receives: number; readonly sends: number };

export type TransactionCost = Work & {
  /** Microseconds of the server's processor time for one such piece of work. */
  readonly without: number;
  readonly within: number;
  /** The middle of the ratios of each round. */
  readonly ratio: number;
};

const WORKS: readonly Work[] = [
  { receives: 1, sends: 3 },
  { receives: 5, sends: 10 },
];
const ROUNDS = 7;
const HANDLERS = 10;
/** Pieces of work of each handler in a round. */
const REPEATS = 30;
/** What the broker still has to do when the client is done belongs to the measurement. */
const AFTERMATH_MS = 30;
const [SENDER, RECEIVER] = [0, 1];
const BODY = 'x'.repeat(BODY_BYTES);
const ACCEPTED = composite('accepted');

type Handler = { readonly socket: Socket; readonly client: TransactionClient };

export async function measureTransactions(): Promise<readonly TransactionCost[]> {
  const broker = await Broker.start('jitney');
  try {
    const port = Number(new URL(/Endpoint=(sb:\/\/[^;]+)/.exec(broker.connectionString)?.[1] ?? '').port);
    const handlers = await Promise.all(Array.from({ length: HANDLERS }, () => openHandler(port)));
    const costs: TransactionCost[] = [];
    for (const work of WORKS) costs.push(await measure(broker, handlers, work));
    for (const { socket } of handlers) socket.destroy();
    return costs;
  } finally {
    await broker.stop();
  }
}

/** On a connection of its own, with messages to begin with. */
async function openHandler(port: number): Promise<Handler> {
  const socket = connect({ port, host: '127.0.0.1' });
  const client = await TransactionClient.open(socket);
  await client.openControl();
  await client.openSender(SENDER, QUEUE);
  await client.openReceiver(RECEIVER, QUEUE);
  for (let count = 0; count < 10; count++) await client.send(SENDER, BODY);
  return { socket, client };
}

async function measure(broker: Broker, handlers: readonly Handler[], work: Work): Promise<TransactionCost> {
  const rounds: { without: number; within: number }[] = [];
  // Round 0 warms everybody up and does not count.
  for (let round = 0; round <= ROUNDS; round++) {
    const without = await cpuOf(broker, () => together(handlers, (client) => workPlainly(client, work)));
    const within = await cpuOf(broker, () => together(handlers, (client) => workInTransaction(client, work)));
    if (round > 0) rounds.push({ without, within });
  }
  return {
    ...work,
    without: median(rounds.map((each) => each.without)),
    within: median(rounds.map((each) => each.within)),
    ratio: median(rounds.map((each) => each.within / each.without)),
  };
}

async function cpuOf(broker: Broker, work: () => Promise<void>): Promise<number> {
  const before = await broker.usage();
  await work();
  await sleep(AFTERMATH_MS);
  const after = await broker.usage();
  return (after.cpuMicroseconds - before.cpuMicroseconds) / (HANDLERS * REPEATS);
}

/** All handlers at once, each with one piece of work after another. */
async function together(
  handlers: readonly Handler[],
  work: (client: TransactionClient) => Promise<void>,
): Promise<void> {
  const each = async ({ client }: Handler) => {
    for (let count = 0; count < REPEATS; count++) await work(client);
  };
  await Promise.all(handlers.map(each));
}

async function workPlainly(client: TransactionClient, { receives, sends }: Work): Promise<void> {
  const messages = await receive(client, receives);
  for (let count = 0; count < sends; count++) await client.send(SENDER, BODY);
  for (const message of messages) await client.settle(message, ACCEPTED);
}

async function workInTransaction(client: TransactionClient, { receives, sends }: Work): Promise<void> {
  const messages = await receive(client, receives);
  const id = await client.declare();
  for (let count = 0; count < sends; count++) await client.send(SENDER, BODY, id);
  for (const message of messages) await client.settle(message, inTransaction(id, ACCEPTED));
  const told = await client.commit(id);
  if (told !== 'accepted[]') throw new Error(`a commit was answered ${told}`);
}

async function receive(client: TransactionClient, count: number) {
  const messages = [];
  for (let received = 0; received < count; received++) messages.push(await client.receive(RECEIVER));
  return messages;
}
