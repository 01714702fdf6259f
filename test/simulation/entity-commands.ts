// Makes up descriptions of entities, valid and not, and commands about topics and subscriptions.

import type { Command } from '../../src/broker/command.js';
import {
  type AuthorizationRule,
  describeAuthorizationRule,
} from '../../src/broker/entities/authorization-rule.js';
import {
  describeQueue,
  type EntityStatus,
  type QueueDescription,
} from '../../src/broker/entities/queue-description.js';
import {
  describeSubscription,
  describeTopic,
  type SubscriptionDescription,
  type TopicDescription,
} from '../../src/broker/entities/topic-description.js';
import { NEVER } from '../../src/broker/instant.js';
import type { Limits } from '../../src/broker/limits.js';
import type { Pace } from './conditions.js';
import type { EntityNames, Picks, SubscriptionName } from './picks.js';
import type { Random } from './random.js';
import type { RuleMaker } from './rule-commands.js';
import type { WorkloadMemory } from './workload-memory.js';

const SECOND = 1000;
const STATUSES: readonly (readonly [status: EntityStatus, weight: number])[] = [
  ['Active', 10],
  ['Disabled', 1],
  ['SendDisabled', 1],
  ['ReceiveDisabled', 1],
];

const LISTENER = describeAuthorizationRule('listener', { rights: ['Listen'], primaryKey: 'c2VjcmV0' });
const MANAGER = describeAuthorizationRule('Manager', {
  rights: ['Manage', 'Send', 'Listen'],
  primaryKey: 'b25l',
  secondaryKey: 'dHdv',
});
const WRONG_AUTHORIZATION_RULES: readonly (readonly AuthorizationRule[])[] = [
  [LISTENER, { ...MANAGER, keyName: 'LISTENER' }],
  [{ ...MANAGER, rights: ['Manage'] }],
  [{ ...LISTENER, rights: [] }],
  [{ ...LISTENER, keyName: '' }],
  [{ ...LISTENER, primaryKey: 'x'.repeat(257) }],
];

type DescriptionMakerOptions = {
  readonly pace: Pace;
  readonly limits: Limits;
  /** To which entities may forward. */
  readonly destinations: readonly string[];
};

export class DescriptionMaker {
  readonly #random: Random;
  readonly #pace: Pace;
  readonly #limits: Limits;
  readonly #duplicateDetectionChance: number;
  readonly #sessionChance: number;
  readonly #partitioningChance: number;
  readonly #forwardingChance: number;
  readonly #destinations: readonly string[];

  constructor(random: Random, { pace, limits, destinations }: DescriptionMakerOptions) {
    this.#random = random;
    this.#pace = pace;
    this.#limits = limits;
    this.#duplicateDetectionChance = random.pick([0, 0.3, 0.8]);
    this.#sessionChance = random.pick([0, 0.5, 1]);
    this.#partitioningChance = random.pick([0, 0, 0.3, 1]);
    this.#forwardingChance = random.pick([0, 0, 0.4, 0.9]);
    this.#destinations = destinations;
  }

  /** A queue that can be created. */
  plain(name: string): QueueDescription {
    const { hasSessions, hasDuplicateDetection } = this.#limits;
    return describeQueue(name, {
      ...this.#changeable(),
      maxSizeInMegabytes: 1,
      requiresSession: hasSessions && this.#random.chance(this.#sessionChance),
      requiresDuplicateDetection:
        hasDuplicateDetection && this.#random.chance(this.#duplicateDetectionChance),
      enablePartitioning: this.#random.chance(this.#partitioningChance),
    });
  }

