// Makes up rules that the reference model understands, some invalid ones, and commands about them.

import type { Command } from '../../src/broker/command.js';
import type { Action, Filter, RuleDescription } from '../../src/broker/rules/rule-description.js';
import type { EntityNames, Picks } from './picks.js';
import type { Random } from './random.js';
import { ACTIONS, CONDITIONS } from './reference-fan-out.js';

const NAMES = ['$Default', 'reds', 'REDS', 'b', 'Alpha', 'z9'] as const;
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
    return this.#random.pick(NAMES);
  }

  #filter(): Filter {
    const expression = this.#random.pick(Object.keys(CONDITIONS));
    return this.#random.pick<Filter>([
      { kind: 'true' },
      { kind: this.#random.chance(0.7) ? 'true' : 'false' },
      this.#random.pick(CORRELATIONS),
      { kind: 'sql', expression },
      { kind: 'sql', expression },
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

export const RULE_KINDS = [
  'add-rule',
  'update-rule',
  'set-rules',
  'remove-rule',
  'get-rule',
  'list-rules',
] as const;
export type RuleKind = (typeof RULE_KINDS)[number];

type RuleCommandsOptions = {
  readonly names: EntityNames;
  readonly picks: Picks;
  readonly rules: RuleMaker;
};

export class RuleCommands {
  readonly #random: Random;
  readonly #names: EntityNames;
  readonly #picks: Picks;
  readonly #rules: RuleMaker;
  /** As they were set last: it may be that they are to be set once more. */
  #lastSet: readonly RuleDescription[] = [];

  constructor(random: Random, { names, picks, rules }: RuleCommandsOptions) {
    this.#random = random;
    this.#names = names;
    this.#picks = picks;
    this.#rules = rules;
  }

  next(kind: RuleKind, now: number): Command {
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
