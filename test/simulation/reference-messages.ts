// Messages of a queue are settled, renewed, received by number, peeked, cancelled and deleted in the reference model.

import type { Outcome, SessionClaim } from '../../src/broker/contract/command.js';
import { MESSAGE_STATE, type PropertyChange } from '../../src/broker/contract/message-properties.js';
import { handedOut, isHeld, lock, noteNoLongerReady, refusalsOfClaim } from './reference-receivers.js';
import { mayReceive, sizeOf } from './reference-send.js';
import {
  type CommandOf,
  DONE,
  deadLetter,
  defer,
  type ExpectedResult,
  expire,
  failed,
  happened,
  isDeadLetterQueue,
  isSessionStore,
  type ModelMessage,
  type ModelTurn,
  release,
  remove,
  returnCounted,
  type Target,
} from './reference-state.js';

/** One token or many; `addressed` may be either store of the queue. */
export function settle(
  tokens: readonly string[],
  outcome: Outcome,
  session: SessionClaim | undefined,
  addressed: Target,
  turn: ModelTurn,
): ExpectedResult {
  const { queue } = addressed;
  queue.activeAt = turn.now;
  const claim = isSessionStore(addressed) ? session : undefined;
  const refusals = claim === undefined ? [] : refusalsOfClaim(claim, addressed, turn);
  const isPinned = tokens.some((token) => findLocked(token, addressed)?.lock?.pinnedBy !== undefined);
  const isLost = isPinned || tokens.some((token) => findLocked(token, addressed) === undefined);
  const reasons = [
    tokens.length === 0 && 'argument',
    !mayReceive(queue) && outcome.kind !== 'release' && 'entity-disabled', // ENT-08
    isLost && (claim !== undefined && refusals.length === 0 ? 'message-lock-lost' : lockLost(addressed)),
    ...refusals,
    claim !== undefined &&
      tokens.some((token) => isForeign(findLocked(token, addressed), claim)) &&
      'session-lock-lost', // SET-09
  ].filter((reason) => reason !== false);
  if (isLost) happened(isPinned ? 'M38, settled by somebody else' : 'M19', turn);
  if (isLost && claim !== undefined && refusals.length === 0) happened('X14', turn);
  if (reasons.length > 0) return failed(...reasons);
  queue.accessedAt = turn.now;
  const messages = [...new Set(tokens.map((token) => findLocked(token, addressed)))].filter(
    (message) => message !== undefined,
  );
  const dead = messages.filter(({ place }) => isDeadLetterQueue(place));
  if (outcome.kind === 'dead-letter' && dead.length > 0) {
    for (const message of dead) message.lock = undefined;
    return failed('not-allowed'); // DLQ-08
  }
  if ('changes' in outcome && messages.some((message) => outgrows(message, outcome.changes, turn))) {
    return failed('message-size-exceeded'); // MSG-08
  }
  for (const message of messages) settleOne(message, outcome, addressed, turn);
  return DONE;
}

function isForeign(message: ModelMessage | undefined, claim: SessionClaim): boolean {
  return message !== undefined && (message.place !== 'main' || message.sessionId !== claim.sessionId);
}

function outgrows(message: ModelMessage, changes: readonly PropertyChange[], { limits }: ModelTurn): boolean {
  if (changes.some(({ value }) => (value?.length ?? 0) > limits.maxPropertyBytes)) return true;
  const merged = { ...message.changes };
  for (const { name, value } of changes) merged[name] = value;
  return sizeOf(merged) > limits.maxHeadBytes;
}

function settleOne(message: ModelMessage, outcome: Outcome, { queue }: Target, turn: ModelTurn): void {
  const isDeferred = message.state === MESSAGE_STATE.deferred;
  switch (outcome.kind) {
    case 'complete':
      happened(isDeferred ? 'M24' : 'M9', turn);
      remove(queue, message, turn);
      return;
    case 'abandon':
      returnCounted(queue, message, outcome.changes, turn);
      return;
    case 'release':
      release(message, turn);
      return;
    case 'defer':
      defer(queue, message, outcome.changes, turn);
      return;
    case 'dead-letter':
      happened(isDeferred ? 'M28' : 'M17', turn);
      deadLetter(queue, message, outcome.changes, turn);
  }
}

