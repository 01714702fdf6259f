// A link on which the client receives: its credit, its deliveries and the client's dispositions.

import type { DeliveryState } from '../../codec/delivery-state.js';
import type { AmqpError, Attach, Flow } from '../../codec/performatives.js';
import { entryOf } from '../../codec/read-value.js';
import type { HeldBytes } from './held-bytes.js';
import { type AttachReply, LinkAttachment } from './link-attachment.js';
import {
  type ClientDisposition,
  LinkTransfers,
  type OutgoingDelivery,
  type OutgoingTransfers,
} from './outgoing-transfers.js';
import type { AmqpSessionPort } from './ports.js';
import { difference } from './serial.js';

export interface ReceiverLinkOwner {
  /** Called when `deliveryLimit` or `isDraining` may have changed. */
  flowed(): void;
  /** Called when there is room again, after `canSend` was false or `reachableLimit` was limited by room. */
  writable(): void;
  /** Called with the client's disposition of a delivery; after the detach only if it is settled with a state. */
  disposed(disposition: ClientDisposition): void;
  /** Called when the next frames may return messages to their queue and then end this link. */
  ending?(): void;
  /** Called when the link is gone, for any reason. */
  detached(): void;
}

/** The part of an AMQP session that its receiver links use. */
export interface ReceiverSessionPort extends AmqpSessionPort {
  readonly outgoing: OutgoingTransfers;
  /** The number of transfers that the peer's window and the socket allow now. */
  readonly room: number;
  /** Calls `onRoom` of the link once, when there is more room. */
  waitForRoom(link: ReceiverLink): void;
  sendDelivery(link: ReceiverLink, delivery: OutgoingDelivery): void;
  forgetUnsent(link: ReceiverLink): void;
  /** Announces the outcome that a delivery will have; the delivery stays unsettled. */
  update(deliveryId: number, state: DeliveryState): void;
}

const NO_ACQUISITION: AmqpError = {
  condition: 'amqp:not-implemented',
  description:
    "A flow has a 'txn-id': messages cannot be received in a transaction. Leave it out, and settle them in one.",
};

export class ReceiverLink {
  readonly role = 'receiver';
  readonly attachment: LinkAttachment;
  readonly transfers = new LinkTransfers();
  readonly #session: ReceiverSessionPort;
  #owner: ReceiverLinkOwner | undefined;
  #sentCount = 0;
  #limit = 0;
  #isDraining = false;
  #isGone = false;

  constructor(session: ReceiverSessionPort, attach: Attach, localHandle: number) {
    this.#session = session;
    this.attachment = new LinkAttachment(session, attach, localHandle);
  }

  get attach(): Attach {
    return this.attachment.attach;
  }

  /** The AMQP session of the link. */
  get amqpSession(): AmqpSessionPort {
    return this.#session;
  }

  /** The number of deliveries that the client has allowed since it attached. */
  get deliveryLimit(): number {
    return this.#limit;
  }

  /** The number of deliveries that may be sent now. */
  get credit(): number {
    return this.#limit - this.#sentCount;
  }

  get isDraining(): boolean {
    return this.#isDraining;
  }

  /** Whether a delivery would be written now. If not, `writable` is called once it would. */
  get canSend(): boolean {
    const canSend = this.#session.room > 0;
    if (!canSend) this.#session.waitForRoom(this);
    return canSend;
  }

  /** Credit used since the link was attached: by deliveries, and by drains. */
  get usedCredit(): number {
    return this.#sentCount;
  }

  /**
   * The number of deliveries since the attach that credit, window and socket allow now. Unless the credit is the tightest of these,
   * `writable` is called when there is more room.
   */
  get reachableLimit(): number {
    const { room } = this.#session;
    if (room < this.credit) this.#session.waitForRoom(this);
    return this.#sentCount + Math.min(room, this.credit);
  }

  /** Sets the owner that is called if the link goes before it is accepted or refused. */
  answerLater(owner: ReceiverLinkOwner): void {
    this.#owner = owner;
  }

