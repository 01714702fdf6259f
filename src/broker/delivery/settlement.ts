// The receiver ends a delivery or asks for more time; it shows the lock token to prove that it holds the message.

import { assert } from '../assert.js';
import type { BrokerParts } from '../broker-parts.js';
import type { Outcome, SessionClaim } from '../command.js';
import type { MessageStore } from '../entity/message-store.js';
import { entityDisabled } from '../entity/queue.js';
import { ChangingRefusal, type CommandOf, inStore } from '../handler.js';
import type { Instant } from '../instant.js';
import type { Limits } from '../limits.js';
import { deadLetter } from '../message/dead-letter.js';
import type { PropertyChange } from '../message/message-properties.js';
import { removeMessage } from '../message/removal.js';
import type { StoredMessage } from '../message/stored-message.js';
import type { Result } from '../result.js';
import { ServiceBusError } from '../service-bus-error.js';
import type { TurnInProgress } from '../turn-in-progress.js';
import type { MessageLock } from './message-lock.js';
import { defer, returnCounted, returnUncounted } from './redelivery.js';
import { heldSession, holdsSession, sessionLockLost } from './session-claim.js';

const DONE: Result = { kind: 'done' };

/** `store` is the one that the receiver names; its queue's other store is as good. */
export const SETTLE = inStore(checkSettle, applySettle);

type Settle = CommandOf<'settle'>;

