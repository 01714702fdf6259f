// What becomes of a message whose lock has ended without completing it.

import type { MessageStore } from '../entity/message-store.js';
import { deadLetter, maxDeliveryCountExceeded } from '../message/dead-letter.js';
import type { PropertyChange } from '../message/message-properties.js';
import type { StoredMessage } from '../message/stored-message.js';
import type { TurnInProgress } from '../turn-in-progress.js';

/** After an abandon or a lock expiry: the delivery counts, and at the maximum it was the last (DLV-02, DLV-06). */
export function returnCounted(
  store: MessageStore,
  message: StoredMessage,
  changes: readonly PropertyChange[],
  turn: TurnInProgress,
): void {
  if (store.isDeadLetterQueue) {
    returnUncounted(store, message, changes, turn); // DLV-07
    return;
  }
  const { maxDeliveryCount } = store.queue.description;
  message.deliveryCount += 1;
  if (message.deliveryCount >= maxDeliveryCount) {
    const allChanges = [...changes, ...maxDeliveryCountExceeded(maxDeliveryCount)];
    deadLetter(store.queue, message, allChanges, turn);
    return;
  }
  message.change(changes);
  turn.messagePut(store, message);
  giveBack(store, message, turn);
}

/** After a release, or in a dead-letter queue: as if the delivery had not been (SET-10, DLV-07). */
export function returnUncounted(
  store: MessageStore,
  message: StoredMessage,
  changes: readonly PropertyChange[],
  turn: TurnInProgress,
): void {
  if (changes.length > 0) {
    message.change(changes);
    turn.messagePut(store, message);
  }
  giveBack(store, message, turn);
}

/** RCV-09. */
function giveBack(store: MessageStore, message: StoredMessage, turn: TurnInProgress): void {
  store.log.giveBack(message);
  turn.touch(store);
}
