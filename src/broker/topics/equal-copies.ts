// Stores the copies of one message. Those that follow one another and differ in their numbers only are one event and share a record,
// because a message may have thousands of copies: with an event for each, a fan-out to 500 subscriptions takes half as long again.

import type { MessageRecord } from '../contract/event.js';
import type { MessageStore } from '../store/queue.js';
import { isPlain, StoredMessage } from '../store/stored-message.js';
import type { TurnInProgress } from '../turn/turn-in-progress.js';

/**
 * The fields in which copies of a message may differ, besides their numbers. Where `wasScheduled` differs, the details do: a dead copy
 * has its reason.
 */
export type Differing = Pick<MessageRecord, 'expiresAt' | 'sessionId' | 'wasScheduled' | 'details'>;

export class EqualCopies {
  readonly #turn: TurnInProgress;
  #record: MessageRecord | undefined;
  #isPlain = false;
  #places: number[] = [];

  constructor(turn: TurnInProgress) {
    this.#turn = turn;
  }

  /** Stores a copy that is equal to the one before; returns false, and does nothing, if it is not. `isAtRest`: of the store. */
  put(store: MessageStore, sequenceNumber: number, differing: Differing, isAtRest: boolean): boolean {
    const record = this.#record;
    if (record === undefined || !areEqual(record, differing)) return false;
    // In half the memory, and with half of the garbage collection.
    if (isAtRest && this.#isPlain) store.log.addPlain(record, sequenceNumber);
    else store.add(new StoredMessage(record, sequenceNumber));
    this.#places.push(store.rowsId, sequenceNumber);
    return true;
  }

  /** Stores a copy with which those that follow are compared. */
  begin(store: MessageStore, record: MessageRecord, isAtRest: boolean): void {
    this.#record = record;
    this.#isPlain = isPlain(record);
    this.#places = [];
    this.put(store, record.sequenceNumber, record, isAtRest);
    this.#turn.events.push({ kind: 'copies-put', message: record, places: this.#places });
  }
}

function areEqual(a: Differing, b: Differing): boolean {
  return a.expiresAt === b.expiresAt && a.sessionId === b.sessionId && a.details === b.details;
}
