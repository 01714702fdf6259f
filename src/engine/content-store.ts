// The contents of messages: in memory up to a budget, otherwise in the journal; decides when the journal may delete them.

import type { Journal } from './ports.js';

/** Memory of a content in addition to its bytes: buffer, entry and slack, measured at 190 to 260 bytes. */
const OVERHEAD_BYTES = 256;
/** Eviction goes below the budget, so that it is rare: to find its oldest entry, a map steps over the slots of all deleted ones. */
const EVICT_TO = 7 / 8;

type Contents = Pick<
  Journal,
  'contentBytes' | 'isContentNear' | 'readContent' | 'readContentLoaded' | 'readContentNow' | 'deleteContent'
>;

export class ContentStore {
  readonly #journal: Contents;
  readonly #budgetBytes: number;
  /** Contents in memory, oldest first, so that those not yet durable come last. */
  readonly #inMemory = new Map<number, Uint8Array>();
  #bytes = 0;
  #notDurableCount = 0;
  /** How many readers each content still has. */
  readonly #pins = new Map<number, number>();
  /** Contents that were released while they had readers. */
  readonly #releasedPinned = new Map<number, true>();
  readonly #reading = new Set<Promise<unknown>>();

  constructor(journal: Contents, budgetBytes: number) {
    this.#journal = journal;
    this.#budgetBytes = budgetBytes;
  }

  /** Adds a content whose row is not written yet. */
  add(contentId: number, content: Uint8Array): void {
    this.#inMemory.set(contentId, content);
    this.#bytes += content.length + OVERHEAD_BYTES;
    this.#notDurableCount++;
  }

  /** Marks as durable the `count` oldest contents of those that were not. */
  becameDurable(count: number): void {
    this.#notDurableCount -= count;
    if (this.#bytes > this.#budgetBytes) this.#evict(this.#budgetBytes * EVICT_TO);
  }

  /** Whether the bytes are in memory, or are being read along with others. */
  isNear(contentId: number): boolean {
    return this.#inMemory.has(contentId) || this.#journal.isContentNear?.(contentId) === true;
  }

  /** The bytes, if they are in memory or were read along with others; valid until the next content is read. */
  get(contentId: number): Uint8Array | undefined {
    return this.inMemory(contentId) ?? this.#journal.readContentLoaded?.(contentId);
  }

  /** The bytes, if they are in memory. */
  inMemory(contentId: number): Uint8Array | undefined {
    return this.#inMemory.get(contentId);
  }

  /** The size of a content; 0 if it is not known. */
  bytesOf(contentId: number): number {
    return this.#inMemory.get(contentId)?.length ?? this.#journal.contentBytes?.(contentId) ?? 0;
  }

  /** The bytes once `ready` has resolved; until then they are kept. */
  async readAfter(ready: Promise<void>, contentId: number): Promise<Uint8Array> {
    this.pin(contentId);
    try {
      await ready;
      return this.inMemory(contentId) ?? (await this.read(contentId));
    } finally {
      this.unpin(contentId);
    }
  }

  /** Reads a content from the journal. It does not stay in memory: it is delivered next. */
  async read(contentId: number): Promise<Uint8Array> {
    this.pin(contentId);
    const reading = this.#journal.readContent(contentId);
    this.#reading.add(reading);
    try {
      return await reading;
    } finally {
      this.#reading.delete(reading);
      this.unpin(contentId);
    }
  }

  /**
   * Reads a content at once, from memory or from the journal, while a turn waits: when a scheduled message of a topic comes due, perhaps
   * days after it was sent, the current rules are evaluated on its stored bytes (SCH-08). As with `read`, it does not stay in memory.
   * A content that is not durable yet is always in memory, so the journal is asked only for what it has written.
   */
  readNow(contentId: number): Uint8Array {
    return this.inMemory(contentId) ?? this.#journal.readContentNow(contentId);
  }

  /** Resolves when every read under way has ended. */
  async idle(): Promise<void> {
    await Promise.allSettled(this.#reading);
  }

  /** Keeps the content until `unpin`, even if its messages are removed. */
  pin(contentId: number): void {
    this.#pins.set(contentId, (this.#pins.get(contentId) ?? 0) + 1);
  }

  unpin(contentId: number): void {
    const left = (this.#pins.get(contentId) ?? 0) - 1;
    if (left > 0) {
      this.#pins.set(contentId, left);
      return;
    }
    this.#pins.delete(contentId);
    if (this.#releasedPinned.delete(contentId)) this.#discard(contentId);
  }

  /** Releases a content that no durable message names any more. */
  release(contentId: number): void {
    if (this.#pins.has(contentId)) this.#releasedPinned.set(contentId, true);
    else this.#discard(contentId);
  }

  #evict(targetBytes: number): void {
    for (const contentId of this.#inMemory.keys()) {
      if (this.#bytes <= targetBytes || this.#inMemory.size <= this.#notDurableCount) return;
      this.#forget(contentId);
    }
  }

  #discard(contentId: number): void {
    this.#forget(contentId);
    this.#journal.deleteContent(contentId);
  }

  #forget(contentId: number): void {
    const content = this.#inMemory.get(contentId);
    if (content === undefined) return;
    this.#inMemory.delete(contentId);
    this.#bytes -= content.length + OVERHEAD_BYTES;
  }
}
