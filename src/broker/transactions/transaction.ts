// Transactions that clients have declared and not discharged (TXN-01, TXN-08).

import { type DueItem, DueQueue } from '../collections/due-queue.js';
import { NumberSeries } from '../collections/number-series.js';
import type { StepCommand } from '../contract/command.js';
import { type Instant, NEVER } from '../contract/instant.js';
import type { Limits } from '../contract/limits.js';
import { ServiceBusError } from '../contract/service-bus-error.js';
import type { MessageLock } from '../queue/message-lock.js';
import type { SessionLock } from '../sessions/message-session.js';
import type { MessageStore, Queue } from '../store/queue.js';
import type { StoredMessage } from '../store/stored-message.js';
import { ClaimSet } from '../turn/claims.js';

const TIMEOUT_MS = 2 * 60_000; // TXN-08, LIM-15
/** The most open transactions of one connection. */
const MAX_OPEN = 1000;
/** The most timed-out transactions remembered, so that a late discharge gets the right error. */
const MAX_REMEMBERED = 10_000;

/** A command that waits for the discharge, and the locks and messages that it pins until then. */
export type Operation = {
  readonly command: StepCommand;
  readonly locks: readonly MessageLock[];
  /** The scheduled messages that a cancellation would remove from the store. */
  readonly scheduled: readonly StoredMessage[];
  readonly store: MessageStore;
  /** The lock of the session that the command names. The commit needs the same lock. */
  readonly sessionLock: SessionLock | undefined;
  /** The client has forgotten the deliveries: a rollback makes their messages available at once. */
  readonly isForgotten: boolean;
};

export class Transaction implements DueItem {
  readonly id: number;
  /** The connection that declared it; no other may use it. */
  readonly connectionId: number;
  readonly operations: Operation[] = [];
  readonly claims = new ClaimSet();
  /** `NEVER` before its first operation. */
  dueAt: Instant = NEVER;
  heapIndex = -1;
  /** The reason why it can no longer be committed. */
  obstacle: ServiceBusError | undefined;
  sentCount = 0;
  /** The messages that its operations are about. */
  messageCount = 0;
  /** TXN-03: the queue, or the topic's intake, to which all operations belong; undefined before the first. */
  entity: Queue | undefined;
  /** In a partitioned entity, the partition of the first operation that needs one. */
  partitionId: number | undefined;

  constructor(id: number, connectionId: number) {
    this.id = id;
    this.connectionId = connectionId;
  }

  doom(obstacle: ServiceBusError): void {
    this.obstacle ??= obstacle;
  }
}

export class Transactions {
  readonly #open = new Map<number, Transaction>();
  readonly #openCounts = new Map<number, number>();
  readonly #dueQueue = new DueQueue<Transaction>();
  readonly #ids = new NumberSeries();
  /** Timed-out transactions, the oldest first. An id in neither map was discharged or never declared. */
  readonly #timedOut = new Map<number, Transaction['connectionId']>();

  /** Throws not-allowed in the Basic tier, and quota-exceeded. */
  declare(connectionId: number, { limits }: { readonly limits: Limits }): number {
    if (!limits.hasTransactions) {
      throw new ServiceBusError(
        'not-allowed',
        "Transaction is unsupported because the namespace is of 'Basic' tier.",
      );
    }
    const openCount = this.#openCounts.get(connectionId) ?? 0;
    if (openCount >= MAX_OPEN) {
      const text = `The connection has ${openCount} transactions that are not discharged; the limit is ${MAX_OPEN}.`;
      throw new ServiceBusError('quota-exceeded', text, { value: openCount, limit: MAX_OPEN });
    }
    const transaction = new Transaction(this.#ids.take(), connectionId);
    this.#open.set(transaction.id, transaction);
    this.#openCounts.set(connectionId, openCount + 1);
    return transaction.id;
  }

  /** Throws transaction-unknown, also for a transaction of another connection (TXN-01), and transaction-timeout. */
  find(transactionId: number, connectionId: number): Transaction {
    const transaction = this.#open.get(transactionId);
    if (transaction?.connectionId === connectionId) return transaction;
    if (this.hasTimedOut(transactionId, connectionId)) throw timedOut(transactionId);
    const text = "Transaction hasn't been declared yet, or has already been discharged";
    throw new ServiceBusError('transaction-unknown', text);
  }

  hasTimedOut(transactionId: number, connectionId: number): boolean {
    return this.#timedOut.get(transactionId) === connectionId;
  }

  /** TXN-08, JMS-72: starts the timeout with the first operation. */
  begin(transaction: Transaction, now: Instant): void {
    if (transaction.dueAt === NEVER) this.#dueQueue.setDue(transaction, now + TIMEOUT_MS);
  }

  end(transaction: Transaction): void {
    const { id, connectionId } = transaction;
    this.#open.delete(id);
    const openCount = (this.#openCounts.get(connectionId) ?? 1) - 1;
    if (openCount === 0) this.#openCounts.delete(connectionId);
    else this.#openCounts.set(connectionId, openCount);
    this.#dueQueue.setDue(transaction, NEVER);
  }

  /** Ends and returns the next transaction that has timed out. */
  takeDue(now: Instant): Transaction | undefined {
    const transaction = this.#dueQueue.due(now);
    if (transaction !== undefined) this.#endAsTimedOut(transaction);
    return transaction;
  }

  /** Ends and returns all open transactions. */
  takeAll(): readonly Transaction[] {
    const all = [...this.#open.values()];
    for (const transaction of all) this.#endAsTimedOut(transaction);
    return all;
  }

  #endAsTimedOut(transaction: Transaction): void {
    this.end(transaction);
    this.#timedOut.set(transaction.id, transaction.connectionId);
    if (this.#timedOut.size <= MAX_REMEMBERED) return;
    const [oldest] = this.#timedOut.keys();
    if (oldest !== undefined) this.#timedOut.delete(oldest);
  }

  get openCount(): number {
    return this.#open.size;
  }

  get nextDeadline(): Instant {
    return this.#dueQueue.next;
  }
}

function timedOut(transactionId: number): ServiceBusError {
  const text =
    `No active Transaction was found for ID '${transactionId}'. The Transaction may have timed out; ` +
    'the server Transaction timeout is: 00:02:00, from its first operation.';
  return new ServiceBusError('transaction-timeout', text, { value: transactionId });
}
