// Checks that the rows of a journal are consistent: entities and stores, numbers and counters, contents and references to them.

import type { EntityRecord, StoredEvent, SubscriptionRecord, TransferStores } from '../broker/event.js';
import { Counters } from './counters.js';
import { IdSet } from './id-set.js';

type Stores = TransferStores & { readonly storeId: number; readonly deadLetterStoreId: number };

const WRONG_STORE = 'waits for a destination or does not, and its store is of the other kind';
const NO_MAIN_STORE = "is no entity's main store";

/** Collects the rows in the order of their keys: entities and counters come before the rows with sequence numbers. */
export class Consistency {
  /** Whether a topic, and so its subscriptions, are partitioned, by the main store of the topic. */
  readonly #topics = new Map<number, { readonly isPartitioned: boolean }>();
  /** The main stores of all subscriptions. */
  readonly #subscriptions = new Set<number>();
  /** The counters of an entity, by its main store. A subscription numbers its copies itself (SEQ-05). */
  readonly #ofMainStore = new Map<number, Counters>();
  /** The counters of an entity, by each of its stores: dead letters (SEQ-10) and transfers have numbers from the same counters. */
  readonly #ofStore = new Map<number, Counters>();
  /** Stores in which every message has a destination. In other stores none has. */
  readonly #transferStores = new Set<number>();
  /** The ids of rows that are being removed. */
  readonly #discarded = new Set<number>();
  /** The contents that messages and session states name. */
  readonly namedContents = new IdSet();

  /** Adds a row. Returns how it contradicts the rows before it, or undefined when it does not. */
  note(stored: StoredEvent): string | undefined {
    switch (stored.kind) {
      case 'entity-put':
        return this.#noteEntity(stored.entity);
      case 'rule-put': {
        const { storeId, rule } = stored;
        if (this.#subscriptions.has(storeId)) return undefined;
        return `the rule ${JSON.stringify(rule.description.name)}: store ${storeId} is no subscription's main store`;
      }
      case 'sequence-put': {
        const { storeId } = stored;
        const counters = this.#ofMainStore.get(storeId);
        const problem = counters === undefined ? NO_MAIN_STORE : counters.put(stored);
        return problem && `store ${storeId} ${problem}`;
      }
      case 'store-emptied':
        return this.#noteEmptied(stored);
      case 'rows-discarded':
        return this.#noteDiscarded(stored.rowsId);
      case 'message-id-noted': {
        const { storeId, noted } = stored;
        if (this.#discarded.has(storeId)) return undefined;
        const counters = this.#ofMainStore.get(storeId);
        if (counters === undefined) return `store ${storeId} ${NO_MAIN_STORE}`;
        const problem = counters.findProblem(noted.sequenceNumber);
        return problem && `the message-id noted as ${noted.sequenceNumber} of store ${storeId} ${problem}`;
      }
      case 'session-state-put': {
        const { storeId, state } = stored;
        this.namedContents.add(state.contentId);
        if (this.#ofMainStore.has(storeId) || this.#discarded.has(storeId)) return undefined;
        return `the state of session ${JSON.stringify(state.sessionId)}: store ${storeId} ${NO_MAIN_STORE}`;
      }
      case 'message-put': {
        const { storeId, message } = stored;
        this.namedContents.add(message.contentId);
        if (this.#discarded.has(storeId)) return undefined;
        const counters = this.#ofStore.get(storeId);
        if (counters === undefined) return `store ${storeId} belongs to no entity`;
        const problem =
          this.#transferStores.has(storeId) === (message.destination !== undefined)
            ? counters.findProblem(message.sequenceNumber)
            : WRONG_STORE;
        return problem && `message ${message.sequenceNumber} of store ${storeId} ${problem}`;
      }
    }
  }

  /** From now on the rows of the store lie under another id, and none under its own, unless they are being removed. */
  #noteEmptied({
    storeId,
    rowsId,
  }: Extract<StoredEvent, { readonly kind: 'store-emptied' }>): string | undefined {
    const counters = this.#ofStore.get(storeId);
    if (counters === undefined) return `store ${storeId}, which was emptied, belongs to no entity`;
    if (this.#ofStore.has(rowsId)) return `store ${storeId} has the rows of store ${rowsId}`;
    this.#ofStore.set(rowsId, counters).delete(storeId);
    if (this.#ofMainStore.delete(storeId)) this.#ofMainStore.set(rowsId, counters);
    if (this.#transferStores.has(storeId)) this.#transferStores.add(rowsId);
    return undefined;
  }

  /** Rows that are being removed belong to no store any more. */
  #noteDiscarded(rowsId: number): string | undefined {
    if (this.#ofStore.has(rowsId)) return `the rows ${rowsId} are being removed, and a store still has them`;
    this.#discarded.add(rowsId);
    return undefined;
  }

  #noteEntity(entity: EntityRecord): string | undefined {
    if (entity.type === 'subscription') return this.#noteSubscription(entity);
    const partitioning = { isPartitioned: entity.description.enablePartitioning };
    if (entity.type === 'topic') this.#topics.set(entity.storeId, partitioning);
    this.#noteStores(entity, partitioning);
    return undefined;
  }

  #noteSubscription(subscription: SubscriptionRecord): string | undefined {
    const { topicStoreId, description } = subscription;
    const topic = this.#topics.get(topicStoreId);
    if (topic === undefined) {
      return `the subscription ${JSON.stringify(description.name)}: store ${topicStoreId} is no topic's main store`;
    }
    this.#subscriptions.add(subscription.storeId);
    this.#noteStores(subscription, topic); // SEQ-06: a subscription has the partitions of its topic
    return undefined;
  }

  #noteStores(
    { storeId, deadLetterStoreId, transferStoreId, transferDeadLetterStoreId }: Stores,
    partitioning: { readonly isPartitioned: boolean },
  ): void {
    const counters = new Counters(partitioning);
    this.#ofMainStore.set(storeId, counters);
    this.#ofStore.set(storeId, counters).set(deadLetterStoreId, counters);
    if (transferStoreId === undefined || transferDeadLetterStoreId === undefined) return;
    this.#ofStore.set(transferStoreId, counters).set(transferDeadLetterStoreId, counters);
    this.#transferStores.add(transferStoreId);
  }
}
