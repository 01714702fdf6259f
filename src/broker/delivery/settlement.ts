// The receiver ends a delivery or asks for more time; it shows the lock token to prove that it holds the message.

import type { Outcome } from '../command.js';
import type { MessageStore } from '../entity/message-store.js';
import { entityDisabled } from '../entity/queue.js';
import type { Instant } from '../instant.js';
import { deadLetter } from '../message/dead-letter.js';
import { removeMessage } from '../message/removal.js';
import type { Result } from '../result.js';
import { ServiceBusError } from '../service-bus-error.js';
import type { TurnInProgress } from '../turn-in-progress.js';
import type { MessageLock, MessageLocks } from './message-lock.js';
import { returnCounted, returnUncounted } from './redelivery.js';

export type Settlement = { readonly lockToken: string; readonly outcome: Outcome };

const DONE: Result = { kind: 'done' };

/** `addressed` is the store the receiver names; its queue's other store is as good. */
export function settle(
  addressed: MessageStore,
  { lockToken, outcome }: Settlement,
  locks: MessageLocks,
  turn: TurnInProgress,
): Result {
  // ENT-08; a release is no work of a receiver but the return of what never reached one.
  if (!addressed.queue.canReceive && outcome.kind !== 'release') throw entityDisabled(addressed.path);
  const lock = findLock(addressed, lockToken, locks);
  const { store, message } = lock;
  switch (outcome.kind) {
    case 'complete':
      locks.end(lock);
      removeMessage(store, message, turn);
      return DONE;
    case 'abandon':
      locks.end(lock);
      returnCounted(store, message, outcome.changes, turn);
      return DONE;
    case 'release':
      locks.end(lock);
      returnUncounted(store, message, [], turn);
      return DONE;
    case 'dead-letter':
      locks.end(lock);
      if (store.isDeadLetterQueue) return refuseDeadLetter(lock, turn);
      deadLetter(store.queue, message, outcome.changes, turn);
      return DONE;
    case 'defer':
      throw new ServiceBusError('not-implemented', 'Deferring a message is not there yet.', store.path);
  }
}

/** DLQ-08: refused, and the message is receivable again at once. */
function refuseDeadLetter({ store, message }: MessageLock, turn: TurnInProgress): Result {
  returnUncounted(store, message, [], turn);
  const text = 'A message of a dead-letter queue cannot be dead-lettered again.';
  return { kind: 'failed', error: new ServiceBusError('not-allowed', text, store.path) };
}

/** RCV-08: all locks are renewed or none. */
export function renewLocks(
  addressed: MessageStore,
  lockTokens: readonly string[],
  locks: MessageLocks,
  now: Instant,
): Result {
  if (!addressed.queue.canReceive) throw entityDisabled(addressed.path);
  const held = lockTokens.map((token) => findLock(addressed, token, locks));
  for (const lock of held) locks.renew(lock, now);
  return { kind: 'renewed', lockedUntil: held.map((lock) => lock.dueAt) };
}

/** SET-06; whoever shows a valid token holds the lock, on whatever link it came (LNK-01, LNK-02). */
function findLock(addressed: MessageStore, token: string, locks: MessageLocks): MessageLock {
  const lock = locks.find(token);
  if (lock === undefined || lock.store.queue !== addressed.queue) throw lockLost(addressed);
  return lock;
}

/** ERR-03. A queue that requires sessions has session locks only; its dead-letter queue has none of them (DLQ-03). */
function lockLost(store: MessageStore): ServiceBusError {
  if (store.queue.description.requiresSession && !store.isDeadLetterQueue) {
    const text = 'The session lock has expired on the MessageSession. Accept a new MessageSession.';
    return new ServiceBusError('session-lock-lost', text, store.path);
  }
  const text =
    'The lock supplied is invalid. Either the lock expired, or the message has already been removed from the queue.';
  return new ServiceBusError('message-lock-lost', text, store.path);
}