  /** Answers the attach and sets the owner. False when the link has gone in the meantime. */
  accept(owner: ReceiverLinkOwner, reply: AttachReply = {}): boolean {
    if (!this.attachment.accept(reply)) return false;
    this.#owner = owner;
    if (this.#limit > 0 || this.#isDraining) owner.flowed();
    return true;
  }

  /** Counts the bytes that are held for the client. */
  get held(): HeldBytes {
    return this.#session.connection.held;
  }

  /** Whether the link has ended with its connection, without the peer's close. */
  get isLost(): boolean {
    return this.#session.connection.isLost;
  }

  /** Ends the connection because of an internal fault. */
  fault(cause: unknown): void {
    this.#session.connection.fault(cause);
  }

  refuse(error: AmqpError): void {
    this.attachment.refuse(error);
  }

  send(delivery: OutgoingDelivery): void {
    if (this.attachment.state !== 'attached') return;
    this.#sentCount += 1;
    this.#session.sendDelivery(this, delivery);
  }

  /** Settles a delivery with its outcome. */
  settle(deliveryId: number, state: DeliveryState): void {
    this.#session.settle('outgoing', deliveryId, state);
  }

  /** Announces the outcome that a delivery will have; the delivery stays unsettled. */
  update(deliveryId: number, state: DeliveryState): void {
    this.#session.update(deliveryId, state);
  }

  /** Uses up the remaining credit, because there is nothing to send, and tells the peer (AMQP 2.6.7). */
  drained(): void {
    if (this.attachment.state !== 'attached') return;
    this.#sentCount = Math.max(this.#sentCount, this.#limit);
    this.#limit = this.#sentCount;
    this.#isDraining = false;
    this.#writeFlow(true);
  }

  detach(error: AmqpError | undefined): void {
    this.attachment.detach(error);
    this.#session.forgetUnsent(this);
  }

  /** Whether the peer may still settle any delivery of this link. */
  get hasUnsettled(): boolean {
    return this.transfers.unsettled.size > 0;
  }

  /** Deliveries of this link that the peer may still settle. */
  get unsettledCount(): number {
    return this.transfers.unsettled.size;
  }

  /** Ignores the peer's dispositions of this link's deliveries from now on. */
  forgetDeliveries(): void {
    this.#session.outgoing.forget(this);
  }

  onFlow(flow: Flow): void {
    if (hasTransaction(flow)) {
      this.detach(NO_ACQUISITION);
      this.onGone();
      return;
    }
    this.attachment.used();
    const inFlight = Math.max(0, difference(this.#wireCount(), flow.deliveryCount ?? 0));
    this.#limit = this.#sentCount + Math.max(0, (flow.linkCredit ?? 0) - inFlight);
    this.#isDraining = flow.drain;
    if (this.attachment.state !== 'attached') return;
    if (flow.echo && !flow.drain) this.#writeFlow(false);
    this.#owner?.flowed();
  }

  /**
   * LNK-01, JMS-31: ignores a disposition that comes after the detach, unless it is settled with a state: that is how Qpid JMS releases the
   * messages that a closed consumer has prefetched.
   */
  onDisposition(disposition: ClientDisposition): void {
    const { state, isSettled } = disposition;
    if (!this.attachment.isOpen && (!isSettled || state === undefined)) return;
    this.attachment.used();
    this.#owner?.disposed(disposition);
  }

  onRoom(): void {
    this.#owner?.writable();
  }

  /** Tells the owner that a frame will end the link; earlier frames are still unhandled. */
  announceEnd(): void {
    this.#owner?.ending?.();
  }

  /** Ends the link: the peer has detached, or the session or connection is gone. */
  onGone(): void {
    this.attachment.gone();
    this.#session.forgetUnsent(this);
    this.#session.outgoing.leaveBehind(this);
    if (this.#isGone) return;
    this.#isGone = true;
    this.#owner?.detached();
  }

  #wireCount(): number {
    return this.#sentCount >>> 0;
  }

  /** Writes a flow after the deliveries that it counts: some of them may wait for the peer's window. */
  #writeFlow(drain: boolean): void {
    const flow = {
      handle: this.attachment.localHandle,
      deliveryCount: this.#wireCount(),
      linkCredit: Math.max(0, this.#limit - this.#sentCount),
      drain,
    };
    this.#session.outgoing.writeFlowInOrder(this, () => this.#session.writeLinkFlow(flow));
  }
}

/** Whether messages would be acquired in a transaction, and return to the queue when it is rolled back (AMQP 4.4.3). */
function hasTransaction({ properties }: Flow): boolean {
  return properties !== undefined && (entryOf(properties, 'txn-id')?.value ?? null) !== null;
}
