// A queue ends, and with it its messages, locks and links (ENT-04, ENT-05, M36).

import type { Links } from '../delivery/links.js';
import type { MessageLocks } from '../delivery/message-lock.js';
import type { SessionLocks } from '../delivery/session-lock.js';
import { dropStates } from '../delivery/session-state.js';
import { removeMessage } from '../message/removal.js';
import type { TurnInProgress } from '../turn-in-progress.js';
import type { Namespace } from './namespace.js';
import type { Queue } from './queue.js';

export type DeleteQueueResources = {
  readonly namespace: Namespace;
  readonly links: Links;
  readonly locks: MessageLocks;
  readonly sessionLocks: SessionLocks;
};

export function deleteQueue(
  queue: Queue,
  { namespace, links, locks, sessionLocks }: DeleteQueueResources,
  turn: TurnInProgress,
): void {
  for (const lock of locks.held(({ store }) => store.queue === queue)) locks.end(lock);
  for (const { lock } of [...(queue.main.sessions?.held ?? [])])
    if (lock !== undefined) sessionLocks.end(lock);
  links.detachDeleted(queue, turn);
  // ENT-05, X18
  for (const store of [queue.main, queue.deadLetters]) {
    for (const message of store.log.from(0)) {
      if (message.isAvailable) store.log.withdraw(message);
      removeMessage(store, message, turn);
    }
  }
  dropStates(queue.main, turn);
  for (const { sequenceNumber } of queue.messageIds.all()) {
    turn.events.push({ kind: 'message-id-forgotten', storeId: queue.main.id, sequenceNumber });
  }
  turn.events.push({
    kind: 'queue-removed',
    storeId: queue.main.id,
    deadLetterStoreId: queue.deadLetters.id,
  });
  namespace.removeQueue(queue);
  turn.touch(queue.main); // nothing of it is due any more
}
