// What a connection keeps of the transactions that its client has declared, until they are discharged.

import type { Command, SingleCommand } from '../broker/command.js';
import { type ErrorReason, ServiceBusError } from '../broker/service-bus-error.js';
import type { DeliveryState } from '../codec/delivery-state.js';
import type { CrossEntitySessions } from './cross-entity.js';
import type { ReceiverLink } from './protocol/receiver-link.js';
import type { SenderLink } from './protocol/sender-link.js';
import type { Session } from './protocol/session.js';
import type { TransactionIds } from './transaction-id.js';

/** By what an operation belongs to a transaction. */
export type Membership = {
  /** As the client wrote it. */
  readonly transactionId: Uint8Array;
  /** Of the link that it came on. */
  readonly session: Session;
  /** Of the message or request, which the broker keeps until the discharge. */
  readonly heldBytes: number;
  /** The client has settled the delivery that it is about. */
  readonly isForgotten?: boolean;
};

/** Enlisted, and to be settled with the transaction. */
type Enlisted = { readonly link: ReceiverLink; readonly deliveryId: number; readonly outcome: DeliveryState };

class Transaction {
  readonly number: number;
  /** The control link on which it was declared. */
  readonly controlLink: SenderLink;
  readonly enlisted: Enlisted[] = [];
  #heldBytes = 0;
  /** Why it cannot be committed, which the broker has not heard of. */
  refusal: ServiceBusError | undefined;

  constructor(number: number, controlLink: SenderLink) {
    this.number = number;
    this.controlLink = controlLink;
  }

  get heldBytes(): number {
    return this.#heldBytes;
  }

  /** Counted by the connection where halves of messages are. */
  set heldBytes(bytes: number) {
    this.controlLink.session.connection.heldBytes += bytes - this.#heldBytes;
    this.#heldBytes = bytes;
  }
}

export type TransactionsOptions = {
  readonly ids: TransactionIds;
  readonly sessions: CrossEntitySessions;
  /** By which the broker knows whose they are. */
  readonly connectionId: () => number;
};

export class Transactions {
  readonly sessions: CrossEntitySessions;
  readonly #ids: TransactionIds;
  readonly #connectionId: () => number;
  readonly #open = new Map<number, Transaction>();

  constructor({ ids, sessions, connectionId }: TransactionsOptions) {
    this.sessions = sessions;
    this.#ids = ids;
    this.#connectionId = connectionId;
  }

  declaration(): Command {
    return { kind: 'declare-transaction', connectionId: this.#connectionId() };
  }

  /** The id by which the client will name it. */
  declared(number: number, controlLink: SenderLink): Uint8Array {
    this.#open.set(number, new Transaction(number, controlLink));
    return this.#ids.encode(number);
  }

  /** The command as a part of its transaction. Should it be refused, `refused` is to be called. */
  enlistment(command: SingleCommand, membership: Membership): Command {
    const { transactionId, session, heldBytes, isForgotten = false } = membership;
    this.#hold(transactionId, heldBytes);
    return {
      kind: 'enlist',
      transactionId: this.#ids.decode(transactionId),
      connectionId: this.#connectionId(),
      command,
      via: this.sessions.viaOf(session),
      isForgotten,
    };
  }

  /** The broker has not taken it; a transaction that has run out of time is over (TXN-08), and holds nothing more. */
  refused(
    { transactionId, heldBytes }: Pick<Membership, 'transactionId' | 'heldBytes'>,
    reason: ErrorReason,
  ): void {
    this.#hold(transactionId, -heldBytes);
    const over = reason === 'transaction-timeout' ? this.#find(transactionId) : undefined;
    if (over !== undefined) this.#forget(over);
  }

  /** Whether the delivery is a part of the transaction, and its client can settle it without saying anything new. */
  hasEnlisted(transactionId: Uint8Array, link: Enlisted['link'], deliveryId: number): boolean {
    const enlisted = this.#find(transactionId)?.enlisted ?? [];
    return enlisted.some((one) => one.link === link && one.deliveryId === deliveryId);
  }

  /** Something in it was refused before the broker heard of it: it cannot be committed. */
  doom(transactionId: Uint8Array, error: ServiceBusError): void {
    const transaction = this.#find(transactionId);
    if (transaction !== undefined) transaction.refusal ??= error;
  }

  /** A delivery that the client has not settled: that is done with the commit. */
  settleLater(transactionId: Uint8Array, enlisted: Enlisted): void {
    this.#find(transactionId)?.enlisted.push(enlisted);
  }

  /** Why it is rolled back instead of being committed. */
  refusalOf(transactionId: Uint8Array): ServiceBusError | undefined {
    const refusal = this.#find(transactionId)?.refusal;
    if (refusal === undefined) return undefined;
    const text = `The transaction is rolled back, because one of its operations cannot be done: ${refusal.message}`;
    return new ServiceBusError('transaction-rolled-back', text, { entityPath: refusal.entityPath });
  }

  discharge(transactionId: Uint8Array, isFailed: boolean): Command {
    return this.#dischargeOf(this.#ids.decode(transactionId), isFailed);
  }

  /** What the control link has left open is to be rolled back by these. */
  rollBacks(controlLink: SenderLink): Command[] {
    const left = [...this.#open.values()].filter((each) => each.controlLink === controlLink);
    for (const transaction of left) this.#forget(transaction);
    return left.map(({ number }) => this.#dischargeOf(number, true));
  }

  /** The broker has discharged it, or knows of none: what the client has not settled is settled if it was committed. */
  ended(transactionId: Uint8Array, isCommitted: boolean): void {
    const transaction = this.#find(transactionId);
    if (transaction === undefined) return;
    this.#forget(transaction);
    if (!isCommitted) return;
    for (const { link, deliveryId, outcome } of transaction.enlisted) link.settle(deliveryId, outcome);
  }

  #dischargeOf(number: number, isFailed: boolean): Command {
    return { kind: 'discharge', transactionId: number, connectionId: this.#connectionId(), isFailed };
  }

  #find(transactionId: Uint8Array): Transaction | undefined {
    return this.#open.get(this.#ids.decode(transactionId));
  }

  #hold(transactionId: Uint8Array, bytes: number): void {
    const transaction = bytes === 0 ? undefined : this.#find(transactionId);
    if (transaction !== undefined) transaction.heldBytes += bytes;
  }

  #forget(transaction: Transaction): void {
    transaction.heldBytes = 0;
    this.#open.delete(transaction.number);
  }
}
