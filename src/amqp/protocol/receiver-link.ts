// A link on which the client receives: its credit, the deliveries made on it, and what the client says of them.

import type { DeliveryState } from '../../codec/delivery-state.js';
import type { AmqpError, Attach, Flow } from '../../codec/performatives.js';
import { entryOf } from '../../codec/read-value.js';
import { type AttachReply, LinkAttachment } from './link-attachment.js';
import { difference } from './serial.js';
import type { Session } from './session.js';

export interface ReceiverLinkOwner {
  /** `deliveryLimit` or `isDraining` may have changed. */
  flowed(): void;
  /** `canSend` was false when last asked, or `reachableLimit` held back by room, and there is room now. */
  writable(): void;
  /** The client's word on a delivery, also after `detached`; `context` is what was given along when it was sent. */
  disposed(word: ClientWord): void;
  /** The client's next words may return messages to their queue, and the link goes right behind them. */
  leaving?(): void;
  /** The link is gone, by whichever side or reason. */
  detached(): void;
}

export type ClientWord = {
  readonly deliveryId: number;
  readonly context: string;
  readonly state: DeliveryState | undefined;
  /** The client has forgotten the delivery and expects no answer. */
  readonly isSettled: boolean;
};

export type OutgoingDelivery = {
  readonly tag: Uint8Array;
  /** The encoded message, in pieces that are written one behind the other. */
  readonly payload: readonly Buffer[];
  readonly isSettled: boolean;
  /** Given back when the client settles; for unsettled deliveries only. */
  readonly context: string;
};

const NO_ACQUISITION: AmqpError = {
  condition: 'amqp:not-implemented',
  description:
    "A flow has a 'txn-id': messages cannot be received in a transaction. Leave it out, and settle them in one.",
};

export class ReceiverLink {
  readonly role = 'receiver';
  readonly attachment: LinkAttachment;
  readonly #session: Session;
  #owner: ReceiverLinkOwner | undefined;
  #sentCount = 0;
  #limit = 0;
  #isDraining = false;
  #isGone = false;

  constructor(session: Session, attach: Attach, localHandle: number) {
    this.#session = session;
    this.attachment = new LinkAttachment(session, attach, localHandle);
  }

  get attach(): Attach {
    return this.attachment.attach;
  }

  get session(): Session {
    return this.#session;
  }

  /** Deliveries the client has allowed since it attached. */
  get deliveryLimit(): number {
    return this.#limit;
  }

  /** Deliveries that may be sent now. */
  get credit(): number {
    return this.#limit - this.#sentCount;
  }

  get isDraining(): boolean {
    return this.#isDraining;
  }

  /** Whether a delivery would be written now; when not, `writable` tells of the change. */
  get canSend(): boolean {
    const canSend = this.#session.room > 0;
    if (!canSend) this.#session.waitForRoom(this);
    return canSend;
  }

  /** Credit used since the link was attached: deliveries sent, and what was given up in drains. */
  get usedCredit(): number {
    return this.#sentCount;
  }

  /**
   * The deliveries since the attach that credit, window and socket let through by now. Where it is not the credit that
   * is the least, `writable` tells when there is more room.
   */
  get reachableLimit(): number {
    const { room } = this.#session;
    if (room < this.credit) this.#session.waitForRoom(this);
    return this.#sentCount + Math.min(room, this.credit);
  }

  /** Names who hears of it should the link go before it is accepted or refused. */
  answerLater(owner: ReceiverLinkOwner): void {
    this.#owner = owner;
  }

  /** Names who hears of the link. False when it has gone while its answer was made up. */
  accept(owner: ReceiverLinkOwner, reply: AttachReply = {}): boolean {
    if (!this.attachment.accept(reply)) return false;
    this.#owner = owner;
    if (this.#limit > 0 || this.#isDraining) owner.flowed();
    return true;
  }

  refuse(error: AmqpError): void {
    this.attachment.refuse(error);
  }

  send(delivery: OutgoingDelivery): void {
    if (this.attachment.state !== 'attached') return;
    this.#sentCount += 1;
    this.#session.sendDelivery(this, delivery);
  }

  /** The outcome of an unsettled delivery, and the end of it. */
  settle(deliveryId: number, state: DeliveryState): void {
    this.#session.settle('outgoing', deliveryId, state);
  }

  /** The outcome that a delivery would have; it stays unsettled. */
  update(deliveryId: number, state: DeliveryState): void {
    this.#session.update(deliveryId, state);
  }

  /** Nothing is left to send for the credit that is left: uses it up and says so (AMQP 2.6.7). */
  drained(): void {
    if (this.attachment.state !== 'attached') return;
    this.#sentCount = Math.max(this.#sentCount, this.#limit);
    this.#limit = this.#sentCount;
    this.#isDraining = false;
    this.#writeFlow(true);
  }

  /** What the peer says of its deliveries before it has heard of this is still answered. */
  detach(error: AmqpError | undefined): void {
    this.attachment.detach(error);
    this.#session.forgetUnsent(this);
  }

  /** Whether the peer may still settle any of its deliveries. */
  get hasUnsettled(): boolean {
    return this.#session.outgoing.hasUnsettled(this);
  }

  /** Ignores what the peer says of its deliveries from now on. */
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

  onDisposition(word: ClientWord): void {
    this.attachment.used();
    this.#owner?.disposed(word);
  }

  onRoom(): void {
    this.#owner?.writable();
  }

  leaving(): void {
    this.#owner?.leaving?.();
  }

  /** The peer detached, or session or connection are gone. While the session lives the peer may settle what it has got. */
  onGone(): void {
    this.attachment.gone();
    this.#session.forgetUnsent(this);
    this.#session.outgoing.forgetLeftBehind();
    if (this.#isGone) return;
    this.#isGone = true;
    this.#owner?.detached();
  }

  #wireCount(): number {
    return this.#sentCount >>> 0;
  }

  /** Behind the deliveries it counts, should some of them wait for the peer's window. */
  #writeFlow(drain: boolean): void {
    const flow = {
      handle: this.attachment.localHandle,
      deliveryCount: this.#wireCount(),
      linkCredit: Math.max(0, this.#limit - this.#sentCount),
      drain,
    };
    this.#session.outgoing.whenSent(this, () => this.#session.writeLinkFlow(flow));
  }
}

/** Messages that are acquired in a transaction go back to the queue with it (AMQP 4.4.3). */
function hasTransaction({ properties }: Flow): boolean {
  return properties !== undefined && (entryOf(properties, 'txn-id')?.value ?? null) !== null;
}
