// Gives a broker back what the journal kept. Locks are gone, delivery counts are kept (LNK-06, M37).

import { restoreState } from './delivery/session-state.js';
import { watchIdle } from './entity/idle-deletion.js';
import type { Namespace } from './entity/namespace.js';
import { type PassingTimeResources, performDue } from './entity/passing-time.js';
import type { StoredEvent } from './event.js';
import { StoredMessage } from './message/stored-message.js';
import type { NumberSeries } from './number-series.js';
import type { TurnInProgress } from './turn-in-progress.js';

export type RecoveredParts = { readonly namespace: Namespace; readonly contentIds: NumberSeries };

/** Queues come before what belongs to them. */
export function restore(stored: readonly StoredEvent[], { namespace, contentIds }: RecoveredParts): void {
  for (const event of stored) {
    switch (event.kind) {
      case 'queue-put':
        namespace.restoreQueue(event.queue);
        break;
      case 'message-put': {
        const store = namespace.storeWithId(event.storeId);
        const sessionId = store.sessionIdFor(event.message.sessionId);
        store.add(new StoredMessage({ ...event.message, sessionId })); // LNK-06: held by nobody, as often delivered as before
        store.queue.sizeBytes += event.message.sizeBytes;
        contentIds.continueFrom(event.message.contentId + 1);
        break;
      }
      case 'session-state-put':
        restoreState(namespace.storeWithId(event.storeId), event.state); // X17: it stays, and nobody holds it
        contentIds.continueFrom(event.state.contentId + 1);
        break;
      case 'sequence-put':
        namespace
          .storeWithId(event.storeId)
          .queue.sequenceNumbers.resume(event.partitionId, event.nextSequenceNumber); // SEQ-11
        break;
      case 'message-id-noted':
        namespace.storeWithId(event.storeId).queue.messageIds.note(event.noted); // DUP-09
        break;
      default:
        event satisfies never;
    }
  }
}

/** The first turn after a restart: time goes on for what was restored, and idle queues count from now. */
export function wake(resources: PassingTimeResources, turn: TurnInProgress): void {
  const { namespace } = resources;
  for (const queue of namespace.queues()) {
    queue.messageIds.sort();
    queue.accessedTime = turn.now;
    watchIdle(queue);
  }
  for (const store of namespace.stores()) {
    performDue(store, resources, turn); // what became due meanwhile
    turn.touch(store);
  }
}
