// Locks are settled and renewed, and messages asked for by number, in the reference model.

import type { Command, Outcome, SessionClaim } from '../../src/broker/command.js';
import { MESSAGE_STATE, type PropertyChange } from '../../src/broker/message/message-properties.js';
import { mayReceive } from './reference-checks.js';
import { DONE, type ExpectedResult, failed } from './reference-expected.js';
import { sizeOf } from './reference-fan-out.js';
import { handedOut, lock } from './reference-links.js';
import { refusalsOfClaim } from './reference-sessions.js';
import { isDeadLetterQueue, isSessionStore, type ModelMessage, type Target } from './reference-state.js';
import {
  deadLetter,
  defer,
  expire,
  happened,
  type ModelTurn,
  release,
  remove,
  returnCounted,
} from './reference-turn.js';

type Of<K extends Command['kind']> = Extract<Command, { kind: K }>;

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
  { sequenceNumbers, receiveMode, session }: Of<'receive-deferred'>,
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
