// A snapshot: all that a broker has stored at one moment, as the events that would restore it.

import type { StoredEvent } from './event.js';
import type { Instant } from './instant.js';

/** A class and no plain object, because the engine converts times only in plain objects: all times here stay the broker's. */
export class Snapshot {
  /** The broker's time when it was taken. */
  readonly takenAt: Instant;
  /** Entities, then their rules, counters, messages, message-ids and session states. Contents are named, and not here. */
  readonly stored: readonly StoredEvent[];

  constructor(takenAt: Instant, stored: readonly StoredEvent[]) {
    this.takenAt = takenAt;
    this.stored = stored;
  }
}

/** Messages, message-ids and session states. A restore of so many takes up to 2 s, in which the emulator does nothing else. */
export const MAX_SNAPSHOT_ROWS = 100_000;
/** All contents of a snapshot are in memory at once, a shared content once. */
export const MAX_SNAPSHOT_BYTES = 64 * 1024 * 1024;
