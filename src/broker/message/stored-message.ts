// A message as it lies in a store, without its content. There may be a million of them: few fields, all of them numbers or
// mostly absent, and what is small shares one.

import type { MessageRecord, Schedule } from '../event.js';
import { type Instant, NEVER } from '../instant.js';
import type { BrokerProperties, MessageState, PropertyChange, SystemChanges } from './message-properties.js';
import { bytesOfChanges, mergeChanges } from './property-changes.js';

/** How `#bits` is made up: two flags, two bits for the state, two more flags, and the delivery count above them. */
const AVAILABLE = 1;
const LOCKED = 2;
const STATE_SHIFT = 2;
const STATE_MASK = 0b11 << STATE_SHIFT;
const SHARED = 16;
const WAS_SCHEDULED = 32;
const COUNT_SHIFT = 6;
const COUNT_UNIT = 1 << COUNT_SHIFT;

/** What few messages have. */
type RareFields = Pick<
  MessageRecord,
  | 'schedule'
  | 'inventedMessageId'
  | 'systemChanges'
  | 'enqueuedSequenceNumber'
  | 'hopCount'
  | 'deadLetterSource'
  | 'destination'
>;

const NONE: RareFields = {
  schedule: undefined,
  inventedMessageId: undefined,
  systemChanges: undefined,
  enqueuedSequenceNumber: undefined,
  hopCount: 0,
  deadLetterSource: undefined,
  destination: undefined,
};

export class StoredMessage {
  readonly sequenceNumber: number;
  readonly enqueuedTime: Instant;
  readonly contentId: number;
  readonly sizeBytes: number;
  /** Of a message in a store that requires sessions, and of no other. */
  readonly sessionId: string | undefined;
  #bits = 0;
  /** Absent when it never comes: a number that is not there takes no memory. */
  readonly #expiresAt: Instant | undefined;
  readonly #rare: RareFields | undefined;
  #propertyChanges: readonly PropertyChange[] | undefined;

  constructor(record: MessageRecord) {
    this.sequenceNumber = record.sequenceNumber;
    this.enqueuedTime = record.enqueuedTime;
    this.#expiresAt = record.expiresAt === NEVER ? undefined : record.expiresAt;
    this.contentId = record.contentId;
    this.sizeBytes = record.sizeBytes;
    this.#rare = rareFieldsOf(record);
    this.sessionId = record.sessionId;
    this.state = record.state;
    this.deliveryCount = record.deliveryCount;
    if (record.isShared) this.#bits |= SHARED;
    if (record.wasScheduled) this.#bits |= WAS_SCHEDULED;
    this.#propertyChanges = record.propertyChanges;
  }

  /** Undefined unless it is scheduled. */
  get schedule(): Schedule | undefined {
    return this.#rare?.schedule;
  }

  get systemChanges(): SystemChanges | undefined {
    return this.#rare?.systemChanges;
  }

  /** Undefined unless it waits in a transfer store. */
  get destination(): string | undefined {
    return this.#rare?.destination;
  }

  /** Entities it has been forwarded from (FWD-07). */
  get hopCount(): number {
    return this.#rare?.hopCount ?? 0;
  }

  /** When it may be forwarded: a hop is a turn of its own, for n subscriptions to one topic make n copies of each (FWD-07). */
  get movesAt(): Instant {
    return this.hopCount === 0 ? 0 : this.enqueuedTime + 1;
  }

  /** Whether other messages may name its content. */
  get isShared(): boolean {
    return (this.#bits & SHARED) !== 0;
  }

  /** Whether its scheduled time has come in this store, or at the topic it is a copy from (MSG-09). */
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
    const { inventedMessageId, systemChanges, enqueuedSequenceNumber, deadLetterSource } = this.#rare ?? NONE;
    return {
      sequenceNumber: this.sequenceNumber,
      enqueuedTime: this.enqueuedTime,
      expiresAt: this.expiresAt,
      deliveryCount: this.deliveryCount,
      state: this.state,
      wasScheduled: this.wasScheduled,
      inventedMessageId,
      propertyChanges: this.#propertyChanges,
      systemChanges,
      enqueuedSequenceNumber,
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
      propertyChanges: this.#propertyChanges,
      // Field by field: a spread costs more than all the rest, and every message that is stored has one.
      schedule: rare.schedule,
      inventedMessageId: rare.inventedMessageId,
      systemChanges: rare.systemChanges,
      enqueuedSequenceNumber: rare.enqueuedSequenceNumber,
      hopCount: rare.hopCount,
      deadLetterSource: rare.deadLetterSource,
      destination: rare.destination,
    };
  }
}

/** Undefined when it has none of them. */
function rareFieldsOf(record: MessageRecord): RareFields | undefined {
  const { schedule, inventedMessageId, systemChanges } = record;
  const { enqueuedSequenceNumber, hopCount, deadLetterSource, destination } = record;
  const submitted = enqueuedSequenceNumber ?? deadLetterSource ?? destination;
  const isPlain =
    (schedule ?? inventedMessageId ?? systemChanges ?? submitted) === undefined && hopCount === 0;
  if (isPlain) return undefined;
  return {
    schedule,
    inventedMessageId,
    systemChanges,
    enqueuedSequenceNumber,
    hopCount,
    deadLetterSource,
    destination,
  };
}
