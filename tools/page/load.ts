// Messages at a steady rate through many queues: each is sent, received and completed.

import type { ServiceBusClient, ServiceBusSender } from '@azure/service-bus';
import { callControl } from '../../compat-tests/support/control.js';
import type { Jitney } from '../../compat-tests/support/jitney.js';
import { connect } from '../../compat-tests/support/service-bus.js';

export const QUEUES: readonly string[] = Array.from({ length: 20 }, (_, index) => `work-${index}`);
export const FULL_RATE = 300;
const TICK_MS = 20;
const PER_TICK = (FULL_RATE * TICK_MS) / 1000;
const PER_CALL = 1000;

/** Puts messages into the first queue. */
export async function fillQueue(jitney: Jitney, count: number): Promise<void> {
  for (let sent = 0; sent < count; sent += PER_CALL) {
    const messages = Array.from({ length: Math.min(PER_CALL, count - sent) }, (_, index) => ({
      messageId: `m-${sent + index}`,
      subject: 'order.placed',
      body: { orderId: sent + index, total: 18.9, currency: 'EUR' },
    }));
    await callControl(jitney, `messages?entity=${QUEUES[0]}`, messages);
  }
}

export class Load implements AsyncDisposable {
  readonly #client: ServiceBusClient;
  readonly #startedAt = Date.now();
  #completed = 0;
  #timer: ReturnType<typeof setInterval> | undefined;
  #next = 0;

  private constructor(client: ServiceBusClient) {
    this.#client = client;
  }

  static async start(jitney: Jitney): Promise<Load> {
    const load = new Load(connect(jitney.connectionString));
    const senders = QUEUES.map((queue) => load.#client.createSender(queue));
    for (const queue of QUEUES) load.#consume(queue);
    load.#timer = setInterval(() => load.#send(senders), TICK_MS);
    return load;
  }

  /** Messages a second that were completed. */
  rate(): number {
    return (this.#completed / (Date.now() - this.#startedAt)) * 1000;
  }

  #consume(queue: string): void {
    const receiver = this.#client.createReceiver(queue);
    receiver.subscribe(
      {
        processMessage: async () => {
          this.#completed += 1;
        },
        processError: async ({ error }) => console.error(error.message),
      },
      { maxConcurrentCalls: 20 },
    );
  }

  #send(senders: readonly ServiceBusSender[]): void {
    for (let count = 0; count < PER_TICK; count++) {
      const number = this.#next++;
      const sender = senders[number % senders.length];
      const message = { messageId: `m-${number}`, correlationId: `c-${number % 97}`, body: { number } };
      sender?.sendMessages(message).catch((error: Error) => console.error(error.message));
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    clearInterval(this.#timer);
    await this.#client.close();
  }
}
