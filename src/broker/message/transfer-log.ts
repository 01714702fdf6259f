// The log of a transfer store: messages by the queue or topic that they wait for, each of these with pauses of its own (TXN-11).

import { assert } from '../assert.js';
import { nameKey } from '../entity/entity-path.js';
import { type Instant, NEVER } from '../instant.js';
import { MessageLog } from './message-log.js';
import type { Log } from './partitioned-log.js';
import type { StoredMessage } from './stored-message.js';

/** After the first refusal; then twice as long each time. */
const FIRST_RETRY_MS = 1000;
const LAST_RETRY_MS = 30_000;

/** What waits for one destination. */
export class Waiting {
  readonly destination: string;
  readonly log = new MessageLog();
  /** It would not take the last one before. */
  retryAt: Instant = 0;
  #retryMs = FIRST_RETRY_MS;

  constructor(destination: string) {
    this.destination = destination;
  }

  retryLater(now: Instant): void {
    this.retryAt = now + this.#retryMs;
    this.#retryMs = Math.min(2 * this.#retryMs, LAST_RETRY_MS);
  }

  /** The destination has taken one. */
  forgetRetries(): void {
    this.#retryMs = FIRST_RETRY_MS;
  }
}

export class TransferLog implements Log {
  readonly #byDestination = new Map<string, Waiting>();

  /** Whether anything waits for this queue or topic, so that what is sent to it later waits behind. */
  isAwaiting(destination: string): boolean {
    return this.#byDestination.size > 0 && this.#byDestination.has(nameKey(destination));
  }

  /** What waits, by destination; it may change meanwhile. */
  all(): readonly Waiting[] {
    return [...this.#byDestination.values()];
  }

  get count(): number {
    let count = 0;
    for (const { log } of this.#byDestination.values()) count += log.count;
    return count;
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
    const { destination } = message;
    assert(destination !== undefined, 'a message without a destination was to be transferred');
    const key = nameKey(destination);
    const waiting = this.#byDestination.get(key) ?? new Waiting(destination);
    this.#byDestination.set(key, waiting);
    waiting.log.add(message);
  }

  find(sequenceNumber: number): StoredMessage | undefined {
    return firstOf(this.#logs(), (log) => log.find(sequenceNumber));
  }

  takeFirst(): StoredMessage | undefined {
    return firstOf(this.#logs(), (log) => log.takeFirst());
  }

  takeFirstToMove(now: Instant): StoredMessage | undefined {
    return firstOf(this.#logs(), (log) => log.takeFirstToMove(now));
  }

  firstAvailableFrom(sequenceNumber: number): StoredMessage | undefined {
    return firstOf(this.#logs(), (log) => log.firstAvailableFrom(sequenceNumber));
  }

  withdraw(message: StoredMessage): void {
    this.#of(message).log.withdraw(message);
  }

  giveBack(message: StoredMessage): void {
    this.#of(message).log.giveBack(message);
  }

  /** With the last one that waits for a destination its pauses are forgotten. */
  remove(message: StoredMessage): void {
    const { log, destination } = this.#of(message);
    log.remove(message);
    if (log.count === 0) this.#byDestination.delete(nameKey(destination));
  }

  takeExpired(now: Instant, maxChunks: number): readonly StoredMessage[] {
    return this.#logs().flatMap((log) => (log.nextExpiry > now ? [] : log.takeExpired(now, maxChunks)));
  }

  *from(sequenceNumber: number): Generator<StoredMessage> {
    for (const log of this.#logs()) yield* log.from(sequenceNumber);
  }

  #logs(): readonly MessageLog[] {
    return this.all().map(({ log }) => log);
  }

  #of({ destination = '' }: StoredMessage): Waiting {
    const waiting = this.#byDestination.get(nameKey(destination));
    assert(waiting !== undefined, 'a transfer is not where it waits');
    return waiting;
  }
}

function firstOf<T>(logs: readonly MessageLog[], find: (log: MessageLog) => T | undefined): T | undefined {
  for (const log of logs) {
    const found = find(log);
    if (found !== undefined) return found;
  }
  return undefined;
}
