// All entities by name, and all stores by id.

import { NumberSeries } from '../collections/number-series.js';
import { SortedNames } from '../collections/sorted-names.js';
import { assert } from '../contract/assert.js';
import type { Expected } from '../contract/command.js';
import { alreadyExists, changedInStep, entityNotFound } from '../contract/entities/entity-errors.js';
import {
  type EntityPath,
  nameKey,
  parseEntityPath,
  subscriptionPathOf,
} from '../contract/entities/entity-path.js';
import type { EntityRecord } from '../contract/event.js';
import { type MessageStore, Queue } from '../store/queue.js';
import type { LogMakers } from '../store/store-ports.js';
import { Subscription, subscriptionOf, Topic, topicOf } from '../topics/topic.js';
import type { Claims } from '../turn/claims.js';

export class Namespace {
  /** Queues, and topics by their intakes. Their names differ (ENT-03). */
  readonly #topLevel = new SortedNames<Queue>();
  /** The subscriptions of JMS programs by their names, which are unique in the namespace (JMS-15). */
  readonly #subscribers = new Map<string, Subscription>();
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

  /** The queue with this name, or the intake of the topic. */
  findTopLevel(name: string): Queue | undefined {
    return this.#topLevel.find(name);
  }

  findTopic(name: string): Topic | undefined {
    const queue = this.#topLevel.find(name);
    return queue && topicOf(queue);
  }

  /** The subscription of a JMS program, whatever its topic, by the name that `subscriberName` gives it. */
  findSubscriber(name: string): Subscription | undefined {
    return this.#subscribers.get(name);
  }

  /** All queues, and topics by their intakes, sorted by name. */
  get topLevel(): readonly Queue[] {
    return this.#topLevel.sorted;
  }

  /** Whether the name is a queue or topic, to which messages can be forwarded (FWD-02). Throws as `topic` does. */
  hasDestination(name: string): boolean {
    this.#checkUnclaimed(name);
    return this.findTopLevel(name) !== undefined;
  }

  /** Throws entity-not-found, or not-allowed when an earlier command of the step changes it. So do the two below. */
  topic(name: string): Topic {
    this.#checkUnclaimed(name);
    const topic = this.findTopic(name);
    if (topic === undefined) throw entityNotFound(name);
    return topic;
  }

  /** The queue of the entity at this path; case does not count. That of a topic is its intake, which stores scheduled messages. */
  entity(path: string): Queue {
    const { name, subscriptionName } = parseEntityPath(path);
    this.#checkUnclaimed(name, subscriptionName);
    const queue = this.findEntity(path);
    if (queue === undefined) throw entityNotFound(path);
    return queue;
  }

  /** The store at this path; the path may name a sub-queue. */
  store(entityPath: string): MessageStore {
    const parsed = parseEntityPath(entityPath);
    const { storeKind } = parsed;
    this.#checkUnclaimed(parsed.name, parsed.subscriptionName);
    const queue = this.#at(parsed);
    if (queue === undefined || (storeKind === 'dead-letter' && queue.type === 'topic')) {
      throw entityNotFound(entityPath);
    }
    if (storeKind === 'transfer-dead-letter') return queue.transferDeadLetters; // DLQ-02
    return storeKind === 'dead-letter' ? queue.deadLetters : queue.main; // DLQ-01; browsed like any other store (PEEK-10)
  }

  /** As `entity`; undefined if the path leads nowhere, or to a sub-queue. */
  findEntity(path: string): Queue | undefined {
    const parsed = parseEntityPath(path);
    return parsed.storeKind === 'main' ? this.#at(parsed) : undefined;
  }

  /** A path of a subscription may also be the name of a queue. */
  #at({ name, subscriptionName, base }: EntityPath): Queue | undefined {
    if (subscriptionName === undefined) return this.findTopLevel(name);
    return this.findTopic(name)?.find(subscriptionName)?.queue ?? this.findTopLevel(base);
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

  /** Adds a new or restored entity, whose topic must be there. Returns its queue. */
  add(record: EntityRecord): Queue {
    const queue = this.#make(record);
    this.#addStores(queue);
    return queue;
  }

  #make(record: EntityRecord): Queue {
    const { name } = record.description;
    switch (record.type) {
      case 'queue': {
        const queue = new Queue(record, this.#logMakers);
        this.#topLevel.set(name, queue); // LIM-08: the number of queues is not limited
        return queue;
      }
      case 'topic': {
        const topic = new Topic(record, this.#logMakers);
        this.#topLevel.set(name, topic.intake);
        return topic.intake;
      }
      case 'subscription': {
        const topic = topicOf(this.storeWithId(record.topicStoreId).queue);
        assert(topic !== undefined, 'a subscription belongs to no topic');
        const subscription = new Subscription(topic, record, this.#logMakers);
        topic.subscriptions.set(name, subscription);
        if (record.subscriber !== undefined) this.#subscribers.set(name, subscription); // JMS-16: beside its path, which all use
        return subscription.queue;
      }
    }
  }

  remove(queue: Queue): void {
    const subscription = subscriptionOf(queue);
    if (subscription !== undefined) {
      const { name } = subscription.description;
      subscription.topic.subscriptions.delete(name);
      if (this.#subscribers.get(name) === subscription) this.#subscribers.delete(name);
    } else this.#topLevel.delete(queue.description.name);
    for (const store of queue.stores) this.#stores.delete(store.id);
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
    for (const queue of this.topLevel) {
      topicOf(queue)?.subscriptions.reorder((a, b) => a.queue.main.id - b.queue.main.id);
    }
  }

  stores(): Iterable<MessageStore> {
    return this.#stores.values();
  }

  /** All queues that hold messages, including the queues of subscriptions and the intakes of topics. */
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

  #addStores(queue: Queue): void {
    for (const store of queue.stores) {
      this.#stores.set(store.id, store);
      this.#storeIds.continueFrom(store.id + 1);
    }
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
