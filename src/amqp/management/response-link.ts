// The receiver link on which a client receives the responses of a node. Holds them until they can be written.

import { ServiceBusError } from '../../broker/contract/service-bus-error.js';
import { type ErrorContext, failureOf } from '../error-condition.js';
import type { ClientDisposition } from '../protocol/outgoing-transfers.js';
import type { ReceiverLink, ReceiverLinkOwner } from '../protocol/receiver-link.js';
import { type Request, type Response, writeResponse } from './request-message.js';

/** Responses held for a client that gives no credit. Above the limit the oldest are dropped, as it does not read them. */
const MAX_WAITING = 1000;
const MAX_WAITING_BYTES = 4 * 1024 * 1024;
const SND_SETTLE_MODE_UNSETTLED = 0;

type ResponseLinkOptions = {
  readonly context: ErrorContext;
  /** Called when responses can be written again. */
  unblocked(): void;
  gone(link: ResponseLink): void;
};

export class ResponseLink implements ReceiverLinkOwner {
  readonly link: ReceiverLink;
  /** Addresses by which a request may name this link as its reply-to. */
  readonly names: readonly string[];
  readonly #options: ResponseLinkOptions;
  readonly #waiting: Buffer[] = [];
  #waitingBytes = 0;
  #tag = 0;

  constructor(link: ReceiverLink, names: readonly string[], options: ResponseLinkOptions) {
    this.link = link;
    this.names = names;
    this.#options = options;
  }

  /** Whether responses wait for room in the window or the socket. Waiting for credit does not count. */
  get isBlocked(): boolean {
    return this.#waiting.length > 0 && this.link.credit > 0;
  }

  /** Whether a response would be written at once, not behind others or the socket's output. If not, `unblocked` is called once it would. */
  get mayRespond(): boolean {
    return !this.isBlocked && this.link.canSend;
  }

  respond(request: Request, response: Response): void {
    const message = this.#limited(request, response);
    if (message === undefined) return;
    this.#waiting.push(message);
    this.#count(message.length);
    this.#pump();
    // A client that gives credit gets every response. The credit for requests limits their number.
    if (this.isBlocked) return;
    while (this.#waiting.length > 1 && this.#isTooMuchWaiting()) this.#shift();
  }

  flowed(): void {
    this.#pump();
    if (this.link.isDraining && this.#waiting.length === 0) this.link.drained();
    if (!this.isBlocked) this.#options.unblocked();
  }

  writable(): void {
    this.flowed();
  }

  disposed({ deliveryId, state, isSettled }: ClientDisposition): void {
    if (!isSettled && state !== undefined) this.link.settle(deliveryId, state);
  }

  detached(): void {
    this.#count(-this.#waitingBytes);
    this.#waiting.length = 0;
    this.#options.gone(this);
  }

  /** The response. If the client does not take one of this size, it is an error, although the operation was carried out (AMQP 2.7.3). */
  #limited(request: Request, response: Response): Buffer | undefined {
    const message = writeResponse(request, response);
    const { maxMessageSize = 0 } = this.link.attach;
    if (maxMessageSize === 0 || message.length <= maxMessageSize) return message;
    const error = new ServiceBusError(
      'message-size-exceeded',
      `The answer has ${message.length} bytes, and this link takes ${maxMessageSize}; ask for less.`,
      { property: 'answer', value: message.length, limit: maxMessageSize },
    );
    const failure = failureOf(error, this.#options.context);
    const refusal = writeResponse(request, failure);
    if (refusal.length <= maxMessageSize) return refusal;
    this.link.detach(failure);
    return undefined;
  }

  #isTooMuchWaiting(): boolean {
    return this.#waiting.length > MAX_WAITING || this.#waitingBytes > MAX_WAITING_BYTES;
  }

  #shift(): Buffer | undefined {
    const message = this.#waiting.shift();
    this.#count(-(message?.length ?? 0));
    return message;
  }

  #count(bytes: number): void {
    this.#waitingBytes += bytes;
    this.link.held.share.add(bytes);
  }

  #pump(): void {
    while (this.#waiting.length > 0 && this.link.credit > 0 && this.link.canSend) {
      const message = this.#shift();
      if (message === undefined) return;
      const tag = Buffer.alloc(4);
      tag.writeUInt32BE(this.#tag++ >>> 0);
      this.link.send({
        tag,
        payload: [message],
        isSettled: this.link.attach.sndSettleMode !== SND_SETTLE_MODE_UNSETTLED,
        context: '',
      });
    }
  }
}
