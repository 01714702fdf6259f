// Why a message is where it is, in sentences, from what has happened to it.

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
  /** The reason given by the client that dead-lettered it, or by the emulator. */
  readonly description: string | undefined;
};

type Known = {
  readonly path: string;
  readonly isDead: boolean;
  readonly state: string;
  readonly deliveryCount: number;
  readonly reason: string | undefined;
  readonly description: string | undefined;
  readonly scheduledTime: string | undefined;
  /** A property that an abandon has set says more than its count. */
  readonly failure: string | undefined;
};

export function whyHere(known: Known, events: readonly PageEvent[], isComplete: boolean): Why {
  const sentences = known.isDead ? deadSentences(known, events) : stateSentences(known, events);
  if (!isComplete && events.length === 0) sentences.push('The events that are kept do not reach back to it.');
  return { sentences, description: known.isDead ? known.description : undefined };
}

function deadSentences(known: Known, events: readonly PageEvent[]): string[] {
  const { reason, deliveryCount, path } = known;
  const where = spokenPath(path);
  const last = events.findLast(({ kind }) => kind === 'dead-lettered');
  const by = last?.client === undefined ? undefined : clientName(last.client);
  const at = last === undefined ? '' : ` at ${timeText(last.time, { withMs: false })}`;
  switch (reason) {
    case 'MaxDeliveryCountExceeded':
      return [
        `Delivered ${times(deliveryCount)}, the most that ${where} allows.`,
        ...failedSentences(events, known.failure),
      ];
    case 'TTLExpiredException':
      return [`Its time to live ended${at}, after ${deliveredText(deliveryCount)}.`];
    case undefined:
      return [`Dead-lettered${byText(by)}${at} without a reason.`];
    default:
      return [
        `Dead-lettered${byText(by)}${at}, with the reason ${reason}.`,
        ...failedSentences(events, known.failure),
      ];
  }
}

function byText(by: string | undefined): string {
  return by === undefined ? '' : ` by ${by}`;
}

function times(count: number): string {
  if (count === 1) return 'once';
  return count === 2 ? 'twice' : `${numberText(count)} times`;
}

function deliveredText(count: number): string {
  return count === 0 ? 'no delivery' : count === 1 ? 'one delivery' : `${numberText(count)} deliveries`;
}

/** `Abandoned 9 times by fulfilment-2 and once by fulfilment-1, after 11 ms to 14 ms.` */
function failedSentences(events: readonly PageEvent[], failure: string | undefined): string[] {
  const abandoned = events.filter(({ kind }) => kind === 'abandoned');
  const lost = events.filter(({ kind }) => kind === 'lock-expired');
  const said = failure === undefined ? '' : `, with ${failure}`;
  const sentences: string[] = [];
  if (abandoned.length > 0) sentences.push(`Abandoned ${byWhom(abandoned)}, ${heldText(abandoned)}${said}.`);
  if (lost.length > 0) sentences.push(`Its lock expired ${byWhom(lost, 'held by')}, ${heldText(lost)}.`);
  return sentences;
}

function byWhom(events: readonly PageEvent[], by = 'by'): string {
  const counts = new Map<string, number>();
  for (const { client } of events) {
    const name = client === undefined ? '' : clientName(client);
    counts.set(name, (counts.get(name) ?? 0) + 1);
  }
  const parts = [...counts].map(([name, count]) =>
    name === '' ? times(count) : `${times(count)} ${by} ${name}`,
  );
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

function stateSentences(known: Known, events: readonly PageEvent[]): string[] {
  const { state, deliveryCount, scheduledTime } = known;
  const last = (kind: string) => events.findLast((event) => event.kind === kind);
  switch (state) {
    case 'locked': {
      const locked = last('locked');
      const by = locked?.client === undefined ? 'A receiver' : clientName(locked.client);
      const since = locked === undefined ? '' : ` since ${timeText(locked.time)}`;
      const renewed = events.filter(({ kind }) => kind === 'renewed').length;
      return [
        `${by} holds it${since}; this is delivery ${numberText(deliveryCount + 1)}.`,
        ...(renewed === 0 ? [] : [`Its lock was renewed ${times(renewed)}.`]),
        ...failedSentences(events, known.failure),
      ];
    }
    case 'scheduled':
      return [
        scheduledTime === undefined
          ? 'It waits for a time that no calendar holds.'
          : `It becomes active at ${dateTimeText(scheduledTime)}, as its sender wanted.`,
      ];
    case 'deferred': {
      const deferred = last('deferred');
      const by = deferred?.client === undefined ? 'a receiver' : clientName(deferred.client);
      return [`Deferred by ${by}: it is received by its number alone.`];
    }
    default:
      return activeSentences(known, events);
  }
}

function activeSentences({ deliveryCount, failure }: Known, events: readonly PageEvent[]): string[] {
  const routed = events.findLast(({ kind }) => kind === 'routed');
  const forwarded = events.findLast(({ kind }) => kind === 'forwarded');
  const failed = failedSentences(events, failure);
  return [
    deliveryCount === 0
      ? 'It waits for a receiver; it was not delivered yet.'
      : `It waits for a receiver again, after ${deliveredText(deliveryCount)}.`,
    ...(routed?.rule === undefined ? [] : [`The rule '${routed.rule}' took it.`]),
    ...(forwarded === undefined ? [] : [`It was forwarded from ${spokenPath(forwarded.path ?? '')}.`]),
    ...failed,
  ];
}