  /** Some change to a queue, or to what it may once have been. */
  changed(name: string, before: QueueDescription | undefined): QueueDescription {
    const description = { ...(before ?? this.plain(name)), name };
    if (this.#random.chance(0.2)) return { ...description, ...this.#mistake() };
    const after = { ...this.#changeable(), ...this.forwarding(name) };
    const changes = Object.entries(after).filter(() => this.#random.chance(0.3));
    const status = this.#random.pickWeighted(STATUSES);
    return { ...description, ...Object.fromEntries(changes), status };
  }

  /** Not often to `own`, itself or its topic: what never goes elsewhere meets little. */
  forwarding(own?: string): Pick<QueueDescription, 'forwardTo' | 'forwardDeadLetteredMessagesTo'> {
    const others = this.#destinations.filter((one) => one !== own || this.#random.chance(0.05));
    return { forwardTo: this.#oneOf(others), forwardDeadLetteredMessagesTo: this.#oneOf(others) };
  }

  /** What means nothing to the broker, and is kept. */
  administered(): Pick<QueueDescription, 'authorizationRules' | 'otherProperties'> {
    return {
      authorizationRules: this.#random.pick([[], [], [LISTENER], [{ ...LISTENER }, MANAGER], [MANAGER]]),
      otherProperties: this.#random.pick([undefined, undefined, '<EntityAvailabilityStatus/>', '']),
    };
  }

  wrongAuthorizationRules(): readonly AuthorizationRule[] {
    return this.#random.pick(WRONG_AUTHORIZATION_RULES);
  }

  #oneOf(destinations: readonly string[]): string | undefined {
    if (destinations.length === 0 || !this.#random.chance(this.#forwardingChance)) return undefined;
    return this.#random.pick(destinations);
  }

  #changeable(): Partial<QueueDescription> {
    const random = this.#random;
    const { maxTimeToLiveMs } = this.#limits;
    const timeToLiveMs = this.#pace.timeToLiveMs();
    return {
      ...this.administered(),
      lockDurationMs: this.#pace.lockDurationMs(),
      maxDeliveryCount: random.pick([1, 1, 2, 3, 10]),
      maxMessageSizeInKilobytes: random.pick([undefined, undefined, 1, 512, 512]),
      duplicateDetectionHistoryTimeWindowMs: this.#pace.duplicateWindowMs(),
      defaultMessageTimeToLiveMs: random.pick([
        NEVER,
        Math.min(Math.max(SECOND, timeToLiveMs), maxTimeToLiveMs),
      ]),
      deadLetteringOnMessageExpiration: random.chance(0.5),
      autoDeleteOnIdleMs: this.#pace.autoDeleteOnIdleMs(),
    };
  }

  #mistake(): Partial<QueueDescription> {
    const { maxTimeToLiveMs } = this.#limits;
    return this.#random.pick<Partial<QueueDescription>>([
      { name: 'orders/$DeadLetterQueue' },
      { name: '' },
      { maxDeliveryCount: 0 },
      { lockDurationMs: 0 },
      { lockDurationMs: 300_001 },
      { maxMessageSizeInKilobytes: 513 },
      { duplicateDetectionHistoryTimeWindowMs: 4999 },
      { defaultMessageTimeToLiveMs: 999 },
      ...(maxTimeToLiveMs === NEVER ? [] : [{ defaultMessageTimeToLiveMs: maxTimeToLiveMs + 1 }]),
      { autoDeleteOnIdleMs: 299_999 },
      { requiresDuplicateDetection: this.#random.chance(0.5) },
      { enablePartitioning: this.#random.chance(0.5) },
      { requiresSession: true },
      { forwardTo: 'nowhere' },
      { authorizationRules: this.wrongAuthorizationRules() },
    ]);
  }
}

export const TOPIC_KINDS = [
  'put-topic',
  'delete-topic',
  'put-subscription',
  'delete-subscription',
  'list-subscriptions',
  'get-topic-info',
  'get-subscription-info',
] as const;
export type TopicKind = (typeof TOPIC_KINDS)[number];

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
          kind,
          description: this.#changedTopic(this.#topicName()),
          expected: this.#picks.expected(),
        };
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
      case 'list-subscriptions':
        return { kind, topicName: this.#topicName(), ...this.#picks.page() };
    }
  }

  createTopic(name: string): Command {
    const expected = this.#random.pick(['absent', undefined] as const);
    return { kind: 'put-topic', description: this.#plainTopic(name), expected };
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
}
