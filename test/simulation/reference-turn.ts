// What is expected of one turn of the reference model, and what can become of a message in it (semantics D.3).

import type { BehaviourOptions } from '../../src/broker/contract/behaviour-options.js';
import type { Command } from '../../src/broker/contract/command.js';
import type { RuleRecord } from '../../src/broker/contract/event.js';
import type { Limits } from '../../src/broker/contract/limits.js';
import { MESSAGE_STATE, type PropertyChange } from '../../src/broker/contract/message-properties.js';
import type { MessageCounts } from '../../src/broker/contract/result.js';
import {
  isDeadLetterQueue,
  isSessionStore,
  type ModelLock,
  type ModelMessage,
  type ModelNote,
  type ModelQueue,
  type ModelState,
  PARTITION_SIZE,
} from './reference-state.js';

/** The command of this kind. */
export type CommandOf<K extends Command['kind']> = Extract<Command, { kind: K }>;

/** What the model expects of a turn. */
export type Expected = {
  result: ExpectedResult;
  effects: ExpectedEffect[];
  /** The message rows that must be written or deleted. */
  keys: Set<string>;
  /** Those that may be written, though nothing in them has changed. */
  optionalKeys: Set<string>;
  /** Whose rows must now be what the model has; some may be gone. */
  touched: { readonly queue: ModelQueue; readonly message: ModelMessage }[];
  noted: { readonly queue: ModelQueue; readonly note: ModelNote }[];
  /** The rows of session states that must be written or deleted, in order: `put orders "a"`. */
  sessionStates: string[];
  /** Queues that gave numbers. */
  numbered: Set<ModelQueue>;
  /** The rows of rules that must be written or deleted, in any order: `put news/Subscriptions/all reds`. */
  rules: string[];
  /** Of queues, topics and subscriptions. */
  queuesPut: string[];
  queuesRemoved: string[];
  /** The transitions of semantics D.3 that happened, and other things worth counting. */
  happened: string[];
  /** The cost of the fan-out of the command, at least and at most. Of what was due before it, it is any: the order is the broker's choice. */
  readonly fanOutCost: { least: number; most: number };
};

/** A message as it is shown or handed out, with the lock it then had. */
export type ExpectedMessage = {
  readonly message: ModelMessage;
  /** As it was then: the same turn may have gone on with it. */
  readonly shown: ModelMessage;
  readonly lock: ModelLock | undefined;
  /** Of the lock, then. */
  readonly lockedUntil: number | undefined;
};

/** An entity as it is shown. */
export type LookedAt = {
  readonly queue: ModelQueue;
  readonly counts: MessageCounts;
  readonly sizeBytes: number;
  /** Of a topic; none of all else. */
  readonly subscriptionCount: number;
  readonly now: number;
};

export type ExpectedResult =
  | { readonly kind: 'done' }
  | { readonly kind: 'declared'; readonly transactionId: number }
  | { readonly kind: 'enlisted' }
  /** For one of these reasons: which of several mistakes is named is the broker's choice. */
  | { readonly kind: 'failed'; readonly reasons: readonly string[] }
  | {
      readonly kind: 'entity';
      readonly path: string;
      readonly isTopic: boolean;
      readonly maxMessageSizeBytes: number;
      readonly maxBatchSizeBytes: number;
    }
  | { readonly kind: 'sent'; readonly sequenceNumbers: readonly number[] }
  /** At least so many of these, from the first on. */
  | {
      readonly kind: 'messages';
      readonly messages: readonly ExpectedMessage[];
      readonly leastCount: number;
    }
  | { readonly kind: 'deleted' | 'purged'; readonly count: number }
  | ({ readonly kind: 'entity-info' } & LookedAt)
  | { readonly kind: 'entities'; readonly entities: readonly LookedAt[] }
  | { readonly kind: 'rules'; readonly rules: readonly RuleRecord[] }
  | { readonly kind: 'renewed'; readonly lockedUntil: readonly number[] }
  | { readonly kind: 'session-state'; readonly content: Uint8Array | undefined }
  | { readonly kind: 'sessions'; readonly sessionIds: readonly string[] }
  | { readonly kind: 'step'; readonly results: readonly ExpectedResult[] };

export type ExpectedEffect =
  | {
      readonly kind: 'session-accepted';
      readonly linkId: number;
      readonly sessionId: string;
      readonly lockedUntil: number;
    }
  | ({ readonly kind: 'deliver'; readonly linkId: number } & ExpectedMessage)
  | { readonly kind: 'drained'; readonly linkId: number; readonly deliveredCount: number }
  | { readonly kind: 'detach'; readonly linkId: number; readonly reason: string };

export const DONE: ExpectedResult = { kind: 'done' };

export function failed(...reasons: string[]): ExpectedResult {
  return { kind: 'failed', reasons };
}

