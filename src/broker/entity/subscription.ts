// A subscription: what it takes of its topic's messages, by its rules, and the queue in which they wait for receivers.

import type { RuleRecord, SubscriptionRecord } from '../event.js';
import type { Instant } from '../instant.js';
import type { CompiledRule } from '../rules/rule-compiler.js';
import { subscriptionPathOf } from './entity-path.js';
import { Queue } from './queue.js';
import { describeQueue, type QueueDescription } from './queue-description.js';
import { SortedNames } from './sorted-names.js';
import type { Topic } from './topic.js';
import type { SubscriptionDescription } from './topic-description.js';

export type SubscriptionRule = { readonly record: RuleRecord; readonly compiled: CompiledRule };

export class Subscription {
  readonly topic: Topic;
  readonly queue: Queue;
  readonly #rules = new SortedNames<SubscriptionRule>();
  #description: SubscriptionDescription;

  constructor(topic: Topic, { description, topicStoreId: _, ...record }: SubscriptionRecord) {
    this.topic = topic;
    this.#description = description;
    this.queue = new Queue({ ...record, description: queueOf(topic, description) }, { subscription: this });
  }

  get description(): SubscriptionDescription {
    return this.#description;
  }

  /** By name, in any case the same (TOP-11). */
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

  /** Its topic was changed. */
  topicUpdated(): void {
    this.queue.describe(queueOf(this.topic, this.#description));
  }

  record(): SubscriptionRecord {
    const topicStoreId = this.topic.intake.main.id;
    return { ...this.queue.record(), description: this.#description, topicStoreId };
  }
}

function kindOf({ record }: SubscriptionRule): 'sql' | 'correlation' {
  return record.description.filter.kind === 'correlation' ? 'correlation' : 'sql';
}

/** Its messages are numbered in the partitions of its topic (SEQ-05, SEQ-06). */
function queueOf({ description: topic }: Topic, description: SubscriptionDescription): QueueDescription {
  const { name, deadLetteringOnFilterEvaluationExceptions: _, ...given } = description;
  const { enablePartitioning, maxSizeInMegabytes, maxMessageSizeInKilobytes } = topic;
  return describeQueue(subscriptionPathOf(topic.name, name), {
    ...given,
    enablePartitioning,
    maxSizeInMegabytes,
    maxMessageSizeInKilobytes,
  });
}
