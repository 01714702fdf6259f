// The ports of the engine: clock, ids and journal, declared here by their consumer and implemented elsewhere.

import type { Event, StoredEvent } from '../broker/event.js';
import type { Instant } from '../broker/instant.js';

/** The machine's clock. The engine holds one alarm on it at a time. */
export interface Clock {
  /** The time of day, which may be put forward and back. */
  now(): Instant;
  /** Whole milliseconds since some moment, at a steady pace. Need not count the time that the machine sleeps. */
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

/** The events that a batch may hold. A `content-released` of the broker becomes a `deleteContent`, once nothing reads the content. */
export type JournalEvent = Exclude<Event, { kind: 'content-released' }>;

export type Recovered = {
  /** The last time the broker saw, corrected; 0 in an empty journal. */
  readonly lastTime: Instant;
  /** How far it was ahead of the machine's clock, if that was too far; the times after that of the clock are corrected by it. */
  readonly aheadMs?: number;
  /** Above the ids of all contents, deleted ones included, that the journal still has anything of. */
  readonly nextContentId: number;
};

/** The durable log. Batches are appended one after another, never two at once. */
export interface Journal {
  /**
   * Restores what was stored, in chunks: queues before their messages. Afterwards only the contents are there that a stored message
   * or session state names. Call it once, before `append`. `clockTime` is the machine's time; without it, no time is taken for
   * one of a clock that was ahead.
   */
  recover(restore: (stored: readonly StoredEvent[]) => void, clockTime?: Instant): Promise<Recovered>;
  /** Resolves when the whole batch is durable; all of it is, or none. Later events win over earlier ones. */
  append(events: readonly JournalEvent[]): Promise<void>;
  /** Calls the listener when the journal cannot be written any more, although no append is under way that could say so. */
  onFailure?(listener: (cause: unknown) => void): void;
  /**
   * The bytes of a stored content. Rejects with ContentUnreadable when they are missing or damaged: the engine then goes on
   * without this content. Any other error of a delivery's content, or within a turn, fails the engine.
   */
  readContent(contentId: number): Promise<Uint8Array>;
  /** The size of a stored content; 0 if there is none. */
  contentBytes?(contentId: number): number;
  /** The bytes, if they have been read together with those of another content; undefined if `readContent` has to read them. */
  readContentLoaded?(contentId: number): Uint8Array | undefined;
  /**
   * The same as `readContent`, synchronously; throws instead. Only for turns, which cannot wait: when a scheduled message
   * of a topic comes due, rules are evaluated on what is on disk.
   */
  readContentNow(contentId: number): Uint8Array;
  /**
   * Why no new contents may be stored at present, such as a full disk; undefined when they may. Other batches are still taken: what is
   * received and settled makes room.
   */
  readonly refusal?: string | undefined;
  /** No durable message names the content any more, and nothing reads it. */
  deleteContent(contentId: number): void;
  close(): Promise<void>;
}
