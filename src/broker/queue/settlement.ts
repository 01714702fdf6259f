// Settles messages and renews their locks. The lock token proves that the client holds the message.

import type { Outcome, SessionClaim } from '../contract/command.js';
import { entityDisabled } from '../contract/entities/entity-errors.js';
import type { Instant } from '../contract/instant.js';
import type { Limits } from '../contract/limits.js';
import type { PropertyChange } from '../contract/message-properties.js';
import type { Result } from '../contract/result.js';
import { ServiceBusError } from '../contract/service-bus-error.js';
import type { MessageStore } from '../store/queue.js';
import { heldSession, holdsSession, sessionLockLost } from '../store/session-claim.js';
import type { StoredMessage } from '../store/stored-message.js';
import type { BrokerParts } from '../turn/broker-parts.js';
import { ChangingRefusal, type CommandOf, inStore } from '../turn/handler.js';
import type { TurnInProgress } from '../turn/turn-in-progress.js';
import { countedEnd, endOf, type MessageLock } from './message-lock.js';
import { checkNamedCount } from './named-messages.js';
import { deadLetter, defer, removeMessage, returnCounted, returnUncounted } from './outcomes.js';

const DONE: Result = { kind: 'done' };

/** `store` is the one that the receiver names; the lock may be on a message in any store of its queue. */
export const SETTLE = inStore(checkSettle, applySettle);

type Settle = CommandOf<'settle'>;

function checkSettle(
  store: MessageStore,
  { lockToken, outcome }: Settle,
  parts: BrokerParts,
  now: Instant,
): MessageLock | ChangingRefusal {
  checkMaySettle(store, outcome);
  const lock = findLock(store, lockToken, parts, now);
  checkNotEnlisted(store, lock, parts, now);
  if (outcome.kind === 'dead-letter' && lock.store.isDeadLetterQueue)
    return refuseDeadLettering([lock], parts);
  if ('changes' in outcome) checkChanges(lock.message, outcome.changes, store, parts.limits);
  claim(lock, outcome, parts);
  return lock;
}

function applySettle(
  _store: MessageStore,
  lock: MessageLock,
  { outcome }: Settle,
  { locks }: BrokerParts,
  turn: TurnInProgress,
): Result {
  locks.end(lock);
  settleOne(lock, outcome, turn);
  return DONE;
}

/** Settles all locks or none. */
export const SETTLE_MANY = inStore(checkSettleMany, applySettleMany);

type SettleMany = CommandOf<'settle-many'>;

function checkSettleMany(
  store: MessageStore,
  { lockTokens, outcome, session }: SettleMany,
  parts: BrokerParts,
  now: Instant,
): readonly MessageLock[] | ChangingRefusal {
  checkMaySettle(store, outcome);
  const held = findLocks(store, lockTokens, parts, now, session); // SET-09: the locks of a session end with it
  checkSession(store, held, session, now);
  for (const lock of held) checkNotEnlisted(store, lock, parts, now, session);
  // SET-12: every other outcome is allowed in a dead-letter queue.
  if (outcome.kind === 'dead-letter') {
    const dead = held.filter((lock) => lock.store.isDeadLetterQueue);
    if (dead.length > 0) return refuseDeadLettering(dead, parts);
  }
  if ('changes' in outcome)
    for (const { message } of held) checkChanges(message, outcome.changes, store, parts.limits);
  for (const lock of held) claim(lock, outcome, parts);
  return held;
}

function applySettleMany(
  _store: MessageStore,
  held: readonly MessageLock[],
  { outcome }: SettleMany,
  { locks }: BrokerParts,
  turn: TurnInProgress,
): Result {
  for (const lock of held) {
    locks.end(lock);
    settleOne(lock, outcome, turn);
  }
  return DONE;
}

/** A completed message frees quota for later commands of a step, unless it is a copy from a topic, whose content may be shared. */
function claim(lock: MessageLock, outcome: Outcome, { claims }: BrokerParts): void {
  const { queue } = lock.store;
  claims.take(lock);
  if (outcome.kind === 'complete' && queue.owner?.kind !== 'subscription') {
    claims.addBytes(queue, -lock.message.sizeBytes);
  }
}

