// What must fit together among the rows of a journal: stores and queues, message numbers and counters, messages and contents.

import type { StoredEvent } from '../broker/event.js';

/** Takes note of the rows in the order of their keys: queues and counters come before messages. */
export class Consistency {
  /** From the number of a store to the numbers of its queue's two stores. */
  readonly #stores = new Map<number, readonly [number, number]>();
  readonly #nextNumbers = new Map<number, number>();
  readonly #namedContents: number[] = [];
  #storeId = -1;
  #nextNumber = 0;

  /** Says what is wrong with a row beside those before it; undefined when it fits. */
  note(stored: StoredEvent): string | undefined {
    switch (stored.kind) {
      case 'queue-put': {
        const { storeId, deadLetterStoreId } = stored.queue;
        for (const id of [storeId, deadLetterStoreId]) this.#stores.set(id, [storeId, deadLetterStoreId]);
        return undefined;
      }
      case 'sequence-put':
        this.#nextNumbers.set(stored.storeId, stored.nextSequenceNumber);
        return this.#stores.has(stored.storeId) ? undefined : `store ${stored.storeId} belongs to no queue`;
      case 'message-put':
        return this.#noteMessage(stored.storeId, stored.message.sequenceNumber, stored.message.contentId);
    }
  }

  /** The contents that messages name, ascending. */
  namedContents(): ContentNames {
    return new ContentNames(Float64Array.from(this.#namedContents).sort());
  }

  #noteMessage(storeId: number, sequenceNumber: number, contentId: number): string | undefined {
    if (storeId !== this.#storeId) {
      const stores = this.#stores.get(storeId);
      if (stores === undefined) return `store ${storeId} belongs to no queue`;
      this.#storeId = storeId;
      this.#nextNumber = Math.max(...stores.map((id) => this.#nextNumbers.get(id) ?? 0));
    }
    if (sequenceNumber >= this.#nextNumber) {
      // SEQ-11: its number would be given to another message.
      return `message ${sequenceNumber} of store ${storeId} is not below its queue's counter, ${this.#nextNumber}`;
    }
    this.#namedContents.push(contentId);
    return undefined;
  }
}

/** Named contents, to be compared with the content rows in the order of their keys. */
export class ContentNames {
  /** Ascending; a content that several messages share is in it several times. */
  readonly #names: Float64Array;
  #index = 0;

  constructor(names: Float64Array) {
    this.#names = names;
  }

  /** The rows before this one are all seen: a content that is named and was not among them. */
  missingBefore(contentId: number): number | undefined {
    const name = this.#names[this.#index];
    return name !== undefined && name < contentId ? name : undefined;
  }

  /** Takes note of a row; answers whether a message names it. */
  pass(contentId: number): boolean {
    const start = this.#index;
    while (this.#names[this.#index] === contentId) this.#index++;
    return this.#index > start;
  }
}
