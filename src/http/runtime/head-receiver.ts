// Takes one message from the head of an entity: a receiver link that lives for one request, and waits as long as that may wait.

import type { ReceiveMode } from '../../broker/command.js';
import type { Delivery } from '../../broker/effect.js';
import type { Result } from '../../broker/result.js';
import type { ServiceBusError } from '../../broker/service-bus-error.js';
import type { After } from '../../engine/after.js';
import type { LinkSink, Requester } from '../../engine/engine.js';
import type { HttpEngine } from '../http-context.js';

export type HeadRequest = {
  readonly entityPath: string;
  readonly receiveMode: ReceiveMode;
  readonly waitMs: number;
  /** Ends the wait. */
  readonly after: After;
  /** Aborted when the client is gone. */
  readonly signal: AbortSignal;
};

export type Received = { readonly delivery: Delivery; readonly content: Uint8Array };

/** Undefined: none came in time, or the client has not waited for one. Rejects with a ServiceBusError. */
export function receiveHead(engine: HttpEngine, request: HeadRequest): Promise<Received | undefined> {
  return new Promise((resolve, reject) => {
    const receiver = new HeadReceiver(engine, { resolve, reject });
    receiver.start(request);
  });
}

type Answer = {
  readonly resolve: (received: Received | undefined) => void;
  readonly reject: (cause: unknown) => void;
};

class HeadReceiver implements LinkSink, Requester {
  readonly #engine: HttpEngine;
  readonly #answer: Answer;
  readonly #linkId: number;
  #deliveryLimit = 1;
  #isDraining = false;
  #stopWaiting = () => {};

  constructor(engine: HttpEngine, answer: Answer) {
    this.#engine = engine;
    this.#answer = answer;
    this.#linkId = engine.openLink(this);
  }

  start({ entityPath, receiveMode, waitMs, after, signal }: HeadRequest): void {
    if (signal.aborted) {
      this.#end();
      return;
    }
    const stopTimer = waitMs === 0 ? () => {} : after(waitMs, () => this.#drain());
    const gone = () => this.#end();
    signal.addEventListener('abort', gone);
    this.#stopWaiting = () => {
      stopTimer();
      signal.removeEventListener('abort', gone);
    };
    this.#isDraining = waitMs === 0;
    // The lock must outlive this call (LNK-01), which the client's own is to settle.
    const attach = { linkId: this.#linkId, entityPath, receiveMode, keepsLocks: true } as const;
    this.#engine.submit({ kind: 'attach-receiver', ...attach }, this, 0);
    this.#giveCredit();
  }

  completed(_tag: number, result: Result): void {
    if (result.kind === 'failed') this.#fail(result.error);
  }

  isReady(): boolean {
    return true;
  }

  deliver(delivery: Delivery, content: Uint8Array): void {
    this.#end({ delivery, content });
  }

  /** It counts as delivered all the same. */
  dropped(): void {
    this.#deliveryLimit += 1;
    this.#giveCredit();
  }

  /** CRD-02: whatever was to be delivered has been by now. */
  drained(deliveredCount: number): void {
    // Asked again since, for a dropped delivery: then the answer to that is the one.
    if (deliveredCount >= this.#deliveryLimit) this.#end();
  }

  detached(error: ServiceBusError): void {
    this.#fail(error);
  }

  faulted(cause: unknown): void {
    this.#fail(cause);
  }

  #drain(): void {
    this.#isDraining = true;
    this.#giveCredit();
  }

  #giveCredit(): void {
    const credit = { deliveryLimit: this.#deliveryLimit, drain: this.#isDraining };
    this.#engine.submit({ kind: 'set-credit', linkId: this.#linkId, ...credit }, this, 0);
  }

  /** Only the first answer counts, and the link goes with it. */
  #end(received?: Received): void {
    this.#close();
    this.#answer.resolve(received);
  }

  #fail(cause: unknown): void {
    this.#close();
    this.#answer.reject(cause);
  }

  #close(): void {
    this.#stopWaiting();
    this.#engine.closeLink(this.#linkId);
  }
}
