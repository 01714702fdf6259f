// A queue nobody uses is deleted after its time, messages and all (IDL-01).

import { type Instant, NEVER } from '../instant.js';
import type { Queue } from './queue.js';

/**
 * IDL-03: a receiver that waits uses the queue, and so will what is scheduled, and what waits for another entity; IDL-04: a
 * subscription in use, its topic.
 */
function isInUse({ main, transfers, isAwaited, topic, description }: Queue): boolean {
  if (isAwaited || main.scheduled.count > 0) return true;
  if (transfers !== undefined && transfers.log.count > 0) return true;
  if (description.forwardTo !== undefined) return true; // IDL-06, FWD-09
  return topic !== undefined && [...topic.subscriptions.values()].some(({ queue }) => isInUse(queue));
}

/** Whether the queue has been idle for as long as it may be. Where it may stay, `idleAt` says when to look again. */
export function isIdle(queue: Queue, now: Instant): boolean {
  if (queue.idleAt > now) return false;
  if (isInUse(queue)) queue.keepFromIdling(now);
  watchIdle(queue);
  return queue.idleAt <= now;
}

/** To be called when the queue's time has changed; an access only makes `idleAt` earlier than need be. */
export function watchIdle(queue: Queue): void {
  const { autoDeleteOnIdleMs } = queue.description;
  queue.idleAt = autoDeleteOnIdleMs === NEVER ? NEVER : queue.accessedTime + autoDeleteOnIdleMs; // IDL-02
}
