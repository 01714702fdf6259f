// The log of a partitioned store: one log for each partition. The partitions take turns, so that none of them starves.

import type { MessageRecord } from '../contract/event.js';
import { type Instant, NEVER } from '../contract/instant.js';
import type { MessageState } from '../contract/message-properties.js';
import { MessageLog, type ShownMessages } from './message-log.js';
import { PARTITION_COUNT, partitionIdOf } from './partition.js';
import type { StoredMessage } from './stored-message.js';

/** The interface of every log of a store: plain, partitioned, with sessions, or for transfers. */
export type StoreLog = Pick<MessageLog, keyof MessageLog>;

export class PartitionedLog implements StoreLog {
  readonly #partitions: readonly MessageLog[] = Array.from(
    { length: PARTITION_COUNT },
    () => new MessageLog(),
  );
  /** The partition from which the next message is taken, if it has one. */
  #turn = 0;

  get count(): number {
    return this.#partitions.reduce((sum, { count }) => sum + count, 0);
  }

  get sizeBytes(): number {
    return this.#partitions.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
  }

  get unsharedBytes(): number {
    return this.#partitions.reduce((sum, { unsharedBytes }) => sum + unsharedBytes, 0);
  }

  get availableCount(): number {
    return this.#partitions.reduce((sum, { availableCount }) => sum + availableCount, 0);
  }

  get hasAvailable(): boolean {
    return this.#partitions.some((log) => log.hasAvailable);
  }

  get nextExpiry(): Instant {
    return this.#partitions.reduce((soonest, { nextExpiry }) => Math.min(soonest, nextExpiry), NEVER);
  }

  add(message: StoredMessage): void {
    this.#of(message)?.add(message);
  }

  restore(record: MessageRecord): void {
    this.#of(record)?.restore(record);
  }

  addPlain(record: MessageRecord, sequenceNumber: number): void {
    this.#of({ sequenceNumber })?.addPlain(record, sequenceNumber);
  }

  find(sequenceNumber: number): StoredMessage | undefined {
    return this.#partitions[partitionIdOf(sequenceNumber)]?.find(sequenceNumber);
  }

  /** Takes the lowest number of the partition whose turn it is, or of the next partition with an available message (PEEK-11). */
  takeFirst(): StoredMessage | undefined {
    return this.#takeInTurn(undefined);
  }

  takeFirstToForward(now: Instant): StoredMessage | undefined {
    return this.#takeInTurn(now);
  }

  /** With `forwardTime`, takes a message that may be forwarded at that time; otherwise any available one. */
  #takeInTurn(forwardTime: Instant | undefined): StoredMessage | undefined {
    for (let step = 0; step < PARTITION_COUNT; step++) {
      const partitionId = (this.#turn + step) % PARTITION_COUNT;
      const log = this.#partitions[partitionId];
      const message = forwardTime === undefined ? log?.takeFirst() : log?.takeFirstToForward(forwardTime);
      if (message === undefined) continue;
      this.#turn = (partitionId + 1) % PARTITION_COUNT;
      return message;
    }
    return undefined;
  }

  /** By number, so partition by partition. */
  firstAvailableFrom(sequenceNumber: number): StoredMessage | undefined {
    const logs = this.#partitions.slice(partitionIdOf(sequenceNumber));
    return firstOf(logs, (log) => log.firstAvailableFrom(sequenceNumber));
  }

  get end(): number {
    return Math.max(...this.#partitions.map(({ end }) => end));
  }

  firstBrowsableFrom(sequenceNumber: number): StoredMessage | undefined {
    const logs = this.#partitions.slice(partitionIdOf(sequenceNumber));
    return firstOf(logs, (log) => log.firstBrowsableFrom(sequenceNumber));
  }

  withdraw(message: StoredMessage): void {
    this.#of(message)?.withdraw(message);
  }

  giveBack(message: StoredMessage): void {
    this.#of(message)?.giveBack(message);
  }

  remove(message: StoredMessage): void {
    this.#of(message)?.remove(message);
  }

  setState(message: StoredMessage, state: MessageState): void {
    this.#of(message)?.setState(message, state);
  }

  *availableOrDeferred(): Generator<StoredMessage> {
    for (const log of this.#partitions) yield* log.availableOrDeferred();
  }

  takeExpired(now: Instant, maxChunks: number): readonly StoredMessage[] {
    return this.#partitions.flatMap((log) => (log.nextExpiry > now ? [] : log.takeExpired(now, maxChunks)));
  }

  *from(sequenceNumber: number): Generator<StoredMessage> {
    for (const log of this.#partitions.slice(partitionIdOf(sequenceNumber))) yield* log.from(sequenceNumber);
  }

  /** By number, so partition by partition. */
  *shown(shown: ShownMessages): Generator<StoredMessage> {
    const first = partitionIdOf(Math.min(shown.from, Number.MAX_SAFE_INTEGER));
    const logs = shown.isNewestFirst
      ? this.#partitions.slice(0, first + 1).reverse()
      : this.#partitions.slice(first);
    for (const log of logs) yield* log.shown(shown);
  }

  #of({ sequenceNumber }: Pick<MessageRecord, 'sequenceNumber'>): MessageLog | undefined {
    return this.#partitions[partitionIdOf(sequenceNumber)];
  }
}

/** Searches the logs in turn until one finds something. */
export function firstOf<T>(
  logs: readonly MessageLog[],
  find: (log: MessageLog) => T | undefined,
): T | undefined {
  for (const log of logs) {
    const found = find(log);
    if (found !== undefined) return found;
  }
  return undefined;
}
