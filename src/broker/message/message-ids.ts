// The message-ids a queue with duplicate detection has accepted within its window, oldest first (DUP-04, DUP-09).

import type { MessageIdRecord } from '../event.js';
import { type Instant, NEVER } from '../instant.js';

/** Old ids need not go at once, only before they are many. */
const FORGET_AFTER_MS = 1000;

export class MessageIds {
  /** By duplicate key, in the order of acceptance. */
  readonly #records = new Map<string, MessageIdRecord>();

  get count(): number {
    return this.#records.size;
  }

  /** Accepted within the window: a repetition is a duplicate. */
  find(duplicateKey: string, now: Instant, windowMs: number): MessageIdRecord | undefined {
    const record = this.#records.get(duplicateKey);
    return record !== undefined && isWithin(record, now, windowMs) ? record : undefined;
  }

  /** Answers the record of the same key that it replaces: its window had passed. */
  note(record: MessageIdRecord): MessageIdRecord | undefined {
    const replaced = this.#records.get(record.duplicateKey);
    this.#records.delete(record.duplicateKey); // its place is now at the end
    this.#records.set(record.duplicateKey, record);
    return replaced;
  }

  /** When there will be something to forget; `NEVER` when there is nothing. */
  forgetAt(windowMs: number): Instant {
    const [oldest] = this.#records.values();
    return oldest === undefined ? NEVER : oldest.acceptedAt + windowMs + FORGET_AFTER_MS;
  }

  /** Forgets what is older than the window. */
  forget(now: Instant, windowMs: number): readonly MessageIdRecord[] {
    const forgotten: MessageIdRecord[] = [];
    for (const record of this.#records.values()) {
      if (isWithin(record, now, windowMs)) break;
      forgotten.push(record);
    }
    for (const { duplicateKey } of forgotten) this.#records.delete(duplicateKey);
    return forgotten;
  }

  all(): Iterable<MessageIdRecord> {
    return this.#records.values();
  }

  /** Restored records come by number, which in a partitioned queue is not the order of acceptance. */
  sort(): void {
    const inOrder = [...this.#records].sort(([, a], [, b]) => a.acceptedAt - b.acceptedAt);
    this.#records.clear();
    for (const [key, record] of inOrder) this.#records.set(key, record);
  }
}

function isWithin({ acceptedAt }: MessageIdRecord, now: Instant, windowMs: number): boolean {
  return acceptedAt + windowMs > now;
}
