// The log of a transfer store: messages by destination. Each destination has its own retry delay (TXN-11).

import { assert } from '../contract/assert.js';
import type { MessageRecord } from '../contract/event.js';
import { type Instant, NEVER } from '../contract/instant.js';
import type { MessageState } from '../contract/message-properties.js';
import { MessageLog, type ShownMessages } from '../store/message-log.js';
import { firstOf, type StoreLog } from '../store/partitioned-log.js';
import type { MessageStore } from '../store/queue.js';
import { StoredMessage } from '../store/stored-message.js';

/** The delay after the first refusal. It doubles with each further one, up to the last. */
const FIRST_RETRY_MS = 1000;
const LAST_RETRY_MS = 30_000;

/** The log of a transfer store; undefined for any other store. */
export function transferLogOf({ log }: MessageStore): TransferLog | undefined {
  return log instanceof TransferLog ? log : undefined;
}

/** The messages that wait for one destination. */
export class WaitingTransfers {
  readonly destination: string;
  readonly log = new MessageLog();
  /** The destination is not tried before this time. */
  retryAt: Instant = 0;
  #retryMs = FIRST_RETRY_MS;

  constructor(destination: string) {
    this.destination = destination;
  }

  retryLater(now: Instant): void {
    this.retryAt = now + this.#retryMs;
    this.#retryMs = Math.min(2 * this.#retryMs, LAST_RETRY_MS);
  }

  /** Called when the destination has accepted a message. */
  resetRetries(): void {
    this.#retryMs = FIRST_RETRY_MS;
  }
}

export class TransferLog implements StoreLog {
  readonly #byDestination = new Map<string, WaitingTransfers>();

  /** Whether messages wait for this queue or topic. Later ones then wait behind them, to keep their order. */
  isAwaiting(destination: string): boolean {
    return this.#byDestination.size > 0 && this.#byDestination.has(destination);
  }

  /** A snapshot: the log may change while the caller iterates. */
  all(): readonly WaitingTransfers[] {
    return [...this.#byDestination.values()];
  }

  get count(): number {
    let count = 0;
    for (const { log } of this.#byDestination.values()) count += log.count;
    return count;
  }

  get sizeBytes(): number {
    return this.#logs().reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
  }

  get unsharedBytes(): number {
    return this.#logs().reduce((sum, { unsharedBytes }) => sum + unsharedBytes, 0);
  }

  get availableCount(): number {
    return this.#logs().reduce((sum, { availableCount }) => sum + availableCount, 0);
  }

  get hasAvailable(): boolean {
    return this.#logs().some(({ hasAvailable }) => hasAvailable);
  }

  get nextExpiry(): Instant {
    let soonest = NEVER;
    for (const { log } of this.#byDestination.values()) soonest = Math.min(soonest, log.nextExpiry);
    return soonest;
  }

  add(message: StoredMessage): void {
    const destination = message.details?.destination;
    assert(destination !== undefined, 'a transfer has no destination');
    const waiting = this.#byDestination.get(destination) ?? new WaitingTransfers(destination);
    this.#byDestination.set(destination, waiting);
    waiting.log.add(message);
  }

  restore(record: MessageRecord): void {
    this.add(new StoredMessage(record));
  }

  addPlain(record: MessageRecord, sequenceNumber: number): void {
    this.add(new StoredMessage(record, sequenceNumber));
  }

  find(sequenceNumber: number): StoredMessage | undefined {
    return firstOf(this.#logs(), (log) => log.find(sequenceNumber));
  }

  takeFirst(): StoredMessage | undefined {
    return firstOf(this.#logs(), (log) => log.takeFirst());
  }

  takeFirstToForward(now: Instant): StoredMessage | undefined {
    return firstOf(this.#logs(), (log) => log.takeFirstToForward(now));
  }

  firstAvailableFrom(sequenceNumber: number): StoredMessage | undefined {
    return firstOf(this.#logs(), (log) => log.firstAvailableFrom(sequenceNumber));
  }

  get end(): number {
    return Math.max(0, ...this.#logs().map(({ end }) => end));
  }

  firstBrowsableFrom(sequenceNumber: number): StoredMessage | undefined {
    return firstOf(this.#logs(), (log) => log.firstBrowsableFrom(sequenceNumber));
  }

  withdraw(message: StoredMessage): void {
    this.#of(message).log.withdraw(message);
  }

  giveBack(message: StoredMessage): void {
    this.#of(message).log.giveBack(message);
  }

  /** Removing the last message for a destination resets its retry delay. */
  remove(message: StoredMessage): void {
    const { log, destination } = this.#of(message);
    log.remove(message);
    if (log.count === 0) this.#byDestination.delete(destination);
  }

  setState(message: StoredMessage, state: MessageState): void {
    this.#of(message).log.setState(message, state);
  }

  *availableOrDeferred(): Generator<StoredMessage> {
    for (const log of this.#logs()) yield* log.availableOrDeferred();
  }

  takeExpired(now: Instant, maxChunks: number): readonly StoredMessage[] {
    return this.#logs().flatMap((log) => (log.nextExpiry > now ? [] : log.takeExpired(now, maxChunks)));
  }

  *from(sequenceNumber: number): Generator<StoredMessage> {
    for (const log of this.#logs()) yield* log.from(sequenceNumber);
  }

  /** In the order of numbers, which takes one pass over all of them: transfers wait in the order of their destinations. */
  *shown(shown: ShownMessages): Generator<StoredMessage> {
    const found = this.#logs().flatMap((log) => [...log.shown(shown)]);
    const step = shown.isNewestFirst ? -1 : 1;
    yield* found.sort((a, b) => (a.sequenceNumber - b.sequenceNumber) * step);
  }

  #logs(): readonly MessageLog[] {
    return this.all().map(({ log }) => log);
  }

  #of({ details }: StoredMessage): WaitingTransfers {
    const waiting = this.#byDestination.get(details?.destination ?? '');
    assert(waiting !== undefined, 'a transfer is not in the log of its destination');
    return waiting;
  }
}