/** RCV-08. */
export function renew(tokens: readonly string[], addressed: Target, turn: ModelTurn): ExpectedResult {
  const { queue } = addressed;
  queue.activeAt = turn.now;
  const messages = tokens.map((token) => findLocked(token, addressed));
  const reasons = [
    tokens.length === 0 && 'argument',
    !mayReceive(queue) && 'entity-disabled',
    messages.includes(undefined) && lockLost(addressed),
    // SES-04: those of a session are locked as long as it is.
    messages.some((message) => message !== undefined && isSessionStore({ queue, place: message.place })) &&
      'not-allowed',
  ].filter((reason) => reason !== false);
  if (reasons.length > 0) return failed(...reasons);
  happened('M18', turn);
  queue.accessedAt = turn.now;
  const until = turn.now + queue.description.lockDurationMs;
  for (const message of messages) if (message?.lock !== undefined) message.lock.until = until;
  return { kind: 'renewed', lockedUntil: tokens.map(() => until) };
}

/** DEF-02 to DEF-04, TTL-10. */
export function receiveDeferred(
  { sequenceNumbers, receiveMode, session }: CommandOf<'receive-deferred'>,
  target: Target,
  turn: ModelTurn,
): ExpectedResult {
  const { queue, place } = target;
  const hasSessions = isSessionStore(target);
  queue.activeAt = turn.now;
  const reasons = [
    !mayReceive(queue) && 'entity-disabled',
    hasSessions && session === undefined && 'message-not-found', // DEF-07
    ...(hasSessions && session !== undefined ? refusalsOfClaim(session, target, turn) : []),
  ].filter((reason) => reason !== false);
  if (reasons.length > 0) return failed(...reasons);
  const eligible = queue.messages.filter(
    (one) =>
      one.place === place &&
      one.state === MESSAGE_STATE.deferred &&
      one.lock === undefined &&
      (!hasSessions || one.sessionId === session?.sessionId),
  );
  const found = sequenceNumbers.map((number) => eligible.find((one) => one.number === number));
  const expired = eligible.filter((one) => found.includes(one) && one.expiresAt <= turn.now);
  for (const _ of expired) happened('M23', turn);
  expire(queue, expired, turn);
  const messages = found.filter((message) => message !== undefined);
  const isTwice = new Set(messages).size < messages.length;
  if (expired.length > 0 || isTwice || messages.length < found.length) return failed('message-not-found');
  const bytes = messages.reduce((sum, { content }) => sum + content.length, 0);
  if (messages.length > 1 && bytes > turn.limits.maxAnswerBytes) return failed('message-size-exceeded');
  if (messages.length > 0) queue.accessedAt = turn.now;
  if (hasSessions && messages.length > 0) happened('deferred received by session', turn);
  for (const message of messages) {
    happened(receiveMode === 'peek-lock' ? 'M21' : 'M22', turn);
    if (receiveMode === 'peek-lock') lock(queue, message, undefined, turn);
    else remove(queue, message, turn);
  }
  return { kind: 'messages', messages: messages.map(handedOut), leastCount: messages.length };
}

function findLocked(token: string, { queue }: Target): ModelMessage | undefined {
  return queue.messages.find((one) => one.lock?.token === token);
}

function lockLost(addressed: Target): string {
  return isSessionStore(addressed) ? 'session-lock-lost' : 'message-lock-lost';
}

/** What the broker may count for a message besides its content when an answer is to fit: 128, and what was set on it. */
const MOST_OVERHEAD_BYTES = 256;

