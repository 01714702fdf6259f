// The outcomes of a delivery or an expiry: the message is removed, dead-lettered, deferred or made available again.

import type { Activity } from '../contract/activity.js';
import type { MessageRecord } from '../contract/event.js';
import { NEVER } from '../contract/instant.js';
import { MESSAGE_STATE, type PropertyChange, withDetails } from '../contract/message-properties.js';
import { DESCRIPTION, REASON } from '../store/dead-letter-groups.js';
import type { MessageStore } from '../store/queue.js';
import { StoredMessage } from '../store/stored-message.js';
import type { TurnInProgress } from '../turn/turn-in-progress.js';

/** Removes a message that was completed, consumed, expired, cancelled or deleted. It must not be available. */
export function removeMessage(store: MessageStore, message: StoredMessage, turn: TurnInProgress): void {
  store.remove(message);
  store.queue.removed(message);
  turn.messageRemoved(store, message);
  turn.contentUnreferenced(message);
}

/** Removes a message that was delivered in receive-and-delete mode. */
export function consume(
  store: MessageStore,
  message: StoredMessage,
  linkId: number | undefined,
  turn: TurnInProgress,
): void {
  const { sequenceNumber } = message;
  turn.activities?.push({ kind: 'consumed', path: store.path, sequenceNumber, linkId });
  removeMessage(store, message, turn);
}

/** The maximum length in characters, because a description may quote text from a client. */
const MAX_DESCRIPTION_LENGTH = 1000;

/** DLQ-04. */
export const EXPIRED = reasonOf('TTLExpiredException', 'The message expired and was dead lettered.');

/** The reason for messages that expire with their whole session (SES-18). Differs from Azure: its text is not known. */
export function expiredWith({ sequenceNumber }: StoredMessage): readonly PropertyChange[] {
  const text = `The message was dead lettered with its session, in which message ${sequenceNumber} had expired.`;
  return reasonOf('TTLExpiredException', text);
}

/** DLQ-04. */
function maxDeliveryCountExceeded(maxDeliveryCount: number): readonly PropertyChange[] {
  const text = `Message could not be consumed after ${maxDeliveryCount} delivery attempts.`;
  return reasonOf('MaxDeliveryCountExceeded', text);
}

/** DLQ-05. */
export function reasonOf(reason: string, description: string): readonly PropertyChange[] {
  return [
    { name: REASON, value: reason.slice(0, MAX_DESCRIPTION_LENGTH) },
    { name: DESCRIPTION, value: description.slice(0, MAX_DESCRIPTION_LENGTH) },
  ];
}

/** The outcome of the delivery, if its receiver chose it. */
type Chosen = Pick<Activity & { readonly kind: 'dead-lettered' }, 'outcome'>;

/**
 * Moves a message from the main store to the dead-letter queue, or a failed transfer to the transfer dead-letter queue
 * (DLQ-02), in one turn (DLQ-13). It must not be available. Its number, enqueued time and count do not change (DLQ-06, SEQ-10).
 */
export function deadLetter(
  store: MessageStore,
  message: StoredMessage,
  changes: readonly PropertyChange[],
  turn: TurnInProgress,
  { lastHolder, ...chosen }: Chosen & { readonly lastHolder?: string | undefined } = {},
): void {
  noteDeadLettered(store.path, message.sequenceNumber, changes, turn, chosen);
  store.change(message, changes);
  store.remove(message);
  turn.messageRemoved(store, message); // DLQ-13: this event and the put below are durable together
  const record = message.record();
  addDeadLetter(store, { ...record, details: withDetails(record.details, { lastHolder }) }, turn);
}

/** Adds a message of this store, which it has left, to the dead-letter queue of the store. */
export function addDeadLetter(
  { queue, kind }: MessageStore,
  record: MessageRecord,
  turn: TurnInProgress,
): StoredMessage {
  const deadLetters = kind === 'transfer' ? queue.transferDeadLetters : queue.deadLetters;
  // TTL-11. A new object: the main store may still hold the old one in its heap of returned messages.
  const dead = new StoredMessage({
    ...record,
    state: MESSAGE_STATE.active,
    expiresAt: NEVER,
    wasScheduled: false,
    sessionId: undefined, // DLQ-03: there are no sessions there; the content still has the id
    details: withDetails(record.details, {
      schedule: undefined,
      destination: undefined,
      deadLetteredAt: turn.now,
    }),
  });
  deadLetters.add(dead);
  turn.messagePut(deadLetters, dead); // DLQ-13
  turn.touch(deadLetters);
  return dead;
}

