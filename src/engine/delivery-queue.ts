// The queue of effects that wait to be written to one link: deliveries, drain answers and the detach, in turn order.

import assert from 'node:assert';
import type { Command } from '../broker/contract/command.js';
import { ContentUnreadable } from '../broker/contract/content-unreadable.js';
import type { ContentSource, Delivery, Effect } from '../broker/contract/effect.js';
import type { Instant } from '../broker/contract/instant.js';
import type { ServiceBusError } from '../broker/contract/service-bus-error.js';
import type { ContentStore } from './content-store.js';
import { Fifo } from './fifo.js';
import { reportFault } from './requester.js';

/** The far end of an attached link; its calls arrive in turn order, each after its batch is durable. */
export interface LinkSink {
  /** Whether a delivery would be written at once. If not, the link's queue stops until `resumeLink` is called. */
  isReady(): boolean;
  /** Writes a delivery. `content` is the sender's bytes; if they are less than half of their memory, they are valid only during this call. */
  deliver(delivery: Delivery, content: Uint8Array): void;
  /** A delivery was left out because its lock had ended before it could be written, or its content cannot be read. */
  dropped(): void;
  drained(deliveredCount: number): void;
  /** Counts bytes that were read for deliveries and are not delivered; negative when they are. */
  held?(bytes: number): void;
  /** The link's request to accept a session is granted: it holds this one. */
  sessionAccepted?(sessionId: string, lockedUntil: Instant): void;
  detached(error: ServiceBusError): void;
  /** Receives an exception that another of these methods has thrown, as `Requester.faulted` does. */
  faulted?(cause: unknown): void;
}

/** The functions of the engine that a queue uses. */
export type DeliveryQueueOwner = {
  readonly contents: ContentStore;
  /** Whether the delivery may still be written. */
  holdsLock(lockToken: string): boolean;
  submit(command: Command): void;
  fail(cause: unknown): void;
};

type Waiting = {
  readonly effect: Effect;
  /** The bytes, once they are read from the journal. */
  content: Uint8Array | undefined;
  /** The bytes that the sink counts for it. */
  heldBytes: number;
  isLoading: boolean;
  /** Whether its content was in memory or being read along with others when it waited behind another delivery. */
  isNear: boolean;
  isUnreadable: boolean;
};

/** A message of a result or a delivery, as far as its content is concerned. */
export type FoundContent = ContentSource & { readonly properties: { readonly sequenceNumber: number } };

/** Tells the broker that the content cannot be read. */
export function unreadableContent(
  { contentId, storeId, properties: { sequenceNumber }, removed }: FoundContent,
  { seen }: ContentUnreadable,
): Command {
  return { kind: 'content-unreadable', contentId, storeId, sequenceNumber, seen, removed };
}

/** How many waiting deliveries of one link have their contents read from the journal at a time. */
const READ_AHEAD = 16;
/** The most that is read ahead, beyond the first content. */
const READ_AHEAD_BYTES = 256 * 1024;
/** The most waiting effects of one link that are performed before other work has its turn. */
const MAX_AT_ONCE = 250;

export class DeliveryQueue {
  readonly #owner: DeliveryQueueOwner;
  readonly #sink: LinkSink;
  /** The entity that a receiver link receives from; set by its attach command. */
  #entityPath: string | undefined;
  /** The contents of waiting deliveries are pinned. */
  readonly #waiting = new Fifo<Waiting>();
  #isClosed = false;
  #isPumping = false;
  /** Whether it has stopped to let other work have its turn. */
  #isResting = false;

  constructor(owner: DeliveryQueueOwner, sink: LinkSink) {
    this.#owner = owner;
    this.#sink = sink;
  }

  get isClosed(): boolean {
    return this.#isClosed;
  }

