// Makes up commands about topics, subscriptions and their rules.

import type { Command } from '../../src/broker/command.js';
import {
  describeSubscription,
  describeTopic,
  type SubscriptionDescription,
  type TopicDescription,
} from '../../src/broker/entity/topic-description.js';
import { NEVER } from '../../src/broker/instant.js';
import type { DescriptionMaker } from './description-maker.js';
import type { EntityNames, SubscriptionName } from './entity-names.js';
import type { Picks } from './picks.js';
import type { Random } from './random.js';
import { RuleMaker } from './rule-maker.js';
import type { WorkloadMemory } from './workload-memory.js';

export const TOPIC_KINDS = [
  'put-topic',
  'delete-topic',
  'put-subscription',
  'delete-subscription',
  'add-rule',
  'remove-rule',
  'list-rules',
  'get-topic-info',
  'get-subscription-info',
] as const;
export type TopicKind = (typeof TOPIC_KINDS)[number];

export type TopicCommandsOptions = {
  readonly names: EntityNames;
  readonly memory: WorkloadMemory;
  readonly picks: Picks;
  readonly descriptions: DescriptionMaker;
};

export class TopicCommands {
  readonly #random: Random;
  readonly #names: EntityNames;
  readonly #memory: WorkloadMemory;
  readonly #picks: Picks;
  readonly #descriptions: DescriptionMaker;
  readonly #rules: RuleMaker;

  constructor(random: Random, { names, memory, picks, descriptions }: TopicCommandsOptions) {
    this.#random = random;
    this.#names = names;
    this.#memory = memory;
    this.#picks = picks;
    this.#descriptions = descriptions;
    this.#rules = new RuleMaker(random);
  }

  next(kind: TopicKind, now: number): Command {
    switch (kind) {
      case 'put-topic':
        return { kind, description: this.#changedTopic(this.#topicName()) };
      case 'delete-topic':
      case 'get-topic-info':
        return { kind, name: this.#topicName() };
      case 'put-subscription':
        return this.#putSubscription(this.#random.pick(this.#names.subscriptions), now);
      case 'delete-subscription':
      case 'get-subscription-info': {
        const { topicName, name } = this.#random.pick(this.#names.subscriptions);
        return { kind, topicName, name: this.#random.chance(0.05) ? 'nothing' : name.toUpperCase() };
      }
      case 'add-rule':
        return { kind, entityPath: this.#subscriptionPath(), rule: this.#rules.rule(now) };
      case 'remove-rule':
        return { kind, entityPath: this.#subscriptionPath(), name: this.#rules.name() };
      case 'list-rules': {
        const skip = this.#random.pick([0, 0, 0, 1, -1]);
        return {
          kind,
          entityPath: this.#subscriptionPath(),
          skip,
          maxCount: this.#random.pick([1, 2, 100, 0]),
        };
      }
    }
  }

  createTopic(name: string): Command {
    return { kind: 'put-topic', description: this.#plainTopic(name) };
  }

  createSubscription({ topicName, name }: SubscriptionName, now: number): Command {
    const description = this.#plainSubscription(name);
    return { kind: 'put-subscription', topicName, description, rules: this.#rules.rules(now) };
  }

  #putSubscription({ topicName, name, path }: SubscriptionName, now: number): Command {
    const before = this.#memory.subscriptionOf(path) ?? this.#plainSubscription(name);
    const rules = this.#random.chance(0.2) ? this.#rules.rules(now) : undefined;
    return {
      kind: 'put-subscription',
      topicName,
      description: this.#changedSubscription(before, topicName),
      rules,
    };
  }

  #topicName(): string {
    if (this.#random.chance(0.05)) return this.#picks.name();
    return this.#random.pick(this.#names.topics);
  }

  #subscriptionPath(): string {
    return this.#random.chance(0.05) ? this.#picks.path() : this.#random.pick(this.#names.subscriptions).path;
  }

  #plainTopic(name: string): TopicDescription {
    const { maxMessageSizeInKilobytes, maxSizeInMegabytes, ...rest } = this.#descriptions.plain(name);
    return describeTopic(name, {
      maxMessageSizeInKilobytes,
      maxSizeInMegabytes,
      requiresDuplicateDetection: rest.requiresDuplicateDetection,
      duplicateDetectionHistoryTimeWindowMs: rest.duplicateDetectionHistoryTimeWindowMs,
      defaultMessageTimeToLiveMs: rest.defaultMessageTimeToLiveMs,
      enablePartitioning: rest.enablePartitioning,
      autoDeleteOnIdleMs: rest.autoDeleteOnIdleMs,
    });
  }

  #changedTopic(name: string): TopicDescription {
    const before = this.#memory.topicOf(name) ?? this.#plainTopic(name);
    const changed = this.#descriptions.changed(name, undefined);
    if (this.#random.chance(0.1)) {
      return {
        ...before,
        ...this.#random.pick([
          { name: '$x' },
          { autoDeleteOnIdleMs: 1 },
          { enablePartitioning: !before.enablePartitioning },
        ]),
      };
    }
    return {
      ...before,
      status: this.#random.pick(['Active', 'Active', 'Active', 'Disabled', 'SendDisabled']),
      ...this.#some<Partial<TopicDescription>>([
        { defaultMessageTimeToLiveMs: this.#valid(changed.defaultMessageTimeToLiveMs) },
        { autoDeleteOnIdleMs: Math.max(300_000, changed.autoDeleteOnIdleMs) },
        {
          duplicateDetectionHistoryTimeWindowMs: Math.max(
            5000,
            changed.duplicateDetectionHistoryTimeWindowMs,
          ),
        },
      ]),
    };
  }

