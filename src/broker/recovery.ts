// Gives a broker back what the journal kept. Locks are gone, delivery counts are kept (LNK-06, M37).

import { assert } from './assert.js';
import type { BrokerParts } from './broker-parts.js';
import { restoreState } from './delivery/session-state.js';
import { watchIdle } from './entity/idle-deletion.js';
import { performDue } from './entity/passing-time.js';
import type { StoredEvent } from './event.js';
import { StoredMessage } from './message/stored-message.js';
import type { TurnInProgress } from './turn-in-progress.js';

/** Queues come before what belongs to them. */
export function restore(
  stored: readonly StoredEvent[],
  { namespace, contentIds, references, ruleCompiler }: BrokerParts,
): void {
  for (const event of stored) {
    switch (event.kind) {
      case 'queue-put':
        namespace.addQueue(event.queue);
        break;
      case 'topic-put':
        namespace.addTopic(event.topic);
        break;
      case 'subscription-put':
        namespace.addSubscription(event.subscription);
        break;
      case 'rule-put': {
        const { subscription } = namespace.storeWithId(event.storeId).queue;
        assert(subscription !== undefined, 'the journal names a rule that belongs to no subscription');
        subscription.putRule({ record: event.rule, compiled: ruleCompiler.rule(event.rule.description) });
        break;
      }
      case 'message-put': {
        const store = namespace.storeWithId(event.storeId);
        const sessionId = store.sessionIdFor(event.message.sessionId);
        const message = new StoredMessage({ ...event.message, sessionId });
        store.add(message); // LNK-06: held by nobody, as often delivered as before
        store.queue.stored(message);
        if (message.isShared) references.add(message.contentId);
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
export function wake(parts: BrokerParts, turn: TurnInProgress): void {
  const { namespace } = parts;
  for (const queue of namespace.queues()) {
    queue.messageIds.sort();
    queue.keepFromIdling(turn.now);
    queue.isUsed = queue.sequenceNumbers.haveBegun;
    watchIdle(queue);
  }
  performDue([...namespace.stores()], parts, turn); // what became due meanwhile
}
