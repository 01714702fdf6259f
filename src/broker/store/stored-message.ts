// A message in a store, without its content. There may be a million of them, so it has few fields: flags and small numbers
// share one, and rarely used fields are in a separate object.

import type { CopiedTo, MessageRecord, Schedule } from '../contract/event.js';
import { type Instant, NEVER } from '../contract/instant.js';
import {
  type BrokerProperties,
  bytesOfChanges,
  MESSAGE_STATE,
  type MessageState,
  mergeChanges,
  type PropertyChange,
  type SystemChanges,
} from '../contract/message-properties.js';

/** The layout of `#bits`: two flags, two bits for the state, two more flags, and the delivery count above them. */
const AVAILABLE = 1;
const LOCKED = 2;
const STATE_SHIFT = 2;
const STATE_MASK = 0b11 << STATE_SHIFT;
const SHARED = 16;
const WAS_SCHEDULED = 32;
const COUNT_SHIFT = 6;
const COUNT_UNIT = 1 << COUNT_SHIFT;

/** Fields that few messages have. */
export type RareFields = Pick<
  MessageRecord,
  | 'schedule'
  | 'generatedMessageId'
  | 'propertyChanges'
  | 'systemChanges'
  | 'hopCount'
  | 'deadLetterSource'
  | 'destination'
  | 'lastHolder'
  | 'copiedTo'
>;

const NONE: RareFields = {
  schedule: undefined,
  generatedMessageId: undefined,
  propertyChanges: undefined,
  systemChanges: undefined,
  hopCount: 0,
  deadLetterSource: undefined,
  destination: undefined,
  lastHolder: undefined,
  copiedTo: undefined,
};

/** The fields of a plain message, with which most begin and end. */
export const PLAIN = {
  ...NONE,
  deliveryCount: 0,
  state: 0,
  wasScheduled: false,
  sessionId: undefined,
} as const;

/** Whether the message has nothing but its numbers and times, and is available. It may be a copy from a topic. */
export function isPlain(record: MessageRecord): boolean {
  if (record.deliveryCount !== 0 || record.state !== MESSAGE_STATE.active) return false;
  return !record.wasScheduled && record.sessionId === undefined && rareFieldsOf(record) === null;
}

/** A message as far as entities count it. */
export type CountedMessage = Pick<MessageRecord, 'contentId' | 'sizeBytes' | 'isShared'>;

export class StoredMessage {
  readonly sequenceNumber: number;
  readonly enqueuedTime: Instant;
  readonly contentId: number;
  readonly sizeBytes: number;
  /** Defined only in a store that requires sessions. */
  readonly sessionId: string | undefined;
  /** Defined for a copy from a topic or a forwarded message. */
  readonly #enqueuedSequenceNumber: number | undefined;
  #bits = 0;
  /** Undefined instead of `NEVER`: a missing number takes no memory. */
  readonly #expiresAt: Instant | undefined;
  #rare: RareFields | undefined;

  /** The number and the rare fields are those of the record unless they are given, as for one of many equal copies. */
  constructor(
    record: MessageRecord,
    sequenceNumber = record.sequenceNumber,
    rare: RareFields | null = rareFieldsOf(record),
  ) {
    this.sequenceNumber = sequenceNumber;
    this.enqueuedTime = record.enqueuedTime;
    this.#expiresAt = record.expiresAt === NEVER ? undefined : record.expiresAt;
    this.contentId = record.contentId;
    this.sizeBytes = record.sizeBytes;
    this.#rare = rare ?? undefined;
    this.sessionId = record.sessionId;
    this.#enqueuedSequenceNumber = record.enqueuedSequenceNumber;
    this.state = record.state;
    this.deliveryCount = record.deliveryCount;
    if (record.isShared) this.#bits |= SHARED;
    if (record.wasScheduled) this.#bits |= WAS_SCHEDULED;
  }

  /** Undefined unless it is scheduled. */
  get schedule(): Schedule | undefined {
    return this.#rare?.schedule;
  }

  get systemChanges(): SystemChanges | undefined {
    return this.#rare?.systemChanges;
  }

  /** The entity from whose dead-letter queue it was forwarded (DLQ-07). */
  get deadLetterSource(): string | undefined {
    return this.#rare?.deadLetterSource;
  }

  /** The client of the delivery that led to its dead-lettering. */
  get lastHolder(): string | undefined {
    return this.#rare?.lastHolder;
  }

  /** Undefined unless it waits in a transfer store. */
  get destination(): string | undefined {
    return this.#rare?.destination;
  }

  /** The copies that a message whose fan-out goes on has so far. */
  get copiedTo(): CopiedTo | undefined {
    return this.#rare?.copiedTo;
  }

  set copiedTo(copiedTo: CopiedTo) {
    this.#rare = { ...(this.#rare ?? NONE), copiedTo };
  }

  /** The number of entities it was forwarded from (FWD-07). */
  get hopCount(): number {
    return this.#rare?.hopCount ?? 0;
  }

