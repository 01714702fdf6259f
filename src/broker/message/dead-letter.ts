// A message moves from the main store of its queue to the dead-letter queue, or a failed transfer to its own (DLQ-02), in one turn (DLQ-13).

import type { MessageStore } from '../entity/message-store.js';
import { NEVER } from '../instant.js';
import type { TurnInProgress } from '../turn-in-progress.js';
import { MESSAGE_STATE, type PropertyChange } from './message-properties.js';
import { StoredMessage } from './stored-message.js';

/** DLQ-05: application properties of the dead-lettered message. */
const REASON = 'DeadLetterReason';
const DESCRIPTION = 'DeadLetterErrorDescription';

/** Characters of a description, which may quote what a client has sent. */
const MAX_DESCRIPTION_LENGTH = 1000;

/** DLQ-04. */
export const EXPIRED = reasonOf('TTLExpiredException', 'The message expired and was dead lettered.');

/** The same of a message that goes with its whole session (SES-18). Differs from Azure: its text for this is not known. */
export function expiredWith({ sequenceNumber }: StoredMessage): readonly PropertyChange[] {
  const text = `The message was dead lettered with its session, in which message ${sequenceNumber} had expired.`;
  return reasonOf('TTLExpiredException', text);
}

/** DLQ-05. */
export function reasonOf(reason: string, description: string): readonly PropertyChange[] {
  return [
    { name: REASON, value: reason.slice(0, MAX_DESCRIPTION_LENGTH) },
    { name: DESCRIPTION, value: description.slice(0, MAX_DESCRIPTION_LENGTH) },
  ];
}

/** The message must not be available. Number, enqueued time and count are kept (DLQ-06, SEQ-10). */
export function deadLetter(
  store: MessageStore,
  message: StoredMessage,
  changes: readonly PropertyChange[],
  turn: TurnInProgress,
): void {
  const { queue, kind } = store;
  const deadLetters = kind === 'transfer' ? queue.transferDeadLetters : queue.deadLetters;
  message.change(changes);
  store.log.remove(message);
  turn.messageRemoved(store, message); // DLQ-13, with the put below: both are durable or neither
  // TTL-11. Another object: the main store may still have this one among those that came back.
  const dead = new StoredMessage({
    ...message.record(),
    state: MESSAGE_STATE.active,
    expiresAt: NEVER,
    wasScheduled: false,
    sessionId: undefined, // DLQ-03: of no meaning there; the content still says it
    destination: undefined,
  });
  deadLetters.add(dead);
  turn.messagePut(deadLetters, dead); // DLQ-13
  turn.touch(deadLetters);
}

/** DLQ-04. */
export function maxDeliveryCountExceeded(maxDeliveryCount: number): readonly PropertyChange[] {
  const text = `Message could not be consumed after ${maxDeliveryCount} delivery attempts.`;
  return reasonOf('MaxDeliveryCountExceeded', text);
}
