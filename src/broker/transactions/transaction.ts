// A transaction that a client has declared and not discharged, and the list of all of them (TXN-01, TXN-08).

import { ClaimSet } from '../claims.js';
import type { StepCommand } from '../command.js';
import { type Deadline, Deadlines } from '../deadlines.js';
import type { MessageLock } from '../delivery/message-lock.js';
import type { SessionLock } from '../delivery/session-lock.js';
import type { MessageStore } from '../entity/message-store.js';
import type { Queue } from '../entity/queue.js';
import { type Instant, NEVER } from '../instant.js';
import type { Limits } from '../limits.js';
import type { StoredMessage } from '../message/stored-message.js';
import { NumberSeries } from '../number-series.js';
import { ServiceBusError } from '../service-bus-error.js';

const TIMEOUT_MS = 2 * 60_000; // TXN-08, LIM-15
/** Of those that one connection has declared and not discharged. */
const MOST_OPEN = 1000;
/** Transactions that are over and remembered, to say why they are. */
const MOST_REMEMBERED = 10_000;

/** One command that waits for the discharge, and what it keeps as it is until then. */
export type Operation = {
  readonly command: StepCommand;
  readonly locks: readonly MessageLock[];
  /** Of a cancellation, in its store. */
  readonly scheduled: readonly StoredMessage[];
  readonly store: MessageStore;
  /** The hold on the session that the command names: the commit needs the same one. */
  readonly sessionLock: SessionLock | undefined;
  /** The client has forgotten the deliveries: rolled back, they are given to somebody again at once. */
  readonly isForgotten: boolean;
};

export class Transaction implements Deadline {
  readonly id: number;
  /** It is of use to this one alone. */
  readonly connectionId: number;
  readonly operations: Operation[] = [];
  readonly claims = new ClaimSet();
  /** `NEVER` before its first operation. */
  dueAt: Instant = NEVER;
  place = -1;
  /** Why it cannot be committed any more. */
  obstacle: ServiceBusError | undefined;
  sentCount = 0;
  /** TXN-03: the queue, or the topic's intake, to which all operations belong; undefined before the first. */
  entity: Queue | undefined;
  /** Of a partitioned entity, the partition of the first operation that has one. */
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
  readonly #deadlines = new Deadlines<Transaction>();
  readonly #ids = new NumberSeries();
  /** Those that ran out of time, the oldest first; an id that is in neither list was discharged or never declared. */
  readonly #timedOut = new Map<number, Transaction['connectionId']>();

  /** Throws not-allowed where the tier has none, and quota-exceeded. */
  declare(connectionId: number, { limits }: { readonly limits: Limits }): number {
    if (!limits.hasTransactions) {
      throw new ServiceBusError(
        'not-allowed',
        "Transaction is unsupported because the namespace is of 'Basic' tier.",
      );
    }
    const openCount = this.#openCounts.get(connectionId) ?? 0;
    if (openCount >= MOST_OPEN) {
      const text = `The connection has ${openCount} transactions that are not discharged; the limit is ${MOST_OPEN}.`;
      throw new ServiceBusError('quota-exceeded', text, { value: openCount, limit: MOST_OPEN });
    }
    const transaction = new Transaction(this.#ids.take(), connectionId);
    this.#open.set(transaction.id, transaction);
    this.#openCounts.set(connectionId, openCount + 1);
    return transaction.id;
  }

  /** Throws transaction-unknown, also for one of another connection (TXN-01), and transaction-timeout. */
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

  /** TXN-08: its time runs from its first operation. */
  begin(transaction: Transaction, now: Instant): void {
    if (transaction.dueAt !== NEVER) return;
    transaction.dueAt = now + TIMEOUT_MS;
    this.#deadlines.add(transaction);
  }

  /** It is discharged. */
  end(transaction: Transaction): void {
    const { id, connectionId, dueAt } = transaction;
    this.#open.delete(id);
    const openCount = (this.#openCounts.get(connectionId) ?? 1) - 1;
    if (openCount === 0) this.#openCounts.delete(connectionId);
    else this.#openCounts.set(connectionId, openCount);
    if (dueAt !== NEVER) this.#deadlines.remove(transaction);
  }

  /** One whose time has come is over, and answered. */
  takeDue(now: Instant): Transaction | undefined {
    const transaction = this.#deadlines.due(now);
    if (transaction === undefined) return undefined;
    this.end(transaction);
    this.#timedOut.set(transaction.id, transaction.connectionId);
    if (this.#timedOut.size > MOST_REMEMBERED) {
      const [oldest] = this.#timedOut.keys();
      if (oldest !== undefined) this.#timedOut.delete(oldest);
    }
    return transaction;
  }

  get nextDeadline(): Instant {
    return this.#deadlines.next;
  }
}

function timedOut(transactionId: number): ServiceBusError {
  const text =
    `No active Transaction was found for ID '${transactionId}'. The Transaction may have timed out; ` +
    'the server Transaction timeout is: 00:02:00, from its first operation.';
  return new ServiceBusError('transaction-timeout', text, { value: transactionId });
}
