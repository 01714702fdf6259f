// The receiver link on which a client hears the responses of a node; holds them while it has no credit.

import type { ClientWord, ReceiverLink, ReceiverLinkOwner } from './protocol/receiver-link.js';

/** Responses kept for a client that gives no credit; beyond, the oldest are dropped as nobody reads them. */
const MAX_WAITING = 1000;
const SND_SETTLE_MODE_UNSETTLED = 0;

export class ResponseLink implements ReceiverLinkOwner {
  readonly link: ReceiverLink;
  /** Addresses by which a request may name this link as its reply-to. */
  readonly names: readonly string[];
  readonly #onGone: (link: ResponseLink) => void;
  readonly #waiting: Buffer[] = [];
  #tag = 0;

  constructor(link: ReceiverLink, names: readonly string[], onGone: (link: ResponseLink) => void) {
    this.link = link;
    this.names = names;
    this.#onGone = onGone;
  }

  respond(message: Buffer): void {
    if (this.#waiting.length >= MAX_WAITING) this.#waiting.shift();
    this.#waiting.push(message);
    this.#pump();
  }

  flowed(): void {
    this.#pump();
    if (this.link.isDraining) this.link.drained();
  }

  writable(): void {
    this.#pump();
  }

  disposed({ deliveryId, state, isSettled }: ClientWord): void {
    if (!isSettled && state !== undefined) this.link.settle(deliveryId, state);
  }

  detached(): void {
    this.#onGone(this);
  }

  #pump(): void {
    while (this.#waiting.length > 0 && this.link.credit > 0 && this.link.canSend) {
      const message = this.#waiting.shift();
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
