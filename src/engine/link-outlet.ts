// The way out of one link: deliveries, drain answers and the detach in turn order, though some contents must be read first.

import assert from 'node:assert';
import type { Delivery, Effect } from '../broker/effect.js';
import type { ContentStore } from './content-store.js';
import type { LinkSink } from './engine.js';
import { reportFault } from './fault.js';

/** The engine, as far as its outlets need it. */
export type OutletOwner = {
  readonly contents: ContentStore;
  /** Whether the delivery may still be written. */
  holdsLock(lockToken: string): boolean;
  /** Gives a delivery back that was never written. */
  release(entityPath: string, lockToken: string): void;
  fail(cause: unknown): void;
};

type Waiting = {
  readonly effect: Effect;
  /** Read from the journal. */
  content: Uint8Array | undefined;
  isLoading: boolean;
};

/** Contents of one link that are read from the journal at a time. */
const READ_AHEAD = 16;

export class LinkOutlet {
  readonly #owner: OutletOwner;
  readonly #sink: LinkSink;
  /** Of a receiver; known once it has asked to be attached. */
  #entityPath: string | undefined;
  /** The contents of waiting deliveries are pinned. */
  readonly #waiting: Waiting[] = [];
  #isClosed = false;
  #isPumping = false;

  constructor(owner: OutletOwner, sink: LinkSink) {
    this.#owner = owner;
    this.#sink = sink;
  }

  get isClosed(): boolean {
    return this.#isClosed;
  }

  receivesFrom(entityPath: string): void {
    this.#entityPath = entityPath;
  }

  perform(effect: Effect): void {
    if (this.#isClosed) {
      if (effect.kind === 'deliver') this.#giveBack(effect.delivery);
      return;
    }
    if (this.#waiting.length === 0 && this.#performNow(effect)) return;
    if (effect.kind === 'deliver') this.#owner.contents.pin(effect.delivery.contentId);
    this.#waiting.push({ effect, content: undefined, isLoading: false });
    this.resume();
  }

  /** Goes on with what waits; also called when the sink is ready again. */
  resume(): void {
    // A sink may ask for more, or close the link, while it is being told.
    if (this.#isPumping) return;
    this.#isPumping = true;
    try {
      let head = this.#waiting[0];
      while (head !== undefined && this.#performHead(head)) head = this.#waiting[0];
    } finally {
      this.#isPumping = false;
    }
  }

  /** What waits is not written any more; a receive-and-delete among it is lost, as the service says. */
  close(): void {
    this.#isClosed = true;
    for (const { effect } of this.#waiting.splice(0)) {
      if (effect.kind !== 'deliver') continue;
      this.#giveBack(effect.delivery);
      this.#owner.contents.unpin(effect.delivery.contentId);
    }
  }

  /** DLV-03: to its client the message was never there. */
  #giveBack({ lockToken }: Delivery): void {
    if (lockToken === undefined) return;
    assert(this.#entityPath !== undefined, 'a link without an entity was given a delivery');
    this.#owner.release(this.#entityPath, lockToken);
  }

  /** The usual case, in which nothing waits: false when something has to be waited for. */
  #performNow(effect: Effect): boolean {
    if (effect.kind !== 'deliver') {
      this.#say(effect);
      return true;
    }
    if (!this.#sink.isReady()) return false;
    const content = this.#owner.contents.get(effect.delivery.contentId);
    if (content === undefined) return false;
    this.#hand(effect.delivery, this.#isStillMeant(effect.delivery) ? content : undefined);
    return true;
  }

  /** False when it still has to wait. */
  #performHead({ effect, content }: Waiting): boolean {
    if (effect.kind !== 'deliver') {
      this.#waiting.shift();
      this.#say(effect);
      return true;
    }
    const { contents } = this.#owner;
    const { delivery } = effect;
    // What is left out needs no room, and must not hold up what is behind it.
    if (!this.#isStillMeant(delivery)) {
      this.#shiftDelivery(delivery);
      this.#hand(delivery, undefined);
      return true;
    }
    if (!this.#sink.isReady()) return false;
    const bytes = content ?? contents.get(delivery.contentId);
    if (bytes === undefined) {
      this.#readAhead();
      return false;
    }
    this.#shiftDelivery(delivery);
    this.#hand(delivery, bytes);
    return true;
  }

  /** Takes the head from the FIFO. */
  #shiftDelivery({ contentId }: Delivery): void {
    this.#waiting.shift();
    this.#owner.contents.unpin(contentId);
  }

  /** A message whose lock has ended may be with somebody else by now (RCV-05). */
  #isStillMeant({ lockToken }: Delivery): boolean {
    return lockToken === undefined || this.#owner.holdsLock(lockToken);
  }

  /** Without a content the delivery is left out. */
  #hand(delivery: Delivery, content: Uint8Array | undefined): void {
    try {
      if (content === undefined) this.#sink.dropped();
      else this.#sink.deliver(delivery, content);
    } catch (cause) {
      reportFault(this.#sink, cause);
    }
  }

  #say(effect: Exclude<Effect, { kind: 'deliver' }>): void {
    try {
      switch (effect.kind) {
        case 'session-accepted':
          this.#sink.sessionAccepted?.(effect.sessionId, effect.lockedUntil);
          break;
        case 'drained':
          this.#sink.drained(effect.deliveredCount);
          break;
        case 'detach':
          this.#sink.detached(effect.error);
      }
    } catch (cause) {
      reportFault(this.#sink, cause);
    }
  }

  #readAhead(): void {
    const { contents } = this.#owner;
    for (const waiting of this.#waiting.slice(0, READ_AHEAD)) {
      if (waiting.effect.kind !== 'deliver' || waiting.isLoading) continue;
      const { contentId } = waiting.effect.delivery;
      if (contents.get(contentId) === undefined) this.#load(waiting, contentId);
    }
  }

  #load(waiting: Waiting, contentId: number): void {
    waiting.isLoading = true;
    this.#owner.contents
      .read(contentId)
      .then((content) => {
        waiting.content = content;
        this.resume();
      })
      .catch((cause) => this.#owner.fail(cause));
  }
}
