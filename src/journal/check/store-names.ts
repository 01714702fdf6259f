// Names the stores of a journal: which entity each belongs to, and where its dead letters go.

import { type StoreKind, storePathOf, subscriptionPathOf } from '../../broker/entities/entity-path.js';
import type { StoredEvent, TransferStores } from '../../broker/event.js';

export type NamedStore = {
  /** The path of the queue, topic or subscription. */
  readonly entity: string;
  readonly kind: StoreKind;
  readonly isOfTopic: boolean;
  readonly isPartitioned: boolean;
  readonly mainStoreId: number;
  /** The store of the dead letters. */
  readonly deadLetterStoreId: number;
};

type Entity = TransferStores & { readonly storeId: number; readonly deadLetterStoreId: number };
type Named = { readonly path: string; readonly isOfTopic: boolean; readonly isPartitioned: boolean };

/** Takes rows in the order of their keys: topics come before subscriptions, both before stores that were emptied. */
export class StoreNames {
  readonly #stores = new Map<number, NamedStore>();
  readonly #topics = new Map<number, { readonly name: string; readonly isPartitioned: boolean }>();
  /** Where the rows of emptied stores lie. */
  readonly #rowsIds = new Map<number, number>();
  readonly #discarded = new Set<number>();

  note(row: StoredEvent): void {
    switch (row.kind) {
      case 'queue-put': {
        const { name, enablePartitioning: isPartitioned } = row.queue.description;
        this.#add(row.queue, { path: name, isOfTopic: false, isPartitioned });
        return;
      }
      case 'topic-put': {
        const { name, enablePartitioning: isPartitioned } = row.topic.description;
        this.#topics.set(row.topic.storeId, { name, isPartitioned });
        this.#add(row.topic, { path: name, isOfTopic: true, isPartitioned });
        return;
      }
      case 'subscription-put': {
        const { topicStoreId, description } = row.subscription;
        const { name = '?', isPartitioned = false } = this.#topics.get(topicStoreId) ?? {};
        const path = subscriptionPathOf(name, description.name);
        this.#add(row.subscription, { path, isOfTopic: false, isPartitioned });
        return;
      }
      case 'store-emptied': {
        const store = this.#stores.get(row.storeId);
        if (store === undefined) return;
        this.#stores.set(row.rowsId, store);
        this.#rowsIds.set(row.storeId, row.rowsId);
        return;
      }
      case 'rows-discarded':
        this.#discarded.add(row.rowsId);
    }
  }

  /** The store whose rows lie under this id. */
  find(rowsId: number): NamedStore | undefined {
    return this.#stores.get(rowsId);
  }

  /** Where the rows of a store lie. */
  rowsIdOf(storeId: number): number {
    return this.#rowsIds.get(storeId) ?? storeId;
  }

  /** Whether the rows under this id belong to no store any more. */
  isDiscarded(rowsId: number): boolean {
    return this.#discarded.has(rowsId);
  }

  /** The path of the store, or its id when its entity is lost. */
  pathOf(rowsId: number): string {
    const store = this.#stores.get(rowsId);
    return store === undefined
      ? `an entity that is lost (store ${rowsId})`
      : storePathOf(store.entity, store.kind);
  }

  #add(
    { storeId, deadLetterStoreId, transferStoreId, transferDeadLetterStoreId }: Entity,
    { path, isOfTopic, isPartitioned }: Named,
  ): void {
    const add = (id: number | undefined, kind: StoreKind, deadLetters: number | undefined) => {
      if (id === undefined || deadLetters === undefined) return;
      const store = { entity: path, kind, isOfTopic, isPartitioned, mainStoreId: storeId };
      this.#stores.set(id, { ...store, deadLetterStoreId: deadLetters });
    };
    add(storeId, 'main', deadLetterStoreId);
    add(deadLetterStoreId, isOfTopic ? 'fan-out' : 'dead-letter', deadLetterStoreId);
    add(transferStoreId, 'transfer', transferDeadLetterStoreId);
    add(transferDeadLetterStoreId, 'transfer-dead-letter', transferDeadLetterStoreId);
  }
}
