// Duplicate detection: a message is a duplicate if one with the same message-id was accepted within the window (DUP-01). In a
// partitioned queue the partition key must be the same, too (DUP-02).

import type { QueueDescription } from '../contract/entities/queue-description.js';
import type { MessageIdRecord } from '../contract/event.js';
import { type Instant, NEVER } from '../contract/instant.js';
import type { NewMessage } from '../contract/message-properties.js';

/** Old ids are removed this much later, so that one turn removes many. */
const FORGET_AFTER_MS = 1000;
/** Slots of removed records that may stay at the front of the array. A Map is no better: its iterator skips deleted entries. */
const MAX_REMOVED_SLOTS = 1024;

/** The key that duplicates share; undefined for a message without duplicate detection (DUP-07). */
export function duplicateKeyOf(description: QueueDescription, message: NewMessage): string | undefined {
  const { messageId } = message;
  if (!description.requiresDuplicateDetection || messageId === undefined) return undefined;
  if (!description.enablePartitioning) return messageId; // DUP-02
  const partitionKey = message.sessionId ?? message.partitionKey ?? '';
  return `${partitionKey.length} ${partitionKey}${messageId}`;
}

/** The message-ids that a queue has accepted within its window, oldest first (DUP-04, DUP-09). */
export class MessageIds {
  readonly #byKey = new Map<string, MessageIdRecord>();
  /** In the order of acceptance, from `#first` on. Some records have been replaced since. */
  #inOrder: MessageIdRecord[] = [];
  #first = 0;

  /** Finds the message with this key that was accepted within the window. */
  find(duplicateKey: string, now: Instant, windowMs: number): MessageIdRecord | undefined {
    const record = this.#byKey.get(duplicateKey);
    return record !== undefined && isWithin(record, now, windowMs) ? record : undefined;
  }

  /** Adds a record. Returns the record of the same key that it replaces, whose window has passed. */
  note(record: MessageIdRecord): MessageIdRecord | undefined {
    const replaced = this.#byKey.get(record.duplicateKey);
    this.#byKey.set(record.duplicateKey, record);
    this.#inOrder.push(record);
    return replaced;
  }

  /** When the oldest record is to be removed; `NEVER` when there is none. */
  forgetAt(windowMs: number): Instant {
    const oldest = this.#inOrder[this.#first];
    return oldest === undefined ? NEVER : oldest.acceptedAt + windowMs + FORGET_AFTER_MS;
  }

  /** Removes and returns records that are older than the window, the oldest ones first. */
  forget(now: Instant, windowMs: number, maxCount: number): readonly MessageIdRecord[] {
    const forgotten: MessageIdRecord[] = [];
    for (let oldest = this.#inOrder[this.#first]; oldest !== undefined; oldest = this.#inOrder[this.#first]) {
      if (forgotten.length === maxCount || isWithin(oldest, now, windowMs)) break;
      this.#first += 1;
      if (this.#byKey.get(oldest.duplicateKey) !== oldest) continue; // replaced, and returned by `note`
      this.#byKey.delete(oldest.duplicateKey);
      forgotten.push(oldest);
    }
    const isHalfEmpty = this.#first > MAX_REMOVED_SLOTS && this.#first > this.#inOrder.length / 2;
    if (isHalfEmpty || this.#first === this.#inOrder.length) {
      this.#inOrder = this.#inOrder.slice(this.#first);
      this.#first = 0;
    }
    return forgotten;
  }

  get count(): number {
    return this.#byKey.size;
  }

  get isEmpty(): boolean {
    return this.count === 0;
  }

  /** All records, oldest first. */
  *all(): Iterable<MessageIdRecord> {
    for (let index = this.#first; index < this.#inOrder.length; index++) {
      const record = this.#inOrder[index];
      if (record !== undefined && this.#byKey.get(record.duplicateKey) === record) yield record;
    }
  }

  /** Restores the order of acceptance: recovery reads records by number, a different order in a partitioned queue. */
  sort(): void {
    if (this.#isInOrder()) return; // as in every other queue
    this.#inOrder = [...this.all()].sort((a, b) => a.acceptedAt - b.acceptedAt);
    this.#first = 0;
  }

  #isInOrder(): boolean {
    let last = 0;
    for (const { acceptedAt } of this.#inOrder) {
      if (acceptedAt < last) return false;
      last = acceptedAt;
    }
    return true;
  }
}

function isWithin({ acceptedAt }: MessageIdRecord, now: Instant, windowMs: number): boolean {
  return acceptedAt + windowMs > now;
}