  /** When it may be forwarded. Each hop takes a turn: n subscriptions that forward to one topic multiply a message by n (FWD-07). */
  get forwardableAt(): Instant {
    return this.hopCount === 0 ? 0 : this.enqueuedTime + 1;
  }

  /** Whether other messages may refer to its content. */
  get isShared(): boolean {
    return (this.#bits & SHARED) !== 0;
  }

  /** Whether it waited for its scheduled time in this store, or at the topic it is a copy from (MSG-09). */
  get wasScheduled(): boolean {
    return (this.#bits & WAS_SCHEDULED) !== 0;
  }

  get state(): MessageState {
    return ((this.#bits & STATE_MASK) >> STATE_SHIFT) as MessageState;
  }

  set state(state: MessageState) {
    this.#bits = (this.#bits & ~STATE_MASK) | (state << STATE_SHIFT);
  }

  get deliveryCount(): number {
    return this.#bits >>> COUNT_SHIFT;
  }

  set deliveryCount(deliveryCount: number) {
    this.#bits = (this.#bits & (COUNT_UNIT - 1)) | (deliveryCount << COUNT_SHIFT);
  }

  /** Whether it can be delivered; set only by its log. */
  get isAvailable(): boolean {
    return (this.#bits & AVAILABLE) !== 0;
  }

  set isAvailable(isAvailable: boolean) {
    this.#bits = isAvailable ? this.#bits | AVAILABLE : this.#bits & ~AVAILABLE;
  }

  /** Whether a delivery has locked it; set only by `MessageLocks`. */
  get isLocked(): boolean {
    return (this.#bits & LOCKED) !== 0;
  }

  set isLocked(isLocked: boolean) {
    this.#bits = isLocked ? this.#bits | LOCKED : this.#bits & ~LOCKED;
  }

  /** `NEVER` if it does not expire, and while it is scheduled. */
  get expiresAt(): Instant {
    return this.#expiresAt ?? NEVER;
  }

  /** The size of the properties set on it since it was sent. */
  get changedBytes(): number {
    return bytesOfChanges(this.#rare?.propertyChanges ?? []);
  }

  /** SET-07: each change replaces an earlier one of the same name. */
  change(changes: readonly PropertyChange[]): void {
    if (changes.length === 0) return;
    const rare = this.#rare ?? NONE;
    this.#rare = { ...rare, propertyChanges: mergeChanges(rare.propertyChanges ?? [], changes) };
  }

  /** The value of `changedBytes` after `change`. */
  changedBytesWith(changes: readonly PropertyChange[]): number {
    return bytesOfChanges(mergeChanges(this.#rare?.propertyChanges ?? [], changes));
  }

  properties(partitionId: number | undefined): BrokerProperties {
    const { generatedMessageId, propertyChanges, systemChanges, deadLetterSource } = this.#rare ?? NONE;
    return {
      sequenceNumber: this.sequenceNumber,
      enqueuedTime: this.enqueuedTime,
      expiresAt: this.expiresAt,
      deliveryCount: this.deliveryCount,
      state: this.state,
      wasScheduled: this.wasScheduled,
      generatedMessageId,
      propertyChanges,
      systemChanges,
      enqueuedSequenceNumber: this.#enqueuedSequenceNumber,
      deadLetterSource,
      partitionId,
    };
  }

  record(): MessageRecord {
    const rare = this.#rare ?? NONE;
    return {
      sequenceNumber: this.sequenceNumber,
      enqueuedTime: this.enqueuedTime,
      expiresAt: this.expiresAt,
      deliveryCount: this.deliveryCount,
      state: this.state,
      wasScheduled: this.wasScheduled,
      sessionId: this.sessionId,
      contentId: this.contentId,
      sizeBytes: this.sizeBytes,
      isShared: this.isShared,
      enqueuedSequenceNumber: this.#enqueuedSequenceNumber,
      // Field by field: a spread would cost more than the rest of this function, which runs for every stored message.
      schedule: rare.schedule,
      generatedMessageId: rare.generatedMessageId,
      propertyChanges: rare.propertyChanges,
      systemChanges: rare.systemChanges,
      hopCount: rare.hopCount,
      deadLetterSource: rare.deadLetterSource,
      destination: rare.destination,
      lastHolder: rare.lastHolder,
      copiedTo: rare.copiedTo,
    };
  }
}

/** Null if all have their default. */
export function rareFieldsOf(record: MessageRecord): RareFields | null {
  const { schedule, generatedMessageId, propertyChanges, systemChanges } = record;
  const { hopCount, deadLetterSource, destination, lastHolder, copiedTo } = record;
  const changed = propertyChanges ?? systemChanges;
  const submitted = deadLetterSource ?? destination ?? lastHolder ?? copiedTo;
  const isPlain = (schedule ?? generatedMessageId ?? changed ?? submitted) === undefined && hopCount === 0;
  if (isPlain) return null;
  return {
    schedule,
    generatedMessageId,
    propertyChanges,
    systemChanges,
    hopCount,
    deadLetterSource,
    destination,
    lastHolder,
    copiedTo,
  };
}
