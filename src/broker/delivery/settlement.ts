// The receiver ends a delivery or asks for more time; it shows the lock token to prove that it holds the message.

import type { Outcome, SessionClaim } from '../command.js';
import type { MessageStore } from '../entity/message-store.js';
import { entityDisabled } from '../entity/queue.js';
import type { Instant } from '../instant.js';
import type { Limits } from '../limits.js';
import { deadLetter } from '../message/dead-letter.js';
import type { PropertyChange } from '../message/message-properties.js';
import { removeMessage } from '../message/removal.js';
import type { StoredMessage } from '../message/stored-message.js';
import type { Result } from '../result.js';
import { ServiceBusError } from '../service-bus-error.js';
import type { TurnInProgress } from '../turn-in-progress.js';
import type { MessageLock, MessageLocks } from './message-lock.js';
import { defer, returnCounted, returnUncounted } from './redelivery.js';
import { heldSession, sessionLockLost } from './session-claim.js';

export type Settlement = {
  readonly lockTokens: readonly string[];
  readonly outcome: Outcome;
  readonly session?: SessionClaim | undefined;
};
export type SettlementResources = { readonly locks: MessageLocks; readonly limits: Limits };

const DONE: Result = { kind: 'done' };

/** All locks are settled or none. `addressed` is the store the receiver names; its queue's other store is as good. */
export function settle(
  addressed: MessageStore,
  { lockTokens, outcome, session }: Settlement,
  { locks, limits }: SettlementResources,
  turn: TurnInProgress,
): Result {
  // ENT-08; a release is no work of a receiver but the return of what never reached one.
  if (!addressed.queue.canReceive && outcome.kind !== 'release') throw entityDisabled(addressed.path);
  const held = findLocks(addressed, lockTokens, locks); // SET-09: those of a session are gone when it is
  checkSession(addressed, held, session);
  if (outcome.kind === 'dead-letter') {
    // DLQ-08; whatever else may be said of a message may be said in a dead-letter queue (SET-12).
    const dead = held.filter(({ store }) => store.isDeadLetterQueue);
    if (dead.length > 0) return refuseDeadLetter(dead, locks, turn);
  }
  if ('changes' in outcome)
    for (const { message } of held) checkChanges(message, outcome.changes, addressed, limits);
  for (const lock of held) {
    locks.end(lock);
    settleOne(lock, outcome, turn);
  }
  return DONE;
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
    throw new ServiceBusError('message-size-exceeded', text, path);
  }
  const bytes = message.changedBytesWith(changes);
  if (bytes <= maxHeadBytes) return;
  const text = `With these properties those set on the message would take ${bytes} bytes; the limit is ${maxHeadBytes}.`;
  throw new ServiceBusError('message-size-exceeded', text, path);
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
      deadLetter(store.queue, message, outcome.changes, turn); // SET-05, M28
      return;
    case 'defer':
      defer(store, message, outcome.changes, turn); // SET-04
  }
}

/** DLQ-08: nothing is dead-lettered, and what is there already is receivable again at once. */
function refuseDeadLetter(dead: readonly MessageLock[], locks: MessageLocks, turn: TurnInProgress): Result {
  for (const lock of dead) {
    locks.end(lock);
    returnUncounted(lock.store, lock.message, [], turn);
  }
  const text = 'A message of a dead-letter queue cannot be dead-lettered again.';
  return { kind: 'failed', error: new ServiceBusError('not-allowed', text, dead[0]?.store.path) };
}

export function renewLocks(
  addressed: MessageStore,
  lockTokens: readonly string[],
  locks: MessageLocks,
  now: Instant,
): Result {
  if (!addressed.queue.canReceive) throw entityDisabled(addressed.path);
  const held = findLocks(addressed, lockTokens, locks); // RCV-08: all of them, or none is renewed
  if (held.some(({ sessionLock }) => sessionLock !== undefined)) throw noLockOfItsOwn(addressed);
  for (const lock of held) locks.renew(lock, now);
  return { kind: 'renewed', lockedUntil: lockTokens.map((token) => findLock(addressed, token, locks).dueAt) };
}

/** A token that is named twice counts once. */
function findLocks(
  addressed: MessageStore,
  tokens: readonly string[],
  locks: MessageLocks,
): readonly MessageLock[] {
  if (tokens.length === 0) {
    throw new ServiceBusError('argument', 'No lock token is given; one or more are needed.', addressed.path);
  }
  if (tokens.length === 1) return tokens.map((token) => findLock(addressed, token, locks));
  return [...new Set(tokens)].map((token) => findLock(addressed, token, locks));
}

/** SET-06; whoever shows a valid token holds the lock, on whatever link it came (LNK-01, LNK-02). */
function findLock(addressed: MessageStore, token: string, locks: MessageLocks): MessageLock {
  const lock = locks.find(token);
  if (lock === undefined || lock.store.queue !== addressed.queue) throw lockLost(addressed);
  return lock;
}

/** SES-04. */
function noLockOfItsOwn({ path }: MessageStore): ServiceBusError {
  const text =
    'A message of a session is locked with its session and not by itself; renew the lock of the session.';
  return new ServiceBusError('not-allowed', text, path);
}

/** ERR-03. A queue that requires sessions has session locks only (X14); its dead-letter queue has none of them (DLQ-03). */
function lockLost(store: MessageStore): ServiceBusError {
  if (store.sessions !== undefined) return sessionLockLost(store);
  const text =
    'The lock supplied is invalid. Either the lock expired, or the message has already been removed from the queue.';
  return new ServiceBusError('message-lock-lost', text, store.path);
}
