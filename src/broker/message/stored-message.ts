// A message as it lies in a store, without its content. There may be a million of them: few fields, all of them numbers or
// mostly absent.

import type { MessageRecord, Schedule } from '../event.js';
import { type Instant, NEVER } from '../instant.js';
import type { BrokerProperties, MessageState, PropertyChange } from './message-properties.js';
import { bytesOfChanges, mergeChanges } from './property-changes.js';

export class StoredMessage {
  readonly sequenceNumber: number;
  readonly enqueuedTime: Instant;
  readonly contentId: number;
  readonly sizeBytes: number;
  readonly inventedMessageId: string | undefined;
  readonly schedule: Schedule | undefined;
  state: MessageState;
  deliveryCount: number;
  /** Whether a receiver may have it next; kept by the log it lies in alone. */
  isAvailable = false;
  /** Whether a delivery holds it; kept by the list of locks alone. */
  isLocked = false;
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
    this.state = record.state;
    this.deliveryCount = record.deliveryCount;
    this.#propertyChanges = record.propertyChanges;
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
      contentId: this.contentId,
      sizeBytes: this.sizeBytes,
      inventedMessageId: this.inventedMessageId,
      propertyChanges: this.#propertyChanges,
    };
  }
}
