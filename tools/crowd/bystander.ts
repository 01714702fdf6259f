// Clients that harm nobody: each sends a message to its own queue, receives and completes it, and notes how long that took, again and
// again. One is the official SDK, the other a plain AMQP client.

import { setTimeout as sleep } from 'node:timers/promises';
import { ServiceBusClient } from '@azure/service-bus';
import type rhea from 'rhea';
import { openConnection } from './client.js';
import { type Waits, waitsOf } from './waits.js';

export const BYSTANDERS_QUEUES = ['bystander-sdk', 'bystander-plain'] as const;

/** Between two messages. */
const PAUSE_MS = 5;
/** Longer than any attack. */
const PATIENCE_MS = 120_000;

/** One message there and back, completed. */
type Round = () => Promise<void>;

export class Bystander {
  readonly #round: Round;
  readonly #close: () => unknown;
  #waitsMs: number[] = [];
  #failures: string[] = [];
  #sentAt = 0;
  #isClosed = false;

  private constructor(round: Round, close: () => unknown) {
    this.#round = round;
    this.#close = close;
    void this.#run();
  }

  /** Both kinds, at work. */
  static async openAll(port: number): Promise<readonly Bystander[]> {
    return [sdkBystander(port), await plainBystander(port)].map(
      ({ round, close }) => new Bystander(round, close),
    );
  }

  /** What all have waited since the last call, and what went wrong. */
  static take(all: readonly Bystander[]): Waits {
    const waits = waitsOf(
      all.map((each) => [...each.#waitsMs, performance.now() - each.#sentAt]),
      all.flatMap((each) => each.#failures),
    );
    for (const each of all) {
      each.#waitsMs = [];
      each.#failures = [];
    }
    return waits;
  }

  close(): void {
    this.#isClosed = true;
    this.#close();
  }

  async #run(): Promise<void> {
    while (!this.#isClosed) {
      this.#sentAt = performance.now();
      try {
        await this.#round();
        this.#waitsMs.push(performance.now() - this.#sentAt);
      } catch (error) {
        if (this.#isClosed) return;
        this.#failures.push(error instanceof Error ? error.message : String(error));
      }
      await sleep(PAUSE_MS);
    }
  }
}

function sdkBystander(port: number): { round: Round; close: () => unknown } {
  const [queue] = BYSTANDERS_QUEUES;
  const connectionString = `Endpoint=sb://localhost:${port};SharedAccessKeyName=any;SharedAccessKey=any;UseDevelopmentEmulator=true;`;
  const client = new ServiceBusClient(connectionString, {
    retryOptions: { maxRetries: 0, timeoutInMs: PATIENCE_MS },
  });
  const sender = client.createSender(queue);
  const receiver = client.createReceiver(queue);
  const round = async () => {
    await sender.sendMessages({ body: 'x' });
    const [message] = await receiver.receiveMessages(1, { maxWaitTimeInMs: PATIENCE_MS });
    if (message === undefined) throw new Error('its message did not come');
    await receiver.completeMessage(message);
  };
  return { round, close: () => client.close() };
}

async function plainBystander(port: number): Promise<{ round: Round; close: () => unknown }> {
  const [, queue] = BYSTANDERS_QUEUES;
  const connection = openConnection(port);
  const sender = connection.open_sender(queue);
  const receiver = connection.open_receiver({ source: queue, autoaccept: false, rcv_settle_mode: 1 });
  await new Promise((resolve) => sender.once('sendable', resolve));
  const round = () =>
    new Promise<void>((resolve, reject) => {
      const events: [
        rhea.Sender | rhea.Receiver | rhea.Connection,
        string,
        (context: rhea.EventContext) => void,
      ][] = [
        [receiver, 'message', ({ delivery }) => delivery?.accept()],
        [receiver, 'settled', () => end(resolve)],
        [sender, 'rejected', () => end(() => reject(new Error('its message was rejected')))],
        [connection, 'disconnected', () => end(() => reject(new Error('its connection was closed')))],
      ];
      const end = (then: () => void) => {
        for (const [from, event, listener] of events) from.off(event, listener);
        then();
      };
      for (const [from, event, listener] of events) from.on(event, listener);
      sender.send({ body: 'x' });
    });
  return { round, close: () => connection.close() };
}
