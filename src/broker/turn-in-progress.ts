// The turn that is being executed: its events and effects so far, and the stores in which messages may now be deliverable.

import type { Activity } from './activity.js';
import type { BehaviourOptions } from './behaviour-options.js';
import type { Effect } from './effect.js';
import type { Event } from './event.js';
import type { Instant } from './instant.js';
import type { ContentReferences } from './queue/content-references.js';
import type { MessageReader } from './queue/message-reader.js';
import type { MessageStore, Queue } from './queue/queue.js';
import type { StoredMessage } from './queue/stored-message.js';

const FULL_EVENT_COUNT = 50_000;

export class TurnInProgress {
  readonly now: Instant;
  readonly behaviour: BehaviourOptions;
  readonly events: Event[] = [];
  readonly effects: Effect[] = [];
  /** Undefined while nobody listens, so that `activities?.push({ ... })` makes no record then. */
  readonly activities: Activity[] | undefined;
  /** Reads values of clients for the records. */
  readonly messageReader: MessageReader;
  readonly #touched = new Set<MessageStore>();
  readonly #counters = new Map<Queue, Set<number>>();
  readonly #references: ContentReferences;
  /** The contents stored in this turn, which the content reader does not have yet. */
  readonly #contents = new Map<number, Uint8Array>();

  constructor(
    now: Instant,
    behaviour: BehaviourOptions,
    references: ContentReferences,
    activities: Activity[] | undefined,
    messageReader: MessageReader,
  ) {
    this.now = now;
    this.behaviour = behaviour;
    this.#references = references;
    this.activities = activities;
    this.messageReader = messageReader;
  }

  /** Whether the turn has so many events that work that can wait moves to the next turn, a millisecond later. */
  get isFull(): boolean {
    return this.events.length >= FULL_EVENT_COUNT;
  }

  /** Marks a store in which a message was added or became available, or in which receivers or credit changed. */
  touch(store: MessageStore): void {
    this.#touched.add(store);
  }

  /** The stores touched since the last call, in the order of their first touch. */
  takeTouched(): readonly MessageStore[] {
    if (this.#touched.size === 0) return [];
    const touched = [...this.#touched];
    this.#touched.clear();
    return touched;
  }

  /** Marks a counter whose next number is written to the journal at the end of the turn. */
  numberTaken(queue: Queue, partitionId: number): void {
    const partitions = this.#counters.get(queue);
    if (partitions === undefined) this.#counters.set(queue, new Set([partitionId]));
    else partitions.add(partitionId);
  }

  /** The counters from which numbers were taken. */
  *takeCounters(): Generator<readonly [Queue, number]> {
    for (const [queue, partitionIds] of this.#counters) {
      for (const partitionId of partitionIds) yield [queue, partitionId];
    }
    this.#counters.clear();
  }

  contentStored(contentId: number, content: Uint8Array): void {
    this.events.push({ kind: 'content-stored', contentId, content });
    this.#contents.set(contentId, content);
  }

  /** A content that was stored in this turn. */
  storedContent(contentId: number): Uint8Array | undefined {
    return this.#contents.get(contentId);
  }

  /** Counts a stored message that refers to the content. */
  contentReferenced({ contentId, isShared }: StoredMessage): void {
    if (isShared) this.#references.add(contentId);
  }

  /** Counts out a removed message; the last one that referred to the content releases it. */
  contentUnreferenced({ contentId, isShared }: StoredMessage): void {
    if (isShared && !this.#references.remove(contentId)) return;
    this.events.push({ kind: 'content-released', contentId });
  }

  queuePut(queue: Queue): void {
    this.events.push({ kind: 'queue-put', queue: queue.record() });
  }

  messagePut(store: MessageStore, message: StoredMessage): void {
    this.events.push({ kind: 'message-put', storeId: store.rowsId, message: message.record() });
  }

  messageRemoved(store: MessageStore, message: StoredMessage): void {
    this.events.push({
      kind: 'message-removed',
      storeId: store.rowsId,
      sequenceNumber: message.sequenceNumber,
    });
  }

  sequencePut(queue: Queue, partitionId: number): void {
    this.events.push({
      kind: 'sequence-put',
      storeId: queue.main.id,
      partitionId,
      nextSequenceNumber: queue.sequenceNumbers.upcoming(partitionId),
    });
  }
}
