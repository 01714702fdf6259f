// A transaction ends: all that was enlisted takes effect in one turn, in the order in which it came, or nothing of it (TXN-04).

import type { BrokerParts } from '../broker-parts.js';
import { returnCounted } from '../delivery/redelivery.js';
import { sessionLockLost } from '../delivery/session-claim.js';
import { entityNotFound } from '../entity/namespace.js';
import type { CommandOf } from '../handler.js';
import { activateDue } from '../message/schedule.js';
import type { Result } from '../result.js';
import { ServiceBusError } from '../service-bus-error.js';
import { carryOutStep } from '../step.js';
import type { TurnInProgress } from '../turn-in-progress.js';
import type { Operation, Transaction } from './transaction.js';

const DONE: Result = { kind: 'done' };

export function discharge(
  { transactionId, connectionId, isFailed }: CommandOf<'discharge'>,
  parts: BrokerParts,
  turn: TurnInProgress,
): Result {
  // It is what has happened already.
  if (isFailed && parts.transactions.hasTimedOut(transactionId, connectionId)) return DONE;
  const transaction = parts.transactions.find(transactionId, connectionId);
  parts.transactions.end(transaction);
  if (isFailed) {
    rollBack(transaction, parts, turn);
    return DONE;
  }
  commit(transaction, parts, turn);
  return DONE;
}

/** Throws transaction-rolled-back when something cannot be done any more; then nothing of it is. */
function commit(transaction: Transaction, parts: BrokerParts, turn: TurnInProgress): void {
  const { operations, obstacle } = transaction;
  try {
    if (obstacle !== undefined) throw obstacle;
    for (const { store, sessionLock } of operations) {
      // One that has its name since is another entity, whose numbers are its own.
      if (!parts.namespace.holds(store.queue.main)) throw entityNotFound(store.path);
      // A session that was lost and accepted again is another hold.
      if (sessionLock !== undefined && sessionLock.receiver.sessionLock !== sessionLock) {
        throw sessionLockLost(store);
      }
    }
    for (const operation of operations) unpin(operation, parts);
    const commands = operations.map(({ command }) => command);
    carryOutStep(commands, parts, turn);
  } catch (cause) {
    rollBack(transaction, parts, turn);
    if (!(cause instanceof ServiceBusError)) throw cause;
    throw rolledBack(cause);
  }
}

/** TXN-08: what was not discharged in its time is rolled back. */
export function rollBackDue(parts: BrokerParts, turn: TurnInProgress): void {
  const operations: Operation[] = [];
  for (let due = parts.transactions.takeDue(turn.now); due !== undefined; ) {
    operations.push(...due.operations);
    due = parts.transactions.takeDue(turn.now);
  }
  if (operations.length > 0) rollBack({ operations }, parts, turn);
}

/** TXN-05, M39: messages stay locked under their tokens, unless the locks would have run out meanwhile or the client forgot them. */
function rollBack(
  { operations }: Pick<Transaction, 'operations'>,
  parts: BrokerParts,
  turn: TurnInProgress,
): void {
  for (const operation of operations) unpin(operation, parts); // all of them: what has come due comes in its order (SCH-02)
  for (const operation of operations) {
    for (const lock of operation.locks) {
      if (parts.locks.find(lock.token) !== lock) continue;
      if (!operation.isForgotten && lock.isHeldAt(turn.now)) continue;
      parts.locks.end(lock);
      returnCounted(lock.store, lock.message, [], turn);
    }
    if (operation.scheduled.length === 0 || !parts.namespace.holds(operation.store)) continue;
    activateDue(operation.store, parts, turn); // what has come due meanwhile
    turn.touch(operation.store);
  }
}

function unpin({ locks, scheduled, store }: Operation, parts: BrokerParts): void {
  for (const lock of locks) parts.locks.unpin(lock);
  for (const message of scheduled) store.scheduled.unpin(message);
}

function rolledBack(cause: ServiceBusError): ServiceBusError {
  const text = `The transaction is rolled back, because one of its operations cannot be done: ${cause.message}`;
  return new ServiceBusError('transaction-rolled-back', text, { entityPath: cause.entityPath });
}
