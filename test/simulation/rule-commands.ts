// Makes up commands about the rules of subscriptions.

import type { Command } from '../../src/broker/command.js';
import type { RuleDescription } from '../../src/broker/rules/rule-description.js';
import type { EntityNames } from './entity-names.js';
import type { Picks } from './picks.js';
import type { Random } from './random.js';
import type { RuleMaker } from './rule-maker.js';

export const RULE_KINDS = [
  'add-rule',
  'update-rule',
  'set-rules',
  'remove-rule',
  'get-rule',
  'list-rules',
] as const;
export type RuleKind = (typeof RULE_KINDS)[number];

export type RuleCommandsOptions = {
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
