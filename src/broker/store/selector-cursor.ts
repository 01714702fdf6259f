// How far a selector has looked through the messages of a store. It examines each message once, and again when it comes back (JMS-82).

import type { CompiledFilter } from '../rules/compile-filter.js';
import type { MessageLog } from './message-log.js';
import { MessagesBehind } from './messages-behind.js';
import type { StoredMessage } from './stored-message.js';

/** There may be a message further on: the turn has no time to look for it. */
export const LATER = 'later';

/** Whether the selector takes a message; undefined: the turn has no time to find out. */
export type Examine = (message: StoredMessage) => boolean | undefined;

export class SelectorCursor {
  /** Undefined for receivers without a selector, which take any message. */
  readonly filter: CompiledFilter | undefined;
  /** The attached receivers that have it. */
  receiverCount = 0;
  /** Messages from this number on have not been examined. */
  #cursor = 0;
  /** Available messages before the cursor that have not been examined since they became so. */
  readonly #behind = new MessagesBehind(({ isAvailable }) => isAvailable);
  /** The first available message that it takes, if that is known. */
  #candidate: StoredMessage | undefined;

  constructor(filter: CompiledFilter | undefined) {
    this.filter = filter;
  }

  /** Messages from this number on are found in the log, and need not be told. */
  get end(): number {
    return this.#cursor;
  }

  /** Must be called for each message of the store that becomes available before the end. `mostBehind`: how many it may remember. */
  becameAvailable(message: StoredMessage, mostBehind: number): void {
    if (message === this.#candidate) this.#candidate = undefined;
    if (message.sequenceNumber >= this.#cursor) return;
    this.#behind.add(message);
    if (this.#behind.count > mostBehind) this.#windBack();
  }

  /** Begins anew. */
  storeEmptied(): void {
    this.#cursor = 0;
    this.#behind.clear();
    this.#candidate = undefined;
  }

  /** Finds the available message with the lowest number that it takes. It stays available. */
  first(
    log: Pick<MessageLog, 'firstAvailableFrom'>,
    examine: Examine,
  ): StoredMessage | typeof LATER | undefined {
    let found = this.#candidate?.isAvailable === true ? this.#candidate : undefined;
    this.#candidate = found;
    for (let next = this.#behind.first; next !== undefined; next = this.#behind.first) {
      if (found !== undefined && next.sequenceNumber > found.sequenceNumber) break;
      if (next !== found) {
        const isTaken = examine(next);
        if (isTaken === undefined) return LATER;
        if (isTaken) {
          this.#behind.takeFirst();
          if (found !== undefined) this.#behind.add(found); // it is examined again when it comes first
          found = next;
          this.#candidate = found;
          continue;
        }
      }
      this.#behind.takeFirst();
    }
    while (found === undefined) {
      const next = log.firstAvailableFrom(this.#cursor);
      if (next === undefined) return undefined;
      const isTaken = examine(next);
      if (isTaken === undefined) return LATER;
      this.#cursor = next.sequenceNumber + 1;
      if (isTaken) found = next;
    }
    this.#candidate = found;
    return found;
  }

  /** The number from which on it has not looked yet. */
  get position(): number {
    const behind = this.#behind.first?.sequenceNumber ?? this.#cursor;
    return Math.min(behind, this.#cursor);
  }

  /** Goes back to the lowest number that it remembers: from there on it examines all messages again. */
  #windBack(): void {
    const lowest = this.#behind.first?.sequenceNumber ?? this.#cursor;
    this.#cursor = lowest;
    this.#behind.clear();
    if (this.#candidate !== undefined && this.#candidate.sequenceNumber >= lowest)
      this.#candidate = undefined;
  }
}
