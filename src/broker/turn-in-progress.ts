// What one turn has brought so far: events, effects, and the stores where messages and credit may now meet.

import type { Choices } from './choices.js';
import type { Effect } from './effect.js';
import type { MessageStore } from './entity/message-store.js';
import type { Queue } from './entity/queue.js';
import type { Event } from './event.js';
import type { Instant } from './instant.js';
import type { ContentReferences } from './message/content-references.js';
import type { StoredMessage } from './message/stored-message.js';

const FULL_EVENT_COUNT = 50_000;

export class TurnInProgress {
  readonly now: Instant;
  readonly choices: Choices;
  readonly events: Event[] = [];
  readonly effects: Effect[] = [];
  readonly #touched = new Set<MessageStore>();
  readonly #counters = new Map<Queue, Set<number>>();
  readonly #references: ContentReferences;
  /** Of this turn: outside nobody has heard of them yet. */
  readonly #contents = new Map<number, Uint8Array>();

  constructor(now: Instant, choices: Choices, references: ContentReferences) {
    this.now = now;
    this.choices = choices;
    this.#references = references;
  }

  /** Whether so much has come of it that what can wait comes in the next turn, a millisecond later. */
  get isFull(): boolean {
    return this.events.length >= FULL_EVENT_COUNT;
  }

  /** A message came into this store or became available in it, or a receiver or credit came or went. */
  touch(store: MessageStore): void {
    this.#touched.add(store);
  }

  /** The touched stores in the order they were touched; asked again, only those touched since. */
  takeTouched(): readonly MessageStore[] {
    if (this.#touched.size === 0) return [];
    const touched = [...this.#touched];
    this.#touched.clear();
    return touched;
  }

  /** To be written when the turn ends. */
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

  /** A message is put that names it. */
  contentNamed({ contentId, isShared }: StoredMessage): void {
    if (isShared) this.#references.add(contentId);
  }

  /** A message that named it is gone; with the last of them it is released. */
  contentLeft({ contentId, isShared }: StoredMessage): void {
    if (isShared && !this.#references.remove(contentId)) return;
    this.events.push({ kind: 'content-released', contentId });
  }

  queuePut(queue: Queue): void {
    this.events.push({ kind: 'queue-put', queue: queue.record() });
  }

  messagePut(store: MessageStore, message: StoredMessage): void {
    this.events.push({ kind: 'message-put', storeId: store.id, message: message.record() });
  }

  messageRemoved(store: MessageStore, message: StoredMessage): void {
    this.events.push({
      kind: 'message-removed',
      storeId: store.id,
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
