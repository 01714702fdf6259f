// Why a message is where it is, and what comes next, in sentences: from what is stored with it, and from what has happened to it.

import type { MessageAnswer } from '../../../http/control/control-schemas.js';
import { deliveryNumber, ordinal } from '../../state/deliveries.js';
import {
  clientName,
  dateTimeText,
  durationText,
  numberText,
  spokenPath,
  timeText,
} from '../../state/format.js';
import type { PageEvent } from '../../state/page-event.js';

export type Why = {
  readonly sentences: readonly string[];
  /** The future of the message if nobody does anything. */
  readonly next: string | undefined;
};

type Known = {
  readonly message: MessageAnswer;
  readonly path: string;
  readonly isDead: boolean;
  /** The most deliveries that the entity allows. */
  readonly maxDeliveryCount: number | undefined;
  /** A topic that is not active holds messages that were due. */
  readonly topicStatus: string | undefined;
  /** The history, as far as it reaches. */
  readonly events: readonly PageEvent[];
  /** The present of the message's times, and that of ends of locks and schedules (`Store.dueNow`). */
  readonly now: number;
  readonly dueNow: number;
};

const ARRIVALS: ReadonlySet<string> = new Set([
  ...['accepted', 'enqueued', 'scheduled', 'routed', 'activated', 'transfer-waiting'],
]);
/** The properties in which receivers say why they abandon a message. */
const FAILURES = /^(failure|error|exception|reason|cause)$/i;

export function whyHere(known: Known): Why {
  const sentences = known.isDead ? deadSentences(known) : stateSentences(known);
  return { sentences: [...sentences, ...failedSentences(known)], next: nextText(known) };
}

/** The events since the message last arrived: the history of one that was resubmitted begins with its earlier lives. */
export function sinceArrival(events: readonly PageEvent[]): readonly PageEvent[] {
  return events.slice(
    Math.max(
      0,
      events.findLastIndex(({ kind }) => ARRIVALS.has(kind)),
    ),
  );
}

function deadSentences({ message, path, events }: Known): readonly string[] {
  const { deadLetterReason: reason, deliveryCount, deadLetteredTime, lastHolder, deadLetterSource } = message;
  const at = deadLetteredTime === undefined ? '' : ` at ${dateTimeText(deadLetteredTime)}`;
  const delivery = deliveryNumber({ ...message, reason });
  const on = delivery === undefined ? '' : ` on its ${ordinal(delivery)} delivery`;
  const last = events.findLast(({ kind }) => kind === 'dead-lettered');
  const by = lastHolder ?? (last?.client && clientName(last.client));
  const from =
    deadLetterSource === undefined ? [] : [`It was forwarded from ${spokenPath(deadLetterSource)}.`];
  switch (reason) {
    case 'MaxDeliveryCountExceeded':
      return [`Delivered ${times(deliveryCount)}, the most that ${spokenPath(path)} allows.`, ...from];
    case 'TTLExpiredException':
      return [`Its time to live ended${at}, after ${deliveredText(deliveryCount)}.`, ...from];
    default: {
      const why = reason === undefined ? ' without a reason' : `, with the reason ${reason}`;
      return [`Dead-lettered${on}${by === undefined ? '' : ` by ${by}`}${at}${why}.`, ...from];
    }
  }
}

function stateSentences({ message, events }: Known): readonly string[] {
  const { state, deliveryCount, scheduledTime } = message;
  const last = (kind: string) => events.findLast((event) => event.kind === kind);
  switch (state) {
    case 'locked': {
      const by = last('locked')?.client;
      const renewed = events
        .slice(events.findLastIndex(({ kind }) => kind === 'locked'))
        .filter(({ kind }) => kind === 'renewed')
        .reduce((sum, { renewalCount = 1 }) => sum + renewalCount, 0);
      const renewedText = renewed === 0 ? '' : `, and has renewed its lock ${times(renewed)}`;
      return [
        `${by === undefined ? 'A receiver' : clientName(by)} holds it in its ${ordinal(deliveryCount + 1)} delivery${renewedText}.`,
      ];
    }
    case 'scheduled':
      return [
        scheduledTime === undefined
          ? 'It waits for a time that no calendar holds.'
          : `Its sender wants it to become active at ${dateTimeText(scheduledTime)}.`,
      ];
    case 'deferred': {
      const by = last('deferred')?.client;
      return [
        `Deferred by ${by === undefined ? 'a receiver' : clientName(by)}: it is received by its number alone.`,
      ];
    }
    case 'active': {
      const rule = last('routed')?.rule;
      const forwarded = last('forwarded')?.path;
      return [
        deliveryCount === 0
          ? 'It waits for a receiver; it was not delivered yet.'
          : `It waits for a receiver again, after ${deliveredText(deliveryCount)}.`,
        ...(rule === undefined ? [] : [`The rule '${rule}' took it.`]),
        ...(forwarded === undefined ? [] : [`It was forwarded from ${spokenPath(forwarded)}.`]),
      ];
    }
  }
}

