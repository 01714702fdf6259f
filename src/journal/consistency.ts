// What must fit together among the rows of a journal: entities and stores, numbers and counters, contents and what names them.

import type { StoredEvent, SubscriptionRecord, TransferStores } from '../broker/event.js';
import { Counters } from './counters.js';

type Stores = TransferStores & { readonly storeId: number; readonly deadLetterStoreId: number };

const WRONG_PLACE = 'waits for a destination or does not, and its store is of the other kind';
const NO_MAIN_STORE = "is no entity's main store";

/** Takes note of the rows in the order of their keys: entities and counters come before all that is numbered. */
export class Consistency {
  /** Whether they are partitioned, and so their subscriptions as well, by the main store of the topic. */
  readonly #topics = new Map<number, { readonly isPartitioned: boolean }>();
  /** By their main stores. */
  readonly #subscriptions = new Set<number>();
  /** The counters of the entity whose main store this is: a subscription numbers its copies itself (SEQ-05). */
  readonly #ofMainStore = new Map<number, Counters>();
  /** The same for all its stores: dead-lettered messages keep the numbers of the main one (SEQ-10), and transfers get such. */
  readonly #ofStore = new Map<number, Counters>();
  /** In these a message names its destination, and nowhere else. */
  readonly #transferStores = new Set<number>();
  readonly #namedContents: number[] = [];

  /** Says what is wrong with a row beside those before it; undefined when it fits. */
  note(stored: StoredEvent): string | undefined {
    switch (stored.kind) {
      case 'queue-put':
        this.#noteStores(stored.queue, { isPartitioned: stored.queue.description.enablePartitioning });
        return undefined;
      case 'topic-put': {
        const { topic } = stored;
        const partitioning = { isPartitioned: topic.description.enablePartitioning };
        this.#topics.set(topic.storeId, partitioning);
        this.#noteStores(topic, partitioning);
        return undefined;
      }
      case 'subscription-put':
        return this.#noteSubscription(stored.subscription);
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
      case 'message-id-noted': {
        const { storeId, noted } = stored;
        const counters = this.#ofMainStore.get(storeId);
        if (counters === undefined) return `store ${storeId} ${NO_MAIN_STORE}`;
        const problem = counters.findProblem(noted.sequenceNumber);
        return problem && `the message-id noted as ${noted.sequenceNumber} of store ${storeId} ${problem}`;
      }
      case 'session-state-put': {
        const { storeId, state } = stored;
        this.#namedContents.push(state.contentId);
        if (this.#ofMainStore.has(storeId)) return undefined;
        return `the state of session ${JSON.stringify(state.sessionId)}: store ${storeId} ${NO_MAIN_STORE}`;
      }
      case 'message-put': {
        const { storeId, message } = stored;
        this.#namedContents.push(message.contentId);
        const counters = this.#ofStore.get(storeId);
        if (counters === undefined) return `store ${storeId} belongs to no entity`;
        const problem =
          this.#transferStores.has(storeId) === (message.destination !== undefined)
            ? counters.findProblem(message.sequenceNumber)
            : WRONG_PLACE;
        return problem && `message ${message.sequenceNumber} of store ${storeId} ${problem}`;
      }
    }
  }

  #noteSubscription(subscription: SubscriptionRecord): string | undefined {
    const { topicStoreId, description } = subscription;
    const topic = this.#topics.get(topicStoreId);
    if (topic === undefined) {
      return `the subscription ${JSON.stringify(description.name)}: store ${topicStoreId} is no topic's main store`;
    }
    this.#subscriptions.add(subscription.storeId);
    this.#noteStores(subscription, topic); // SEQ-06: in the partitions of its topic
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

  /** The contents that messages and session states name, ascending. */
  namedContents(): ContentNames {
    return new ContentNames(Float64Array.from(this.#namedContents).sort());
  }
}

/** Named contents, to be compared with the content rows in the order of their keys. */
export class ContentNames {
  /** Ascending; a content that several messages share, as copies do, is in it several times. */
  readonly #names: Float64Array;
  #index = 0;

  constructor(names: Float64Array) {
    this.#names = names;
  }

  /** The rows before this one are all seen: a content that is named and was not among them. */
  missingBefore(contentId: number): number | undefined {
    const name = this.#names[this.#index];
    return name !== undefined && name < contentId ? name : undefined;
  }

  /** Takes note of a row; answers whether anything names it. */
  pass(contentId: number): boolean {
    const start = this.#index;
    while (this.#names[this.#index] === contentId) this.#index++;
    return this.#index > start;
  }
}