  get waitingCount(): number {
    return this.#waiting.length;
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
    this.#waiting.push({
      effect,
      content: undefined,
      heldBytes: 0,
      isLoading: false,
      isNear: false,
      isUnreadable: false,
    });
    this.resume();
  }

  /** Writes what waits, as far as possible. The engine also calls it when the sink is ready again. */
  resume(): void {
    // The sink may grant credit or close the link within its own callback.
    if (this.#isPumping || this.#isResting) return;
    this.#isPumping = true;
    try {
      for (let count = 0; count < MAX_AT_ONCE; count++) {
        const { head } = this.#waiting;
        if (head === undefined || !this.#performHead(head)) return;
      }
    } finally {
      this.#isPumping = false;
    }
    this.#isResting = true;
    setImmediate(this.#goOn);
  }

  readonly #goOn = (): void => {
    this.#isResting = false;
    try {
      this.resume();
    } catch (cause) {
      this.#owner.fail(cause);
    }
  };

  /** Drops what waits. Deliveries in receive-and-delete mode are lost, as Azure documents. */
  close(): void {
    this.#isClosed = true;
    for (const waiting of this.#waiting.takeAll()) {
      const { effect } = waiting;
      if (effect.kind !== 'deliver') continue;
      this.#giveBack(effect.delivery);
      this.#forget(waiting, effect.delivery);
    }
  }

  /** Releases a delivery that the client has never seen (DLV-03). */
  #giveBack({ lockToken }: Delivery): void {
    if (lockToken === undefined) return;
    assert(this.#entityPath !== undefined, 'a link without an entity was given a delivery');
    const outcome = { kind: 'release' } as const;
    this.#owner.submit({ kind: 'settle', entityPath: this.#entityPath, lockToken, outcome });
  }

  /** Fast path for an empty queue; false when the effect has to wait. */
  #performNow(effect: Effect): boolean {
    if (effect.kind !== 'deliver') {
      this.#signal(effect);
      return true;
    }
    if (!this.#sink.isReady()) return false;
    const content = this.#owner.contents.get(effect.delivery.contentId);
    if (content === undefined) return false;
    this.#write(effect.delivery, this.#isStillLocked(effect.delivery) ? content : undefined);
    return true;
  }

  /** Performs the effect at the head; false when it has to wait. */
  #performHead(head: Waiting): boolean {
    const { effect, content, isUnreadable } = head;
    if (effect.kind !== 'deliver') {
      this.#waiting.shift();
      this.#signal(effect);
      return true;
    }
    const { contents } = this.#owner;
    const { delivery } = effect;
    // A dropped delivery needs no room in the sink, and must not hold up what is behind it.
    if (isUnreadable || !this.#isStillLocked(delivery)) {
      this.#waiting.shift();
      this.#forget(head, delivery);
      this.#write(delivery, undefined);
      return true;
    }
    if (!this.#sink.isReady()) return false;
    const bytes = content ?? contents.get(delivery.contentId);
    if (bytes === undefined) {
      this.#readAhead();
      return false;
    }
    this.#waiting.shift();
    try {
      this.#write(delivery, bytes);
    } finally {
      this.#forget(head, delivery); // last, because the memory of the content may then be used again
    }
    return true;
  }

  /** Unpins the content of a delivery that no longer waits. */
  #forget({ heldBytes }: Waiting, { contentId }: Delivery): void {
    if (heldBytes > 0) this.#sink.held?.(-heldBytes);
    this.#owner.contents.unpin(contentId);
  }

  /** A message whose lock has ended may be with another receiver by now (RCV-05). */
  #isStillLocked({ lockToken }: Delivery): boolean {
    return lockToken === undefined || this.#owner.holdsLock(lockToken);
  }

  /** Without a content the delivery is dropped. */
  #write(delivery: Delivery, content: Uint8Array | undefined): void {
    try {
      if (content === undefined) this.#sink.dropped();
      else this.#sink.deliver(delivery, content);
    } catch (cause) {
      reportFault(this.#sink, cause);
    }
  }

  #signal(effect: Exclude<Effect, { kind: 'deliver' }>): void {
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
    let aheadBytes = -READ_AHEAD_BYTES;
    for (const waiting of this.#waiting.first(READ_AHEAD)) {
      if (waiting.effect.kind !== 'deliver') continue;
      const { delivery } = waiting.effect;
      const isHead = waiting === this.#waiting.head;
      if (!isHead && !waiting.isLoading) waiting.isNear ||= contents.isNear(delivery.contentId);
      if (!waiting.isLoading && (isHead || !waiting.isNear)) this.#load(waiting, delivery);
      aheadBytes += waiting.heldBytes;
      if (aheadBytes >= 0) return;
    }
  }

  #load(waiting: Waiting, delivery: Delivery): void {
    waiting.isLoading = true;
    waiting.heldBytes = this.#owner.contents.bytesOf(delivery.contentId);
    this.#sink.held?.(waiting.heldBytes);
    this.#owner.contents
      .read(delivery.contentId)
      .then(
        (content) => {
          waiting.content = content;
        },
        (error) => {
          if (!(error instanceof ContentUnreadable)) throw error;
          waiting.isUnreadable = true;
          this.#owner.submit(unreadableContent(delivery, error)); // ends the lock on the message at once
        },
      )
      .then(() => this.resume())
      .catch((cause) => this.#owner.fail(cause));
  }
}
