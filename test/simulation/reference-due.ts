// What the passing of time brings about in the reference model, and when the next of it is due.

import { NEVER } from '../../src/broker/instant.js';
import { MESSAGE_STATE } from '../../src/broker/queue/message-properties.js';
import { removeQueue } from './reference-entities.js';
import { isTooFar, nextTransferAt, restsUntil } from './reference-forwarding.js';
import { expireSessionLocks } from './reference-receivers.js';
import { activateScheduled } from './reference-send.js';
import { destinationOf, type ModelQueue, type ModelState, subscriptionsOf } from './reference-state.js';
import { rollBackDue } from './reference-transactions.js';
import {
  type Conditions,
  canBeSwept,
  happened,
  isSwept,
  type ModelTurn,
  returnCounted,
  sweepExpired,
} from './reference-turn.js';

/** Everything that is due at the turn's time, in the order in which it happens. */
export function doWhatIsDue(turn: ModelTurn): void {
  for (const queue of turn.state.queues) {
    const mayBeIdle = queue.description.autoDeleteOnIdleMs !== NEVER;
    if (queue.activeAt === undefined || (mayBeIdle && isInUse(queue, turn.state))) queue.activeAt = turn.now;
  }
  turn.state.discarded = turn.state.discarded.filter(({ at }) => at >= turn.now);
  rollBackDue(turn);
  expireSessionLocks(turn);
  for (const queue of turn.state.queues) expireLocks(queue, turn);
  for (const queue of turn.state.queues) activateScheduled(queue, turn);
  sweepExpired(turn, 'M8');
  forgetMessageIds(turn);
  for (const queue of [...turn.state.queues]) if (!queue.isGone) deleteIfIdle(queue, turn);
}

/** DUP-03: the window is the queue's of today; what is out of it once is forgotten for good. */
export function forgetMessageIds({ state, now }: ModelTurn): void {
  for (const queue of state.queues) {
    const { duplicateDetectionHistoryTimeWindowMs: windowMs } = queue.description;
    if (queue.noted.some(({ acceptedAt }) => acceptedAt + windowMs <= now)) {
      queue.noted = queue.noted.filter(({ acceptedAt }) => acceptedAt + windowMs > now);
    }
  }
}

export function nextDeadline(state: ModelState, conditions: Conditions): number {
  let next = Math.min(
    ...state.holds.filter(({ runsOut }) => runsOut).map(({ until }) => until),
    ...state.transactions.map(({ dueAt }) => dueAt),
  );
  for (const queue of state.queues) {
    const hasSweep = isSwept(queue, state, conditions);
    for (const message of queue.messages) {
      if (message.lock?.runsOut && message.lock.pinnedBy === undefined) {
        next = Math.min(next, message.lock.until);
      }
      const isWaiting = message.schedule !== undefined && message.cancelledBy === undefined;
      if (isWaiting && message.schedule !== undefined) next = Math.min(next, message.schedule.enqueueAt);
      if ((hasSweep || message.place === 'transfer') && canBeSwept(message))
        next = Math.min(next, message.expiresAt);
    }
    next = Math.min(next, idleAt(queue, state), retryAt(queue), movesAt(queue), nextTransferAt(queue));
  }
  return next;
}

/** FWD-07: when the next hop is, of what was just forwarded here. */
function movesAt(queue: ModelQueue): number {
  const waiting = queue.messages.filter(
    (one) =>
      one.hops > 0 &&
      one.place === 'main' &&
      one.state === MESSAGE_STATE.active &&
      one.lock === undefined &&
      destinationOf({ queue, place: 'main' }) !== undefined,
  );
  return Math.min(...waiting.map(restsUntil));
}

/** FWD-08. */
function retryAt(queue: ModelQueue): number {
  const isWaiting = destinationOf({ queue, place: 'dead' }) !== undefined && queue.retryAt > 0;
  const hasMessages = queue.messages.some(
    (one) =>
      one.place === 'dead' && one.state === MESSAGE_STATE.active && one.lock === undefined && !isTooFar(one),
  );
  return isWaiting && hasMessages ? queue.retryAt : Number.POSITIVE_INFINITY;
}

function expireLocks(queue: ModelQueue, turn: ModelTurn): void {
  const due = queue.messages.filter(
    ({ lock }) => lock?.runsOut && lock.until <= turn.now && lock.pinnedBy === undefined,
  );
  for (const message of due) {
    happened('M13', turn);
    returnCounted(queue, message, [], turn);
  }
}

function deleteIfIdle(queue: ModelQueue, turn: ModelTurn): void {
  if (idleAt(queue, turn.state) > turn.now) return;
  happened(`idle ${queue.kind} deleted`, turn);
  removeQueue(queue, turn);
}

/** IDL-01; after a restart it is known from the first command on. */
function idleAt(queue: ModelQueue, state: ModelState): number {
  if (queue.activeAt === undefined || queue.description.autoDeleteOnIdleMs === NEVER) return NEVER;
  if (isInUse(queue, state)) return NEVER;
  return activeAt(queue, state) + queue.description.autoDeleteOnIdleMs;
}

/** IDL-04: what is done at one of its subscriptions is done at the topic. */
function activeAt(queue: ModelQueue, state: ModelState): number {
  const all = [queue, ...subscriptionsOf(queue, state)].map((one) => one.activeAt ?? 0);
  return Math.max(...all);
}

/** IDL-03, IDL-04. */
function isInUse(queue: ModelQueue, state: ModelState): boolean {
  const { links, credits, waiting } = state;
  if (subscriptionsOf(queue, state).some((one) => isInUse(one, state))) return true;
  if (queue.messages.some(({ schedule }) => schedule !== undefined)) return true;
  if (queue.messages.some(({ place }) => place === 'transfer')) return true;
  if (queue.description.forwardTo !== undefined) return true; // IDL-06
  const busy = [...credits, ...waiting];
  if (links.some((link) => link.queueName === queue.name && link.lookCredit > 0)) return true;
  return links.some((link) => link.queueName === queue.name && busy.includes(link.id));
}
