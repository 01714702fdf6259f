// What becomes of a message whose lock has ended without completing it.

import type { MessageStore } from '../entity/message-store.js';
import { deadLetter, maxDeliveryCountExceeded } from '../message/dead-letter.js';
import { MESSAGE_STATE, type PropertyChange } from '../message/message-properties.js';
import type { StoredMessage } from '../message/stored-message.js';
import type { TurnInProgress } from '../turn-in-progress.js';

/**
 * After an abandon or a lock expiry: the delivery counts, and at the maximum it was the last (DLV-02, DLV-06), whether
 * the message was active or deferred (DLV-08).
 */
export function returnCounted(
  store: MessageStore,
  message: StoredMessage,
  changes: readonly PropertyChange[],
  turn: TurnInProgress,
): void {
  if (store.isDeadLetterQueue) {
    // DLV-07: no maximum either, so that it stays there (DLQ-09).
    returnUncounted(store, message, changes, turn);
    return;
  }
  const { maxDeliveryCount } = store.queue.description;
  message.deliveryCount += 1;
  if (message.deliveryCount >= maxDeliveryCount) {
    const allChanges = [...changes, ...maxDeliveryCountExceeded(maxDeliveryCount)];
    deadLetter(store, message, allChanges, turn);
    return;
  }
  message.change(changes);
  giveBack(store, message, turn, { hasChanged: true });
}

/** After a release, or in a dead-letter queue: as if the delivery had not been (SET-10, DLV-07). */
export function returnUncounted(
  store: MessageStore,
  message: StoredMessage,
  changes: readonly PropertyChange[],
  turn: TurnInProgress,
): void {
  message.change(changes);
  giveBack(store, message, turn, { hasChanged: changes.length > 0 });
}

/** SET-04: the message stays in its store, whichever that is (DEF-09), and is had by its number alone (DEF-01). */
export function defer(
  store: MessageStore,
  message: StoredMessage,
  changes: readonly PropertyChange[],
  turn: TurnInProgress,
): void {
  if (!store.isDeadLetterQueue) message.deliveryCount += 1; // DLV-02, DLV-07
  message.state = MESSAGE_STATE.deferred;
  message.change(changes);
  turn.messagePut(store, message);
}

/** RCV-09; a deferred message stays deferred (DEF-06). What expired under its lock goes when the turn ends (TTL-07). */
function giveBack(
  store: MessageStore,
  message: StoredMessage,
  turn: TurnInProgress,
  { hasChanged }: { readonly hasChanged: boolean },
): void {
  if (hasChanged) turn.messagePut(store, message);
  if (message.state !== MESSAGE_STATE.active) return;
  store.giveBack(message); // DLV-05: the very same message
  turn.touch(store);
}
