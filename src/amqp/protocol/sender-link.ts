// A link on which the client sends: joins its transfers into deliveries and settles them (AMQP 2.6.14).

import type { DeliveryState } from '../../codec/delivery-state.js';
import type { AmqpError, Attach, Flow, Transfer } from '../../codec/performatives.js';
import { compacted } from '../../codec/small-part.js';
import type { HeldBytes } from './held-bytes.js';
import { type AttachReply, LinkAttachment } from './link-attachment.js';
import { PartialDelivery } from './partial-delivery.js';
import type { AmqpSessionPort } from './ports.js';
import { ProtocolError } from './protocol-error.js';
import { add } from './serial.js';

/** A complete incoming message. */
export type IncomingDelivery = {
  readonly deliveryId: number;
  readonly messageFormat: number;
  /** Whether the peer sent the delivery settled, and so expects no outcome. */
  readonly isSettled: boolean;
  readonly state: DeliveryState | undefined;
  /** Valid only during `delivered`: messages lie in the read that they came in, or in a block, and the memory of both is used again. */
  readonly payload: Buffer;
  /** Whether the message is above the link's max-message-size. The payload is then dropped. */
  readonly isTooLarge: boolean;
};

export interface SenderLinkOwner {
  /** Whether the owner keeps payloads of this format. They are then joined in memory of their own size. */
  keepsPayload?(messageFormat: number): boolean;
  delivered(delivery: IncomingDelivery): void;
  /** Called when the link is gone, for any reason. */
  detached(): void;
}

/** So many transfers are accepted beyond the credit, because clients may pipeline behind their attach. */
const CREDIT_TOLERANCE = 1000;
/** Bytes of such transfers that are held until the attach is answered. */
const WAITING_LIMIT_BYTES = 16 * 1024 * 1024;
const NOTHING = Buffer.alloc(0);

export class SenderLink {
  readonly role = 'sender';
  readonly attachment: LinkAttachment;
  readonly #session: AmqpSessionPort;
  #owner: SenderLinkOwner | undefined;
  /** Deliveries that arrived before the link had an owner and credit. */
  #waiting: IncomingDelivery[] = [];
  #waitingBytes = 0;
  #partial: PartialDelivery | undefined;
  #countedBytes = 0;
  #deliveryCount: number;
  #credit = 0;
  #maxMessageSize = Number.POSITIVE_INFINITY;

  constructor(session: AmqpSessionPort, attach: Attach, localHandle: number) {
    this.#session = session;
    this.attachment = new LinkAttachment(session, attach, localHandle);
    this.#deliveryCount = attach.initialDeliveryCount ?? 0;
  }

  get attach(): Attach {
    return this.attachment.attach;
  }

  /** The AMQP session of the link. */
  get amqpSession(): AmqpSessionPort {
    return this.#session;
  }

  /** Answers the attach and sets the owner. False when the link has gone in the meantime. */
  accept(owner: SenderLinkOwner, reply: AttachReply): boolean {
    if (!this.attachment.accept(reply)) return false;
    this.#owner = owner;
    if (reply.maxMessageSize !== undefined) this.#maxMessageSize = reply.maxMessageSize;
    return true;
  }

  /** Ends the connection because of an internal fault. */
  fault(cause: unknown): void {
    this.#session.connection.fault(cause);
  }

  /** Counts the bytes that are held for the client. */
  get held(): HeldBytes {
    return this.#session.connection.held;
  }

  refuse(error: AmqpError): void {
    this.attachment.refuse(error);
    this.#discard();
  }

