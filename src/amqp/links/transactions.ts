// The open transactions of one connection: their ids, the bytes that they hold, and the deliveries that their commits settle.

import type { Command, SingleCommand } from '../../broker/contract/command.js';
import { type ErrorReason, ServiceBusError } from '../../broker/contract/service-bus-error.js';
import type { DeliveryState } from '../../codec/delivery-state.js';
import type { AmqpSessionPort } from '../protocol/ports.js';
import type { ReceiverLink } from '../protocol/receiver-link.js';
import type { SenderLink } from '../protocol/sender-link.js';
import type { CrossEntitySessions } from './cross-entity.js';

/** An operation of this size settles messages, and is never refused for lack of memory. */
const FREE_BYTES = 1024;
/** The broker has no transaction with this number. */
const UNKNOWN = -1;
const RUN_BYTES = 8;
const ID_BYTES = 16;

/** The txn-ids that clients see: a part that is unique to this run, then the broker's number. */
export class TransactionIds {
  readonly #run: Buffer;

  /** `guid` is new with each run: ids of an earlier run, which a client may still use, are unknown. */
  constructor(guid: string) {
    this.#run = Buffer.from(guid.replaceAll('-', ''), 'hex').subarray(0, RUN_BYTES);
  }

  encode(transactionId: number): Buffer {
    const id = Buffer.alloc(ID_BYTES);
    this.#run.copy(id);
    id.writeBigUInt64BE(BigInt(transactionId), RUN_BYTES);
    return id;
  }

  /** The number of the transaction, or `UNKNOWN`. */
  decode(id: Uint8Array): number {
    const bytes = Buffer.from(id.buffer, id.byteOffset, id.length);
    if (bytes.length !== ID_BYTES || !bytes.subarray(0, RUN_BYTES).equals(this.#run)) return UNKNOWN;
    return Number(bytes.readBigUInt64BE(RUN_BYTES));
  }
}

/** How an operation belongs to a transaction. */
export type Membership = {
  /** As the client wrote it. */
  readonly transactionId: Uint8Array;
  /** The AMQP session of the operation's link. */
  readonly amqpSession: AmqpSessionPort;
  /** The bytes of the message or request, which the broker holds until the discharge. */
  readonly heldBytes: number;
  /** Whether the client has already settled the delivery. */
  readonly isForgotten?: boolean;
};

/** A delivery that the commit settles. */
type Enlisted = { readonly link: ReceiverLink; readonly deliveryId: number; readonly outcome: DeliveryState };

class Transaction {
  readonly number: number;
  /** The control link on which it was declared. */
  readonly controlLink: SenderLink;
  readonly enlisted: Enlisted[] = [];
  #heldBytes = 0;
  /** Why the transaction cannot be committed, when the broker does not know the reason. */
  refusal: ServiceBusError | undefined;

  constructor(number: number, controlLink: SenderLink) {
    this.number = number;
    this.controlLink = controlLink;
  }

  get heldBytes(): number {
    return this.#heldBytes;
  }

  /** Counted by the connection, together with half-received messages. */
  set heldBytes(bytes: number) {
    this.controlLink.held.addEnlisted(bytes - this.#heldBytes);
    this.#heldBytes = bytes;
  }
}

type TransactionsOptions = {
  readonly ids: TransactionIds;
  readonly sessions: CrossEntitySessions;
  /** Identifies the owner of the transactions to the broker. */
  readonly connectionId: () => number;
};

export class ConnectionTransactions {
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

  /** Returns the txn-id for the client. */
  declared(number: number, controlLink: SenderLink): Uint8Array {
    this.#open.set(number, new Transaction(number, controlLink)); // JMS-71
    return this.#ids.encode(number);
  }

  /** The command as part of its transaction. `refused` must be called if the broker refuses it. */
  enlistment(command: SingleCommand, membership: Membership): Command {
    const { transactionId, amqpSession, heldBytes, isForgotten = false } = membership;
    this.#hold(transactionId, heldBytes);
    return {
      kind: 'enlist',
      transactionId: this.#ids.decode(transactionId),
      connectionId: this.#connectionId(),
      command,
      via: this.sessions.viaOf(amqpSession),
      isForgotten,
      ...(this.sessions.spansEntities ? { spansEntities: true } : undefined),
    };
  }

  /** Releases the bytes of an operation that the broker has refused. A timed-out transaction is over (TXN-08). */
  refused(
    { transactionId, heldBytes }: Pick<Membership, 'transactionId' | 'heldBytes'>,
    reason: ErrorReason,
  ): void {
    this.#hold(transactionId, -heldBytes);
    const over = reason === 'transaction-timeout' ? this.#find(transactionId) : undefined;
    if (over !== undefined) this.#forget(over);
  }

  /** The error for a message that does not fit into the memory that clients share. It cannot wait, because the discharge may come after it. */
  refusalOfMore({ amqpSession, heldBytes }: Membership): ServiceBusError | undefined {
    if (heldBytes <= FREE_BYTES || amqpSession.connection.held.share.claim(heldBytes)) return undefined;
    const text =
      `There is no memory for ${heldBytes} bytes more in a transaction while others hold so much. ` +
      'Discharge the transaction, and try it again.';
    return new ServiceBusError('quota-exceeded', text, { property: 'transaction', value: heldBytes });
  }

  /** Whether the delivery is already part of the transaction, so that its settlement changes nothing. */
  hasEnlisted(transactionId: Uint8Array, link: Enlisted['link'], deliveryId: number): boolean {
    const enlisted = this.#find(transactionId)?.enlisted ?? [];
    return enlisted.some((one) => one.link === link && one.deliveryId === deliveryId);
  }

  /** Prevents the commit, because an operation was refused before the broker got it. */
  doom(transactionId: Uint8Array, error: ServiceBusError): void {
    const transaction = this.#find(transactionId);
    if (transaction !== undefined) transaction.refusal ??= error;
  }

  /** Makes the commit settle a delivery that the client has not settled. */
  settleLater(transactionId: Uint8Array, enlisted: Enlisted): void {
    this.#find(transactionId)?.enlisted.push(enlisted);
  }

  /** The error when the transaction must be rolled back instead of committed; otherwise undefined. */
  refusalOf(transactionId: Uint8Array): ServiceBusError | undefined {
    const refusal = this.#find(transactionId)?.refusal;
    if (refusal === undefined) return undefined;
    const text = `The transaction is rolled back, because one of its operations cannot be done: ${refusal.message}`;
    return new ServiceBusError('transaction-rolled-back', text, { entityPath: refusal.entityPath });
  }

  discharge(transactionId: Uint8Array, isFailed: boolean): Command {
    return this.#dischargeOf(this.#ids.decode(transactionId), isFailed);
  }

  /** Forgets the transactions of a control link and returns the commands that roll them back. */
  rollBacks(controlLink: SenderLink): Command[] {
    const left = [...this.#open.values()].filter((each) => each.controlLink === controlLink);
    for (const transaction of left) this.#forget(transaction);
    return left.map(({ number }) => this.#dischargeOf(number, true));
  }

  /** Forgets a transaction that is discharged or unknown to the broker. After a commit, settles its deliveries, unless the client has. */
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
