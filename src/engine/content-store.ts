// Where the contents of messages are: in memory up to a budget, else in the journal; and when their rows may go.

import type { Journal } from './ports.js';

/** What a content costs in memory besides its own bytes: buffer, entry and slack, measured at 190 to 260 bytes. */
const OVERHEAD_BYTES = 256;
/** Evicting goes on below the budget: finding the oldest means walking over the places of those that are gone. */
const EVICT_TO = 7 / 8;

type ContentReader = Pick<Journal, 'readContent' | 'readContentNow'>;

export class ContentStore {
  readonly #journal: ContentReader;
  readonly #budgetBytes: number;
  /** In the order they were stored, so that those not yet durable come last. */
  readonly #inMemory = new Map<number, Uint8Array>();
  #bytes = 0;
  #notDurableCount = 0;
  /** How many still want to read a content. */
  readonly #pins = new Map<number, number>();
  /** Released while somebody wanted to read them. */
  readonly #releasedPinned = new Set<number>();
  #deletable: number[] = [];
  readonly #reading = new Set<Promise<unknown>>();

  constructor(journal: ContentReader, budgetBytes: number) {
    this.#journal = journal;
    this.#budgetBytes = budgetBytes;
  }

  /** A turn stored it; its row is yet to be written. */
  add(contentId: number, content: Uint8Array): void {
    this.#inMemory.set(contentId, content);
    this.#bytes += content.length + OVERHEAD_BYTES;
    this.#notDurableCount++;
  }

  /** The rows of the `count` contents added longest ago, among those not yet durable, are written. */
  becameDurable(count: number): void {
    this.#notDurableCount -= count;
    if (this.#bytes > this.#budgetBytes) this.#evict(this.#budgetBytes * EVICT_TO);
  }

  get(contentId: number): Uint8Array | undefined {
    return this.#inMemory.get(contentId);
  }

  /** From the journal. What is read is not kept: it is about to be delivered. */
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
   * From memory or from the journal, before the turn that wants it can go on: a scheduled message of a topic has come due,
   * perhaps days after it was sent, and the rules of now are evaluated on what is on disk (SCH-08). As with `read`, it is
   * not kept. What is not durable yet is in memory, so that nothing is asked for that the journal has not written.
   */
  readNow(contentId: number): Uint8Array {
    return this.get(contentId) ?? this.#journal.readContentNow(contentId);
  }

  /** Resolves when what is being read now has come or failed. */
  async idle(): Promise<void> {
    await Promise.allSettled(this.#reading);
  }

  /** Keeps the row until `unpin`, whatever happens to its messages. */
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
    if (this.#releasedPinned.delete(contentId)) this.#dismiss(contentId);
  }

  /** No message names it any more, and that is durable. */
  release(contentId: number): void {
    if (this.#pins.has(contentId)) this.#releasedPinned.add(contentId);
    else this.#dismiss(contentId);
  }

  /** The contents whose rows the next batch is to delete. */
  takeDeletable(): readonly number[] {
    const taken = this.#deletable;
    if (taken.length > 0) this.#deletable = [];
    return taken;
  }

  #evict(targetBytes: number): void {
    for (const contentId of this.#inMemory.keys()) {
      if (this.#bytes <= targetBytes || this.#inMemory.size <= this.#notDurableCount) return;
      this.#forget(contentId);
    }
  }

  #dismiss(contentId: number): void {
    this.#forget(contentId);
    this.#deletable.push(contentId);
  }

  #forget(contentId: number): void {
    const content = this.#inMemory.get(contentId);
    if (content === undefined) return;
    this.#inMemory.delete(contentId);
    this.#bytes -= content.length + OVERHEAD_BYTES;
  }
}
