// A message as it lies in a store, without its content. There may be a million of them: few fields, all of them numbers or
// mostly absent.

import type { MessageRecord, Schedule } from '../event.js';
import type { Instant } from '../instant.js';
import type { BrokerProperties, MessageState, PropertyChange } from './message-properties.js';

export class StoredMessage {
  readonly sequenceNumber: number;
  readonly enqueuedTime: Instant;
  readonly expiresAt: Instant;
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
  #propertyChanges: readonly PropertyChange[] | undefined;

  constructor(record: MessageRecord) {
    this.sequenceNumber = record.sequenceNumber;
    this.enqueuedTime = record.enqueuedTime;
    this.expiresAt = record.expiresAt;
    this.contentId = record.contentId;
    this.sizeBytes = record.sizeBytes;
    this.inventedMessageId = record.inventedMessageId;
    this.schedule = record.schedule;
    this.state = record.state;
    this.deliveryCount = record.deliveryCount;
    this.#propertyChanges = record.propertyChanges;
  }

  /** SET-07: each change replaces an earlier one of the same name. */
  change(changes: readonly PropertyChange[]): void {
    if (changes.length === 0) return;
    const byName = new Map<string, PropertyChange>();
    for (const change of [...(this.#propertyChanges ?? []), ...changes]) byName.set(change.name, change);
    this.#propertyChanges = [...byName.values()];
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
