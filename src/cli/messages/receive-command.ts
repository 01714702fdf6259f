// `jitney receive`: prints messages as they come, and settles each only after it was written.

import type { AmqpClient } from '../../client/amqp-client.js';
import { interruption } from '../../client/client-error.js';
import type { MessageReceiver, ReceivedMessage, ReceiverOptions } from '../../client/message-receiver.js';
import { describeMessage } from '../../content/shown-message.js';
import { isOfKind, JitneyError } from '../../jitney-error.js';
import type { CommandContext } from '../output/command-context.js';
import { jsonLine, messageText } from './message-lines.js';

type Receiving = {
  readonly path: string;
  readonly max: number;
  readonly waitMs: number;
  /** Whether the caller has said how long to wait, which means that a message is expected. */
  readonly isExpected: boolean;
  readonly keeps: boolean;
  readonly isJson: boolean;
  readonly mode: ReceiverOptions['mode'];
  readonly session: ReceiverOptions['session'];
};

export type ReceiveContext = Pick<CommandContext, 'print' | 'stderr' | 'interrupted'>;

/** So many messages are taken at once. Fewer without a lock, because they are lost if their reader has gone. */
const MOST_AT_ONCE = { 'peek-lock': 100, 'receive-and-delete': 10 } as const;
export const MOST_KEPT = 1000;
const NOTHING_CAME = 4;
/** After Ctrl-C, requests that are under way have this time to end. */
export const FINISH_MS = 2000;

/** Resolves with the exit code: 4 if an expected message did not come. */
export async function runReceive(
  client: AmqpClient,
  receiving: Receiving,
  context: ReceiveContext,
): Promise<number> {
  const receiver = await openReceiver(client, receiving);
  client.finishWithin(FINISH_MS);
  const count = receiver === undefined ? 0 : await receiveAll(receiver, receiving, context);
  if (context.interrupted.aborted) throw interruption();
  if (count > 0) return 0;
  context.stderr(`No message came from ${receiving.path} in ${receiving.waitMs / 1000} s\n`);
  return receiving.isExpected ? NOTHING_CAME : 0;
}

/** Resolves with undefined if no session becomes free in time. */
async function openReceiver(
  client: AmqpClient,
  { path, mode, session }: Receiving,
): Promise<MessageReceiver | undefined> {
  try {
    return await client.openReceiver(path, { mode, session });
  } catch (error) {
    if (isOfKind(error, 'no-session')) return undefined;
    throw error;
  }
}

async function receiveAll(
  receiver: MessageReceiver,
  receiving: Receiving,
  context: ReceiveContext,
): Promise<number> {
  const output = new Output(receiving, context);
  const count = await receiveInto(output, receiver, receiving);
  output.throwFailure();
  return count;
}

async function receiveInto(output: Output, receiver: MessageReceiver, receiving: Receiving): Promise<number> {
  const settling = new Settling(receiver, receiving);
  let count = 0;
  try {
    for (let isMore = true; isMore && count < receiving.max; ) {
      const wanted = Math.min(receiving.max - count, MOST_AT_ONCE[receiving.mode]);
      const before = count;
      const waitMs = count === 0 ? receiving.waitMs : 0;
      for await (const message of receiver.receive(wanted, waitMs, output.ended)) {
        count += 1;
        if (!(await output.write(message))) return count;
        settling.printed(message);
      }
      await settling.finished();
      isMore = count - before === wanted && !output.ended.aborted;
    }
    await settling.giveBack();
    return count;
  } finally {
    await receiver.releaseAll();
    await settling.finished();
  }
}

/** Writes messages to standard output, until writing fails, the reader has gone or the command ends. */
class Output {
  /** Aborted when no more messages should be taken. */
  readonly ended: AbortSignal;
  readonly #closed = new AbortController();
  #failure: Error | undefined;
  readonly #receiving: Receiving;
  readonly #context: ReceiveContext;

  constructor(receiving: Receiving, context: ReceiveContext) {
    this.#receiving = receiving;
    this.#context = context;
    this.ended = AbortSignal.any([context.interrupted, this.#closed.signal]);
  }

  /** Returns false if the message was not written, so that it must stay in the entity. One without a lock is written to standard error instead. */
  async write({ content }: ReceivedMessage): Promise<boolean> {
    const { isJson, mode } = this.#receiving;
    const text = (isJson ? jsonLine : messageText)(describeMessage(content, 'received'));
    if (!this.#closed.signal.aborted) {
      if (await this.#print(text)) return true;
      this.#closed.abort();
      if (mode === 'peek-lock') return false;
      const why =
        this.#failure === undefined ? 'The reader of the output has gone' : 'The output cannot be written';
      this.#context.stderr(`⚠ ${why}. These messages were already taken:\n`);
    }
    this.#context.stderr(text);
    return true;
  }

  /** Throws the error if the output could not be written. A reader that has gone is not an error. */
  throwFailure(): void {
    if (this.#failure !== undefined) throw this.#failure;
  }

  async #print(text: string): Promise<boolean> {
    try {
      return await this.#context.print(text);
    } catch (error) {
      this.#failure = error instanceof Error ? error : new Error(String(error));
      return false;
    }
  }
}

/** Settles printed messages, several at the same time. */
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

  /** Abandons the kept messages. Called only at the end, because an abandoned message comes again at once. */
  async giveBack(): Promise<void> {
    for (const message of this.#kept.splice(0)) this.#start(this.#receiver.abandon(message));
    await this.finished();
  }

  /** Throws the first error, such as a lost lock. */
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
  if (!isOfKind(error, 'refused')) return error;
  return new JitneyError('refused', `A message was printed, but is still in the entity. ${error.message}`, {
    cause: error,
  });
}
