// Makes up rules of which the reference model knows what they say, and now and then one that nobody may have.

import type { Action, Filter, RuleDescription } from '../../src/broker/rules/rule-description.js';
import type { Random } from './random.js';
import { ACTIONS, CONDITIONS } from './reference-rules.js';

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
