// Makes up descriptions of entities and rules, valid and not; the rules are such that the reference model understands.

import {
  type AuthorizationRule,
  describeAuthorizationRule,
} from '../../src/broker/contract/entities/authorization-rule.js';
import {
  describeQueue,
  type EntityStatus,
  type QueueDescription,
} from '../../src/broker/contract/entities/queue-description.js';
import { NEVER } from '../../src/broker/contract/instant.js';
import type { Limits } from '../../src/broker/contract/limits.js';
import type { Action, Filter, RuleDescription } from '../../src/broker/contract/rule-description.js';
import type { Pace } from './conditions.js';
import type { Random } from './random.js';
import { ACTIONS, CONDITIONS, SELECTORS } from './reference-send.js';

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
    const description = before ?? this.plain(name);
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

const RULE_NAMES = ['$Default', 'reds', 'REDS', 'b', 'Alpha', 'z9'] as const;
const CORRELATIONS: readonly Filter[] = [
  { kind: 'correlation', subject: 'alpha' },
  { kind: 'correlation', sessionId: 'east' },
  { kind: 'correlation', messageId: 'm1' },
  { kind: 'correlation', properties: { Color: 'red' } },
  { kind: 'correlation', properties: { quantity: { type: 'int', value: '2' } } },
  { kind: 'correlation', subject: 'beta', properties: { color: 'blue' } },
  { kind: 'correlation', properties: { quantity: '2' } },
];
const MISTAKES: readonly Partial<RuleDescription>[] = [
  { name: 'x'.repeat(51) },
  { name: '' },
  { filter: { kind: 'sql', expression: 'color =' } },
  { filter: { kind: 'correlation' } },
  { action: { kind: 'sql', expression: 'SET sys.SequenceNumber = 1' } },
];

export class RuleMaker {
  readonly #random: Random;
  readonly #actionChance: number;
  readonly #usualAction: string;

  constructor(random: Random) {
    this.#random = random;
    this.#actionChance = random.pick([0, 0.3, 0.7]);
    const expressions = Object.keys(ACTIONS);
    const scheduling = expressions.filter((one) => one.includes('@at'));
    this.#usualAction = random.pick(random.chance(0.3) ? scheduling : expressions);
  }

  /** As they come with a new subscription. */
  rules(now: number): readonly RuleDescription[] | undefined {
    return this.#random.pick([undefined, undefined, [this.rule(now)], [this.rule(now), this.rule(now)], []]);
  }

  /** `now` is when. */
  rule(now: number): RuleDescription {
    const rule = { name: this.name(), filter: this.#filter(), action: this.#action(now) };
    return this.#random.chance(0.05) ? { ...rule, ...this.#random.pick(MISTAKES) } : rule;
  }

  name(): string {
    return this.#random.pick(RULE_NAMES);
  }

  #filter(): Filter {
    const expression = this.#random.pick(Object.keys(CONDITIONS));
    return this.#random.pick<Filter>([
      { kind: 'true' },
      { kind: this.#random.chance(0.7) ? 'true' : 'false' },
      this.#random.pick(CORRELATIONS),
      { kind: 'sql', expression },
      { kind: expression in SELECTORS ? 'selector' : 'sql', expression },
    ]);
  }

  #action(now: number): Action | undefined {
    if (!this.#random.chance(this.#actionChance)) return undefined;
    const isUsual = this.#random.chance(0.5);
    const expression = isUsual ? this.#usualAction : this.#random.pick(Object.keys(ACTIONS));
    if (!expression.includes('@at')) return { kind: 'sql', expression };
    const at = {
      type: 'timestamp',
      value: now + this.#random.pick([0, 60_000, 3_600_000, 3_600_000]),
    } as const;
    return { kind: 'sql', expression, parameters: { '@at': at } };
  }
}
