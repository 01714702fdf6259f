// Performs the due work of stores, in this order: schedules, expiry, old message-ids, and the deletion of idle queues.

import { type Instant, NEVER } from '../contract/instant.js';
import { forgetMessageIds } from '../queue/accept.js';
import { activateDue } from '../queue/schedule.js';
import { expireDue } from '../queue/time-to-live.js';
import type { MessageStore, Queue } from '../store/queue.js';
import { topicOf } from '../topics/topic.js';
import type { BrokerParts } from '../turn/broker-parts.js';
import type { TurnInProgress } from '../turn/turn-in-progress.js';
import { deleteEntity } from './delete-entity.js';

/** Does each kind of work for all these stores before the next kind: scheduled messages arrive before anything is removed. */
export function performDue(stores: readonly MessageStore[], parts: BrokerParts, turn: TurnInProgress): void {
  const { namespace } = parts;
  const present = stores.filter((store) => namespace.holds(store));
  for (const store of present) activateDue(store, parts, turn);
  for (const store of present) expireDue(store, turn);
  for (const { queue } of present) {
    // Deleted already: through its other store, or with its idle topic.
    if (!namespace.holds(queue.main)) continue;
    if (turn.isFull) break;
    forgetMessageIds(queue, turn);
    if (isIdle(queue, turn.now)) deleteEntity(queue, parts, turn);
  }
  for (const store of stores) turn.touch(store); // credit may wait for messages behind the expired ones, and a forwarding retry may be due
}

/**
 * IDL-03: a queue is in use while a receiver, a scheduled message, a transfer or a copy (TOP-15) waits. IDL-04: a subscription in use keeps its
 * topic in use.
 */
function isInUse(queue: Queue): boolean {
  const { main, transfers, isAwaited, keeperCount, description } = queue;
  const topic = topicOf(queue);
  if (isAwaited || keeperCount > 0 || main.scheduled.count > 0) return true; // JMS-61
  if (transfers !== undefined && transfers.log.count > 0) return true;
  if (description.forwardTo !== undefined) return true; // IDL-06, FWD-09
  if (topic !== undefined && topic.waiting.log.count > 0) return true;
  const subscriptions = topic?.subscriptions.values() ?? [];
  return [...subscriptions].some((subscription) => isInUse(subscription.queue));
}

/** Whether the queue has reached its idle limit (IDL-01). If not, sets `idleAt` to the time of the next check. */
function isIdle(queue: Queue, now: Instant): boolean {
  if (queue.idleAt > now) return false;
  if (isInUse(queue)) queue.keepFromIdling(now);
  watchIdle(queue);
  return queue.idleAt <= now;
}

/** Called when `autoDeleteOnIdleMs` has changed. An access need not call it: `idleAt` is then only too early. */
export function watchIdle(queue: Queue): void {
  const { autoDeleteOnIdleMs } = queue.description;
  queue.idleAt = autoDeleteOnIdleMs === NEVER ? NEVER : queue.accessedTime + autoDeleteOnIdleMs; // IDL-02
}
