// What may be asked about messages by their numbers in the reference model: to see, to cancel, to delete them.

import type { Command } from '../../src/broker/command.js';
import { MESSAGE_STATE } from '../../src/broker/message/message-properties.js';
import { mayReceive } from './reference-checks.js';
import { DONE, type ExpectedResult, failed } from './reference-expected.js';
import { sizeOf } from './reference-fan-out.js';
import { handedOut } from './reference-links.js';
import { isHeld, noteNoLongerReady, refusalsOfClaim } from './reference-sessions.js';
import { isDeadLetterQueue, isSessionStore, type ModelMessage, type Target } from './reference-state.js';
import { happened, type ModelTurn, remove } from './reference-turn.js';

/** What the broker may count for a message besides its content when an answer is to fit: 128, and what was set on it. */
const MOST_OVERHEAD_BYTES = 256;

type Of<K extends Command['kind']> = Extract<Command, { kind: K }>;

/** PEEK-01 to PEEK-04. */
export function peek(
  { fromSequenceNumber, maxCount, sessionId }: Of<'peek'>,
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
  { sequenceNumbers }: Of<'cancel-scheduled'>,
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
  { maxCount, enqueuedBefore, session }: Of<'delete-messages'>,
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
