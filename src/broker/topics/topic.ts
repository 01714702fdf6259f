// A topic and its subscriptions. They get copies of sent messages; the topic itself stores only scheduled ones (TOP-01), and those
// whose copies are still being made (TOP-15).

import { SortedNames } from '../collections/sorted-names.js';
import type { EntityDescription } from '../contract/entities/entity.js';
import { subscriptionNameKey, subscriptionPathOf } from '../contract/entities/entity-path.js';
import { describeQueue, type QueueDescription } from '../contract/entities/queue-description.js';
import type { Subscriber } from '../contract/entities/subscriber.js';
import type { SubscriptionDescription, TopicDescription } from '../contract/entities/topic-description.js';
import type { EntityRecord, RuleRecord, SubscriptionRecord, TopicRecord } from '../contract/event.js';
import type { Instant } from '../contract/instant.js';
import type { PropertyChange, SystemChanges } from '../contract/message-properties.js';
import type { CompiledRule } from '../rules/rule-compiler.js';
import { ContentReferences } from '../store/content-references.js';
import type { StoreLog } from '../store/partitioned-log.js';
import { type CopyCounter, type MessageStore, Queue } from '../store/queue.js';
import type { LogMakers } from '../store/store-ports.js';
import type { CountedMessage } from '../store/stored-message.js';

/** The topic whose intake this queue is. */
export function topicOf({ owner }: Queue): Topic | undefined {
  return owner instanceof Topic ? owner : undefined;
}

/** The subscription whose messages this queue holds. */
export function subscriptionOf({ owner }: Queue): Subscription | undefined {
  return owner instanceof Subscription ? owner : undefined;
}

/** A queue, topic or subscription, as far as a put changes it. */
export type Entity = {
  readonly description: EntityDescription;
  update(description: EntityDescription, now: Instant): void;
  record(): EntityRecord;
};

/** The entity that a queue belongs to: the topic whose intake it is, its subscription, or the queue itself. */
export function entityOf(queue: Queue): Entity {
  return topicOf(queue) ?? subscriptionOf(queue) ?? queue;
}

/** The most copies that a turn counts out of an emptied store, or counts again. */
const MAX_RECOUNT = 1000;

export class Topic {
  readonly kind = 'topic';
  /** Accepts sent messages. Checks, duplicates, numbers, schedules and size work as in a queue. */
  readonly intake: Queue;
  /** In the order of their creation, so their store ids rise. */
  readonly subscriptions = new SortedNames<Subscription>(subscriptionNameKey);
  /** The numbers of filters of all its subscriptions, which update them (LIM-10, LIM-11). */
  readonly filterCounts = { sql: 0, correlation: 0 };
  /** The copies in its subscriptions. Replaced when few are left after some were emptied. */
  copies: TopicCopies;
  #description: TopicDescription;

  constructor({ description, ...record }: TopicRecord, logMakers: LogMakers) {
    this.#description = description;
    this.intake = new Queue({ ...record, description: intakeOf(description) }, logMakers, this);
    this.copies = new TopicCopies(this);
  }

  get description(): TopicDescription {
    return this.#description;
  }

  /** Messages whose copies are not all made yet, in the order of their acceptance. */
  get waiting(): MessageStore {
    return this.intake.deadLetters;
  }

  find(subscriptionName: string): Subscription | undefined {
    return this.subscriptions.find(subscriptionName);
  }

  update(description: TopicDescription, now: Instant): void {
    this.#description = description;
    this.intake.update(intakeOf(description), now);
    for (const subscription of this.subscriptions.values()) subscription.topicUpdated();
  }

  /**
   * Called when stores of its subscriptions were emptied. If one of them had many copies and few are left, the topic counts all copies
   * again, so that their room is free at once. If not, a shared content counts until its rows are removed: a count looks at all
   * subscriptions, and thousands of small ones may go one by one.
   */
  subscriptionsEmptied(): void {
    if (!this.copies.takeHasEmptied()) return;
    const logs = [...this.subscriptions.values()].flatMap(({ queue }) => queue.stores.map(({ log }) => log));
    if (logs.reduce((sum, { count }) => sum + count, 0) > MAX_RECOUNT) return;
    this.intake.sizeBytes -= this.copies.sizeBytes;
    this.copies = new TopicCopies(this);
    for (const log of logs) for (const message of log.from(0)) this.copies.stored(message);
  }

  record(): TopicRecord {
    return { ...this.intake.record(), type: 'topic', description: this.#description };
  }
}

/** Counts the copies of each content in the subscriptions of a topic, and adds their bytes to its size (CNT-02). */
class TopicCopies implements CopyCounter {
  readonly #shared = new ContentReferences();
  readonly #topic: Topic;
  #hasEmptied = false;
  sizeBytes = 0;

  constructor(topic: Topic) {
    this.#topic = topic;
  }

