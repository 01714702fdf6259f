// All entities by name, and all stores by id.

import { assert } from '../assert.js';
import type { Claims } from '../claims.js';
import type { Expected } from '../command.js';
import { alreadyExists, changedInStep, entityNotFound } from '../entities/entity-errors.js';
import { nameKey, parseEntityPath, subscriptionPathOf } from '../entities/entity-path.js';
import { SortedNames } from '../entities/sorted-names.js';
import type { QueueRecord, SubscriptionRecord, TopicRecord } from '../event.js';
import { NumberSeries } from '../number-series.js';
import { type MessageStore, Queue } from '../queue/queue.js';
import type { LogMakers } from '../queue/store-ports.js';
import { Subscription, Topic, topicOf } from '../topics/topic.js';

export class Namespace {
  readonly #queues = new SortedNames<Queue>();
  readonly #topics = new SortedNames<Topic>();
  readonly #stores = new Map<number, MessageStore>();
  /** Stores that were emptied before a restart, by the id of their rows. Empty once all rows are restored. */
  readonly #emptied = new Map<number, MessageStore>();
  readonly #storeIds = new NumberSeries();
  readonly #claims: Claims;
  readonly #logMakers: LogMakers;

  constructor(claims: Claims, logMakers: LogMakers) {
    this.#claims = claims;
    this.#logMakers = logMakers;
  }

  findQueue(name: string): Queue | undefined {
    return this.#queues.find(name);
  }

  findTopic(name: string): Topic | undefined {
    return this.#topics.find(name);
  }

  /** Sorted by name. The intakes of topics are not included. */
  get queuesByName(): readonly Queue[] {
    return this.#queues.sorted;
  }

  get topicsByName(): readonly Topic[] {
    return this.#topics.sorted;
  }

  /** Whether the name is a queue or topic, to which messages can be forwarded (FWD-02). Throws as `queue` does. */
  hasDestination(name: string): boolean {
    this.#checkUnclaimed(name);
    return this.#plain(name) !== undefined;
  }

  /** Throws entity-not-found, or not-allowed when an earlier command of the step changes it. So do the three below. */
  queue(name: string): Queue {
    this.#checkUnclaimed(name);
    const queue = this.findQueue(name);
    if (queue === undefined) throw entityNotFound(name);
    return queue;
  }

  topic(name: string): Topic {
    this.#checkUnclaimed(name);
    const topic = this.findTopic(name);
    if (topic === undefined) throw entityNotFound(name);
    return topic;
  }

  subscription(topicName: string, name: string): Subscription {
    this.#checkUnclaimed(topicName, name);
    const subscription = this.findTopic(topicName)?.find(name);
    if (subscription === undefined) throw entityNotFound(subscriptionPathOf(topicName, name));
    return subscription;
  }

