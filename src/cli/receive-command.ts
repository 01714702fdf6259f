// `jitney receive`: prints messages as they come, and settles each only when it has been written.

import type { AmqpClient } from '../client/amqp-client.js';
import { ClientError } from '../client/client-error.js';
import type { MessageReceiver, ReceivedMessage, ReceiverOptions } from '../client/message-receiver.js';
import { describeMessage } from '../content/describe-content.js';
import { jsonLine, messageText } from './message-lines.js';
import type { Print, Write } from './output.js';

type Receiving = {
  readonly path: string;
  /** Infinity: all that are there. */
  readonly max: number;
  readonly waitMs: number;
  /** Whether the caller has said how long to wait, and so expects a message. */
  readonly isExpected: boolean;
  readonly keeps: boolean;
  readonly isJson: boolean;
  readonly mode: ReceiverOptions['mode'];
  readonly session: ReceiverOptions['session'];
};

type ReceiveContext = { readonly print: Print; readonly stderr: Write };

/** Messages that are locked for this command at a time. */
const MOST_AT_ONCE = 100;
export const MOST_KEPT = 1000;
const NOTHING_CAME = 4;

/** Resolves with the exit code: 4 when an expected message did not come. */
export async function runReceive(
  client: AmqpClient,
  receiving: Receiving,
  context: ReceiveContext,
): Promise<number> {
  const receiver = await openReceiver(client, receiving);
  const count = receiver === undefined ? 0 : await receiveAll(receiver, receiving, context);
  if (count > 0) return 0;
  context.stderr(`No message came from ${receiving.path} in ${receiving.waitMs / 1000} s\n`);
  return receiving.isExpected ? NOTHING_CAME : 0;
}

/** Undefined when no session is free in time. */
async function openReceiver(
  client: AmqpClient,
  { path, mode, session }: Receiving,
): Promise<MessageReceiver | undefined> {
  try {
    return await client.openReceiver(path, { mode, session });
  } catch (error) {
    if (error instanceof ClientError && error.kind === 'no-session') return undefined;
    throw error;
  }
}

async function receiveAll(
  receiver: MessageReceiver,
  receiving: Receiving,
  context: ReceiveContext,
): Promise<number> {
  const settling = new Settling(receiver, receiving);
  const format = receiving.isJson ? jsonLine : messageText;
  let count = 0;
  try {
    for (let isMore = true; isMore && count < receiving.max; ) {
      const wanted = Math.min(receiving.max - count, MOST_AT_ONCE);
      const before = count;
      for await (const message of receiver.receive(wanted, count === 0 ? receiving.waitMs : 0)) {
        count += 1;
        // A reader that is gone has not got this message, so it stays in the entity.
        if (!(await context.print(format(describeMessage(message.content, 'received'))))) return count;
        settling.printed(message);
      }
      await settling.finished();
      isMore = count - before === wanted;
    }
    await settling.giveBack();
    return count;
  } finally {
    await receiver.releaseAll();
    await settling.finished();
  }
}

/** Settles what has been printed. Several outcomes are under way at a time. */
class Settling {
  readonly #receiver: MessageReceiver;
  readonly #receiving: Receiving;
  readonly #kept: ReceivedMessage[] = [];
  #underWay: Promise<unknown>[] = [];

  constructor(receiver: MessageReceiver, receiving: Receiving) {
    this.#receiver = receiver;
    this.#receiving = receiving;
  }

  printed(message: ReceivedMessage): void {
    if (this.#receiving.mode === 'receive-and-delete') return;
    if (this.#receiving.keeps) this.#kept.push(message);
    else this.#start(this.#receiver.complete(message));
  }

  /** Abandons what is kept, not before the end: an abandoned message comes again at once. */
  async giveBack(): Promise<void> {
    for (const message of this.#kept.splice(0)) this.#start(this.#receiver.abandon(message));
    await this.finished();
  }

  /** Throws the first error, such as that of a lost lock. */
  async finished(): Promise<void> {
    const errors = await Promise.all(this.#underWay.splice(0));
    const error = errors.find((one) => one !== undefined);
    if (error !== undefined) throw error;
  }

  #start(settled: Promise<void>): void {
    this.#underWay.push(settled.then(() => undefined, notSettled));
  }
}

function notSettled(error: unknown): unknown {
  if (!(error instanceof ClientError) || error.kind !== 'refused') return error;
  return new ClientError(
    'refused',
    `A message was printed, and is still in the entity. ${error.message}`,
    error,
  );
}
