// What a transaction costs the server: messages received, sent on and completed, with a transaction for each and without, in turn.

import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { composite } from '../../support/frame-lists.js';
import { inTransaction, TransactionClient } from '../../support/transaction-client.js';
import { Broker } from '../brokers.js';
import { BODY_BYTES, QUEUE } from '../scenarios.js';
import { median } from '../statistics.js';

export type TransactionCost = {
  /** Microseconds of the server's processor time for a message that is received, answered by `SENDS` others and completed. */
  readonly without: number;
  readonly within: number;
  /** The middle of the ratios of each round. */
  readonly ratio: number;
};

/** Messages that are sent for each that is received; they stay in the queue. */
export const SENDS = 3;
const ROUNDS = 7;
/** A multiple of `HANDLERS`. */
const MESSAGES = 600;
const HANDLERS = 10;
/** What the broker still has to do when the client is done belongs to the measurement. */
const AFTERMATH_MS = 30;
const [SENDER, RECEIVER] = [0, 1];
const BODY = 'x'.repeat(BODY_BYTES);
const ACCEPTED = composite('accepted');

export async function measureTransactions(): Promise<TransactionCost> {
  const broker = await Broker.start('jitney');
  try {
    const port = Number(new URL(/Endpoint=(sb:\/\/[^;]+)/.exec(broker.connectionString)?.[1] ?? '').port);
    const handlers = await Promise.all(Array.from({ length: HANDLERS }, () => openHandler(port)));
    const rounds: { without: number; within: number }[] = [];
    // Round 0 warms everybody up and does not count.
    for (let round = 0; round <= ROUNDS; round++) {
      const without = await cpuOf(broker, () => together(handlers, workPlainly));
      const within = await cpuOf(broker, () => together(handlers, workInTransaction));
      if (round > 0) rounds.push({ without, within });
    }
    for (const { socket } of handlers) socket.destroy();
    return {
      without: median(rounds.map(({ without }) => without)),
      within: median(rounds.map(({ within }) => within)),
      ratio: median(rounds.map(({ without, within }) => within / without)),
    };
  } finally {
    await broker.stop();
  }
}

async function cpuOf(broker: Broker, work: () => Promise<void>): Promise<number> {
  const before = await broker.usage();
  await work();
  await sleep(AFTERMATH_MS);
  const after = await broker.usage();
  return (after.cpuMicroseconds - before.cpuMicroseconds) / MESSAGES;
}

type Handler = { readonly socket: Socket; readonly client: TransactionClient };

/** On a connection of its own, with a message to begin with. */
async function openHandler(port: number): Promise<Handler> {
  const socket = connect({ port, host: '127.0.0.1' });
  const client = await TransactionClient.open(socket);
  await client.openControl();
  await client.openSender(SENDER, QUEUE);
  await client.openReceiver(RECEIVER, QUEUE);
  await client.send(SENDER, BODY);
  return { socket, client };
}

/** All handlers at once, each with one message after another. */
async function together(
  handlers: readonly Handler[],
  work: (client: TransactionClient) => Promise<void>,
): Promise<void> {
  const each = async ({ client }: Handler) => {
    for (let count = 0; count < MESSAGES / HANDLERS; count++) await work(client);
  };
  await Promise.all(handlers.map(each));
}

async function workPlainly(client: TransactionClient): Promise<void> {
  const message = await client.receive(RECEIVER);
  for (let sent = 0; sent < SENDS; sent++) await client.send(SENDER, BODY);
  await client.settle(message, ACCEPTED);
}

async function workInTransaction(client: TransactionClient): Promise<void> {
  const message = await client.receive(RECEIVER);
  const id = await client.declare();
  for (let sent = 0; sent < SENDS; sent++) await client.send(SENDER, BODY, id);
  await client.settle(message, inTransaction(id, ACCEPTED));
  const told = await client.commit(id);
  if (told !== 'accepted[]') throw new Error(`a commit was answered ${told}`);
}
