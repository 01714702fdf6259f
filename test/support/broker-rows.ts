// What a journal would keep of a broker's events, in plain Maps: enough to bring a broker back after a crash.

import type {
  Event,
  MessageRecord,
  QueueRecord,
  RuleRecord,
  StoredEvent,
  SubscriptionRecord,
  TopicRecord,
} from '../../src/broker/event.js';
import { type SingleEvent, singly } from './single-events.js';

type Stored<K extends StoredEvent['kind']> = Extract<StoredEvent, { kind: K }>;

type Stores = { readonly storeId: number; readonly deadLetterStoreId: number };
type EntityKind = 'queue' | 'topic' | 'subscription' | 'rule';
type EventInStore = Exclude<SingleEvent, { kind: `${EntityKind}-put` | `${EntityKind}-removed` }>;

export class BrokerRows {
  readonly #queues = new Map<number, QueueRecord>();
  readonly #topics = new Map<number, TopicRecord>();
  readonly #subscriptions = new Map<number, SubscriptionRecord>();
  readonly #rules = new Map<string, Stored<'rule-put'>>();
  readonly #counters = new Map<string, Stored<'sequence-put'>>();
  readonly #messageIds = new Map<string, Stored<'message-id-noted'>>();
  readonly #messages = new Map<string, Stored<'message-put'>>();
  readonly #sessionStates = new Map<string, Stored<'session-state-put'>>();
  /** By store. */
  readonly #emptied = new Map<number, Stored<'store-emptied'>>();
  readonly #discarded = new Map<number, Stored<'rows-discarded'>>();
  /** Those of removed entities, too. */
  readonly #places = new Map<number, string>();
  readonly contents = new Map<number, Uint8Array>();

  apply(events: readonly Event[]): void {
    for (const event of singly(events)) this.#applyOne(event);
  }