export function nothingExpected(): Expected {
  return {
    result: DONE,
    effects: [],
    keys: new Set(),
    optionalKeys: new Set(),
    touched: [],
    noted: [],
    sessionStates: [],
    numbered: new Set(),
    rules: [],
    queuesPut: [],
    queuesRemoved: [],
    happened: [],
    fanOutCost: { least: Number.NEGATIVE_INFINITY, most: Number.POSITIVE_INFINITY },
  };
}

/** What differs from seed to seed. */
export type Conditions = { readonly limits: Limits; readonly behaviour: BehaviourOptions };

/** What the broker has told of a message of which copies wait: how far they are made. */
export type ToldFanOut = {
  readonly key: string;
  /** When, among all that the broker has removed. */
  readonly removedCount: number;
  /** The subscriptions that have not all of theirs, and how many the first of these has. */
  readonly rest: readonly string[];
  readonly copyCount: number;
  readonly isComplete: boolean;
};

export type ModelTurn = Conditions & {
  /** Each turn has a higher one. */
  readonly number: number;
  readonly now: number;
  readonly state: ModelState;
  readonly expected: Expected;
  /** The messages that the broker has removed or moved, by key, in order. */
  readonly removed: readonly string[];
  /** What it has told of messages of which copies wait, in order. */
  readonly fanOuts: readonly ToldFanOut[];
  /** Within a step that has been checked: whether there was room was looked at then. */
  readonly hasRoom?: boolean;
  /** Whether it is only tried what a command would be answered: nothing the broker has told is about it. */
  readonly isTrial?: boolean;
  /** Whether the command is a step that may change rules: then no copies wait. */
  readonly isFanOutWhole?: boolean;
};

export function happened(what: string, turn: ModelTurn): void {
  turn.expected.happened.push(what);
}

/** The message's row is written. */
export function put(queue: ModelQueue, message: ModelMessage, turn: ModelTurn): void {
  turn.expected.keys.add(keyOf(queue, message));
  turn.expected.touched.push({ queue, message });
}

export function remove(queue: ModelQueue, message: ModelMessage, turn: ModelTurn): void {
  turn.expected.keys.add(keyOf(queue, message));
  queue.messages.splice(queue.messages.indexOf(message), 1);
  message.lock = undefined;
  message.isGone = true;
}

export function deadLetter(
  queue: ModelQueue,
  message: ModelMessage,
  changes: readonly PropertyChange[],
  turn: ModelTurn,
): void {
  turn.expected.keys.add(keyOf(queue, message));
  change(message, changes);
  message.lock = undefined;
  message.place = message.place === 'transfer' ? 'failed' : 'dead'; // DLQ-02
  message.destination = undefined;
  message.deadLetteredAt = turn.now;
  message.state = MESSAGE_STATE.active;
  message.wasScheduled = false;
  message.expiresAt = Number.POSITIVE_INFINITY; // TTL-11
  put(queue, message, turn);
}

/** Abandoned, or its lock has expired: DLV-02, DLV-06 to DLV-08. A message that is now expired is swept up later in the turn. */
export function returnCounted(
  queue: ModelQueue,
  message: ModelMessage,
  changes: readonly PropertyChange[],
  turn: ModelTurn,
): void {
  message.lock = undefined;
  const isDeferred = message.state === MESSAGE_STATE.deferred;
  if (isDeadLetterQueue(message.place)) {
    happened(isDeferred ? 'M25 dead-lettered' : 'M10 dead-lettered', turn);
    change(message, changes);
    if (changes.length > 0) put(queue, message, turn);
    return;
  }
  const isLast = count(queue, message, changes, turn);
  if (isLast) happened(isDeferred ? 'M26' : 'M11', turn);
  else {
    happened(isDeferred ? 'M25' : 'M10', turn);
    put(queue, message, turn);
  }
}

/** Whether it was the last delivery: then it is dead-lettered (DLV-06). */
function count(
  queue: ModelQueue,
  message: ModelMessage,
  changes: readonly PropertyChange[],
  turn: ModelTurn,
): boolean {
  message.count += 1;
  change(message, changes);
  const max = queue.description.maxDeliveryCount;
  if (message.count < max) return false;
  const text = `Message could not be consumed after ${max} delivery attempts.`;
  deadLetter(queue, message, reasonOf('MaxDeliveryCountExceeded', text), turn);
  return true;
}

/** SET-10, LNK-04, SES-14. */
export function release(message: ModelMessage, turn: ModelTurn): void {
  message.lock = undefined;
  happened(message.state === MESSAGE_STATE.deferred ? 'M14 deferred' : 'M14', turn);
}

/** SET-04, DEF-06, DLV-07, DLV-08. */
export function defer(
  queue: ModelQueue,
  message: ModelMessage,
  changes: readonly PropertyChange[],
  turn: ModelTurn,
): void {
  const wasDeferred = message.state === MESSAGE_STATE.deferred;
  const isDead = isDeadLetterQueue(message.place);
  message.lock = undefined;
  if (!isDead && count(queue, message, changes, turn)) {
    happened(wasDeferred ? 'M27 at the maximum' : 'M16 at the maximum', turn);
    return;
  }
  happened(wasDeferred ? 'M27' : 'M16', turn);
  message.state = MESSAGE_STATE.deferred;
  if (isDead) change(message, changes);
  if (isDead && wasDeferred && changes.length === 0) turn.expected.optionalKeys.add(keyOf(queue, message));
  else put(queue, message, turn);
}