/** ENT-08; a release is always allowed, because it returns a message that never reached a receiver. */
function checkMaySettle({ queue, path }: MessageStore, outcome: Outcome): void {
  if (!queue.allows('receive') && outcome.kind !== 'release') throw entityDisabled(path);
}

/** Throws unless the messages belong to the named session, if any, and the client holds it. */
function checkSession(
  addressed: MessageStore,
  held: readonly MessageLock[],
  claim: SessionClaim | undefined,
  now: Instant,
): void {
  if (claim === undefined || addressed.sessions === undefined) return;
  const claimed = heldSession(addressed, claim, now);
  if (held.some(({ sessionLock }) => sessionLock !== claimed)) throw sessionLockLost(addressed);
}

/** MSG-08: properties set later must not take a message over its limits. */
function checkChanges(
  message: StoredMessage,
  changes: readonly PropertyChange[],
  { path }: MessageStore,
  { maxHeadBytes, maxPropertyBytes }: Limits,
): void {
  const tooLong = changes.find(({ value }) => (value?.length ?? 0) > maxPropertyBytes);
  if (tooLong !== undefined) {
    const text = `The property '${tooLong.name.slice(0, 100)}' takes ${tooLong.value?.length} bytes; the limit is ${maxPropertyBytes}.`;
    const { name, value } = tooLong;
    const data = { entityPath: path, property: name, value: value?.length, limit: maxPropertyBytes };
    throw new ServiceBusError('message-size-exceeded', text, data);
  }
  const bytes = message.changedBytesWith(changes);
  if (bytes <= maxHeadBytes) return;
  const text = `With these properties those set on the message would take ${bytes} bytes; the limit is ${maxHeadBytes}.`;
  const data = { entityPath: path, property: 'headBytes', value: bytes, limit: maxHeadBytes };
  throw new ServiceBusError('message-size-exceeded', text, data);
}

function settleOne(lock: MessageLock, outcome: Outcome, turn: TurnInProgress): void {
  const { store, message } = lock;
  switch (outcome.kind) {
    case 'complete':
      if (turn.activities !== undefined) noteCompleted(lock, turn);
      removeMessage(store, message, turn); // SET-01, M24
      return;
    case 'abandon':
      turn.activities?.push(countedEnd('abandoned', lock, turn));
      returnCounted(store, message, outcome.changes, turn, lock.client); // SET-03
      return;
    case 'release':
      turn.activities?.push({ kind: 'released', ...endOf(lock, turn) });
      returnUncounted(store, message, [], turn); // SET-10
      return;
    case 'dead-letter':
      deadLetter(store, message, outcome.changes, turn, { lastHolder: lock.client, outcome: 'dead-letter' }); // SET-05, M28
      return;
    case 'defer':
      turn.activities?.push({ kind: 'deferred', ...endOf(lock, turn) });
      defer(store, message, outcome.changes, turn, lock.client); // SET-04
  }
}

/** Field by field, because a spread costs more than the rest of a settlement. */
function noteCompleted({ store, message, linkId, startedAt }: MessageLock, turn: TurnInProgress): void {
  turn.activities?.push({
    kind: 'completed',
    path: store.path,
    sequenceNumber: message.sequenceNumber,
    linkId,
    heldMs: turn.now - startedAt,
  });
}

/** DLQ-08: nothing is dead-lettered, and messages already in a dead-letter queue become available again at once. */
function refuseDeadLettering(dead: readonly MessageLock[], { locks }: BrokerParts): ChangingRefusal {
  const text = 'A message of a dead-letter queue cannot be dead-lettered again.';
  const data = { entityPath: dead[0]?.store.path, about: 'dead-letter-queue' } as const;
  const error = new ServiceBusError('not-allowed', text, data);
  return new ChangingRefusal(error, (turn) => {
    for (const lock of dead) {
      locks.end(lock);
      turn.activities?.push({ kind: 'released', ...endOf(lock, turn) });
      returnUncounted(lock.store, lock.message, [], turn);
    }
  });
}

