// The stores of a journal, collected from the rows of its entities. Knows the entity of each store, and whether a row contradicts earlier ones.

import type { EntityType } from '../broker/contract/entities/entity.js';
import { type StoreKind, storePathOf, subscriptionPathOf } from '../broker/contract/entities/entity-path.js';
import type { EntityRecord, StoredEvent, TransferStores } from '../broker/contract/event.js';
import { Counters } from './counters.js';
import { IdSet } from './id-set.js';

export type Store = {
  readonly kind: StoreKind;
  readonly entity: Entity;
  /** The store of its dead letters; a store of dead letters names itself. */
  readonly deadLetterStoreId: number;
  /** Its rows are under its own id, or under another id after it was emptied. */
  rowsId: number;
};

type Entity = {
  readonly type: EntityType;
  readonly path: string;
  readonly isPartitioned: boolean;
  readonly mainStoreId: number;
  /** Dead letters (SEQ-10) and transfers have numbers from the same counters. A subscription numbers its copies itself (SEQ-05). */
  readonly counters: Counters;
};

type StoreIds = TransferStores & Pick<EntityRecord, 'type' | 'storeId' | 'deadLetterStoreId'>;

const WRONG_STORE = 'waits for a destination or does not, and its store is of the other kind';
const NO_MAIN_STORE = "is not an entity's main store";

/** Takes rows in the order of their keys: entities and counters come before the rows with sequence numbers. */
export class Stores {
  readonly #stores = new Map<number, Store>();
  readonly #byRows = new Map<number, Store>();
  /** The ids of rows that are being removed. */
  readonly #discarded = new Set<number>();
  /** The contents that messages and session states name. */
  readonly namedContents = new IdSet();