  #plainSubscription(name: string): SubscriptionDescription {
    const { lockDurationMs, maxDeliveryCount, requiresSession, ...rest } = this.#descriptions.plain(name);
    return describeSubscription(name, {
      lockDurationMs,
      maxDeliveryCount,
      requiresSession,
      defaultMessageTimeToLiveMs: rest.defaultMessageTimeToLiveMs,
      deadLetteringOnMessageExpiration: rest.deadLetteringOnMessageExpiration,
      deadLetteringOnFilterEvaluationExceptions: this.#random.chance(0.7),
      autoDeleteOnIdleMs: rest.autoDeleteOnIdleMs,
    });
  }

  #changedSubscription(before: SubscriptionDescription, topicName: string): SubscriptionDescription {
    const { lockDurationMs, maxDeliveryCount, defaultMessageTimeToLiveMs } = this.#plainSubscription(
      before.name,
    );
    if (this.#random.chance(0.1)) {
      return {
        ...before,
        ...this.#random.pick([
          { name: 'a/b' },
          { maxDeliveryCount: 0 },
          { requiresSession: !before.requiresSession },
        ]),
      };
    }
    return {
      ...before,
      ...(this.#random.chance(0.5) ? this.#descriptions.forwarding(topicName) : {}),
      status: this.#random.pick(['Active', 'Active', 'Active', 'Disabled', 'ReceiveDisabled']),
      ...this.#some<Partial<SubscriptionDescription>>([
        { lockDurationMs },
        { maxDeliveryCount },
        { defaultMessageTimeToLiveMs },
        { autoDeleteOnIdleMs: this.#random.pick([NEVER, 300_000]) },
        { deadLetteringOnFilterEvaluationExceptions: this.#random.chance(0.5) },
      ]),
    };
  }

  #some<T>(changes: readonly T[]): T {
    return Object.assign({}, ...changes.filter(() => this.#random.chance(0.3))) as T;
  }

  #valid(timeToLiveMs: number): number {
    return timeToLiveMs === NEVER ? NEVER : Math.max(1000, timeToLiveMs);
  }
}