  /** Entities first, as `Broker.restore` wants them. */
  stored(): readonly StoredEvent[] {
    return [
      ...[...this.#queues.values()].map((queue) => ({ kind: 'queue-put', queue }) as const),
      ...[...this.#topics.values()].map((topic) => ({ kind: 'topic-put', topic }) as const),
      ...this.#subscriptionsInOrder().map(
        (subscription) => ({ kind: 'subscription-put', subscription }) as const,
      ),
      ...this.#emptied.values(),
      ...this.#discarded.values(),
      ...this.#rules.values(),
      ...this.#counters.values(),
      ...this.#messageIds.values(),
      ...this.#messages.values(),
      ...this.#sessionStates.values(),
    ];
  }

  copy(): BrokerRows {
    const copy = new BrokerRows();
    copy.apply(this.stored());
    for (const [contentId, content] of this.contents) copy.contents.set(contentId, content);
    return copy;
  }

  messages(): Iterable<Stored<'message-put'>> {
    return this.#messages.values();
  }

  get messageCount(): number {
    return this.#messages.size;
  }

  findMessage(storeId: number, sequenceNumber: number): MessageRecord | undefined {
    return this.#messages.get(`${storeId}/${sequenceNumber}`)?.message;
  }

  queues(): Iterable<QueueRecord> {
    return this.#queues.values();
  }

  findQueue(name: string): QueueRecord | undefined {
    return [...this.#queues.values()].find((queue) => queue.description.name === name);
  }

  topics(): Iterable<TopicRecord> {
    return this.#topics.values();
  }

  findTopic(name: string): TopicRecord | undefined {
    return [...this.#topics.values()].find((topic) => topic.description.name === name);
  }

  subscriptions(): Iterable<SubscriptionRecord> {
    return this.#subscriptions.values();
  }

  findSubscription(topicName: string, name: string): SubscriptionRecord | undefined {
    const topicStoreId = this.findTopic(topicName)?.storeId;
    return [...this.#subscriptions.values()].find(
      (each) => each.topicStoreId === topicStoreId && each.description.name === name,
    );
  }

  /** Of the subscription with this main store, in the order they were put. */
  rulesOf(storeId: number): readonly RuleRecord[] {
    return [...this.#rules.values()].filter((each) => each.storeId === storeId).map(({ rule }) => rule);
  }

  messageIds(): Iterable<Stored<'message-id-noted'>> {
    return this.#messageIds.values();
  }

  sessionStates(): Iterable<Stored<'session-state-put'>> {
    return this.#sessionStates.values();
  }

  /** The number the next message of this main store, or of one of its partitions, gets. */
  nextNumber(storeId: number, partitionId = 0): number {
    const counter = this.#counters.get(`${storeId}/${partitionId}`);
    return counter?.nextSequenceNumber ?? partitionId * 2 ** 48 + 1; // SEQ-06
  }

  /** For reading: `orders main`, `orders dead` or `news/Subscriptions/mine main`. */
  placeOf(storeId: number): string {
    const place = this.#places.get(storeId);
    if (place === undefined) throw new Error(`store ${storeId} belongs to no entity`);
    return place;
  }

  #applyOne(event: SingleEvent): void {
    switch (event.kind) {
      case 'queue-put':
        this.#queues.set(event.queue.storeId, event.queue);
        this.#place(event.queue.description.name, event.queue);
        break;
      case 'queue-removed':
        this.#queues.delete(event.storeId);
        this.#removeCounters(event.storeId);
        break;
      case 'topic-put':
        this.#topics.set(event.topic.storeId, event.topic);
        this.#place(event.topic.description.name, event.topic);
        break;
      case 'topic-removed':
        this.#topics.delete(event.storeId);
        this.#removeCounters(event.storeId);
        break;
      case 'subscription-put':
        this.#putSubscription(event.subscription);
        break;
      case 'subscription-removed':
        this.#subscriptions.delete(event.storeId);
        this.#removeCounters(event.storeId);
        break;
      case 'rule-put':
        this.#rules.set(ruleKey(event.storeId, event.rule.description.name), event);
        break;
      case 'rule-removed':
        this.#rules.delete(ruleKey(event.storeId, event.name));
        break;
      default:
        this.#applyInStore(event);
    }
  }

  #applyInStore(event: EventInStore): void {
    switch (event.kind) {
      case 'message-put':
        this.#messages.set(`${event.storeId}/${event.message.sequenceNumber}`, event);
        break;
      case 'message-removed':
        this.#messages.delete(`${event.storeId}/${event.sequenceNumber}`);
        break;
      case 'sequence-put':
        this.#counters.set(`${event.storeId}/${event.partitionId}`, event);
        break;
      case 'message-id-noted':
        this.#messageIds.set(`${event.storeId}/${event.noted.sequenceNumber}`, event);
        break;
      case 'message-id-forgotten':
        this.#messageIds.delete(`${event.storeId}/${event.sequenceNumber}`);
        break;
      case 'session-state-put':
        this.#sessionStates.set(`${event.storeId}/${event.state.sessionId}`, event);
        break;
      case 'session-state-removed':
        this.#sessionStates.delete(`${event.storeId}/${event.sessionId}`);
        break;
      case 'store-emptied':
        this.#emptied.set(event.storeId, event);
        break;
      case 'store-closed':
        this.#emptied.delete(event.storeId);
        break;
      case 'rows-discarded':
        this.#discarded.set(event.rowsId, event);
        break;
      case 'rows-removed':
        this.#discarded.delete(event.rowsId);
        break;
      case 'content-stored':
        this.contents.set(event.contentId, event.content);
        break;
      case 'content-released':
        this.contents.delete(event.contentId);
        break;
      case 'time-put':
        break;
      default:
        event satisfies never;
    }
  }

  #putSubscription(subscription: SubscriptionRecord): void {
    const topic = this.#topics.get(subscription.topicStoreId);
    if (topic === undefined) throw new Error(`store ${subscription.topicStoreId} is no topic's`);
    this.#subscriptions.set(subscription.storeId, subscription);
    this.#place(`${topic.description.name}/Subscriptions/${subscription.description.name}`, subscription);
  }

  #place(path: string, { storeId, deadLetterStoreId }: Stores): void {
    this.#places.set(storeId, `${path} main`);
    this.#places.set(deadLetterStoreId, `${path} dead`);
  }

  /** As a journal has them: by the numbers of their main stores. */
  #subscriptionsInOrder(): SubscriptionRecord[] {
    return [...this.#subscriptions.values()].sort((one, other) => one.storeId - other.storeId);
  }

  #removeCounters(storeId: number): void {
    for (const [key, counter] of this.#counters) {
      if (counter.storeId === storeId) this.#counters.delete(key);
    }
  }
}

function ruleKey(storeId: number, name: string): string {
  return `${storeId}/${name.toLowerCase()}`; // TOP-11
}