/** PEEK-01 to PEEK-04. */
export function peek(
  { fromSequenceNumber, maxCount, sessionId }: CommandOf<'peek'>,
  target: Target,
  turn: ModelTurn,
): ExpectedResult {
  const { queue } = target;
  queue.activeAt = turn.now;
  const reasons = [
    maxCount < 1 && 'argument-out-of-range',
    sessionId !== undefined && !isSessionStore(target) && 'not-allowed',
  ].filter((reason) => reason !== false);
  if (reasons.length > 0) return failed(...reasons);
  queue.accessedAt = turn.now;
  if (sessionId !== undefined) happened('peeked by session', turn);
  const { maxPeekCount, maxPeekBytes } = turn.limits;
  const wanted = inOrder(target)
    .filter(({ number }) => number >= fromSequenceNumber)
    .filter((message) => sessionId === undefined || message.sessionId === sessionId) // PEEK-08
    .slice(0, Math.min(maxCount, maxPeekCount));
  const shown = wanted.slice(0, fittingCount(wanted, maxPeekBytes, 0));
  for (const { place, state } of shown) happened(`peeked ${place} ${state}`, turn);
  return {
    kind: 'messages',
    messages: shown.map((message) => ({ ...handedOut(message), lock: undefined, lockedUntil: undefined })),
    leastCount: fittingCount(wanted, maxPeekBytes, MOST_OVERHEAD_BYTES),
  };
}

/** PEEK-02: one is shown whatever its size. */
function fittingCount(messages: readonly ModelMessage[], maxBytes: number, overheadBytes: number): number {
  let bytes = 0;
  const end = messages.findIndex(({ content, changes }, index) => {
    bytes += content.length + (overheadBytes === 0 ? 0 : overheadBytes + sizeOf(changes));
    return index > 0 && bytes > maxBytes;
  });
  return end === -1 ? messages.length : end;
}

/** SCH-06. */
export function cancelScheduled(
  { sequenceNumbers }: CommandOf<'cancel-scheduled'>,
  { queue, place }: Target,
  turn: ModelTurn,
): ExpectedResult {
  queue.activeAt = turn.now;
  const scheduled = queue.messages.filter(
    ({ number, state, cancelledBy }) =>
      state === MESSAGE_STATE.scheduled && cancelledBy === undefined && sequenceNumbers.includes(number),
  );
  // A dead-letter queue has no scheduled messages.
  const foundCount = isDeadLetterQueue(place) ? 0 : scheduled.length;
  if (foundCount < sequenceNumbers.length) return failed('message-not-found');
  for (const message of scheduled) {
    happened('M5', turn);
    remove(queue, message, turn);
  }
  return DONE;
}

/** DEL-01, DEL-02. */
export function deleteMessages(
  { maxCount, enqueuedBefore, session }: CommandOf<'delete-messages'>,
  target: Target,
  turn: ModelTurn,
): ExpectedResult {
  const { queue } = target;
  queue.activeAt = turn.now;
  const reasons = [
    maxCount < 1 && 'argument-out-of-range',
    !mayReceive(queue) && 'entity-disabled',
    (queue.description.enablePartitioning || queue.kind === 'topic') && 'not-allowed',
    ...(session === undefined ? [] : refusalsOfClaim(session, target, turn)),
  ].filter((reason) => reason !== false);
  if (reasons.length > 0) return failed(...reasons);
  queue.accessedAt = turn.now;
  const count = Math.min(maxCount, turn.limits.maxDeleteCount);
  const deletable = inOrder(target).filter(
    ({ state, lock, enqueuedTime }) =>
      state !== MESSAGE_STATE.scheduled && lock === undefined && enqueuedTime < enqueuedBefore,
  );
  const meant = deletable.filter(({ sessionId = '' }) => {
    if (session !== undefined) return sessionId === session.sessionId;
    return !isSessionStore(target) || !isHeld(queue, sessionId, turn.state);
  });
  if (meant.length < deletable.length) happened('not deleted, of another session', turn);
  if (session !== undefined && meant.length > 0) happened('deleted by session', turn);
  const deleted = meant.slice(0, count);
  for (const message of deleted) {
    happened(`M30 ${message.place} ${message.state}`, turn);
    remove(queue, message, turn);
    if (message.place === 'main') noteNoLongerReady(queue, message.sessionId ?? '', turn);
  }
  return { kind: 'deleted', count: deleted.length };
}

function inOrder({ queue, place }: Target): readonly ModelMessage[] {
  return queue.messages.filter((message) => message.place === place).sort((a, b) => a.number - b.number);
}
