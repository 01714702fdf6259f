// What a journal would keep of a broker's events, in plain Maps: enough to bring a broker back after a crash.

import type {
  EntityRecord,
  Event,
  MessageRecord,
  QueueRecord,
  RuleRecord,
  StoredEvent,
  SubscriptionRecord,
  TopicRecord,
} from '../../src/broker/contract/event.js';
import { type SingleEvent, singly } from './single-events.js';

type Stored<K extends StoredEvent['kind']> = Extract<StoredEvent, { kind: K }>;

type Stores = { readonly storeId: number; readonly deadLetterStoreId: number };
type EventInStore = Exclude<SingleEvent, { kind: `${'entity' | 'rule'}-${'put' | 'removed'}` }>;

export class BrokerRows {
  /** By main store. */
  readonly #entities = new Map<number, EntityRecord>();
  readonly #rules = new Map<string, Stored<'rule-put'>>();
  readonly #counters = new Map<string, Stored<'sequence-put'>>();
  readonly #messageIds = new Map<string, Stored<'message-id-noted'>>();
  readonly #messages = new Map<string, Stored<'message-put'>>();
  readonly #sessionStates = new Map<string, Stored<'session-state-put'>>();
  readonly #imports = new Map<string, Stored<'import-marked'>>();
  /** By store. */
  readonly #emptied = new Map<number, Stored<'store-emptied'>>();
  readonly #discarded = new Map<number, Stored<'rows-discarded'>>();
  /** Those of removed entities, too. */
  readonly #places = new Map<number, string>();
  readonly contents = new Map<number, Uint8Array>();

  apply(events: readonly Event[]): void {
    for (const event of singly(events)) this.#applyOne(event);
  }

  /** Entities first, topics before their subscriptions, as `Broker.restore` wants them. */
  stored(): readonly StoredEvent[] {
    return [
      ...[...this.#entities.values()]
        .sort((one, other) => one.storeId - other.storeId)
        .map((entity) => ({ kind: 'entity-put', entity }) as const),
      ...this.#emptied.values(),
      ...this.#discarded.values(),
      ...this.#rules.values(),
      ...this.#counters.values(),
      ...this.#messageIds.values(),
      ...this.#messages.values(),
      ...this.#sessionStates.values(),
      ...this.#imports.values(),
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

  entities(): Iterable<EntityRecord> {
    return this.#entities.values();
  }

  queues(): readonly QueueRecord[] {
    return [...this.#entities.values()].filter((entity) => entity.type === 'queue');
  }

  findQueue(name: string): QueueRecord | undefined {
    return this.queues().find((queue) => queue.description.name === name);
  }

  topics(): readonly TopicRecord[] {
    return [...this.#entities.values()].filter((entity) => entity.type === 'topic');
  }

  findTopic(name: string): TopicRecord | undefined {
    return this.topics().find((topic) => topic.description.name === name);
  }

  subscriptions(): readonly SubscriptionRecord[] {
    return [...this.#entities.values()].filter((entity) => entity.type === 'subscription');
  }

  findSubscription(topicName: string, name: string): SubscriptionRecord | undefined {
    const topicStoreId = this.findTopic(topicName)?.storeId;
    return this.subscriptions().find(
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
      case 'entity-put':
        this.#entities.set(event.entity.storeId, event.entity);
        this.#place(this.#pathOf(event.entity), event.entity);
        break;
      case 'entity-removed':
        this.#entities.delete(event.storeId);
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
      case 'import-marked':
        this.#imports.set(`${event.storeId}/${event.importId}`, event);
        break;
      case 'import-ended':
        this.#imports.delete(`${event.storeId}/${event.importId}`);
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

  #pathOf(entity: EntityRecord): string {
    const { name } = entity.description;
    if (entity.type !== 'subscription') return name;
    const topic = this.#entities.get(entity.topicStoreId);
    if (topic?.type !== 'topic') throw new Error(`store ${entity.topicStoreId} is no topic's`);
    return `${topic.description.name}/Subscriptions/${name}`;
  }

  #place(path: string, { storeId, deadLetterStoreId }: Stores): void {
    this.#places.set(storeId, `${path} main`);
    this.#places.set(deadLetterStoreId, `${path} dead`);
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
