// The ports of the engine: clock, ids and journal, declared here by their consumer and implemented elsewhere.

import type { Event, StoredEvent } from '../broker/event.js';
import type { Instant } from '../broker/instant.js';

/** The broker clock. The engine holds one alarm on it at a time. */
export interface Clock {
  now(): Instant;
  /** Calls `ring` once at or after `at`, or earlier when the clock is put back; replaces an alarm set before. */
  setAlarm(at: Instant, ring: () => void): void;
  clearAlarm(): void;
}

/** Unique tokens and ids: 32 random hexadecimal digits each. */
export interface Guids {
  next(): string;
}

/**
 * The events that a batch may hold. After the broker's `content-released` the row is deleted in a later batch, by
 * `content-deleted`, once nothing reads it any more.
 */
export type JournalEvent =
  | Exclude<Event, { kind: 'content-released' }>
  | { readonly kind: 'content-deleted'; readonly contentId: number };

export type Recovered = {
  /** The last time the broker saw; 0 in an empty journal. */
  readonly lastTime: Instant;
};

/** The durable log. Batches are appended one after another, never two at once. */
export interface Journal {
  /** Restores what was stored, in chunks: queues before their messages. Call it once, before `append`. */
  recover(restore: (stored: readonly StoredEvent[]) => void): Promise<Recovered>;
  /** Resolves when the whole batch is durable; all of it is, or none. Later events win over earlier ones. */
  append(events: readonly JournalEvent[]): Promise<void>;
  /** The bytes of a stored content; rejects when there is no such row. */
  readContent(contentId: number): Promise<Uint8Array>;
  /**
   * The same, synchronously; throws when there is no such row. Only for turns, which cannot wait: when a scheduled message
   * of a topic comes due, rules are evaluated on what is on disk.
   */
  readContentNow(contentId: number): Uint8Array;
  /** Deletes the rows of contents for which `isNeeded` is false; resolves with their number. Call it once, after `recover`. */
  sweepContents(isNeeded: (contentId: number) => boolean): Promise<number>;
  close(): Promise<void>;
}