/** TTL-08, SES-18: where it is chosen they take their sessions with them, but for what is locked or scheduled. */
export function expire(queue: ModelQueue, messages: readonly ModelMessage[], turn: ModelTurn): void {
  const own = messages.filter(({ place }) => place === 'main');
  for (const message of messages) {
    if (message.place === 'transfer') happened('a transfer expired', turn);
    expireOne(queue, message, 'The message expired and was dead lettered.', turn);
  }
  if (!queue.description.requiresSession || !turn.behaviour.expireWholeSession) return;
  for (const { sessionId, number } of own.toSorted((a, b) => a.number - b.number)) {
    const others = queue.messages.filter(
      (one) =>
        one.place === 'main' &&
        one.sessionId === sessionId &&
        one.state !== MESSAGE_STATE.scheduled &&
        one.lock === undefined,
    );
    const text = `The message was dead lettered with its session, in which message ${number} had expired.`;
    for (const other of others) {
      happened(other.state === MESSAGE_STATE.deferred ? 'X15 deferred' : 'X15', turn);
      expireOne(queue, other, text, turn);
    }
  }
}

function expireOne(queue: ModelQueue, message: ModelMessage, text: string, turn: ModelTurn): void {
  const { deadLetteringOnMessageExpiration: isKept } = queue.description;
  happened(isKept ? 'expired, dead-lettered' : 'expired, removed', turn);
  if (isKept) deadLetter(queue, message, reasonOf('TTLExpiredException', text), turn);
  else remove(queue, message, turn);
}

/** M4, SCH-03. */
export function activate(queue: ModelQueue, message: ModelMessage, turn: ModelTurn): void {
  happened('M4', turn);
  const timeToLiveMs = message.schedule?.timeToLiveMs ?? Number.POSITIVE_INFINITY;
  turn.expected.keys.add(keyOf(queue, message));
  message.number = nextNumber(queue, Math.floor(message.number / PARTITION_SIZE), turn);
  message.state = MESSAGE_STATE.active;
  message.schedule = undefined;
  message.wasScheduled = true;
  message.enqueuedTime = turn.now;
  message.expiresAt = turn.now + effectiveTimeToLive(queue, timeToLiveMs, turn); // TTL-04
  put(queue, message, turn);
}

/** TTL-02. */
export function effectiveTimeToLive({ description }: ModelQueue, givenMs: number, turn: ModelTurn): number {
  return Math.min(givenMs, description.defaultMessageTimeToLiveMs, turn.limits.maxTimeToLiveMs);
}

export function nextNumber(queue: ModelQueue, partition: number, turn: ModelTurn): number {
  const count = (queue.counters[partition] ?? 0) + 1;
  queue.counters[partition] = count;
  turn.expected.numbered.add(queue);
  return partition * PARTITION_SIZE + count;
}

export function keyOf(queue: ModelQueue, { place, number }: ModelMessage): string {
  return `${queue.name} ${place} ${number}`;
}

function change(message: ModelMessage, changes: readonly PropertyChange[]): void {
  for (const { name, value } of changes) message.changes[name] = value;
}

export function reasonOf(reason: string, description: string): readonly PropertyChange[] {
  return [
    { name: 'DeadLetterReason', value: reason },
    { name: 'DeadLetterErrorDescription', value: description },
  ];
}

/** Removes what is expired and not held by anybody (TTL-09); `transition` is what may have made it so. */
export function sweepExpired(turn: ModelTurn, transition: string): void {
  for (const queue of turn.state.queues) sweepQueue(queue, transition, turn);
}

export function sweepQueue(queue: ModelQueue, transition: string, turn: ModelTurn): void {
  const isListened = isSwept(queue, turn.state, turn);
  const expired = queue.messages.filter(
    (one) => one.expiresAt <= turn.now && canBeSwept(one) && (isListened || one.place === 'transfer'),
  );
  if (expired.length === 0) return;
  for (const _ of expired) happened(transition, turn);
  expire(queue, expired, turn);
}

/** A locked message is left alone, a deferred one expires when it is asked for (TTL-06, TTL-10). */
export function canBeSwept({ place, state, lock }: ModelMessage): boolean {
  if (place === 'transfer') return true;
  return place === 'main' && state === MESSAGE_STATE.active && lock === undefined;
}

/** SES-18: where whole sessions expire, nothing does while nobody listens. */
export function isSwept(queue: ModelQueue, { links }: ModelState, { behaviour }: Conditions): boolean {
  const isBySession = behaviour.expireWholeSession && isSessionStore({ queue, place: 'main' });
  if (behaviour.expirySweep === 'always' && !isBySession) return true;
  return links.some(
    (link) => link.queueName === queue.name && link.role === 'receiver' && link.place === 'main',
  );
}