  /** Lets the client send `credit` more messages from now on, and delivers what it has pipelined. */
  setCredit(credit: number): void {
    if (this.attachment.state !== 'attached') return;
    this.#credit = credit;
    this.#session.writeLinkFlow({
      handle: this.attachment.localHandle,
      deliveryCount: this.#deliveryCount,
      linkCredit: Math.max(0, credit),
      drain: false,
    });
    this.#deliverWaiting();
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

  onTransfer(transfer: Transfer, payload: readonly Buffer[]): void {
    if (!this.attachment.isOpen) return;
    this.attachment.used();
    const partial = this.#partial ?? this.#begin(transfer);
    const { deliveryId = partial.deliveryId, aborted, more } = transfer;
    if (deliveryId !== partial.deliveryId) {
      throw new ProtocolError(
        'session',
        'amqp:not-allowed',
        `delivery ${deliveryId} began before delivery ${partial.deliveryId} of its link was complete`,
      );
    }
    if (!partial.addState(transfer.state)) throw contradiction(partial);
    partial.isSettled ||= transfer.settled === true;
    if (!aborted) for (const piece of payload) partial.append(piece, this.#maxMessageSize);
    if (more && !aborted) this.#session.connection.keepAfterRead(partial);
    this.#setPartial(more && !aborted ? partial : undefined);
    this.#countHeld();
    if (aborted) this.#abort(partial);
    else if (!more) {
      try {
        this.#finish(partial);
      } finally {
        partial.drop();
      }
    }
  }

  onFlow(flow: Flow): void {
    this.attachment.used();
    if (flow.echo && this.attachment.state === 'attached') this.setCredit(this.#credit);
  }

  /** Ends the link: the peer has detached, or the session or connection is gone. */
  onGone(): void {
    this.attachment.gone();
    this.#discard();
    const owner = this.#owner;
    this.#owner = undefined;
    owner?.detached();
  }

  #begin(transfer: Transfer): PartialDelivery {
    if (transfer.deliveryId === undefined) {
      throw new ProtocolError(
        'session',
        'amqp:invalid-field',
        'the first transfer of a delivery has no delivery-id',
      );
    }
    this.#deliveryCount = add(this.#deliveryCount, 1);
    this.#credit -= 1;
    if (this.#credit < -CREDIT_TOLERANCE) throw overLimit();
    return new PartialDelivery(transfer.deliveryId, transfer, this.#session.connection.frameBlocks);
  }

  #setPartial(partial: PartialDelivery | undefined): void {
    if (partial === this.#partial) return; // the usual case: a message in one transfer
    this.#partial = partial;
    this.#session.connection.unfinished(this, partial);
  }

  #finish(partial: PartialDelivery): void {
    const { deliveryId, messageFormat, isSettled, state, isTooLarge } = partial;
    const payload = partial.payload(this.#owner?.keepsPayload?.(messageFormat));
    const delivery = { deliveryId, messageFormat, isSettled, state, isTooLarge, payload };
    if (this.attachment.state === 'attached' && this.#waiting.length === 0) {
      this.#owner?.delivered(delivery);
      return;
    }
    this.#waiting.push({ ...delivery, payload: compacted(payload) });
    this.#waitingBytes += payload.length;
    this.#countHeld();
    if (this.#waitingBytes > WAITING_LIMIT_BYTES) throw overLimit();
  }

  #deliverWaiting(): void {
    const waiting = this.#waiting;
    this.#waiting = [];
    this.#waitingBytes = 0;
    this.#countHeld();
    for (const delivery of waiting) {
      // The delivery arrived before the limit on message sizes was known.
      const isTooLarge = delivery.payload.length > this.#maxMessageSize;
      this.#owner?.delivered(isTooLarge ? { ...delivery, isTooLarge, payload: NOTHING } : delivery);
    }
  }

  #discard(): void {
    this.#waiting = [];
    this.#waitingBytes = 0;
    this.#partial?.drop();
    this.#setPartial(undefined);
    this.#countHeld();
  }

  /** The owner never sees the delivery, which has used credit. */
  #abort(partial: PartialDelivery): void {
    partial.drop();
    this.#credit += 1;
    this.setCredit(this.#credit);
  }

  /** Updates the connection's count of bytes that cannot be delivered yet. */
  #countHeld(): void {
    const heldBytes = (this.#partial?.byteLength ?? 0) + this.#waitingBytes;
    if (heldBytes === this.#countedBytes) return;
    this.held.addPartial(heldBytes - this.#countedBytes);
    this.#countedBytes = heldBytes;
  }
}

/** The error for transfers of one delivery with different states: half a message cannot belong to a transaction. */
function contradiction({ deliveryId }: PartialDelivery): ProtocolError {
  return new ProtocolError(
    'link',
    'amqp:not-allowed',
    `the transfers of delivery ${deliveryId} have different states`,
  );
}

function overLimit(): ProtocolError {
  return new ProtocolError(
    'link',
    'amqp:link:transfer-limit-exceeded',
    'more was sent than there was credit for',
  );
}
