// A message as it lies in a store, without its content. There may be a million of them: few fields, all of them numbers or
// mostly absent.

import type { MessageRecord } from '../event.js';
import type { Instant } from '../instant.js';
import { type BrokerProperties, MESSAGE_STATE, type PropertyChange } from './message-properties.js';

export class StoredMessage {
  readonly sequenceNumber: number;
  readonly enqueuedTime: Instant;
  readonly contentId: number;
  readonly sizeBytes: number;
  readonly inventedMessageId: string | undefined;
  deliveryCount: number;
  #propertyChanges: readonly PropertyChange[] | undefined;

  constructor(record: Omit<MessageRecord, 'state'>) {
    this.sequenceNumber = record.sequenceNumber;
    this.enqueuedTime = record.enqueuedTime;
    this.contentId = record.contentId;
    this.sizeBytes = record.sizeBytes;
    this.inventedMessageId = record.inventedMessageId;
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

  properties(): BrokerProperties {
    return {
      sequenceNumber: this.sequenceNumber,
      enqueuedTime: this.enqueuedTime,
      deliveryCount: this.deliveryCount,
      state: MESSAGE_STATE.active,
      inventedMessageId: this.inventedMessageId,
      propertyChanges: this.#propertyChanges,
    };
  }

  record(): MessageRecord {
    return {
      sequenceNumber: this.sequenceNumber,
      enqueuedTime: this.enqueuedTime,
      deliveryCount: this.deliveryCount,
      state: MESSAGE_STATE.active,
      contentId: this.contentId,
      sizeBytes: this.sizeBytes,
      inventedMessageId: this.inventedMessageId,
      propertyChanges: this.#propertyChanges,
    };
  }
}
