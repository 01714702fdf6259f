// `jitney dead-letter resubmit`: sends each dead letter to its source again. Sends first and completes then, so nothing is lost.

import { randomUUID } from 'node:crypto';
import type { AmqpClient } from '../client/amqp-client.js';
import type { MessageReceiver, ReceivedMessage } from '../client/message-receiver.js';
import type { MessageSender } from '../client/message-sender.js';
import { type DescribedMessage, describeMessage, sequenceNumberOf } from '../content/describe-content.js';
import { encodeResent } from '../content/resent-message.js';
import { jsonLine } from './message-lines.js';
import { countOf, type Print, type Write } from './output.js';

type Resubmission = {
  /** The path of the dead-letter queue. */
  readonly path: string;
  /** The queue, or the topic of a subscription. */
  readonly source: string;
  /** Infinity: all that are there. */
  readonly max: number;
  /** How long to wait for dead letters that another receiver may hold. */
  readonly waitMs: number;
  readonly hasNewIds: boolean;
  readonly isJson: boolean;
};

type ResubmitContext = { readonly print: Print; readonly stderr: Write; readonly now: () => number };
type Links = { readonly sender: MessageSender; readonly receiver: MessageReceiver };

const MOST_AT_ONCE = 100;
const TIMED_OUT = 4;

/** Resolves with the exit code: 4 when some of the dead letters did not come. */
export async function runResubmit(
  client: AmqpClient,
  resubmission: Resubmission,
  context: ResubmitContext,
): Promise<number> {
  // A copy may die again at once, and must not be taken a second time.
  const wanted = await countDeadLetters(client, resubmission);
  const sender = await client.openSender(resubmission.source);
  const receiver = await client.openReceiver(resubmission.path, { mode: 'peek-lock', session: undefined });
  let count = 0;
  try {
    while (count < wanted) {
      const resubmitted = await resubmitSome({ sender, receiver }, wanted - count, resubmission, context);
      if (resubmitted === 0) break;
      count += resubmitted;
    }
  } finally {
    await receiver.releaseAll();
  }
  context.stderr(`Sent ${countOf(count, 'dead letter')} to ${resubmission.source}\n`);
  if (count === wanted) return 0;
  context.stderr(
    `${countOf(wanted - count, 'more dead letter')} did not come: another receiver holds them\n`,
  );
  return TIMED_OUT;
}

async function countDeadLetters(client: AmqpClient, { path, max }: Resubmission): Promise<number> {
  const browser = await client.openBrowser(path);
  let count = 0;
  for await (const content of browser.peek({ from: 1n, max: Infinity, numberOf: sequenceNumberOf })) {
    // A deferred message is received by its number alone.
    if (describeMessage(content, 'peeked').state !== 'deferred') count += 1;
    if (count === max) break;
  }
  return count;
}

/** Returns how many. Messages are sent in their order, and their outcomes awaited together. */
async function resubmitSome(
  links: Links,
  most: number,
  resubmission: Resubmission,
  context: ResubmitContext,
): Promise<number> {
  const underWay: Promise<DescribedMessage>[] = [];
  for await (const message of links.receiver.receive(Math.min(most, MOST_AT_ONCE), resubmission.waitMs)) {
    const resubmitted = resubmit(links, message, resubmission, context.now());
    resubmitted.catch(() => {}); // told below, or else why no more messages come
    underWay.push(resubmitted);
  }
  const outcomes = await Promise.allSettled(underWay);
  for (const outcome of outcomes) {
    if (outcome.status === 'rejected') throw outcome.reason;
    await context.print(lineOf(outcome.value, resubmission));
  }
  return outcomes.length;
}

async function resubmit(
  { sender, receiver }: Links,
  message: ReceivedMessage,
  { hasNewIds }: Resubmission,
  now: number,
): Promise<DescribedMessage> {
  const messageId = hasNewIds ? randomUUID() : undefined;
  await sender.send(encodeResent(message.content, { now, messageId }));
  await receiver.complete(message);
  return describeMessage(message.content, 'received');
}

function lineOf(message: DescribedMessage, { source, isJson }: Resubmission): string {
  const { sequenceNumber, deadLetterReason, properties } = message;
  const { messageId } = properties;
  if (isJson) return jsonLine({ entity: source, sequenceNumber, messageId, deadLetterReason });
  return `#${sequenceNumber} ${messageId ?? ''}\n`;
}