/** `Abandoned 9 times by fulfilment-2 and once by fulfilment-1, after 11 ms to 14 ms.` */
function failedSentences({ events, message }: Known): readonly string[] {
  const life = sinceArrival(events);
  const abandoned = life.filter(({ kind }) => kind === 'abandoned');
  const lost = life.filter(({ kind }) => kind === 'lock-expired');
  const [name, found] =
    Object.entries(message.applicationProperties).find(([one]) => FAILURES.test(one)) ?? [];
  const words = name === undefined ? '' : `, with ${name}=${JSON.stringify(found?.value)}`;
  return [
    ...(abandoned.length === 0 ? [] : [`Abandoned ${byWhom(abandoned)}, ${heldText(abandoned)}${words}.`]),
    ...(lost.length === 0 ? [] : [`Its lock expired ${byWhom(lost, 'held by')}, ${heldText(lost)}.`]),
  ];
}

function nextText({
  message,
  path,
  isDead,
  maxDeliveryCount,
  topicStatus = 'Active',
  now,
  dueNow,
}: Known): string | undefined {
  const { state, lock, expiresAt, scheduledTime, deliveryCount } = message;
  if (state === 'locked' && lock?.lockedUntil !== undefined) {
    const isLast = !isDead && deliveryCount + 1 === maxDeliveryCount;
    const where = isLast
      ? 'goes to the dead-letter queue, because this is its last delivery'
      : `returns to ${spokenPath(path)}`;
    return `At ${timeText(lock.lockedUntil)} it ${where}, unless it is settled or its lock is renewed.`;
  }
  if (state === 'scheduled' && scheduledTime !== undefined) {
    const leftMs = Date.parse(scheduledTime) - dueNow;
    if (leftMs < 0 && topicStatus !== 'Active')
      return `It was due. Its topic is ${topicStatus}: it becomes active when the topic does.`;
    return `That is in ${durationText(leftMs)}.`;
  }
  if (isDead) return 'It stays until somebody takes, resubmits or deletes it.';
  if (expiresAt !== undefined)
    return `It expires at ${dateTimeText(expiresAt)}, in ${durationText(Date.parse(expiresAt) - now)}.`;
  return undefined;
}

function times(count: number): string {
  if (count === 1) return 'once';
  return count === 2 ? 'twice' : `${numberText(count)} times`;
}

function deliveredText(count: number): string {
  return count === 0 ? 'no delivery' : count === 1 ? 'one delivery' : `${numberText(count)} deliveries`;
}

function byWhom(events: readonly PageEvent[], by = 'by'): string {
  const counts = new Map<string, number>();
  for (const { client } of events) {
    const name = client === undefined ? '' : clientName(client);
    counts.set(name, (counts.get(name) ?? 0) + 1);
  }
  const parts = [...counts].map(([name, count]) => `${times(count)}${name === '' ? '' : ` ${by} ${name}`}`);
  return parts.length < 2 ? (parts[0] ?? '') : `${parts.slice(0, -1).join(', ')} and ${parts.at(-1)}`;
}

function heldText(events: readonly PageEvent[]): string {
  const held = events.map(({ heldMs = 0 }) => heldMs);
  const [least, most] = [Math.min(...held), Math.max(...held)];
  const each = events.length > 1 ? 'each ' : '';
  return least === most
    ? `${each}after ${shortText(most)}`
    : `${each}after ${shortText(least)} to ${shortText(most)}`;
}

function shortText(ms: number): string {
  return ms < 1000 ? `${Math.round(ms)} ms` : durationText(ms);
}
