// All entities by name, and all stores by id.

import { assert } from '../assert.js';
import type { QueueRecord } from '../event.js';
import type { Instant } from '../instant.js';
import { NumberSeries } from '../number-series.js';
import { ServiceBusError } from '../service-bus-error.js';
import { nameKey, parseEntityPath } from './entity-path.js';
import type { MessageStore } from './message-store.js';
import { Queue } from './queue.js';
import type { QueueDescription } from './queue-description.js';

export class Namespace {
  readonly #queues = new Map<string, Queue>();
  readonly #stores = new Map<number, MessageStore>();
  readonly #storeIds = new NumberSeries();

  findQueue(name: string): Queue | undefined {
    return this.#queues.get(nameKey(name));
  }

  /** Throws entity-not-found. */
  queue(name: string): Queue {
    const queue = this.findQueue(name);
    if (queue === undefined) throw entityNotFound(name);
    return queue;
  }

  /** The store at this path, in any case; throws entity-not-found. */
  store(entityPath: string): MessageStore {
    const { queueName, isDeadLetterQueue } = parseEntityPath(entityPath);
    const queue = this.findQueue(queueName);
    if (queue === undefined) throw entityNotFound(entityPath);
    return isDeadLetterQueue ? queue.deadLetters : queue.main; // DLQ-01; browsed like any other (PEEK-10)
  }

  createQueue(description: QueueDescription, now: Instant): Queue {
    return this.restoreQueue({
      description,
      createdTime: now,
      updatedTime: now,
      storeId: this.#storeIds.take(),
      deadLetterStoreId: this.#storeIds.take(),
    });
  }

  restoreQueue(record: QueueRecord): Queue {
    const queue = new Queue(record);
    this.#queues.set(nameKey(record.description.name), queue);
    for (const store of [queue.main, queue.deadLetters]) {
      this.#stores.set(store.id, store);
      this.#storeIds.continueFrom(store.id + 1);
    }
    return queue;
  }

  removeQueue(queue: Queue): void {
    this.#queues.delete(nameKey(queue.description.name));
    for (const store of [queue.main, queue.deadLetters]) this.#stores.delete(store.id);
  }

  holds(store: MessageStore): boolean {
    return this.#stores.has(store.id);
  }

  storeWithId(storeId: number): MessageStore {
    const store = this.#stores.get(storeId);
    assert(store !== undefined, 'the journal names a store that belongs to no queue');
    return store;
  }

  stores(): Iterable<MessageStore> {
    return this.#stores.values();
  }

  queues(): Iterable<Queue> {
    return this.#queues.values();
  }
}

/** ERR-04: clients recognise this wording. */
export function entityNotFound(path: string): ServiceBusError {
  return new ServiceBusError('entity-not-found', `The messaging entity '${path}' could not be found.`, path);
}
