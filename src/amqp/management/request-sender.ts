// A client's link that brings requests to a node: gives credit, reads each request and settles it.

import { DecodeError } from '../../codec/decode-error.js';
import { ACCEPTED, type DeliveryState } from '../../codec/delivery-state.js';
import type { AmqpError } from '../../codec/performatives.js';
import { compacted } from '../../codec/small-part.js';
import type { IncomingDelivery, SenderLink, SenderLinkOwner } from '../protocol/sender-link.js';
import { type Request, readRequest } from './request-message.js';

/** Maximum unanswered requests per link. */
export const CREDIT = 100;

type RequestSenderEvents = {
  /** Handles a request. `answered` must be called once the request is answered. */
  request(request: Request, answered: () => void): void;
  mayHaveCredit(): boolean;
  gone(): void;
};

type ReadResult =
  | { readonly kind: 'request'; readonly request: Request }
  | { readonly kind: 'refused'; readonly error: AmqpError };

export class RequestSender implements SenderLinkOwner {
  readonly #link: SenderLink;
  readonly #maxRequestBytes: number;
  readonly #events: RequestSenderEvents;
  #unanswered = 0;
  /** The bytes of unanswered requests; undefined once the link has gone. */
  #unansweredBytes: number | undefined = 0;

  constructor(link: SenderLink, maxRequestBytes: number, events: RequestSenderEvents) {
    this.#link = link;
    this.#maxRequestBytes = maxRequestBytes;
    this.#events = events;
  }

  delivered(delivery: IncomingDelivery): void {
    const { deliveryId, isSettled } = delivery;
    const read = this.#read(delivery);
    if (!isSettled) {
      const isRead = read.kind === 'request';
      this.#link.settle(
        deliveryId,
        isRead ? outcomeOfRequest(read.request) : { kind: 'rejected', error: read.error },
      );
    }
    if (read.kind === 'request') this.#forward(read.request, delivery.payload.length);
    this.topUp();
  }

  detached(): void {
    this.#count(-(this.#unansweredBytes ?? 0));
    this.#unansweredBytes = undefined;
    this.#events.gone();
  }

  topUp(): void {
    const outstanding = this.#link.credit + this.#unanswered;
    if (outstanding < CREDIT / 2 && this.#events.mayHaveCredit())
      this.#link.setCredit(CREDIT - this.#unanswered);
  }

  #forward(request: Request, bytes: number): void {
    this.#unanswered += 1;
    this.#count(bytes);
    this.#events.request(request, () => {
      this.#unanswered -= 1;
      this.#count(-bytes);
      this.topUp();
    });
  }

  #count(bytes: number): void {
    if (this.#unansweredBytes === undefined) return;
    this.#unansweredBytes += bytes;
    this.#link.held.addSubmitted(bytes);
  }

  #read({ payload, isTooLarge, state }: IncomingDelivery): ReadResult {
    if (isTooLarge) {
      return refused(
        'amqp:link:message-size-exceeded',
        `The request is larger than the ${this.#maxRequestBytes} bytes that were announced on the link.`,
      );
    }
    if (state !== undefined && state.kind !== 'transactional') {
      return refused(
        'amqp:not-implemented',
        `The request has the state '${state.kind}'; only a transactional-state means something with a request.`,
      );
    }
    try {
      const request = readRequest(compacted(payload));
      if (state === undefined) return { kind: 'request', request };
      const { transactionId } = state;
      const membership = { transactionId, amqpSession: this.#link.amqpSession, heldBytes: payload.length };
      return { kind: 'request', request: { ...request, membership } };
    } catch (error) {
      if (!(error instanceof DecodeError)) throw error;
      return refused(error.condition, `The request cannot be read: ${error.message}.`);
    }
  }
}

/** The outcome of a readable request, whatever its answer. */
function outcomeOfRequest({ membership }: Request): DeliveryState {
  if (membership === undefined) return ACCEPTED;
  return { kind: 'transactional', transactionId: membership.transactionId, outcome: ACCEPTED };
}

function refused(condition: string, description: string): ReadResult {
  return { kind: 'refused', error: { condition, description } };
}
