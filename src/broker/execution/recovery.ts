// Restores a broker from the journal. Locks are lost, delivery counts are not (LNK-06, M37).

import { assert } from '../contract/assert.js';
import type { StoredEvent } from '../contract/event.js';
import { deleteEntity } from '../namespace/delete-entity.js';
import { performDue, watchIdle } from '../namespace/due-work.js';
import type { Namespace } from '../namespace/namespace.js';
import type { DiscardedRows } from '../queue/discarded-rows.js';
import { putState } from '../sessions/session-commands.js';
import { StoredMessage } from '../store/stored-message.js';
import { subscriptionOf } from '../topics/topic.js';
import type { BrokerParts } from '../turn/broker-parts.js';
import type { TurnInProgress } from '../turn/turn-in-progress.js';

/** The event of an entity must come first, before the events of its messages, sessions, counters and subscriptions. */
export function restore(
  stored: readonly StoredEvent[],
  { namespace, contentIds, references, ruleCompiler, discarded }: BrokerParts,
): void {
  for (const event of stored) {
    switch (event.kind) {
      case 'entity-put':
        namespace.add(event.entity);
        break;
      case 'rule-put': {
        const subscription = subscriptionOf(namespace.storeWithId(event.storeId).queue);
        assert(subscription !== undefined, 'the journal names a rule that belongs to no subscription');
        subscription.putRule({ record: event.rule, compiled: ruleCompiler.rule(event.rule.description) });
        break;
      }
      case 'store-emptied':
        namespace.emptied(namespace.storeWithId(event.storeId), event.rowsId);
        break;
      case 'rows-discarded':
        discarded.restore(event.rowsId);
        namespace.useRowsId(event.rowsId);
        break;
      case 'message-put': {
        const { contentId, isShared } = event.message;
        restoreMessage(event, namespace, discarded);
        if (isShared) references.add(contentId);
        contentIds.continueFrom(contentId + 1);
        break;
      }
      case 'session-state-put': {
        const states = discarded.restored(event.storeId)?.storedStates;
        // X17: the state is restored, the session lock is not
        if (states === undefined) putState(namespace.storeWithRows(event.storeId), event.state);
        else states.push(event.state);
        contentIds.continueFrom(event.state.contentId + 1);
        break;
      }
      case 'sequence-put':
        namespace
          .storeWithId(event.storeId)
          .queue.sequenceNumbers.resume(event.partitionId, event.nextSequenceNumber); // SEQ-11
        break;
      case 'message-id-noted': {
        const noted = discarded.restored(event.storeId)?.noted;
        if (noted !== undefined) noted.push(event.noted);
        else namespace.storeWithRows(event.storeId).queue.messageIds.note(event.noted); // DUP-09
        break;
      }
      case 'import-marked':
        namespace.storeWithId(event.storeId).imports.set(event.importId, event.sourceNumber);
        break;
      default:
        event satisfies never;
    }
  }
}

function restoreMessage(
  { storeId, message: record }: Extract<StoredEvent, { readonly kind: 'message-put' }>,
  namespace: Namespace,
  discarded: DiscardedRows,
): void {
  const removed = discarded.restored(storeId)?.storedMessages;
  if (removed !== undefined) {
    removed.push(new StoredMessage(record));
    return;
  }
  const store = namespace.storeWithRows(storeId);
  const { details, sessionId } = record;
  // LNK-06: not locked, with its old delivery count
  if (store.sessions === undefined && (details?.schedule ?? sessionId) === undefined)
    store.log.restore(record);
  else store.add(new StoredMessage({ ...record, sessionId: store.sessionIdFor(sessionId) }));
  store.queue.stored(record);
}

/** Starts the first turn after a restart: performs due work, and counts the idle time of queues from now. */
export function startAfterRestart(parts: BrokerParts, turn: TurnInProgress): void {
  const { namespace } = parts;
  namespace.allRestored();
  parts.discarded.allRestored();
  for (const queue of [...namespace.queues()]) {
    if (queue.isVolatile && namespace.holds(queue.main)) deleteEntity(queue, parts, turn); // JMS-44
  }
  for (const queue of namespace.queues()) {
    queue.messageIds.sort();
    queue.keepFromIdling(turn.now);
    queue.isUsed = queue.sequenceNumbers.haveBegun;
    watchIdle(queue);
  }
  performDue([...namespace.stores()], parts, turn); // work that became due while the broker was stopped
}
