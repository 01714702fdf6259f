// The ports of the engine: clock, ids and journal, declared here by their consumer and implemented elsewhere.

import type { Event, StoredEvent } from '../broker/contract/event.js';
import type { Instant } from '../broker/contract/instant.js';

/** The machine's clock. The engine holds one alarm on it at a time. */
export interface Clock {
  /** The time of day, which may be put forward and back. */
  now(): Instant;
  /** Whole milliseconds since some moment, at a steady pace. The time in which the machine sleeps may be missing. */
  elapsed(): number;
  /**
   * Calls `ring` once when `at` has elapsed, or earlier: then the engine looks at the time of day and sets the alarm again. Replaces an
   * alarm that was set before.
   */
  setAlarm(at: number, ring: () => void): void;
  clearAlarm(): void;
}

/** Unique tokens and ids: 32 random hexadecimal digits each. */
export interface Guids {
  next(): string;
}

/** The events of a batch. The broker's `content-released` is not among them: it becomes a `deleteContent` once nothing reads the content. */
export type JournalEvent = Exclude<Event, { kind: 'content-released' }>;

export type Recovered = {
  /** The last time the broker saw, corrected; 0 in an empty journal. */
  readonly lastTime: Instant;
  /** How far it was ahead of the machine's clock, if that was too far. Stored times later than the clock are then corrected by it. */
  readonly aheadMs?: number;
  /** Larger than the id of any content, deleted or not, that has left a trace in the journal. */
  readonly nextContentId: number;
};

/** The durable log. Batches are appended one after another, never two at once. */
export interface Journal {
  /**
   * Restores what was stored, in chunks: queues before their messages. Contents that no stored message or session state names are deleted.
   * Call it once, before `append`. `clockTime` is the machine's time; without it, no stored time is corrected.
   */
  recover(restore: (stored: readonly StoredEvent[]) => void, clockTime?: Instant): Promise<Recovered>;
  /** Resolves when the whole batch is durable; all of it is, or none. Later events win over earlier ones. */
  append(events: readonly JournalEvent[]): Promise<void>;
  /** Calls the listener when the journal can no longer be written and no append is under way that could reject. */
  onFailure?(listener: (cause: unknown) => void): void;
  /**
   * The bytes of a stored content. Rejects with ContentUnreadable if they are missing or damaged, and the engine goes on without them.
   * Any other error, while a content is delivered or within a turn, fails the engine.
   */
  readContent(contentId: number): Promise<Uint8Array>;
  /** The size of a stored content; 0 if there is none. */
  contentBytes?(contentId: number): number;
  /** Whether nothing refers to the bytes of contents once `append` has resolved, so that their memory may be used again. */
  readonly forgetsContents?: boolean;
  /** Whether the bytes have been read along with another content, or are being read: `readContentLoaded` then probably has them soon. */
  isContentNear?(contentId: number): boolean;
  /**
   * The bytes, if they were read along with another content; undefined if `readContent` has to read them. They are less than half of their
   * memory, and valid until the next content is read.
   */
  readContentLoaded?(contentId: number): Uint8Array | undefined;
  /**
   * The same as `readContent`, synchronously; throws instead. Only for turns, which cannot wait: when a scheduled message
   * of a topic comes due, rules are evaluated on what is on disk.
   */
  readContentNow(contentId: number): Uint8Array;
  /**
   * Why no new contents can be stored now, such as a full disk; undefined if they can. Batches without contents are still taken, because
   * messages that are received and settled make room.
   */
  readonly refusal?: string | undefined;
  /** No durable message names the content any more, and nothing reads it. */
  deleteContent(contentId: number): void;
  close(): Promise<void>;
}
