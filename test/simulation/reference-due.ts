// What the passing of time brings about in the reference model, and when the next of it is due.

import { canBeSwept, isSwept, sweepExpired } from './reference-expiry.js';
import { removeQueue } from './reference-queues.js';
import { expireSessionLocks } from './reference-sessions.js';
import type { ModelMessage, ModelQueue, ModelState } from './reference-state.js';
import { activate, type Conditions, happened, type ModelTurn, returnCounted } from './reference-turn.js';

/** Everything that is due at the turn's time, in the order in which it happens. */
export function doWhatIsDue(turn: ModelTurn): void {
  for (const queue of turn.state.queues) {
    if (queue.activeAt === undefined || isInUse(queue, turn.state)) queue.activeAt = turn.now;
  }
  expireSessionLocks(turn);
  for (const queue of turn.state.queues) expireLocks(queue, turn);
  for (const queue of turn.state.queues) activateScheduled(queue, turn);
  sweepExpired(turn, 'M8');
  forgetMessageIds(turn);
  for (const queue of [...turn.state.queues]) deleteIfIdle(queue, turn);
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
  let next = Math.min(...state.holds.map(({ until }) => until));
  for (const queue of state.queues) {
    const hasSweep = isSwept(queue, state, conditions);
    for (const message of queue.messages) {
      if (message.lock !== undefined) next = Math.min(next, message.lock.until);
      if (message.schedule !== undefined) next = Math.min(next, message.schedule.enqueueAt);
      if (hasSweep && canBeSwept(message)) next = Math.min(next, message.expiresAt);
    }
    next = Math.min(next, idleAt(queue, state));
  }
  return next;
}

function expireLocks(queue: ModelQueue, turn: ModelTurn): void {
  const due = queue.messages.filter(({ lock }) => lock !== undefined && lock.until <= turn.now);
  for (const message of due) {
    happened('M13', turn);
    returnCounted(queue, message, [], turn);
  }
}

function activateScheduled(queue: ModelQueue, turn: ModelTurn): void {
  const due = queue.messages.filter(({ schedule }) => (schedule?.enqueueAt ?? turn.now + 1) <= turn.now);
  due.sort((a, b) => timeOf(a) - timeOf(b) || a.number - b.number);
  for (const message of due) activate(queue, message, turn);
}

function timeOf({ schedule }: ModelMessage): number {
  return schedule?.enqueueAt ?? 0;
}

function deleteIfIdle(queue: ModelQueue, turn: ModelTurn): void {
  if (idleAt(queue, turn.state) > turn.now) return;
  happened('idle queue deleted', turn);
  removeQueue(queue, turn);
}

/** IDL-01; after a restart it is known from the first command on. */
function idleAt(queue: ModelQueue, state: ModelState): number {
  if (queue.activeAt === undefined || isInUse(queue, state)) return Number.POSITIVE_INFINITY;
  return queue.activeAt + queue.description.autoDeleteOnIdleMs;
}

/** IDL-03. */
function isInUse(queue: ModelQueue, { links, credits, waiting }: ModelState): boolean {
  if (queue.messages.some(({ schedule }) => schedule !== undefined)) return true;
  const busy = [...credits, ...waiting];
  return links.some((link) => link.queueName === queue.name && busy.includes(link.id));
}