/** Records a dead-lettered message; `path` names the store that it leaves or never reached. */
export function noteDeadLettered(
  path: string,
  sequenceNumber: number,
  changes: readonly PropertyChange[],
  { activities, messageReader }: TurnInProgress,
  chosen: Chosen = {},
): void {
  if (activities === undefined) return;
  const textOf = (name: string): string | undefined => {
    const value = changes.findLast((change) => change.name === name)?.value ?? undefined;
    if (value === undefined || typeof value === 'string') return value;
    const read = messageReader.decode(value);
    return typeof read === 'object' ? undefined : String(read).slice(0, MAX_DESCRIPTION_LENGTH);
  };
  const reason = textOf(REASON);
  const description = textOf(DESCRIPTION);
  activities.push({ kind: 'dead-lettered', path, sequenceNumber, reason, description, ...chosen });
}

/**
 * Ends a delivery by an abandon or the expiry of its lock. It counts, and at the maximum the message is dead-lettered (DLV-02,
 * DLV-06), whether active or deferred (DLV-08).
 */
export function returnCounted(
  store: MessageStore,
  message: StoredMessage,
  changes: readonly PropertyChange[],
  turn: TurnInProgress,
  holder?: string,
): void {
  if (store.isDeadLetterQueue) {
    // DLV-07: a dead-letter queue has no maximum either, so the message stays there (DLQ-09).
    returnUncounted(store, message, changes, turn);
    return;
  }
  if (countedOut(store, message, changes, turn, holder)) return;
  store.change(message, changes);
  giveBack(store, message, turn, { hasChanged: true });
}

/** Counts a delivery. Returns true if it was the last one: the message is then dead-lettered (DLV-06). */
function countedOut(
  store: MessageStore,
  message: StoredMessage,
  changes: readonly PropertyChange[],
  turn: TurnInProgress,
  holder: string | undefined,
): boolean {
  const { maxDeliveryCount } = store.queue.description;
  message.deliveryCount += 1;
  if (message.deliveryCount < maxDeliveryCount) return false;
  const allChanges = [...changes, ...maxDeliveryCountExceeded(maxDeliveryCount)];
  deadLetter(store, message, allChanges, turn, { lastHolder: holder });
  return true;
}

/** Ends a delivery that does not count: after a release, or in a dead-letter queue (SET-10, DLV-07). */
export function returnUncounted(
  store: MessageStore,
  message: StoredMessage,
  changes: readonly PropertyChange[],
  turn: TurnInProgress,
): void {
  store.change(message, changes);
  giveBack(store, message, turn, { hasChanged: changes.length > 0 });
}

/**
 * SET-04: the message stays in its store, even a dead-letter queue (DEF-09), and can only be received by its number (DEF-01). The
 * delivery counts, and the last one is dead-lettered instead (DLV-08), except in a dead-letter queue (DLV-07).
 */
export function defer(
  store: MessageStore,
  message: StoredMessage,
  changes: readonly PropertyChange[],
  turn: TurnInProgress,
  holder?: string,
): void {
  if (!store.isDeadLetterQueue && countedOut(store, message, changes, turn, holder)) return;
  store.log.setState(message, MESSAGE_STATE.deferred);
  store.change(message, changes);
  turn.messagePut(store, message);
}

/** RCV-09; a deferred message stays deferred (DEF-06). One that expired under its lock is removed at the end of the turn (TTL-07). */
function giveBack(
  store: MessageStore,
  message: StoredMessage,
  turn: TurnInProgress,
  { hasChanged }: { readonly hasChanged: boolean },
): void {
  if (hasChanged) turn.messagePut(store, message);
  if (message.state !== MESSAGE_STATE.active) return;
  store.giveBack(message); // DLV-05: the same message, not a copy
  turn.touch(store);
}
