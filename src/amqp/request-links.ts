// The request and response links of one connection: takes requests on sender links, finds where each answer goes.

import { DecodeError } from '../codec/decode-error.js';
import { ACCEPTED } from '../codec/delivery-state.js';
import { decodeTerminus } from '../codec/terminus.js';
import type { ReceiverLink } from './protocol/receiver-link.js';
import type { IncomingDelivery, SenderLink, SenderLinkOwner } from './protocol/sender-link.js';
import { type Request, type Response, readRequest, writeResponse } from './request-message.js';
import { ResponseLink } from './response-link.js';

/** A node that answers requests, such as `$cbs`. */
export interface RequestNode {
  /** Its name within the connection; responses fall back to a link from the same node. */
  readonly name: string;
  answer(request: Request, respond: (response: Response) => void): void;
}

const CREDIT = 1000;
const MAX_REQUEST_BYTES = 1024 * 1024;

export class RequestLinks {
  readonly #responders = new Map<ResponseLink, RequestNode>();

  acceptSender(link: SenderLink, node: RequestNode): void {
    link.accept(new RequestSender(link, (request) => this.#answer(node, request)), {
      maxMessageSize: MAX_REQUEST_BYTES,
    });
    link.setCredit(CREDIT);
  }

  acceptReceiver(link: ReceiverLink, node: RequestNode): void {
    const names = [link.attach.name];
    for (const terminus of [decodeTerminus(link.attach.target), decodeTerminus(link.attach.source)]) {
      if (terminus?.address !== undefined) names.push(terminus.address);
    }
    const responder = new ResponseLink(link, names, (gone) => this.#responders.delete(gone));
    if (link.accept(responder)) this.#responders.set(responder, node);
  }

  #answer(node: RequestNode, request: Request): void {
    node.answer(request, (response) =>
      this.#responder(node, request)?.respond(writeResponse(request, response)),
    );
  }

  /** By reply-to, the newest link first; Python's and Go's name no link of theirs alone, so then by node. */
  #responder(node: RequestNode, request: Request): ResponseLink | undefined {
    const { replyTo } = request;
    const responders = [...this.#responders].reverse();
    const ofNode = responders.filter(([, each]) => each.name === node.name);
    const named = (candidates: typeof responders) =>
      replyTo === undefined ? undefined : candidates.find(([link]) => link.names.includes(replyTo));
    return (named(ofNode) ?? named(responders) ?? ofNode[0])?.[0];
  }
}

class RequestSender implements SenderLinkOwner {
  readonly #link: SenderLink;
  readonly #onRequest: (request: Request) => void;

  constructor(link: SenderLink, onRequest: (request: Request) => void) {
    this.#link = link;
    this.#onRequest = onRequest;
  }

  delivered(delivery: IncomingDelivery): void {
    try {
      if (delivery.isTooLarge) throw new DecodeError(`a request is larger than ${MAX_REQUEST_BYTES} bytes`);
      const request = readRequest(delivery.payload);
      if (!delivery.isSettled) this.#link.settle(delivery.deliveryId, ACCEPTED);
      this.#onRequest(request);
    } catch (error) {
      if (!(error instanceof DecodeError)) throw error;
      if (!delivery.isSettled) {
        this.#link.settle(delivery.deliveryId, {
          kind: 'rejected',
          error: { condition: error.condition, description: `The request cannot be read: ${error.message}.` },
        });
      }
    }
    if (this.#link.credit < CREDIT / 2) this.#link.setCredit(CREDIT);
  }

  detached(): void {}
}
