// A message leaves the broker for good: completed, consumed, expired, cancelled or deleted.

import type { MessageStore } from '../entity/message-store.js';
import type { TurnInProgress } from '../turn-in-progress.js';
import type { StoredMessage } from './stored-message.js';

/** The message must not be available. */
export function removeMessage(store: MessageStore, message: StoredMessage, turn: TurnInProgress): void {
  store.log.remove(message);
  store.queue.removed(message);
  turn.messageRemoved(store, message);
  turn.contentLeft(message);
}
