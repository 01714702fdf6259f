// The message-ids a queue with duplicate detection has accepted within its window, oldest first (DUP-04, DUP-09).

import type { MessageIdRecord } from '../event.js';
import { type Instant, NEVER } from '../instant.js';

/** Old ids need not go at once, only before they are many. */
const FORGET_AFTER_MS = 1000;
/** Places of forgotten records that are kept in front of the others; a Map is no better: it walks over what is gone. */
const MAX_GONE = 1024;

export class MessageIds {
  readonly #byKey = new Map<string, MessageIdRecord>();
  /** In the order of acceptance, from `#first` on; some of them are replaced. */
  #inOrder: MessageIdRecord[] = [];
  #first = 0;

  /** Accepted within the window: a repetition is a duplicate. */
  find(duplicateKey: string, now: Instant, windowMs: number): MessageIdRecord | undefined {
    const record = this.#byKey.get(duplicateKey);
    return record !== undefined && isWithin(record, now, windowMs) ? record : undefined;
  }

  /** Answers the record of the same key that it replaces: its window had passed. */
  note(record: MessageIdRecord): MessageIdRecord | undefined {
    const replaced = this.#byKey.get(record.duplicateKey);
    this.#byKey.set(record.duplicateKey, record);
    this.#inOrder.push(record);
    return replaced;
  }

  /** When there will be something to forget; `NEVER` when there is nothing. */
  forgetAt(windowMs: number): Instant {
    const oldest = this.#inOrder[this.#first];
    return oldest === undefined ? NEVER : oldest.acceptedAt + windowMs + FORGET_AFTER_MS;
  }

  /** Forgets what is older than the window. */
  forget(now: Instant, windowMs: number): readonly MessageIdRecord[] {
    const forgotten: MessageIdRecord[] = [];
    for (let oldest = this.#inOrder[this.#first]; oldest !== undefined; oldest = this.#inOrder[this.#first]) {
      if (isWithin(oldest, now, windowMs)) break;
      this.#first += 1;
      if (this.#byKey.get(oldest.duplicateKey) !== oldest) continue; // replaced, and reported then
      this.#byKey.delete(oldest.duplicateKey);
      forgotten.push(oldest);
    }
    if (this.#first > MAX_GONE && this.#first > this.#inOrder.length / 2) {
      this.#inOrder = this.#inOrder.slice(this.#first);
      this.#first = 0;
    }
    return forgotten;
  }

  all(): Iterable<MessageIdRecord> {
    return this.#byKey.values();
  }

  /** Restored records come by number, which in a partitioned queue is not the order of acceptance. */
  sort(): void {
    this.#inOrder = [...this.#byKey.values()].sort((a, b) => a.acceptedAt - b.acceptedAt);
    this.#first = 0;
  }
}

function isWithin({ acceptedAt }: MessageIdRecord, now: Instant, windowMs: number): boolean {
  return acceptedAt + windowMs > now;
}
