// Ends a transaction: all enlisted operations take effect in one turn, in the order they were enlisted, or none does (TXN-04).

import { entityNotFound } from '../contract/entities/entity-errors.js';
import type { Result } from '../contract/result.js';
import { ServiceBusError } from '../contract/service-bus-error.js';
import { executeStep } from '../execution/step.js';
import { countedEnd } from '../queue/message-lock.js';
import { returnCounted } from '../queue/outcomes.js';
import { activateDue } from '../queue/schedule.js';
import type { Queue } from '../store/queue.js';
import { sessionLockLost } from '../store/session-claim.js';
import type { BrokerParts } from '../turn/broker-parts.js';
import type { CommandOf } from '../turn/handler.js';
import type { TurnInProgress } from '../turn/turn-in-progress.js';
import type { Operation, Transaction } from './transaction.js';

const DONE: Result = { kind: 'done' };

export function discharge(
  { transactionId, connectionId, isFailed }: CommandOf<'discharge'>,
  parts: BrokerParts,
  turn: TurnInProgress,
): Result {
  // The timeout has rolled it back already.
  if (isFailed && parts.transactions.hasTimedOut(transactionId, connectionId)) return DONE;
  const transaction = parts.transactions.find(transactionId, connectionId);
  parts.transactions.end(transaction);
  if (isFailed) {
    noteRollBack(transaction, undefined, turn);
    rollBack(transaction, parts, turn);
    return DONE;
  }
  commit(transaction, parts, turn);
  return DONE;
}

/** Throws transaction-rolled-back when an operation is no longer possible; then none is done. */
function commit(transaction: Transaction, parts: BrokerParts, turn: TurnInProgress): void {
  const { obstacle } = transaction;
  // JMS-74: a reply to a temporary node that has gone is dropped with it, or the request would come again for ever.
  const operations = transaction.operations.filter(({ store: { queue } }) => !isGone(queue, parts));
  try {
    if (obstacle !== undefined) throw obstacle;
    for (const { store, sessionLock } of operations) {
      // A new entity with the same name is another entity, with its own sequence numbers.
      if (!parts.namespace.holds(store.queue.main)) throw entityNotFound(store.path);
      // A session that was lost and accepted again has another lock.
      if (
        sessionLock !== undefined &&
        (sessionLock.receiver.sessionLock !== sessionLock || !sessionLock.isHeldAt(turn.now))
      ) {
        throw sessionLockLost(store);
      }
    }
    for (const operation of operations) unpinScheduled(operation);
    const commands = operations.map(({ command }) => command);
    parts.locks.committing = transaction;
    executeStep(commands, parts, turn);
    const { id: transactionId } = transaction;
    const operationCount = operations.length;
    turn.activities?.push({ kind: 'transaction-committed', transactionId, operationCount });
  } catch (cause) {
    if (cause instanceof ServiceBusError) noteRollBack(transaction, cause.message, turn);
    rollBack(transaction, parts, turn);
    if (!(cause instanceof ServiceBusError)) throw cause;
    throw rolledBack(cause); // JMS-77
  } finally {
    parts.locks.committing = undefined;
  }
}

/** Whether it has gone with its client. */
function isGone({ main, isVolatile }: Queue, { namespace }: BrokerParts): boolean {
  return isVolatile && !namespace.holds(main);
}

/** TXN-08: rolls back transactions that were not discharged in time. */
export function rollBackDue(parts: BrokerParts, turn: TurnInProgress): void {
  const operations: Operation[] = [];
  for (let due = parts.transactions.takeDue(turn.now); due !== undefined; ) {
    noteRollBack(due, 'It was not discharged in time.', turn);
    operations.push(...due.operations);
    due = parts.transactions.takeDue(turn.now);
  }
  if (operations.length > 0) rollBack({ operations }, parts, turn);
}

/** Rolls back every open transaction. To its client each has timed out. */
export function rollBackAll(cause: string, parts: BrokerParts, turn: TurnInProgress): void {
  for (const transaction of parts.transactions.takeAll()) {
    noteRollBack(transaction, cause, turn);
    rollBack(transaction, parts, turn);
  }
}

function noteRollBack(
  { id: transactionId, operations }: Transaction,
  cause: string | undefined,
  { activities }: TurnInProgress,
): void {
  activities?.push({
    kind: 'transaction-rolled-back',
    transactionId,
    operationCount: operations.length,
    cause,
  });
}

/** TXN-05, M39: messages stay locked under their tokens, unless the lock would have expired or the client has forgotten it. */
function rollBack(
  { operations }: Pick<Transaction, 'operations'>,
  parts: BrokerParts,
  turn: TurnInProgress,
): void {
  for (const operation of operations) unpin(operation, parts); // all first: due messages are enqueued in order (SCH-02)
  for (const operation of operations) {
    for (const lock of operation.locks) {
      if (parts.locks.present(lock.token) !== lock) continue;
      if (!operation.isForgotten && lock.isHeldAt(turn.now)) continue;
      const end = lock.isHeldAt(turn.now) ? 'abandoned' : 'lock-expired';
      parts.locks.end(lock);
      turn.activities?.push(countedEnd(end, lock, turn));
      returnCounted(lock.store, lock.message, [], turn, lock.client); // JMS-73
    }
    if (operation.scheduled.length === 0 || !parts.namespace.holds(operation.store)) continue;
    activateDue(operation.store, parts, turn); // messages that came due during the transaction
    turn.touch(operation.store);
  }
}

function unpin(operation: Operation, parts: BrokerParts): void {
  for (const lock of operation.locks) parts.locks.unpin(lock);
  unpinScheduled(operation);
}

function unpinScheduled({ scheduled, store }: Operation): void {
  for (const message of scheduled) store.scheduled.unpin(message);
}

function rolledBack(cause: ServiceBusError): ServiceBusError {
  const text = `The transaction is rolled back, because one of its operations cannot be done: ${cause.message}`;
  return new ServiceBusError('transaction-rolled-back', text, { entityPath: cause.entityPath });
}