  /** Adds a row. Returns how it contradicts the rows before it, or undefined when it does not. */
  note(stored: StoredEvent): string | undefined {
    switch (stored.kind) {
      case 'entity-put':
        return this.#addEntity(stored.entity);
      case 'rule-put': {
        const { storeId, rule } = stored;
        if (this.#mainStore(storeId)?.entity.type === 'subscription') return undefined;
        return `the rule ${JSON.stringify(rule.description.name)}: store ${storeId} is not a subscription's main store`;
      }
      case 'sequence-put': {
        const { storeId } = stored;
        const store = this.#mainStore(storeId);
        const problem = store === undefined ? NO_MAIN_STORE : store.entity.counters.put(stored);
        return problem && `store ${storeId} ${problem}`;
      }
      case 'store-emptied':
        return this.#noteEmptied(stored);
      case 'import-marked':
        if (this.#stores.has(stored.storeId)) return undefined;
        return `the mark of a copy: store ${stored.storeId} belongs to no entity`;
      case 'rows-discarded':
        return this.#noteDiscarded(stored.rowsId);
      case 'message-id-noted': {
        const { storeId, noted } = stored;
        if (this.#discarded.has(storeId)) return undefined;
        const store = this.#byRows.get(storeId);
        if (store?.kind !== 'main') return `store ${storeId} ${NO_MAIN_STORE}`;
        const problem = store.entity.counters.findProblem(noted.sequenceNumber);
        return problem && `the message-id noted as ${noted.sequenceNumber} of store ${storeId} ${problem}`;
      }
      case 'session-state-put': {
        const { storeId, state } = stored;
        this.namedContents.add(state.contentId);
        if (this.#byRows.get(storeId)?.kind === 'main' || this.#discarded.has(storeId)) return undefined;
        return `the state of session ${JSON.stringify(state.sessionId)}: store ${storeId} ${NO_MAIN_STORE}`;
      }
      case 'message-put': {
        const { storeId, message } = stored;
        this.namedContents.add(message.contentId);
        if (this.#discarded.has(storeId)) return undefined;
        const store = this.#byRows.get(storeId);
        if (store === undefined)
          return `message ${message.sequenceNumber} of store ${storeId} belongs to no entity`;
        const problem =
          (store.kind === 'transfer') === (message.details?.destination !== undefined)
            ? store.entity.counters.findProblem(message.sequenceNumber)
            : WRONG_STORE;
        return problem && `message ${message.sequenceNumber} of store ${storeId} ${problem}`;
      }
    }
  }

  /** The store whose rows are under this id. */
  find(rowsId: number): Store | undefined {
    return this.#byRows.get(rowsId);
  }

  /** Whether the rows under this id no longer belong to a store. */
  isDiscarded(rowsId: number): boolean {
    return this.#discarded.has(rowsId);
  }

  /** The id under which the dead letters of this store are. */
  deadLetterRowsId({ deadLetterStoreId }: Store): number {
    return this.#stores.get(deadLetterStoreId)?.rowsId ?? deadLetterStoreId;
  }

  /** The path of the store whose rows are under this id, for people. */
  pathOf(rowsId: number): string {
    const store = this.#byRows.get(rowsId);
    return store === undefined
      ? `an entity that is lost (store ${rowsId})`
      : storePathOf(store.entity.path, store.kind);
  }

  #mainStore(storeId: number): Store | undefined {
    const store = this.#stores.get(storeId);
    return store?.kind === 'main' ? store : undefined;
  }

  /** Notes that the rows of the store are under another id from now on. Rows under its own id are allowed only while they are being removed. */
  #noteEmptied({
    storeId,
    rowsId,
  }: Extract<StoredEvent, { readonly kind: 'store-emptied' }>): string | undefined {
    const store = this.#stores.get(storeId);
    if (store === undefined) return `store ${storeId}, which was emptied, belongs to no entity`;
    if (this.#byRows.has(rowsId)) return `store ${storeId} has the rows of store ${rowsId}`;
    this.#byRows.delete(store.rowsId);
    this.#byRows.set(rowsId, store);
    store.rowsId = rowsId;
    return undefined;
  }

  /** Notes rows that are being removed, which must not belong to a store any more. */
  #noteDiscarded(rowsId: number): string | undefined {
    if (this.#byRows.has(rowsId)) return `the rows ${rowsId} are being removed, but a store still has them`;
    this.#discarded.add(rowsId);
    return undefined;
  }

  #addEntity(entity: EntityRecord): string | undefined {
    if (entity.type !== 'subscription') {
      return this.#add(entity, entity.description.name, entity.description.enablePartitioning);
    }
    const { topicStoreId, description } = entity;
    const topic = this.#mainStore(topicStoreId)?.entity;
    if (topic?.type !== 'topic') {
      return `the subscription ${JSON.stringify(description.name)}: store ${topicStoreId} is not a topic's main store`;
    }
    const path = subscriptionPathOf(topic.path, description.name);
    return this.#add(entity, path, topic.isPartitioned); // SEQ-06: a subscription has the partitions of its topic
  }

  #add(
    { type, storeId, deadLetterStoreId, transferStoreId, transferDeadLetterStoreId }: StoreIds,
    path: string,
    isPartitioned: boolean,
  ): undefined {
    const counters = new Counters({ isPartitioned });
    const entity = { type, path, isPartitioned, mainStoreId: storeId, counters };
    const add = (kind: StoreKind, id: number | undefined, deadLetters: number | undefined) => {
      if (id === undefined || deadLetters === undefined) return;
      const store = { kind, entity, deadLetterStoreId: deadLetters, rowsId: id };
      this.#stores.set(id, store);
      this.#byRows.set(id, store);
    };
    add('main', storeId, deadLetterStoreId);
    // A topic has no dead letters: its second store holds the messages whose copies are still being made (TOP-15).
    add(type === 'topic' ? 'fan-out' : 'dead-letter', deadLetterStoreId, deadLetterStoreId);
    add('transfer', transferStoreId, transferDeadLetterStoreId);
    add('transfer-dead-letter', transferDeadLetterStoreId, transferDeadLetterStoreId);
  }
}
