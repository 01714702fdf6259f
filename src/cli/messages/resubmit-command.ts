// `jitney dead-letter resubmit`: sends each dead letter to its source again. It sends first and completes afterwards, so nothing is lost.

import { randomUUID } from 'node:crypto';
import type { AmqpClient } from '../../client/amqp-client.js';
import { hasNoOutcome, interruption } from '../../client/client-error.js';
import type { MessageReceiver, ReceivedMessage } from '../../client/message-receiver.js';
import type { MessageSender } from '../../client/message-sender.js';
import { encodeResent } from '../../content/resent-message.js';
import {
  describeMessage,
  type JsonForm,
  type ShownMessage,
  sequenceNumberOf,
} from '../../content/shown-message.js';
import { countOf } from '../output/output.js';
import { jsonLine } from './message-lines.js';
import { FINISH_MS, type ReceiveContext } from './receive-command.js';

type Resubmission = {
  readonly path: string;
  /** The queue, or the topic of a subscription. */
  readonly source: string;
  /** Infinity for all that are there. */
  readonly max: number;
  /** How long to wait for dead letters that another receiver may hold. */
  readonly waitMs: number;
  readonly hasNewIds: boolean;
  readonly isJson: boolean;
};

type ResubmitContext = ReceiveContext & { readonly now: () => number };
/** The number of dead letters that have moved, and of those that may be in both places. */
type Tally = { done: number; inBoth: number };
type Outcome =
  | { readonly kind: 'done'; readonly message: ShownMessage<JsonForm> }
  | { readonly kind: 'failed'; readonly error: unknown; readonly isInBoth: boolean };
type Links = { readonly sender: MessageSender; readonly receiver: MessageReceiver };

const MOST_AT_ONCE = 100;
const TIMED_OUT = 4;

/** Resolves with the exit code: 4 if some of the dead letters did not come. */
export async function runResubmit(
  client: AmqpClient,
  resubmission: Resubmission,
  context: ResubmitContext,
): Promise<number> {
  // Counted first, because a copy may be dead-lettered again at once, and must not be taken a second time.
  const wanted = await countDeadLetters(client, resubmission);
  const sender = await client.openSender(resubmission.source);
  const receiver = await client.openReceiver(resubmission.path, { mode: 'peek-lock', session: undefined });
  client.finishWithin(FINISH_MS);
  const tally: Tally = { done: 0, inBoth: 0 };
  try {
    for (let isMore = true; isMore && tally.done < wanted; ) {
      const before = tally.done;
      await resubmitSome({ sender, receiver }, wanted - before, tally, resubmission, context);
      isMore = tally.done > before && !context.interrupted.aborted;
    }
  } finally {
    await receiver.releaseAll();
    context.stderr(summaryOf(tally, resubmission));
  }
  if (context.interrupted.aborted) throw interruption();
  if (tally.done === wanted) return 0;
  context.stderr(
    `${countOf(wanted - tally.done, 'more dead letter')} did not come, because another receiver holds them\n`,
  );
  return TIMED_OUT;
}

function summaryOf({ done, inBoth }: Tally, { path, source }: Resubmission): string {
  const sent = `Sent ${countOf(done, 'dead letter')} to ${source}\n`;
  if (inBoth === 0) return sent;
  return `${sent}${countOf(inBoth, 'more dead letter')} may now be in both places: look into ${source} and ${path}\n`;
}

async function countDeadLetters(client: AmqpClient, { path, max }: Resubmission): Promise<number> {
  const browser = await client.openBrowser(path);
  let count = 0;
  for await (const content of browser.peek({ from: 1n, max: Infinity, numberOf: sequenceNumberOf })) {
    // A deferred message can be received only by its number.
    if (describeMessage(content, 'peeked').state !== 'deferred') count += 1;
    if (count === max) break;
  }
  return count;
}

/** Sends messages in order, and waits for all outcomes together. Throws the first error when all have ended. */
async function resubmitSome(
  links: Links,
  most: number,
  tally: Tally,
  resubmission: Resubmission,
  { now, print, interrupted }: ResubmitContext,
): Promise<void> {
  const underWay: Promise<Outcome>[] = [];
  const errors: unknown[] = [];
  const count = Math.min(most, MOST_AT_ONCE);
  try {
    for await (const message of links.receiver.receive(count, resubmission.waitMs, interrupted))
      underWay.push(resubmit(links, message, resubmission, now()));
  } catch (error) {
    errors.push(error);
  }
  for (const outcome of await Promise.all(underWay)) {
    if (outcome.kind === 'done') {
      tally.done += 1;
      await print(lineOf(outcome.message, resubmission)).catch((error) => errors.push(error));
    } else {
      if (outcome.isInBoth) tally.inBoth += 1;
      errors.push(outcome.error);
    }
  }
  if (errors.length > 0) throw errors[0];
}

async function resubmit(
  { sender, receiver }: Links,
  message: ReceivedMessage,
  { hasNewIds }: Resubmission,
  now: number,
): Promise<Outcome> {
  const messageId = hasNewIds ? randomUUID() : undefined;
  let isSent = false;
  try {
    await sender.send(encodeResent(message.content, { now, messageId }));
    isSent = true;
    await receiver.complete(message);
    return { kind: 'done', message: describeMessage(message.content, 'received') };
  } catch (error) {
    return { kind: 'failed', error, isInBoth: isSent || hasNoOutcome(error) };
  }
}

function lineOf(message: ShownMessage<JsonForm>, { source, isJson }: Resubmission): string {
  const { sequenceNumber, deadLetterReason, messageId } = message;
  if (isJson) return jsonLine({ entity: source, sequenceNumber, messageId, deadLetterReason });
  return `#${sequenceNumber} ${messageId ?? ''}\n`;
}
