// All entities by name, and all stores by id.

import { assert } from '../assert.js';
import type { Claims } from '../claims.js';
import type { Expected } from '../command.js';
import type { QueueRecord, SubscriptionRecord, TopicRecord } from '../event.js';
import { NumberSeries } from '../number-series.js';
import { type RefusalData, ServiceBusError } from '../service-bus-error.js';
import { nameKey, parseEntityPath, subscriptionPathOf } from './entity-path.js';
import type { MessageStore } from './message-store.js';
import { Queue } from './queue.js';
import { SortedNames } from './sorted-names.js';
import { Subscription } from './subscription.js';
import { Topic } from './topic.js';

export class Namespace {
  readonly #queues = new SortedNames<Queue>();
  readonly #topics = new SortedNames<Topic>();
  readonly #stores = new Map<number, MessageStore>();
  readonly #storeIds = new NumberSeries();
  readonly #claims: Claims;

  constructor(claims: Claims) {
    this.#claims = claims;
  }

  findQueue(name: string): Queue | undefined {
    return this.#queues.find(name);
  }

  findTopic(name: string): Topic | undefined {
    return this.#topics.find(name);
  }

  /** By name, in any case the same; without what topics take their messages with. */
  get queuesByName(): readonly Queue[] {
    return this.#queues.sorted;
  }

  get topicsByName(): readonly Topic[] {
    return this.#topics.sorted;
  }

  /** Whether something can be forwarded to this name: to a queue or a topic (FWD-02). Throws as `queue` does. */
  hasDestination(name: string): boolean {
    this.#checkUnclaimed(name);
    return this.#plain(name) !== undefined;
  }

  /** Throws entity-not-found, or not-allowed when an earlier command of the step changes it; as the three below. */
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

  /** The store at this path, in any case. Of a topic it is the one for what is scheduled. */
  store(entityPath: string): MessageStore {
    const { name, subscriptionName, storeKind } = parseEntityPath(entityPath);
    this.#checkUnclaimed(name, subscriptionName);
    const queue = subscriptionName === undefined ? this.#plain(name) : this.#inTopic(name, subscriptionName);
    if (queue === undefined || (storeKind === 'dead-letter' && queue.topic !== undefined)) {
      throw entityNotFound(entityPath);
    }
    if (storeKind === 'transfer-dead-letter') return queue.transferDeadLetters; // DLQ-02
    return storeKind === 'dead-letter' ? queue.deadLetters : queue.main; // DLQ-01; browsed like any other (PEEK-10)
  }

  /** Numbers for the two stores of a new entity. */
  takeStoreIds(): { readonly storeId: number; readonly deadLetterStoreId: number } {
    return { storeId: this.#storeIds.take(), deadLetterStoreId: this.#storeIds.take() };
  }

  /** The first transfer through this queue has to wait. */
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
    const queue = new Queue(record);
    this.#queues.set(record.description.name, queue); // LIM-08: however many there are
    this.#addStores(queue);
    return queue;
  }

  addTopic(record: TopicRecord): Topic {
    const topic = new Topic(record);
    this.#topics.set(record.description.name, topic);
    this.#addStores(topic.intake);
    return topic;
  }

  addSubscription(record: SubscriptionRecord): Subscription {
    const { topic } = this.storeWithId(record.topicStoreId).queue;
    assert(topic !== undefined, 'a subscription belongs to no topic');
    const subscription = new Subscription(topic, record);
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

  stores(): Iterable<MessageStore> {
    return this.#stores.values();
  }

  /** What holds messages: queues, subscriptions, and what topics take them with. */
  *queues(): Generator<Queue> {
    for (const store of this.#stores.values()) if (store.kind === 'main') yield store.queue;
  }

  /** Of a subscription its topic must be as it was, too. */
  #checkUnclaimed(name: string, subscriptionName?: string): void {
    if (!this.#claims.isOpen) return;
    checkUnclaimed(name, this.#claims);
    if (subscriptionName !== undefined)
      checkUnclaimed(subscriptionPathOf(name, subscriptionName), this.#claims);
  }

  #plain(name: string): Queue | undefined {
    return this.findQueue(name) ?? this.findTopic(name)?.intake;
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

/** ERR-04: clients recognise this wording. */
export function entityNotFound(path: string): ServiceBusError {
  const text = `The messaging entity '${path}' could not be found.`;
  return new ServiceBusError('entity-not-found', text, { entityPath: path });
}

/** Throws entity-already-exists, or entity-not-found, when what is there is not what a put expects (ENT-03, ENT-04). */
export function checkExpected(existing: object | undefined, expected: Expected, path: string): void {
  if (expected === 'absent' && existing !== undefined) throw alreadyExists(path);
  if (expected === 'present' && existing === undefined) throw entityNotFound(path);
}

/** An entity is made, changed or deleted: no later command of the step may count on it. Throws not-allowed. */
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

/** `what` with its verb, as in `The rules of 'x' are`. */
export function changedInStep(what: string, path: string): ServiceBusError {
  const text = `${what} changed by an earlier command of the same step; do the one after the other.`;
  return new ServiceBusError('not-allowed', text, { entityPath: path, about: 'same-step' });
}

/** ENT-03, TOP-11. */
export function alreadyExists(path: string, data: RefusalData = {}): ServiceBusError {
  const text = `The messaging entity '${path}' already exists.`;
  return new ServiceBusError('entity-already-exists', text, { entityPath: path, ...data });
}