function checkSettle(
  store: MessageStore,
  { lockToken, outcome }: Settle,
  parts: BrokerParts,
): MessageLock | ChangingRefusal {
  checkMaySettle(store, outcome);
  const lock = findLock(store, lockToken, parts);
  checkNotEnlisted(store, lock);
  if (outcome.kind === 'dead-letter' && lock.store.isDeadLetterQueue) return deadLetteredTwice([lock], parts);
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

/** All locks are settled or none. */
export const SETTLE_MANY = inStore(checkSettleMany, applySettleMany);

type SettleMany = CommandOf<'settle-many'>;

function checkSettleMany(
  store: MessageStore,
  { lockTokens, outcome, session }: SettleMany,
  parts: BrokerParts,
): readonly MessageLock[] | ChangingRefusal {
  checkMaySettle(store, outcome);
  const held = findLocks(store, lockTokens, parts, session); // SET-09: those of a session are gone when it is
  checkSession(store, held, session);
  for (const lock of held) checkNotEnlisted(store, lock, session);
  if (outcome.kind === 'dead-letter') {
    const dead = held.filter((lock) => lock.store.isDeadLetterQueue);
    if (dead.length > 0) return deadLetteredTwice(dead, parts);
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

/** What it completes makes room for what comes after it in a step; a copy from a topic may share its content with others. */
function claim(lock: MessageLock, outcome: Outcome, { claims }: BrokerParts): void {
  const { queue } = lock.store;
  claims.take(lock);
  if (outcome.kind === 'complete' && queue.subscription === undefined) {
    claims.addBytes(queue, -lock.message.sizeBytes);
  }
}

/** ENT-08; a release is no work of a receiver but the return of what never reached one. */
function checkMaySettle({ queue, path }: MessageStore, outcome: Outcome): void {
  if (!queue.canReceive && outcome.kind !== 'release') throw entityDisabled(path);
}

/** The messages belong to the session that is named, if any is, and their receiver holds it. */
function checkSession(
  addressed: MessageStore,
  held: readonly MessageLock[],
  claim: SessionClaim | undefined,
): void {
  if (claim === undefined || addressed.sessions === undefined) return;
  const claimed = heldSession(addressed, claim);
  if (held.some(({ sessionLock }) => sessionLock !== claimed)) throw sessionLockLost(addressed);
}

/** MSG-08: a message does not outgrow its limits by what is set on it later. */
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

function settleOne({ store, message }: MessageLock, outcome: Outcome, turn: TurnInProgress): void {
  switch (outcome.kind) {
    case 'complete':
      removeMessage(store, message, turn); // SET-01, M24
      return;
    case 'abandon':
      returnCounted(store, message, outcome.changes, turn); // SET-03
      return;
    case 'release':
      returnUncounted(store, message, [], turn); // SET-10
      return;
    case 'dead-letter':
      deadLetter(store, message, outcome.changes, turn); // SET-05, M28
      return;
    case 'defer':
      defer(store, message, outcome.changes, turn); // SET-04
  }
}

/**
 * DLQ-08: nothing is dead-lettered, and what is there already is receivable again at once. Whatever else may be said of a
 * message may be said in a dead-letter queue (SET-12).
 */
function deadLetteredTwice(dead: readonly MessageLock[], { locks }: BrokerParts): ChangingRefusal {
  const text = 'A message of a dead-letter queue cannot be dead-lettered again.';
  const data = { entityPath: dead[0]?.store.path, about: 'dead-letter-queue' } as const;
  const error = new ServiceBusError('not-allowed', text, data);
  return new ChangingRefusal(error, (turn) => {
    for (const lock of dead) {
      locks.end(lock);
      returnUncounted(lock.store, lock.message, [], turn);
    }
  });
}

/** RCV-08: all of them are renewed, or none. */
export const RENEW_LOCK = inStore(checkRenew, applyRenew);

type RenewLock = CommandOf<'renew-lock'>;

function checkRenew(
  store: MessageStore,
  { lockTokens }: RenewLock,
  parts: BrokerParts,
): readonly MessageLock[] {
  if (!store.queue.canReceive) throw entityDisabled(store.path);
  const held = findLocks(store, lockTokens, parts);
  if (held.some(({ sessionLock }) => sessionLock !== undefined)) throw noLockOfItsOwn(store);
  return held;
}

function applyRenew(
  _store: MessageStore,
  held: readonly MessageLock[],
  { lockTokens }: RenewLock,
  { locks }: BrokerParts,
  turn: TurnInProgress,
): Result {
  for (const lock of held) locks.renew(lock, turn.now);
  return { kind: 'renewed', lockedUntil: lockTokens.map((token) => dueAt(held, token)) };
}

function dueAt(held: readonly MessageLock[], token: string): Instant {
  const lock = held.find((one) => one.token === token);
  assert(lock !== undefined, 'a lock was renewed that nobody named');
  return lock.dueAt;
}

/** A token that is named twice counts once. */
function findLocks(
  addressed: MessageStore,
  tokens: readonly string[],
  parts: BrokerParts,
  session?: SessionClaim,
): readonly MessageLock[] {
  if (tokens.length === 0) {
    const data = { entityPath: addressed.path, property: 'tokens', value: 0, least: 1 };
    throw new ServiceBusError('argument', 'No lock token is given; one or more are needed.', data);
  }
  const different = tokens.length === 1 ? tokens : [...new Set(tokens)];
  return different.map((token) => findLock(addressed, token, parts, session));
}

/** SET-06; whoever shows a valid token holds the lock, on whatever link it came (LNK-01, LNK-02). */
function findLock(
  addressed: MessageStore,
  token: string,
  parts: BrokerParts,
  session?: SessionClaim,
): MessageLock {
  const lock = parts.locks.find(token);
  if (lock === undefined || lock.store.queue !== addressed.queue || parts.claims.has(lock)) {
    throw lockLost(addressed, session);
  }
  return lock;
}

/** TXN-06: nobody else may settle it, nor the same transaction twice. */
function checkNotEnlisted(addressed: MessageStore, { pinnedBy }: MessageLock, session?: SessionClaim): void {
  if (pinnedBy !== undefined) throw lockLost(addressed, session);
}

/** SES-04. */
function noLockOfItsOwn({ path }: MessageStore): ServiceBusError {
  const text =
    'A message of a session is locked with its session and not by itself; renew the lock of the session.';
  return new ServiceBusError('not-allowed', text, { entityPath: path, about: 'requires-sessions' });
}

/**
 * ERR-03. A queue that requires sessions has session locks only (X14), so that it is the message's lock only for a client
 * that names the session it holds; its dead-letter queue has none of them (DLQ-03).
 */
function lockLost(store: MessageStore, session: SessionClaim | undefined): ServiceBusError {
  if (store.sessions !== undefined && (session === undefined || !holdsSession(store, session))) {
    return sessionLockLost(store);
  }
  const text =
    'The lock supplied is invalid. Either the lock expired, or the message has already been removed from the queue.';
  return new ServiceBusError('message-lock-lost', text, { entityPath: store.path });
}
