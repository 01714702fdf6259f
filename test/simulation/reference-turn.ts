// One turn of the reference model: when it is, under which conditions, and what can become of a message in it (semantics D.3).

import type { Choices } from '../../src/broker/choices.js';
import type { Limits } from '../../src/broker/limits.js';
import { MESSAGE_STATE, type PropertyChange } from '../../src/broker/message/message-properties.js';
import type { Expected } from './reference-expected.js';
import { isDeadLetterQueue, type ModelMessage, type ModelQueue, type ModelState } from './reference-state.js';

/** What differs from seed to seed. */
export type Conditions = { readonly limits: Limits; readonly choices: Choices };

export type ModelTurn = Conditions & {
  readonly now: number;
  readonly state: ModelState;
  readonly expected: Expected;
  /** The messages that the broker has removed or moved, by key, in order. */
  readonly removed: readonly string[];
  /** Within a step that has been checked: whether there was room was looked at then. */
  readonly hasRoom?: boolean;
};

/** Partitions, and the numbers of each (SEQ-06). */
export const PARTITIONS = 16;
export const PARTITION_SIZE = 2 ** 48;

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
  message.count += 1;
  change(message, changes);
  const max = queue.description.maxDeliveryCount;
  if (message.count < max) {
    happened(isDeferred ? 'M25' : 'M10', turn);
    put(queue, message, turn);
    return;
  }
  happened(isDeferred ? 'M26' : 'M11', turn);
  const text = `Message could not be consumed after ${max} delivery attempts.`;
  deadLetter(queue, message, reasonOf('MaxDeliveryCountExceeded', text), turn);
}

/** SET-10, LNK-04, SES-14. */
export function release(message: ModelMessage, turn: ModelTurn): void {
  message.lock = undefined;
  happened(message.state === MESSAGE_STATE.deferred ? 'M14 deferred' : 'M14', turn);
}

/** SET-04, DEF-06, DLV-07. */
export function defer(
  queue: ModelQueue,
  message: ModelMessage,
  changes: readonly PropertyChange[],
  turn: ModelTurn,
): void {
  const isSameRow =
    isDeadLetterQueue(message.place) && message.state === MESSAGE_STATE.deferred && changes.length === 0;
  happened(message.state === MESSAGE_STATE.deferred ? 'M27' : 'M16', turn);
  message.lock = undefined;
  message.state = MESSAGE_STATE.deferred;
  if (message.place === 'main') message.count += 1;
  change(message, changes);
  if (isSameRow) turn.expected.optionalKeys.add(keyOf(queue, message));
  else put(queue, message, turn);
}

/** TTL-08, SES-18: where it is chosen they take their sessions with them, but for what is locked or scheduled. */
export function expire(queue: ModelQueue, messages: readonly ModelMessage[], turn: ModelTurn): void {
  const own = messages.filter(({ place }) => place === 'main');
  for (const message of messages) {
    if (message.place === 'transfer') happened('a transfer expired', turn);
    expireOne(queue, message, 'The message expired and was dead lettered.', turn);
  }
  if (!queue.description.requiresSession || !turn.choices.expireWholeSession) return;
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
