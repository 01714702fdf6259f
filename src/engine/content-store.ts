// The contents of messages: in memory up to a budget, otherwise in the journal; decides when the journal may delete them.

import { isSmallPart } from '../codec/small-part.js';
import { ContentSlabs } from './content-slabs.js';
import type { Journal } from './ports.js';

/** Memory of a content in addition to its bytes: buffer, entry and slack, measured at 190 to 260 bytes. */
const OVERHEAD_BYTES = 256;
/** Eviction goes below the budget, so that it is rare: to find its oldest entry, a map steps over the slots of all deleted ones. */
const EVICT_TO = 7 / 8;

type Contents = Pick<
  Journal,
  | 'contentBytes'
  | 'forgetsContents'
  | 'isContentNear'
  | 'readContent'
  | 'readContentLoaded'
  | 'readContentNow'
  | 'deleteContent'
>;

export class ContentStore {
  readonly #journal: Contents;
  readonly #budgetBytes: number;
  /** Contents in memory, oldest first, so that those not yet durable come last. */
  readonly #inMemory = new Map<number, Uint8Array>();
  /** Undefined if the journal keeps the bytes that it was given, as one in memory does. */
  readonly #slabs: ContentSlabs | undefined;
  /** The bytes of all contents outside slabs, and of all entries. */
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
    if (journal.forgetsContents === true) this.#slabs = new ContentSlabs(budgetBytes);
  }

  /**
   * Adds a content whose row is not written yet. Returns the bytes as they stay until it is durable: a copy, if those given are valid only
   * during this call.
   */
  add(contentId: number, content: Uint8Array): Uint8Array {
    const kept = isSmallPart(content) ? (this.#slabs?.copy(content) ?? new Uint8Array(content)) : content;
    this.#inMemory.set(contentId, kept);
    this.#bytes += this.#bytesOutsideSlabs(kept);
    this.#notDurableCount++;
    return kept;
  }

  /** Marks as durable the `count` oldest contents of those that were not. */
  becameDurable(count: number): void {
    this.#notDurableCount -= count;
    const isOver = this.#usedBytes > this.#budgetBytes;
    if (isOver || this.#slabs?.isCrowded === true) {
      this.#evict(isOver ? this.#budgetBytes * EVICT_TO : this.#budgetBytes);
    }
    while (this.memoryBytes > this.#budgetBytes && this.#slabs?.drop()) {}
  }

  /** The memory of all contents, with slabs that are free. Once contents are durable, it is within the budget. */
  get memoryBytes(): number {
    return this.#bytes + (this.#slabs?.byteLength ?? 0);
  }

  /** Whether the bytes are in memory, or are being read along with others. */
  isNear(contentId: number): boolean {
    return this.#inMemory.has(contentId) || this.#journal.isContentNear?.(contentId) === true;
  }

  /** The bytes, if they are in memory or were read along with others. If they are less than half of their memory, they are valid only at once. */
  get(contentId: number): Uint8Array | undefined {
    return this.#inMemory.get(contentId) ?? this.#journal.readContentLoaded?.(contentId);
  }

  /** The bytes, if they are in memory, for a caller that keeps them. */
  inMemory(contentId: number): Uint8Array | undefined {
    const content = this.#inMemory.get(contentId);
    return content !== undefined && isSmallPart(content) ? new Uint8Array(content) : content;
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
      if (this.#inMemory.size <= this.#notDurableCount) return;
      if (this.#usedBytes <= targetBytes && this.#slabs?.isCrowded !== true) return;
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
    this.#bytes -= this.#bytesOutsideSlabs(content);
    this.#slabs?.release(content);
  }

  get #usedBytes(): number {
    return this.#bytes + (this.#slabs?.bytesInUse ?? 0);
  }

  #bytesOutsideSlabs(content: Uint8Array): number {
    return OVERHEAD_BYTES + (this.#slabs?.has(content) === true ? 0 : content.length);
  }
}
