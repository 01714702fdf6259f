// A link on which the client sends: puts its transfers together into deliveries and tells their outcome (AMQP 2.6.14).

import { type DeliveryState, decodeState } from '../../codec/delivery-state.js';
import type { AmqpError, Attach, Flow, Transfer } from '../../codec/performatives.js';
import { type AttachReply, LinkAttachment } from './link-attachment.js';
import { ProtocolError } from './protocol-error.js';
import { add } from './serial.js';
import type { Session } from './session.js';

/** A whole message as it came in. */
export type IncomingDelivery = {
  readonly deliveryId: number;
  readonly messageFormat: number;
  /** The peer wants no outcome. */
  readonly isSettled: boolean;
  readonly state: DeliveryState | undefined;
  readonly payload: Buffer;
  /** More than the link's max-message-size; the payload was thrown away. */
  readonly isTooLarge: boolean;
};

export interface SenderLinkOwner {
  delivered(delivery: IncomingDelivery): void;
  /** The link is gone, by whichever side or reason. */
  detached(): void;
}

type Partial = {
  readonly deliveryId: number;
  readonly messageFormat: number;
  readonly state: DeliveryState | undefined;
  isSettled: boolean;
  chunks: Buffer[];
  byteLength: number;
  isTooLarge: boolean;
};

/** Transfers beyond the credit that are still taken: clients may pipeline behind their attach. */
const CREDIT_TOLERANCE = 1000;

export class SenderLink {
  readonly role = 'sender';
  readonly attachment: LinkAttachment;
  readonly #session: Session;
  #owner: SenderLinkOwner | undefined;
  #waiting: IncomingDelivery[] = [];
  #partial: Partial | undefined;
  #deliveryCount: number;
  #credit = 0;
  #maxMessageSize = Number.POSITIVE_INFINITY;

  constructor(session: Session, attach: Attach, localHandle: number) {
    this.#session = session;
    this.attachment = new LinkAttachment(session, attach, localHandle);
    this.#deliveryCount = attach.initialDeliveryCount ?? 0;
  }

  get attach(): Attach {
    return this.attachment.attach;
  }

  get session(): Session {
    return this.#session;
  }

  /** Bytes of a message whose last transfer has not come yet. */
  get partialBytes(): number {
    return this.#partial?.byteLength ?? 0;
  }

  /** Who takes the deliveries; those that came before are given at once. */
  accept(owner: SenderLinkOwner, reply: AttachReply): void {
    if (this.attachment.state !== 'attaching') return;
    this.#owner = owner;
    if (reply.maxMessageSize !== undefined) this.#maxMessageSize = reply.maxMessageSize;
    this.attachment.accept(reply);
  }

  refuse(error: AmqpError): void {
    this.attachment.refuse(error);
    this.#discard();
  }

  /** Lets the client send `credit` more messages from now on, and takes what it has pipelined. */
  setCredit(credit: number): void {
    this.#credit = credit;
    this.#session.writeLinkFlow({
      handle: this.attachment.localHandle,
      deliveryCount: this.#deliveryCount,
      linkCredit: Math.max(0, credit),
      drain: false,
    });
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const delivery of waiting) this.#owner?.delivered(delivery);
  }

  get credit(): number {
    return this.#credit;
  }

  settle(deliveryId: number, state: DeliveryState): void {
    if (this.attachment.state === 'attached') this.#session.settle('incoming', deliveryId, state);
  }

  detach(error: AmqpError | undefined): void {
    this.attachment.detach(error);
    this.#discard();
  }

  onTransfer(transfer: Transfer, payload: Buffer): void {
    if (this.attachment.state === 'detaching') return;
    const partial = this.#partial ?? this.#begin(transfer);
    this.#partial = undefined;
    this.#session.connection.partialBytes -= partial.byteLength;
    if (transfer.aborted) return;
    partial.isSettled ||= transfer.settled === true;
    this.#append(partial, payload);
    if (transfer.more) {
      this.#partial = partial;
      this.#session.connection.partialBytes += partial.byteLength;
    } else {
      this.#finish(partial);
    }
  }

  onFlow(flow: Flow): void {
    if (flow.echo && this.attachment.state === 'attached') this.setCredit(this.#credit);
  }

  /** The peer detached, or session or connection are gone. */
  onGone(): void {
    this.#discard();
    const owner = this.#owner;
    this.#owner = undefined;
    owner?.detached();
  }

  #begin(transfer: Transfer): Partial {
    if (transfer.deliveryId === undefined) {
      throw new ProtocolError(
        'session',
        'amqp:invalid-field',
        'the first transfer of a delivery has no delivery-id',
      );
    }
    this.#deliveryCount = add(this.#deliveryCount, 1);
    this.#credit -= 1;
    if (this.#credit < -CREDIT_TOLERANCE) {
      throw new ProtocolError(
        'link',
        'amqp:link:transfer-limit-exceeded',
        'more was sent than there was credit for',
      );
    }
    return {
      deliveryId: transfer.deliveryId,
      messageFormat: transfer.messageFormat ?? 0,
      state: decodeState(transfer.state),
      isSettled: transfer.settled === true,
      chunks: [],
      byteLength: 0,
      isTooLarge: false,
    };
  }

  #append(partial: Partial, payload: Buffer): void {
    if (partial.isTooLarge || partial.byteLength + payload.length > this.#maxMessageSize) {
      partial.isTooLarge = true;
      partial.chunks = [];
      partial.byteLength = 0;
      return;
    }
    partial.chunks.push(payload);
    partial.byteLength += payload.length;
  }

  #finish(partial: Partial): void {
    const { deliveryId, messageFormat, isSettled, state, isTooLarge } = partial;
    const payload =
      partial.chunks.length === 1 ? (partial.chunks[0] as Buffer) : Buffer.concat(partial.chunks);
    const delivery = { deliveryId, messageFormat, isSettled, state, isTooLarge, payload };
    if (this.attachment.state === 'attached' && this.#waiting.length === 0) this.#owner?.delivered(delivery);
    else this.#waiting.push(delivery);
  }

  #discard(): void {
    this.#waiting = [];
    this.#session.connection.partialBytes -= this.partialBytes;
    this.#partial = undefined;
  }
}
