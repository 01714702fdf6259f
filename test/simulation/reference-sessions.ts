// Who holds which session in the reference model, who waits for one, and how a hold ends (semantics E.3).

import type { SessionClaim } from '../../src/broker/command.js';
import { MESSAGE_STATE } from '../../src/broker/message/message-properties.js';
import { firstOfSession } from './reference-available.js';
import { sweepQueue } from './reference-expiry.js';
import {
  dropLink,
  isSessionStore,
  type ModelHold,
  type ModelLink,
  type ModelMessage,
  type ModelQueue,
  type ModelState,
  queueOf,
  type Target,
} from './reference-state.js';
import { happened, type ModelTurn, release, returnCounted } from './reference-turn.js';

export function isHeld({ name }: ModelQueue, sessionId: string, { holds }: ModelState): boolean {
  return holds.some((hold) => hold.queueName === name && hold.sessionId === sessionId);
}

export function findHold(
  claim: SessionClaim,
  queue: ModelQueue,
  { state }: ModelTurn,
): ModelHold | undefined {
  return state.holds.find((one) => isClaimed(one, claim, queue));
}

function isClaimed(
  { queueName, sessionId, connectionId }: ModelHold,
  claim: SessionClaim,
  { name }: ModelQueue,
): boolean {
  return queueName === name && sessionId === claim.sessionId && connectionId === claim.connectionId;
}

/** Why the claim is worth nothing here; none when it holds (X13). */
export function refusalsOfClaim(claim: SessionClaim, target: Target, turn: ModelTurn): readonly string[] {
  if (!isSessionStore(target)) return ['not-allowed'];
  if (findHold(claim, target.queue, turn) !== undefined) return [];
  const isFormer = turn.state.pastHolds.some((one) => isClaimed(one, claim, target.queue));
  const isOthers = isHeld(target.queue, claim.sessionId, turn.state);
  const who = isFormer ? 'X13' : 'claim of somebody who never held it';
  happened(isOthers ? `${who}, held by another` : `${who}, free`, turn);
  return ['session-lock-lost'];
}

/** SES-04. */
export function hold(
  queue: ModelQueue,
  sessionId: string,
  { id: linkId, connectionId, mode }: Pick<ModelLink, 'id' | 'connectionId' | 'mode'>,
  { now, state, expected }: ModelTurn,
): void {
  if (connectionId === undefined) throw new Error('a session was given to nobody');
  const until = now + queue.description.lockDurationMs;
  const runsOut = mode === 'peek-lock';
  state.holds.push({ queueName: queue.name, sessionId, linkId, connectionId, runsOut, until });
  expected.effects.push({ kind: 'session-accepted', linkId, sessionId, lockedUntil: until });
}

/** X4, SES-08: the longest waiting one gets the session with the earliest first message. */
export function grantSessions(turn: ModelTurn): void {
  const { state } = turn;
  for (const linkId of [...state.waiting]) {
    const link = state.links.find((one) => one.id === linkId);
    if (link?.connectionId === undefined) throw new Error('nobody waits');
    const queue = queueOf(link, state);
    const first = firstReady(queue, turn);
    if (first?.sessionId === undefined) continue;
    happened('X4', turn);
    state.waiting = state.waiting.filter((one) => one !== linkId);
    hold(queue, first.sessionId, link, turn);
  }
}

function firstReady(queue: ModelQueue, { state }: ModelTurn): ModelMessage | undefined {
  const sessionIds = new Set(queue.messages.map(({ sessionId }) => sessionId ?? ''));
  const firsts = [...sessionIds]
    .filter((sessionId) => !isHeld(queue, sessionId, state))
    .map((sessionId) => firstOfSession(queue, sessionId))
    .filter((message) => message !== undefined);
  firsts.sort((a, b) => a.enqueuedTime - b.enqueuedTime || a.number - b.number);
  return firsts[0];
}

/** X11, SES-13: all that end now end together, and their holders listen to the last (SES-18). */
export function expireSessionLocks(turn: ModelTurn): void {
  const { state } = turn;
  const due = state.holds.filter(({ runsOut, until }) => runsOut && until <= turn.now);
  for (const { queueName, sessionId } of due) {
    happened('X11', turn);
    const queue = queueOf({ queueName }, state);
    for (const message of lockedOf(queue, sessionId)) {
      happened('M13', turn);
      happened(message.state === MESSAGE_STATE.deferred ? 'X11 deferred out' : 'X11 active out', turn);
      returnCounted(queue, message, [], turn);
    }
  }
  for (const ended of due) sweepQueue(queueOf(ended, state), 'M12', turn);
  for (const { linkId } of due) {
    dropLink(linkId, state);
    turn.expected.effects.push({ kind: 'detach', linkId, reason: 'session-lock-lost' });
  }
}

/** X12, SES-14: of a link that is about to go; it may be one that waits, or has nothing to do with sessions. */
export function giveUpSession(linkId: number, turn: ModelTurn): void {
  const { holds, waiting } = turn.state;
  if (waiting.includes(linkId)) happened('waiter detached', turn);
  const ended = holds.find((one) => one.linkId === linkId);
  if (ended === undefined) return;
  happened('X12', turn);
  const queue = queueOf(ended, turn.state);
  for (const message of lockedOf(queue, ended.sessionId)) {
    happened(message.state === MESSAGE_STATE.deferred ? 'M29' : 'X12 active out', turn);
    release(message, turn);
  }
  sweepQueue(queue, 'M15', turn); // as above
}

/** X2: called when a message of the session is gone. */
export function noteNoLongerReady(queue: ModelQueue, sessionId: string, turn: ModelTurn): void {
  if (!isSessionStore({ queue, place: 'main' }) || isHeld(queue, sessionId, turn.state)) return;
  if (firstOfSession(queue, sessionId) === undefined) happened('X2', turn);
}

/** In order of number. Nobody but the holder has a message of a held session. */
export function lockedOf({ messages }: ModelQueue, sessionId: string): readonly ModelMessage[] {
  return messages
    .filter((one) => one.place === 'main' && one.sessionId === sessionId && one.lock !== undefined)
    .sort((a, b) => a.number - b.number);
}

/** X1: who waited before this turn and has a session now. */
export function noteWaiters(waitedBefore: readonly number[], turn: ModelTurn): void {
  const { holds, waiting } = turn.state;
  for (const linkId of waitedBefore) {
    if (holds.some((one) => one.linkId === linkId)) happened('X1', turn);
  }
  for (const linkId of waiting) if (!waitedBefore.includes(linkId)) happened('X6', turn);
}
