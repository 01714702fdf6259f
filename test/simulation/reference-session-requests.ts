// What is asked about sessions in the reference model: to hold one, to keep it, its state, and which there are.

import { MESSAGE_STATE } from '../../src/broker/contract/message-properties.js';
import {
  entity,
  findHold,
  firstOfSession,
  hold,
  isHeld,
  isTopic,
  linkTo,
  lockedOf,
  refusalsOfClaim,
} from './reference-receivers.js';
import { isFull, maxSize, mayReceive } from './reference-send.js';
import { destinationOf, isSessionStore, type ModelQueue, type Target } from './reference-state.js';
import {
  type CommandOf,
  DONE,
  type ExpectedResult,
  failed,
  happened,
  type ModelTurn,
} from './reference-turn.js';

/** SES-06, SES-07. */
export function acceptSession(
  { linkId, connectionId, receiveMode, sessionId }: CommandOf<'accept-session'>,
  target: Target,
  turn: ModelTurn,
): ExpectedResult {
  const { queue } = target;
  const { state } = turn;
  queue.activeAt = turn.now;
  const isTaken = sessionId !== undefined && isHeld(queue, sessionId, state);
  const reasons = [
    isTopic(target) && 'entity-not-found', // RCV-12
    !isSessionStore(target) && 'not-allowed',
    (sessionId?.length ?? 0) > turn.limits.maxIdLength && 'not-allowed', // SES-02
    !mayReceive(queue) && 'entity-disabled',
    destinationOf(target) !== undefined && 'not-allowed', // RCV-11
    isTaken && 'session-cannot-be-locked',
  ].filter((reason) => reason !== false);
  if (isTaken) happened('X5', turn);
  if (reasons.length > 0) return failed(...reasons);
  queue.accessedAt = turn.now;
  state.links.push({ ...linkTo(target), id: linkId, role: 'receiver', mode: receiveMode, connectionId });
  if (sessionId === undefined) state.waiting.push(linkId);
  else {
    happened(sessionId === '' ? 'X3 empty id' : `X3 ${stateOf(queue, sessionId)}`, turn);
    hold(queue, sessionId, { id: linkId, connectionId, mode: receiveMode }, turn);
  }
  return entity(target, turn);
}

/** E.2. */
function stateOf(queue: ModelQueue, sessionId: string): string {
  if (firstOfSession(queue, sessionId) !== undefined) return 'ready';
  const hasState = queue.sessionStates.some((one) => one.sessionId === sessionId);
  return hasState || hasMessages(queue, sessionId) ? 'idle' : 'absent';
}

function hasMessages({ messages }: ModelQueue, sessionId: string): boolean {
  return messages.some((one) => one.place === 'main' && one.sessionId === sessionId);
}

/** X9, SES-11. */
export function renewSessionLock(
  { session }: CommandOf<'renew-session-lock'>,
  target: Target,
  turn: ModelTurn,
): ExpectedResult {
  const { queue } = target;
  const reasons = refusalsOfHolder(session, target, turn);
  const held = findHold(session, queue, turn);
  if (reasons.length > 0 || held === undefined) return failed(...reasons);
  happened('X9', turn);
  held.until = turn.now + queue.description.lockDurationMs;
  for (const { lock } of lockedOf(queue, session.sessionId)) {
    if (lock !== undefined) lock.until = held.until;
  }
  return { kind: 'renewed', lockedUntil: [held.until] };
}

/** X10, SES-15. */
export function getSessionState(
  { session }: CommandOf<'get-session-state'>,
  target: Target,
  turn: ModelTurn,
): ExpectedResult {
  const reasons = refusalsOfHolder(session, target, turn);
  if (reasons.length > 0) return failed(...reasons);
  const found = target.queue.sessionStates.find(({ sessionId }) => sessionId === session.sessionId);
  happened(found === undefined ? 'X10 no state' : 'X10 get', turn);
  if (found !== undefined && !hasMessages(target.queue, session.sessionId)) {
    happened('state outlived its messages', turn);
  }
  return { kind: 'session-state', content: found?.content };
}

/** X10, SES-15, SES-16. */
export function setSessionState(
  { session, state }: CommandOf<'set-session-state'>,
  target: Target,
  turn: ModelTurn,
): ExpectedResult {
  const { queue } = target;
  const { sessionId } = session;
  const old = queue.sessionStates.find((one) => one.sessionId === sessionId);
  const size = state?.length ?? 0;
  const isLarger = size > (old?.content.length ?? 0);
  const reasons = [
    ...refusalsOfHolder(session, target, turn),
    ...(size > maxSize(queue, turn.limits) ? ['message-size-exceeded'] : []),
    ...(isLarger && turn.hasRoom !== true && isFull(queue, turn.state, turn.limits)
      ? ['quota-exceeded']
      : []),
  ];
  if (reasons.length > 0) return failed(...reasons);
  queue.sessionStates = queue.sessionStates.filter((one) => one !== old);
  if (state !== undefined) {
    happened('X10 set', turn);
    queue.sessionStates.push({ sessionId, content: state, updatedTime: turn.now });
    turn.expected.sessionStates.push(`put ${queue.name} ${sessionId}`);
  } else if (old !== undefined) {
    happened(hasMessages(queue, sessionId) ? 'X10 clear' : 'X16', turn);
    turn.expected.sessionStates.push(`removed ${queue.name} ${sessionId}`);
  }
  return DONE;
}

/** SES-17. */
export function listSessions(
  { stateSetAfter, skip, maxCount }: CommandOf<'list-sessions'>,
  target: Target,
  turn: ModelTurn,
): ExpectedResult {
  const { queue } = target;
  queue.activeAt = turn.now;
  const reasons = [
    !isSessionStore(target) && 'not-allowed',
    (skip < 0 || maxCount < 1) && 'argument-out-of-range',
  ].filter((reason) => reason !== false);
  if (reasons.length > 0) return failed(...reasons);
  queue.accessedAt = turn.now;
  const found: string[] = [];
  for (const { sessionId, updatedTime } of queue.sessionStates) {
    if (stateSetAfter === undefined || updatedTime > stateSetAfter) found.push(sessionId);
  }
  if (stateSetAfter === undefined) {
    for (const { place, state, sessionId = '' } of queue.messages) {
      if (place === 'main' && state === MESSAGE_STATE.active) found.push(sessionId);
    }
  }
  const sessionIds = [...new Set(found)].sort().slice(skip, skip + maxCount); // by code units
  if (sessionIds.join('').length > turn.limits.maxAnswerBytes) return failed('message-size-exceeded');
  const mode = stateSetAfter === undefined ? 'all' : 'by state';
  happened(`listed ${mode}${sessionIds.length === 0 ? ', none' : ''}`, turn);
  return { kind: 'sessions', sessionIds };
}

/** ENT-08, SES-12. */
function refusalsOfHolder(
  claim: CommandOf<'renew-session-lock'>['session'],
  target: Target,
  turn: ModelTurn,
): readonly string[] {
  target.queue.activeAt = turn.now;
  const reasons = [
    ...(mayReceive(target.queue) ? [] : ['entity-disabled']),
    ...refusalsOfClaim(claim, target, turn),
  ];
  if (reasons.length === 0) target.queue.accessedAt = turn.now;
  return reasons;
}
