// Receives one message from an entity: a receiver link that lives for one HTTP request and its wait.

import type { ReceiveMode } from '../../broker/contract/command.js';
import type { Delivery } from '../../broker/contract/effect.js';
import type { Result } from '../../broker/contract/result.js';
import type { ServiceBusError } from '../../broker/contract/service-bus-error.js';
import type { ByteShare } from '../../budget/byte-budget.js';
import { compacted } from '../../codec/small-part.js';
import type { LinkSink } from '../../engine/delivery-queue.js';
import type { Requester } from '../../engine/requester.js';
import type { StartTimer } from '../../engine/timer.js';
import type { HttpEngine } from '../http-context.js';

type HeadRequest = {
  readonly entityPath: string;
  readonly receiveMode: ReceiveMode;
  readonly waitMs: number;
  readonly startTimer: StartTimer;
  readonly signal: AbortSignal;
  readonly share: ByteShare;
  /** The client, for people. Default: an HTTP client. */
  readonly client?: string;
};

/** The content is in memory twice: as it was stored, and in the answer. */
const COPIES = 2;

export type Received = { readonly delivery: Delivery; readonly content: Uint8Array };

/** Receives one message; undefined if none comes in time or the client disconnects. Rejects with a ServiceBusError. */
export function receiveHead(engine: HttpEngine, request: HeadRequest): Promise<Received | undefined> {
  return new Promise((resolve, reject) => {
    const receiver = new HeadReceiver(engine, { resolve, reject }, request.share);
    receiver.start(request);
  });
}

type Answer = {
  readonly resolve: (received: Received | undefined) => void;
  readonly reject: (cause: unknown) => void;
};

export class HeadReceiver implements LinkSink, Requester {
  readonly #engine: HttpEngine;
  readonly #answer: Answer;
  readonly #linkId: number;
  readonly #share: ByteShare;
  #isWaitingForRoom = false;
  #deliveryLimit = 1;
  #isDraining = false;
  #stopWaiting = () => {};

  constructor(engine: HttpEngine, answer: Answer, share: ByteShare) {
    this.#share = share;
    this.#engine = engine;
    this.#answer = answer;
    this.#linkId = engine.openLink(this);
  }

  start({
    entityPath,
    receiveMode,
    waitMs,
    startTimer,
    signal,
    client = 'an HTTP client',
  }: HeadRequest): void {
    if (signal.aborted) {
      this.#end();
      return;
    }
    const stopTimer = waitMs === 0 ? () => {} : startTimer(waitMs, () => this.#drain());
    const disconnected = () => this.#end();
    signal.addEventListener('abort', disconnected);
    this.#stopWaiting = () => {
      stopTimer();
      signal.removeEventListener('abort', disconnected);
    };
    this.#isDraining = waitMs === 0;
    // The lock must outlive this link (LNK-01), because the client settles the message with another request.
    const attach = { linkId: this.#linkId, entityPath, receiveMode, keepsLocks: true, client } as const;
    this.#engine.submit({ kind: 'attach-receiver', ...attach }, this, 0);
    this.#giveCredit();
  }

  completed(_tag: number, result: Result): void {
    if (result.kind === 'failed') this.#fail(result.error);
  }

  isReady(): boolean {
    if (this.#share.mayTake()) return true;
    if (!this.#isWaitingForRoom) this.#waitForRoom();
    return false;
  }

  #waitForRoom(): void {
    this.#isWaitingForRoom = true;
    this.#share.wait({
      lane: 'answers',
      goOn: () => {
        this.#isWaitingForRoom = false;
        this.#engine.resumeLink(this.#linkId);
      },
    });
  }

  held(bytes: number): void {
    this.#share.add(bytes);
  }

  deliver(delivery: Delivery, content: Uint8Array): void {
    this.#share.add(COPIES * content.length);
    this.#end({ delivery, content: compacted(content) });
  }

  /** A dropped delivery uses up credit, so one more is needed. */
  dropped(): void {
    this.#deliveryLimit += 1;
    this.#giveCredit();
  }

  /** CRD-02: no delivery follows this answer. */
  drained(deliveredCount: number): void {
    // After a dropped delivery, only the answer to the renewed credit counts.
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

  /** Answers and closes the link; later answers have no effect. */
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
