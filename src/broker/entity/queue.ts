// A queue: its description, its main store and its dead-letter queues, and what they share. A subscription is one, too, but for
// its name and its rules; and a topic takes what is sent to it with one.

import type { QueueRecord, TransferStores } from '../event.js';
import { type Instant, NEVER } from '../instant.js';
import type { Limits } from '../limits.js';
import { MessageIds } from '../message/message-ids.js';
import { SequenceNumbers } from '../message/sequence-numbers.js';
import type { StoredMessage } from '../message/stored-message.js';
import { ServiceBusError } from '../service-bus-error.js';
import { MessageStore, NO_ID } from './message-store.js';
import type { QueueDescription } from './queue-description.js';
import type { Subscription } from './subscription.js';
import type { Topic } from './topic.js';

/** Of a queue that is not there for its own sake. */
export type QueueOwner = { readonly topic?: Topic; readonly subscription?: Subscription };

export class Queue {
  /** The topic that takes messages with it; undefined of queues and subscriptions. */
  readonly topic: Topic | undefined;
  /** The subscription whose messages it holds. */
  readonly subscription: Subscription | undefined;
  readonly createdTime: Instant;
  readonly main: MessageStore;
  /** Always there (DLQ-01). Its messages keep the numbers they got in the main store (SEQ-10). */
  readonly deadLetters: MessageStore;
  readonly sequenceNumbers: SequenceNumbers;
  #transfers: MessageStore | undefined;
  #transferDeadLetters: MessageStore | undefined;
  /** Of a partitioned queue: where the next message without a key goes. */
  nextPartitionId = 0;
  /** Of the messages accepted within the window of duplicate detection; nothing where that is off. */
  readonly messageIds = new MessageIds();
  /** Content of all messages, those dead-lettered (DLQ-10) and those that wait for another entity included. */
  sizeBytes = 0;
  /** The last send, receive, settlement, browse or change (IDL-03). */
  accessedTime: Instant;
  /** Whether anything of that but changes has happened (CNT-03); after a restart, whether it had ever taken a message. */
  isUsed = false;
  /** It is not idle for long enough before; `NEVER` when it stays for ever. Kept by idle-deletion. */
  idleAt: Instant = NEVER;
  #description: QueueDescription;
  #updatedTime: Instant;

  constructor(record: QueueRecord, { topic, subscription }: QueueOwner = {}) {
    this.topic = topic;
    this.subscription = subscription;
    this.createdTime = record.createdTime;
    this.#description = record.description;
    this.#updatedTime = record.updatedTime;
    this.accessedTime = record.updatedTime;
    this.sequenceNumbers = new SequenceNumbers({ isPartitioned: record.description.enablePartitioning });
    this.main = new MessageStore(record.storeId, this, 'main');
    this.deadLetters = new MessageStore(record.deadLetterStoreId, this, 'dead-letter');
    if (record.transferStoreId !== undefined) this.openTransfers(record);
  }

  /** Where what is sent through it waits for its destination (TXN-11); undefined: nothing has ever waited. */
  get transfers(): MessageStore | undefined {
    return this.#transfers;
  }

  /**
   * Made when somebody comes to it, or the first transfer waits (DLQ-02). Before that nothing can be in it; so it has no id in the
   * journal and is not among the namespace's stores.
   */
  get transferDeadLetters(): MessageStore {
    this.#transferDeadLetters ??= new MessageStore(NO_ID, this, 'transfer-dead-letter');
    return this.#transferDeadLetters;
  }

  openTransfers({
    transferStoreId = NO_ID,
    transferDeadLetterStoreId = NO_ID,
  }: TransferStores): MessageStore {
    this.#transfers = new MessageStore(transferStoreId, this, 'transfer');
    this.transferDeadLetters.id = transferDeadLetterStoreId;
    return this.#transfers;
  }

  /** Those that the journal names. */
  get stores(): readonly MessageStore[] {
    const { main, deadLetters } = this;
    if (this.#transfers === undefined) return [main, deadLetters];
    return [main, deadLetters, this.#transfers, this.transferDeadLetters];
  }

  /** Whether a receiver waits for messages of it, or of one of its dead-letter queues. */
  get isAwaited(): boolean {
    return [this.main, this.deadLetters, this.#transferDeadLetters].some(
      (store) => store?.isAwaited === true,
    );
  }

  /** Itself; of a subscription its topic's intake, with which it shares size and transactions. */
  get topLevel(): Queue {
    return this.subscription?.topic.intake ?? this;
  }

  get description(): QueueDescription {
    return this.#description;
  }

  get updatedTime(): Instant {
    return this.#updatedTime;
  }

  /** ENT-06. */
  get canSend(): boolean {
    const { status } = this.#description;
    return status === 'Active' || status === 'ReceiveDisabled';
  }

  /** ENT-06, and DLQ-11: of the dead-letter queue as well. */
  get canReceive(): boolean {
    const { status } = this.#description;
    return status === 'Active' || status === 'SendDisabled';
  }

  /** Without a change that anybody made to it, of a subscription whose topic was changed. */
  describe(description: QueueDescription): void {
    this.#description = description;
  }

  update(description: QueueDescription, now: Instant): void {
    this.#description = description;
    this.#updatedTime = now;
    this.keepFromIdling(now);
  }

  /** IDL-03 to IDL-05: a subscription that is not idle is a topic that is not. */
  keepFromIdling(now: Instant): void {
    this.accessedTime = now;
    if (this.subscription !== undefined) this.subscription.topic.intake.accessedTime = now;
  }

  /** CNT-03. */
  used(now: Instant): void {
    this.keepFromIdling(now);
    this.isUsed = true;
    if (this.subscription !== undefined) this.subscription.topic.intake.isUsed = true;
  }

  /** A message has come into one of its stores. */
  stored(message: StoredMessage): void {
    this.sizeBytes += message.sizeBytes;
    this.subscription?.topic.copyStored(message);
  }

  /** A message has left both its stores. */
  removed(message: StoredMessage): void {
    this.sizeBytes -= message.sizeBytes;
    this.subscription?.topic.copyRemoved(message);
  }

  /** A session has so many bytes of state more. */
  stateStored(bytes: number): void {
    this.sizeBytes += bytes;
    if (this.subscription !== undefined) this.subscription.topic.intake.sizeBytes += bytes;
  }

  /** TTL-02, S1-13: what a message lives that says nothing, and at most. */
  maxTimeToLiveMs(limits: Limits): number {
    return Math.min(this.#description.defaultMessageTimeToLiveMs, limits.maxTimeToLiveMs);
  }

  maxMessageSizeBytes(limits: Limits): number {
    const { maxMessageSizeInKilobytes } = this.#description;
    return maxMessageSizeInKilobytes === undefined
      ? limits.maxMessageSizeBytes
      : maxMessageSizeInKilobytes * 1024;
  }

  record(): QueueRecord {
    return {
      description: this.#description,
      createdTime: this.createdTime,
      updatedTime: this.#updatedTime,
      storeId: this.main.id,
      deadLetterStoreId: this.deadLetters.id,
      ...(this.#transfers === undefined
        ? undefined
        : { transferStoreId: this.#transfers.id, transferDeadLetterStoreId: this.transferDeadLetters.id }),
    };
  }
}

export function entityDisabled(path: string): ServiceBusError {
  const text = `The messaging entity '${path}' is currently disabled.`;
  return new ServiceBusError('entity-disabled', text, { entityPath: path });
}
