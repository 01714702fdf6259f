// A message in a store, without its content. There may be a million of them, so it has few fields: flags and small numbers
// share one, and what few messages have is a value of its own.

import type { MessageRecord } from '../contract/event.js';
import { type Instant, NEVER } from '../contract/instant.js';
import {
  type BrokerProperties,
  bytesOfChanges,
  type CopiedTo,
  MESSAGE_STATE,
  type MessageDetails,
  type MessageState,
  mergeChanges,
  onwardDetails,
  type PropertyChange,
  withDetails,
} from '../contract/message-properties.js';
import type { MessageMetadata } from './accepted-message.js';

/** The layout of `#bits`: two flags, two bits for the state, two more flags, and the delivery count above them. */
const AVAILABLE = 1;
const LOCKED = 2;
const STATE_SHIFT = 2;
const STATE_MASK = 0b11 << STATE_SHIFT;
const SHARED = 16;
const WAS_SCHEDULED = 32;
const COUNT_SHIFT = 6;
const COUNT_UNIT = 1 << COUNT_SHIFT;

/** The fields of a plain message, with which most begin and end. */
export const PLAIN = {
  deliveryCount: 0,
  state: MESSAGE_STATE.active,
  wasScheduled: false,
  sessionId: undefined,
  details: undefined,
} as const;

/** Whether the message has nothing but its numbers and times, and is available. It may be a copy from a topic. */
export function isPlain(record: MessageRecord): boolean {
  if (record.deliveryCount !== 0 || record.state !== MESSAGE_STATE.active) return false;
  return !record.wasScheduled && record.sessionId === undefined && record.details === undefined;
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
  #details: MessageDetails | undefined;

  /** Uses the record's number unless another is given, as for one of many equal copies. */
  constructor(record: MessageRecord, sequenceNumber = record.sequenceNumber) {
    this.sequenceNumber = sequenceNumber;
    this.enqueuedTime = record.enqueuedTime;
    this.#expiresAt = record.expiresAt === NEVER ? undefined : record.expiresAt;
    this.contentId = record.contentId;
    this.sizeBytes = record.sizeBytes;
    this.#details = record.details;
    this.sessionId = record.sessionId;
    this.#enqueuedSequenceNumber = record.enqueuedSequenceNumber;
    this.state = record.state;
    this.deliveryCount = record.deliveryCount;
    if (record.isShared) this.#bits |= SHARED;
    if (record.wasScheduled) this.#bits |= WAS_SCHEDULED;
  }

  /** Undefined for most messages. */
  get details(): MessageDetails | undefined {
    return this.#details;
  }

  /** The data that follow it to another entity. */
  get metadata(): MessageMetadata {
    return {
      isShared: this.isShared,
      enqueuedSequenceNumber: this.#enqueuedSequenceNumber,
      details: onwardDetails(this.#details),
    };
  }

  setCopiedTo(copiedTo: CopiedTo): void {
    this.#details = withDetails(this.#details, { copiedTo });
  }

  /** The number of entities it was forwarded from (FWD-07). */
  get hopCount(): number {
    return this.#details?.hopCount ?? 0;
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

  /** JMS-37: available, or active and locked. */
  get isBrowsable(): boolean {
    return this.isAvailable || (this.isLocked && this.state === MESSAGE_STATE.active);
  }

  /** `NEVER` if it does not expire, and while it is scheduled. */
  get expiresAt(): Instant {
    return this.#expiresAt ?? NEVER;
  }

  /** The size of the properties set on it since it was sent. */
  get changedBytes(): number {
    return bytesOfChanges(this.#details?.propertyChanges ?? []);
  }

  /** SET-07: each change replaces an earlier one of the same name. */
  change(changes: readonly PropertyChange[]): void {
    if (changes.length === 0) return;
    const propertyChanges = mergeChanges(this.#details?.propertyChanges ?? [], changes);
    this.#details = withDetails(this.#details, { propertyChanges });
  }

  /** The value of `changedBytes` after `change`. */
  changedBytesWith(changes: readonly PropertyChange[]): number {
    return bytesOfChanges(mergeChanges(this.#details?.propertyChanges ?? [], changes));
  }

  properties(partitionId: number | undefined): BrokerProperties {
    const details = this.#details;
    // Field by field: a spread of the details would cost 8 µs.
    return {
      sequenceNumber: this.sequenceNumber,
      enqueuedTime: this.enqueuedTime,
      expiresAt: this.expiresAt,
      deliveryCount: this.deliveryCount,
      state: this.state,
      wasScheduled: this.wasScheduled,
      enqueuedSequenceNumber: this.#enqueuedSequenceNumber,
      partitionId,
      generatedMessageId: details?.generatedMessageId,
      propertyChanges: details?.propertyChanges,
      systemChanges: details?.systemChanges,
      deadLetterSource: details?.deadLetterSource,
    };
  }

  record(): MessageRecord {
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
      details: this.#details,
    };
  }
}
