// Makes up commands about topics, subscriptions and their rules.

import type { Command } from '../../src/broker/contract/command.js';
import { subscriptionPathOf } from '../../src/broker/contract/entities/entity-path.js';
import {
  describeSubscription,
  describeTopic,
  type SubscriptionDescription,
  type TopicDescription,
} from '../../src/broker/contract/entities/topic-description.js';
import { NEVER } from '../../src/broker/contract/instant.js';
import type { RuleDescription } from '../../src/broker/contract/rule-description.js';
import type { DescriptionMaker, RuleMaker } from './description-maker.js';
import type { EntityNames, Picks, SubscriptionName } from './picks.js';
import type { Random } from './random.js';
import type { WorkloadMemory } from './workload-memory.js';

export const TOPIC_KINDS = [
  'put-topic',
  'delete-topic',
  'put-subscription',
  'delete-subscription',
  'list-subscriptions',
  'get-topic-info',
  'get-subscription-info',
] as const;
/** The commands behind what is asked of topics and of subscriptions alike. */
const COMMAND = {
  'delete-topic': 'delete-entity',
  'get-topic-info': 'get-entity',
  'delete-subscription': 'delete-entity',
  'get-subscription-info': 'get-entity',
} as const;
export type TopicKind = (typeof TOPIC_KINDS)[number];

export const RULE_KINDS = [
  'add-rule',
  'update-rule',
  'set-rules',
  'remove-rule',
  'get-rule',
  'list-rules',
] as const;
export type RuleKind = (typeof RULE_KINDS)[number];

type TopicCommandsOptions = {
  readonly names: EntityNames;
  readonly memory: WorkloadMemory;
  readonly picks: Picks;
  readonly descriptions: DescriptionMaker;
  readonly rules: RuleMaker;
};

export class TopicCommands {
  readonly #random: Random;
  readonly #names: EntityNames;
  readonly #memory: WorkloadMemory;
  readonly #picks: Picks;
  readonly #descriptions: DescriptionMaker;
  readonly #rules: RuleMaker;
  /** As they were set last: it may be that they are to be set once more. */
  #lastSet: readonly RuleDescription[] = [];

  constructor(random: Random, { names, memory, picks, descriptions, rules }: TopicCommandsOptions) {
    this.#random = random;
    this.#names = names;
    this.#memory = memory;
    this.#picks = picks;
    this.#descriptions = descriptions;
    this.#rules = rules;
  }

  next(kind: TopicKind, now: number): Command {
    switch (kind) {
      case 'put-topic':
        return {
          kind: 'put-entity',
          type: 'topic',
          description: this.#changedTopic(this.#topicName()),
          expected: this.#picks.expected(),
        };
      case 'delete-topic':
      case 'get-topic-info': {
        const name = this.#topicName();
        return { kind: COMMAND[kind], entityPath: this.#names.topics.includes(name) ? name : 'nowhere' };
      }
      case 'put-subscription':
        return this.#putSubscription(this.#random.pick(this.#names.subscriptions), now);
      case 'delete-subscription':
      case 'get-subscription-info': {
        const { topicName, name } = this.#random.pick(this.#names.subscriptions);
        const asked = this.#random.chance(0.05) ? 'nothing' : name.toUpperCase();
        return { kind: COMMAND[kind], entityPath: subscriptionPathOf(topicName, asked) };
      }
      case 'list-subscriptions':
        return {
          kind: 'list-entities',
          type: 'subscription',
          topicName: this.#topicName(),
          ...this.#picks.page(),
        };
    }
  }

  createTopic(name: string): Command {
    const expected = this.#random.pick(['absent', undefined] as const);
    return { kind: 'put-entity', type: 'topic', description: this.#plainTopic(name), expected };
  }

  createSubscription({ topicName, name }: SubscriptionName, now: number): Command {
    const description = this.#plainSubscription(name);
    return {
      kind: 'put-entity',
      type: 'subscription',
      topicName,
      description,
      rules: this.#rules.rules(now),
    };
  }

  #putSubscription({ topicName, name, path }: SubscriptionName, now: number): Command {
    const before = this.#memory.subscriptionOf(path) ?? this.#plainSubscription(name);
    const rules = this.#random.chance(0.2) ? this.#rules.rules(now) : undefined;
    return {
      kind: 'put-entity',
      type: 'subscription',
      topicName,
      description: this.#changedSubscription(before, topicName),
      rules,
      expected: this.#picks.expected(),
    };
  }

  #topicName(): string {
    if (this.#random.chance(0.05)) return this.#picks.name();
    return this.#random.pick(this.#names.topics);
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
      authorizationRules: rest.authorizationRules,
      otherProperties: rest.otherProperties,
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
          { authorizationRules: this.#descriptions.wrongAuthorizationRules() },
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
        this.#descriptions.administered(),
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
      otherProperties: rest.otherProperties,
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
        { otherProperties: this.#descriptions.administered().otherProperties },
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

  nextOfRules(kind: RuleKind, now: number): Command {
    const entityPath = this.#subscriptionPath();
    switch (kind) {
      case 'add-rule':
      case 'update-rule':
        return { kind, entityPath, rule: this.#rules.rule(now) };
      case 'set-rules':
        return { kind, entityPath, rules: this.#toSet(now) };
      case 'remove-rule':
      case 'get-rule':
        return { kind, entityPath, name: this.#rules.name() };
      case 'list-rules':
        return { kind, entityPath, ...this.#picks.page() };
    }
  }

  #toSet(now: number): readonly RuleDescription[] {
    const count = this.#random.pick([0, 1, 1, 2, 3]);
    const added = Array.from({ length: count }, () => this.#rules.rule(now));
    const kept = this.#lastSet.filter(() => this.#random.chance(0.5));
    this.#lastSet = this.#random.chance(0.5) ? added : [...kept, ...added].slice(0, 4);
    return this.#lastSet;
  }

  #subscriptionPath(): string {
    return this.#random.chance(0.05) ? this.#picks.path() : this.#random.pick(this.#names.subscriptions).path;
  }
}
