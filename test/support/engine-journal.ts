// A journal by hand: the test decides when a batch is durable and when a content has been read, or that it fails.

import type { StoredEvent } from '../../src/broker/contract/event.js';
import type { Journal, JournalEvent, Recovered } from '../../src/engine/ports.js';

type Batch = { readonly events: readonly JournalEvent[]; readonly settle: Settle<void> };
type Settle<Value> = { resolve(value: Value): void; reject(cause: unknown): void };

export class JournalByHand implements Journal {
  /** Every batch, durable or not. */
  readonly batches: (readonly JournalEvent[])[] = [];
  /** Of durable batches only. */
  readonly contents = new Map<number, Uint8Array>();
  readonly reads: number[] = [];
  /** Contents that have been read with others. */
  readonly loaded = new Set<number>();
  /** Contents that are being read, or were, along with others. */
  readonly near = new Set<number>();
  /** Those within a turn. */
  readonly readsNow: number[] = [];
  /** Thrown by reads within a turn. */
  readNowFailure: Error | undefined;
  /** Contents in the order in which they were deleted. */
  readonly deleted: number[] = [];
  recovered: readonly StoredEvent[] = [];
  lastTime = 0;
  nextContentId = 1;
  isClosed = false;
  /** Whether batches are durable, or contents read, without a word of the test. */
  isWritingByItself = false;
  isReadingByItself = false;
  readonly #writing: Batch[] = [];
  readonly #reading = new Map<number, Settle<Uint8Array>[]>();

  /** How many batches wait to be durable. */
  get underWay(): number {
    return this.#writing.length;
  }

  get readsUnderWay(): number[] {
    return [...this.#reading.keys()];
  }

  async recover(restore: (stored: readonly StoredEvent[]) => void): Promise<Recovered> {
    restore(this.recovered);
    return { lastTime: this.lastTime, nextContentId: this.nextContentId };
  }

  append(events: readonly JournalEvent[]): Promise<void> {
    this.batches.push(events);
    return new Promise((resolve, reject) => {
      this.#writing.push({ events, settle: { resolve, reject } });
      if (this.isWritingByItself) this.#write();
    });
  }

  /** Called when the journal fails without an append. */
  failByItself: (cause: unknown) => void = () => {};

  onFailure(listener: (cause: unknown) => void): void {
    this.failByItself = listener;
  }

  /** The oldest batch under way is durable. */
  async makeDurable(): Promise<void> {
    this.#write();
    await settled();
  }

  async failToWrite(cause: Error): Promise<void> {
    this.#take().settle.reject(cause);
    await settled();
  }

  readContent(contentId: number): Promise<Uint8Array> {
    this.reads.push(contentId);
    return new Promise((resolve, reject) => {
      const waiting = this.#reading.get(contentId) ?? [];
      this.#reading.set(contentId, [...waiting, { resolve, reject }]);
      if (this.isReadingByItself) this.#read(contentId);
    });
  }

  isContentNear(contentId: number): boolean {
    return this.near.has(contentId);
  }

  readContentLoaded(contentId: number): Uint8Array | undefined {
    return this.loaded.has(contentId) ? this.contents.get(contentId) : undefined;
  }

  readContentNow(contentId: number): Uint8Array {
    this.readsNow.push(contentId);
    if (this.readNowFailure !== undefined) throw this.readNowFailure;
    const content = this.contents.get(contentId);
    if (content === undefined) throw new Error(`content ${contentId} has no row`);
    return content;
  }

  /** Those who read this content are given it. */
  async finishReading(contentId: number): Promise<void> {
    this.#read(contentId);
    await settled();
  }

  async failToRead(contentId: number, cause: Error): Promise<void> {
    for (const { reject } of this.#takeReaders(contentId)) reject(cause);
    await settled();
  }

  deleteContent(contentId: number): void {
    this.deleted.push(contentId);
    this.contents.delete(contentId);
  }

  async close(): Promise<void> {
    this.isClosed = true;
  }

  #write(): void {
    const { events, settle } = this.#take();
    for (const event of events) {
      if (event.kind === 'content-stored') this.contents.set(event.contentId, event.content);
    }
    settle.resolve();
  }

  #take(): Batch {
    const batch = this.#writing.shift();
    if (batch === undefined) throw new Error('no batch is under way');
    return batch;
  }

  #read(contentId: number): void {
    const content = this.contents.get(contentId);
    for (const { resolve, reject } of this.#takeReaders(contentId)) {
      if (content === undefined) reject(new Error(`content ${contentId} has no row`));
      else resolve(content);
    }
  }

  #takeReaders(contentId: number): readonly Settle<Uint8Array>[] {
    const readers = this.#reading.get(contentId);
    if (readers === undefined) throw new Error(`nobody reads content ${contentId}`);
    this.#reading.delete(contentId);
    return readers;
  }
}

/** Everything has happened that waits for nothing but its turn. */
export function settled(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
