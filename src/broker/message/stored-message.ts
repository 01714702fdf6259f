// A message as it lies in a store, without its content. There may be a million of them: few fields, all of them numbers or
// mostly absent, and what is small shares one.

import type { MessageRecord, Schedule } from '../event.js';
import { type Instant, NEVER } from '../instant.js';
import type { BrokerProperties, MessageState, PropertyChange } from './message-properties.js';
import { bytesOfChanges, mergeChanges } from './property-changes.js';

/** How `#bits` is made up: two flags, two bits for the state, and the delivery count above them. */
const AVAILABLE = 1;
const LOCKED = 2;
const STATE_SHIFT = 2;
const STATE_MASK = 0b11 << STATE_SHIFT;
const COUNT_SHIFT = 4;
const COUNT_UNIT = 1 << COUNT_SHIFT;

export class StoredMessage {
  readonly sequenceNumber: number;
  readonly enqueuedTime: Instant;
  readonly contentId: number;
  readonly sizeBytes: number;
  readonly inventedMessageId: string | undefined;
  readonly schedule: Schedule | undefined;
  /** Of a message in a store that requires sessions, and of no other. */
  readonly sessionId: string | undefined;
  #bits = 0;
  /** Absent when it never comes: a number that is not there takes no memory. */
  readonly #expiresAt: Instant | undefined;
  #propertyChanges: readonly PropertyChange[] | undefined;

  constructor(record: MessageRecord) {
    this.sequenceNumber = record.sequenceNumber;
    this.enqueuedTime = record.enqueuedTime;
    this.#expiresAt = record.expiresAt === NEVER ? undefined : record.expiresAt;
    this.contentId = record.contentId;
    this.sizeBytes = record.sizeBytes;
    this.inventedMessageId = record.inventedMessageId;
    this.schedule = record.schedule;
    this.sessionId = record.sessionId;
    this.state = record.state;
    this.deliveryCount = record.deliveryCount;
    this.#propertyChanges = record.propertyChanges;
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

  /** Whether a receiver may have it next; kept by the log it lies in alone. */
  get isAvailable(): boolean {
    return (this.#bits & AVAILABLE) !== 0;
  }

  set isAvailable(isAvailable: boolean) {
    this.#bits = isAvailable ? this.#bits | AVAILABLE : this.#bits & ~AVAILABLE;
  }

  /** Whether a delivery holds it; kept by the list of locks alone. */
  get isLocked(): boolean {
    return (this.#bits & LOCKED) !== 0;
  }

  set isLocked(isLocked: boolean) {
    this.#bits = isLocked ? this.#bits | LOCKED : this.#bits & ~LOCKED;
  }

  /** `NEVER` when it does not expire, and while it is scheduled. */
  get expiresAt(): Instant {
    return this.#expiresAt ?? NEVER;
  }

  /** Of what was set on it since it was sent. */
  get changedBytes(): number {
    return this.#propertyChanges === undefined ? 0 : bytesOfChanges(this.#propertyChanges);
  }

  /** SET-07: each change replaces an earlier one of the same name. */
  change(changes: readonly PropertyChange[]): void {
    if (changes.length > 0) this.#propertyChanges = mergeChanges(this.#propertyChanges ?? [], changes);
  }

  /** What `change` would make of it. */
  changedBytesWith(changes: readonly PropertyChange[]): number {
    return bytesOfChanges(mergeChanges(this.#propertyChanges ?? [], changes));
  }

  properties(partitionId: number | undefined): BrokerProperties {
    return {
      sequenceNumber: this.sequenceNumber,
      enqueuedTime: this.enqueuedTime,
      expiresAt: this.expiresAt,
      deliveryCount: this.deliveryCount,
      state: this.state,
      inventedMessageId: this.inventedMessageId,
      propertyChanges: this.#propertyChanges,
      partitionId,
    };
  }

  record(): MessageRecord {
    return {
      sequenceNumber: this.sequenceNumber,
      enqueuedTime: this.enqueuedTime,
      expiresAt: this.expiresAt,
      deliveryCount: this.deliveryCount,
      state: this.state,
      schedule: this.schedule,
      sessionId: this.sessionId,
      contentId: this.contentId,
      sizeBytes: this.sizeBytes,
      inventedMessageId: this.inventedMessageId,
      propertyChanges: this.#propertyChanges,
    };
  }
}