  /** The store at this path; case does not count. The path of a topic leads to its intake, which stores scheduled messages. */
  store(entityPath: string): MessageStore {
    const { name, subscriptionName, storeKind, base } = parseEntityPath(entityPath);
    this.#checkUnclaimed(name, subscriptionName);
    const queue =
      subscriptionName === undefined
        ? this.#plain(name)
        : (this.#inTopic(name, subscriptionName) ?? this.findQueue(base));
    if (queue === undefined || (storeKind === 'dead-letter' && queue.owner?.kind === 'topic')) {
      throw entityNotFound(entityPath);
    }
    if (storeKind === 'transfer-dead-letter') return queue.transferDeadLetters; // DLQ-02
    return storeKind === 'dead-letter' ? queue.deadLetters : queue.main; // DLQ-01; browsed like any other store (PEEK-10)
  }

  /** Takes the ids of the two stores of a new entity. */
  takeStoreIds(): { readonly storeId: number; readonly deadLetterStoreId: number } {
    return { storeId: this.#storeIds.take(), deadLetterStoreId: this.#storeIds.take() };
  }

  /** Creates the transfer stores of a queue when the first transfer through it has to wait. */
  openTransfers(queue: Queue): MessageStore {
    const transferStoreId = this.#storeIds.take();
    const transfers = queue.openTransfers({
      transferStoreId,
      transferDeadLetterStoreId: this.#storeIds.take(),
    });
    this.#addStores(queue);
    return transfers;
  }

  addQueue(record: QueueRecord): Queue {
    const queue = new Queue(record, this.#logMakers);
    this.#queues.set(record.description.name, queue); // LIM-08: the number of queues is not limited
    this.#addStores(queue);
    return queue;
  }

  addTopic(record: TopicRecord): Topic {
    const topic = new Topic(record, this.#logMakers);
    this.#topics.set(record.description.name, topic);
    this.#addStores(topic.intake);
    return topic;
  }

  addSubscription(record: SubscriptionRecord): Subscription {
    const topic = topicOf(this.storeWithId(record.topicStoreId).queue);
    assert(topic !== undefined, 'a subscription belongs to no topic');
    const subscription = new Subscription(topic, record, this.#logMakers);
    topic.subscriptions.set(record.description.name, subscription);
    this.#addStores(subscription.queue);
    return subscription;
  }

  removeQueue(queue: Queue): void {
    this.#queues.delete(queue.description.name);
    this.#removeStores(queue);
  }

  removeTopic({ description, intake }: Topic): void {
    this.#topics.delete(description.name);
    this.#removeStores(intake);
  }

  removeSubscription({ topic, description, queue }: Subscription): void {
    topic.subscriptions.delete(description.name);
    this.#removeStores(queue);
  }

  holds(store: MessageStore): boolean {
    return this.#stores.has(store.id);
  }

  storeWithId(storeId: number): MessageStore {
    const store = this.#stores.get(storeId);
    assert(store !== undefined, 'the journal names a store that belongs to no entity');
    return store;
  }

  /** Undefined if its entity has been deleted. */
  findStoreWithId(storeId: number): MessageStore | undefined {
    return this.#stores.get(storeId);
  }

  /** The store of a restored row of a message, a message-id or a session state. */
  storeWithRows(rowsId: number): MessageStore {
    return this.#emptied.get(rowsId) ?? this.storeWithId(rowsId);
  }

  /** Takes an id for the new rows of a store that is emptied. */
  takeRowsId(): number {
    return this.#storeIds.take();
  }

  /** Notes that an id is in use: no store gets it. */
  useRowsId(rowsId: number): void {
    this.#storeIds.continueFrom(rowsId + 1);
  }

  /** Restores where the rows of a store are. */
  emptied(store: MessageStore, rowsId: number): void {
    store.rowsId = rowsId;
    this.#emptied.set(rowsId, store);
    this.useRowsId(rowsId);
  }

  /** Called with the first turn after a restart. Stores that are deleted later must not stay in memory. */
  allRestored(): void {
    this.#emptied.clear();
    // TOP-15: as they were created, in whatever order the journal had them
    for (const { subscriptions } of this.#topics.values()) {
      subscriptions.reorder((a, b) => a.queue.main.id - b.queue.main.id);
    }
  }

  stores(): Iterable<MessageStore> {
    return this.#stores.values();
  }

  /** All queues that hold messages: those of subscriptions and the intakes of topics included. */
  *queues(): Generator<Queue> {
    for (const store of this.#stores.values()) if (store.kind === 'main') yield store.queue;
  }

  /** A subscription also needs its topic to be unclaimed. */
  #checkUnclaimed(name: string, subscriptionName?: string): void {
    if (!this.#claims.isOpen) return;
    checkUnclaimed(name, this.#claims);
    if (subscriptionName !== undefined)
      checkUnclaimed(subscriptionPathOf(name, subscriptionName), this.#claims);
  }

  #plain(name: string): Queue | undefined {
    return this.findQueue(name) ?? this.findTopic(name)?.intake;
  }

  /** The subscription with this path. */
  findSubscription(path: string): Subscription | undefined {
    const { name, subscriptionName } = parseEntityPath(path);
    return subscriptionName === undefined ? undefined : this.findTopic(name)?.find(subscriptionName);
  }

  #inTopic(topicName: string, name: string): Queue | undefined {
    return this.findTopic(topicName)?.find(name)?.queue;
  }

  #addStores(queue: Queue): void {
    for (const store of queue.stores) {
      this.#stores.set(store.id, store);
      this.#storeIds.continueFrom(store.id + 1);
    }
  }

  #removeStores(queue: Queue): void {
    for (const store of queue.stores) this.#stores.delete(store.id);
  }
}

/** Throws entity-already-exists or entity-not-found when a put expects the opposite (ENT-03, ENT-04). */
export function checkExpected(existing: object | undefined, expected: Expected, path: string): void {
  if (expected === 'absent' && existing !== undefined) throw alreadyExists(path);
  if (expected === 'present' && existing === undefined) throw entityNotFound(path);
}

/** Claims an entity that a command creates, changes or deletes: later commands of the step may not use it. Throws not-allowed. */
export function claimEntity(path: string, claims: Claims): void {
  if (!claims.isOpen) return;
  checkUnclaimed(path, claims);
  claims.take(claimOf(path));
}

function checkUnclaimed(path: string, claims: Claims): void {
  if (claims.has(claimOf(path))) throw changedInStep(`The messaging entity '${path}' is`, path);
}

function claimOf(path: string): string {
  return `entity ${nameKey(path)}`;
}
