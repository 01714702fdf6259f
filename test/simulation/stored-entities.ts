// The queues, topics and subscriptions among the rows of a journal, and the stores that belong to each.

import type { QueueDescription } from '../../src/broker/contract/entities/queue-description.js';
import type { EntityRecord, Event, StoredEvent, TransferStores } from '../../src/broker/contract/event.js';
import { check } from './simulation-failure.js';

export type Stored<K extends StoredEvent['kind']> = Extract<StoredEvent, { kind: K }>;

export type EntityPut = Stored<'entity-put'>;
export type Removal = Extract<Event, { kind: 'entity-removed' }>;

/** An entity with its path, and its transfer stores, which a subscription never has. */
export type StoredEntity = EntityRecord & TransferStores & { readonly path: string };

export class StoredEntities {
  /** The main stores of topics; those of topics that are gone as well. */
  readonly #topics = new Set<number>();
  /** By main store. */
  readonly #records = new Map<number, StoredEntity>();
  /** From a store to the main store of its entity; those of entities that are gone as well. */
  readonly #mainStores = new Map<number, number>();
  /** For reading: `orders main` or `orders dead`; those of entities that are gone as well. */
  readonly #places = new Map<number, string>();

  put({ entity }: EntityPut): StoredEntity {
    const path = this.pathOf(entity);
    const record: StoredEntity = { ...entity, path };
    const { storeId, deadLetterStoreId, transferStoreId, transferDeadLetterStoreId } = record;
    this.#records.set(storeId, record);
    if (record.type === 'topic') this.#topics.add(storeId);
    const stores = {
      main: storeId,
      dead: deadLetterStoreId,
      transfer: transferStoreId,
      failed: transferDeadLetterStoreId,
    };
    for (const [place, id] of Object.entries(stores)) {
      if (id === undefined) continue;
      this.#mainStores.set(id, storeId);
      this.#places.set(id, `${path} ${place}`);
    }
    return record;
  }

  remove({ storeId, type }: Removal): void {
    const removed = this.#records.get(storeId);
    check(removed?.type === type, 'an entity is removed that is not there');
    this.#records.delete(storeId);
  }

  /** As one would address it. */
  pathOf(entity: EntityRecord): string {
    const { name } = entity.description;
    if (entity.type !== 'subscription') return name;
    const topic = this.#records.get(entity.topicStoreId);
    check(topic?.type === 'topic', 'a subscription has no topic');
    return `${topic.path}/Subscriptions/${name}`;
  }

  all(): Iterable<StoredEntity> {
    return this.#records.values();
  }

  get count(): number {
    return this.#records.size;
  }

  find(path: string): StoredEntity | undefined {
    for (const record of this.all()) if (record.path === path) return record;
    return undefined;
  }

  /** The store that an entity path names, in any case. */
  storeAt(path: string): number | undefined {
    const [name, suffix] = path.toLowerCase().split(/((?:\/\$transfer)?\/\$deadletterqueue$)/);
    for (const { path: itsPath, storeId, deadLetterStoreId, transferDeadLetterStoreId } of this.all()) {
      if (itsPath.toLowerCase() !== name) continue;
      if (suffix?.startsWith('/$transfer') === true) return transferDeadLetterStoreId;
      return suffix === undefined ? storeId : deadLetterStoreId;
    }
    return undefined;
  }

  requiresSession(storeId: number): boolean {
    const description = this.#records.get(storeId)?.description;
    return description !== undefined && 'requiresSession' in description && description.requiresSession;
  }

  /** Whether messages go on from this store, to where they may be duplicates or match no rule. */
  mayForward(storeId: number): boolean {
    // What is not said of an entity is not among what a journal gives back of it.
    const description: Partial<QueueDescription> =
      this.#records.get(this.mainStoreOf(storeId))?.description ?? {};
    const { forwardTo, forwardDeadLetteredMessagesTo } = description;
    if (this.isTransferStore(storeId) || this.isFanOutStore(storeId)) return true;
    if (this.placeOf(storeId).endsWith(' failed')) return false;
    return (this.mainStoreOf(storeId) === storeId ? forwardTo : forwardDeadLetteredMessagesTo) !== undefined;
  }

  /** Where copies of a topic's messages wait. */
  isFanOutStore(storeId: number): boolean {
    const mainStoreId = this.mainStoreOf(storeId);
    return (
      mainStoreId !== storeId && this.#topics.has(mainStoreId) && this.placeOf(storeId).endsWith(' dead')
    );
  }

  isTransferStore(storeId: number): boolean {
    return this.placeOf(storeId).endsWith(' transfer');
  }

  /** All stores of the entity with this main store; also if it is gone. */
  storesOf(storeId: number): readonly number[] {
    return [...this.#mainStores].filter(([, mainStoreId]) => mainStoreId === storeId).map(([id]) => id);
  }

  mainStoreOf(storeId: number): number {
    return this.#mainStores.get(storeId) ?? storeId;
  }

  /** The path of the entity it belongs to. */
  nameOf(storeId: number): string {
    return this.placeOf(storeId).replace(/ (?:main|dead|transfer|failed)$/, '');
  }

  placeOf(storeId: number): string {
    const place = this.#places.get(storeId);
    check(place !== undefined, `store ${storeId} belongs to no entity`);
    return place;
  }
}