/** RCV-08: renews all locks or none. */
export const RENEW_LOCK = inStore(checkRenew, applyRenew);

type RenewLock = CommandOf<'renew-lock'>;

function checkRenew(
  store: MessageStore,
  { lockTokens }: RenewLock,
  parts: BrokerParts,
  now: Instant,
): readonly MessageLock[] {
  if (!store.queue.allows('receive')) throw entityDisabled(store.path);
  const held = findLocks(store, lockTokens, parts, now);
  if (held.some(({ sessionLock }) => sessionLock !== undefined)) throw lockedWithSession(store);
  return held;
}

function applyRenew(
  _store: MessageStore,
  held: readonly MessageLock[],
  { lockTokens }: RenewLock,
  { locks }: BrokerParts,
  turn: TurnInProgress,
): Result {
  for (const lock of held) {
    locks.renew(lock, turn.now);
    turn.activities?.push({
      kind: 'renewed',
      path: lock.store.path,
      sequenceNumber: lock.message.sequenceNumber,
      lockToken: lock.token,
      lockedUntil: lock.dueAt,
    });
  }
  const ends = new Map(held.map(({ token, dueAt }) => [token, dueAt])); // a token may be repeated
  return { kind: 'renewed', lockedUntil: lockTokens.map((token) => ends.get(token) ?? turn.now) };
}

/** A repeated token counts once. */
function findLocks(
  addressed: MessageStore,
  tokens: readonly string[],
  parts: BrokerParts,
  now: Instant,
  session?: SessionClaim,
): readonly MessageLock[] {
  if (tokens.length === 0) {
    const data = { entityPath: addressed.path, property: 'tokens', value: 0, least: 1 };
    throw new ServiceBusError('argument', 'No lock token is given; one or more are needed.', data);
  }
  checkNamedCount(addressed, 'lockTokens', tokens.length);
  const distinct = tokens.length === 1 ? tokens : [...new Set(tokens)];
  return distinct.map((token) => findLock(addressed, token, parts, now, session));
}

/** SET-06; a valid token is proof of the lock on any link (LNK-01, LNK-02). */
function findLock(
  addressed: MessageStore,
  token: string,
  parts: BrokerParts,
  now: Instant,
  session?: SessionClaim,
): MessageLock {
  const lock = parts.locks.find(token, now);
  if (lock === undefined || lock.store.queue !== addressed.queue || parts.claims.has(lock)) {
    throw lockLost(addressed, session, now);
  }
  return lock;
}

/** TXN-06: once a transaction settles a message, no other client may, nor the same transaction again. */
function checkNotEnlisted(
  addressed: MessageStore,
  { pinnedBy }: MessageLock,
  { locks }: BrokerParts,
  now: Instant,
  session?: SessionClaim,
): void {
  if (pinnedBy !== undefined && pinnedBy !== locks.committing) throw lockLost(addressed, session, now);
}

/** SES-04. */
function lockedWithSession({ path }: MessageStore): ServiceBusError {
  const text =
    'A message of a session is locked with its session and not by itself; renew the lock of the session.';
  return new ServiceBusError('not-allowed', text, { entityPath: path, about: 'requires-sessions' });
}

/**
 * ERR-03. A queue that requires sessions has session locks only (X14), so the session lock is lost unless the client names a
 * session that it holds. Its dead-letter queue has no sessions (DLQ-03).
 */
function lockLost(store: MessageStore, session: SessionClaim | undefined, now: Instant): ServiceBusError {
  if (store.sessions !== undefined && (session === undefined || !holdsSession(store, session, now))) {
    return sessionLockLost(store);
  }
  const text =
    'The lock supplied is invalid. Either the lock expired, or the message has already been removed from the queue.';
  return new ServiceBusError('message-lock-lost', text, { entityPath: store.path });
}