  /** A shared content counts once. */
  stored({ contentId, sizeBytes, isShared }: CountedMessage, count = 1): void {
    if (!isShared || !this.#shared.has(contentId)) this.#addBytes(sizeBytes);
    if (isShared) this.#shared.add(contentId, count);
  }

  removed({ contentId, sizeBytes, isShared }: CountedMessage): void {
    if (!isShared || this.#shared.remove(contentId)) this.#addBytes(-sizeBytes);
  }

  emptied(log: StoreLog): CopyCounter | undefined {
    this.#addBytes(-log.unsharedBytes);
    if (log.count > MAX_RECOUNT) {
      this.#hasEmptied = true;
      return this;
    }
    for (const message of log.from(0)) if (message.isShared) this.removed(message);
    return undefined;
  }

  /** Whether many copies were emptied since the last call, which are still counted. */
  takeHasEmptied(): boolean {
    const hasEmptied = this.#hasEmptied;
    this.#hasEmptied = false;
    return hasEmptied;
  }

  /** Once replaced, it counts no longer. */
  #addBytes(bytes: number): void {
    if (this.#topic.copies !== this) return;
    this.sizeBytes += bytes;
    this.#topic.intake.sizeBytes += bytes;
  }
}

function intakeOf(description: TopicDescription): QueueDescription {
  const { name, supportOrdering: _, ...given } = description;
  return describeQueue(name, given);
}

/** The result of a rule: a copy, or one that goes straight to the dead-letter queue, with the reason. */
export type MadeCopy = {
  readonly propertyChanges?: readonly PropertyChange[] | undefined;
  readonly systemChanges?: SystemChanges | undefined;
  readonly isDead?: boolean;
};

export type Copy = {
  readonly subscription: Subscription;
  readonly made: MadeCopy;
  /** Undefined if no rule has made it. */
  readonly rule: SubscriptionRule | undefined;
};

export type SubscriptionRule = {
  readonly record: RuleRecord;
  readonly compiled: CompiledRule;
  /** The copy that it makes of any message without a change. Set only by `fan-out.ts`. */
  unchanged?: Copy;
};

/** A subscription: the rules that select messages of its topic, and the queue in which they wait for receivers. */
export class Subscription {
  readonly kind = 'subscription';
  readonly topic: Topic;
  readonly queue: Queue;
  /** Undefined unless JMS programs consume from it by a name of theirs. */
  subscriber: Subscriber | undefined;
  readonly #rules = new SortedNames<SubscriptionRule>();
  #description: SubscriptionDescription;

  constructor(
    topic: Topic,
    { description, topicStoreId: _, subscriber, ...record }: SubscriptionRecord,
    logMakers: LogMakers,
  ) {
    this.topic = topic;
    this.#description = description;
    this.subscriber = subscriber;
    this.queue = new Queue({ ...record, description: queueOf(topic, description) }, logMakers, this);
  }

  get description(): SubscriptionDescription {
    return this.#description;
  }

  /** Sorted by name; case does not count (TOP-11). */
  get rules(): readonly SubscriptionRule[] {
    return this.#rules.sorted;
  }

  findRule(name: string): SubscriptionRule | undefined {
    return this.#rules.find(name);
  }

  putRule(rule: SubscriptionRule): void {
    this.removeRule(rule.record.description.name);
    this.#rules.set(rule.record.description.name, rule);
    this.topic.filterCounts[kindOf(rule)] += 1;
  }

  removeRule(name: string): void {
    const rule = this.findRule(name);
    if (rule === undefined) return;
    this.#rules.delete(name);
    this.topic.filterCounts[kindOf(rule)] -= 1;
  }

  update(description: SubscriptionDescription, now: Instant): void {
    this.#description = description;
    this.queue.update(queueOf(this.topic, description), now);
  }

  /** Applies a change of the topic's description. */
  topicUpdated(): void {
    this.queue.describe(queueOf(this.topic, this.#description));
  }

  record(): SubscriptionRecord {
    const topicStoreId = this.topic.intake.main.id;
    const { subscriber } = this;
    return {
      ...this.queue.record(),
      type: 'subscription',
      description: this.#description,
      topicStoreId,
      ...(subscriber === undefined ? undefined : { subscriber }),
    };
  }
}

function kindOf({ record }: SubscriptionRule): 'sql' | 'correlation' {
  return record.description.filter.kind === 'correlation' ? 'correlation' : 'sql';
}

/** A subscription has the partitions of its topic, and numbers its messages in them (SEQ-05, SEQ-06). */
function queueOf({ description: topic }: Topic, description: SubscriptionDescription): QueueDescription {
  const { name, deadLetteringOnFilterEvaluationExceptions: _, ...given } = description;
  const { enablePartitioning, maxSizeInMegabytes, maxMessageSizeInKilobytes } = topic;
  const ofTopic = { enablePartitioning, maxSizeInMegabytes, maxMessageSizeInKilobytes };
  return {
    ...describeQueue(topic.name, { ...given, ...ofTopic }),
    name: subscriptionPathOf(topic.name, name),
  };
}
