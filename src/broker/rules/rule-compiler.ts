// Compiles equal filters and actions once: a thousand rules that say the same are one parse and one function.

import { type CompiledAction, compileAction } from './compile-action.js';
import { type CompiledFilter, compileFilter } from './compile-filter.js';
import type { RuleEnvironment } from './compile-value.js';
import type { Action, Filter, RuleDescription, RuleParameters } from './rule-description.js';
import { checkRuleShape } from './rule-shape.js';
import { WeakCache } from './weak-cache.js';

export type CompiledRule = {
  readonly name: string;
  readonly filter: CompiledFilter;
  readonly action: CompiledAction | undefined;
};

export class RuleCompiler {
  readonly #environment: RuleEnvironment;
  readonly #filters = new WeakCache<CompiledFilter>();
  readonly #actions = new WeakCache<CompiledAction>();

  constructor(environment: RuleEnvironment) {
    this.#environment = environment;
  }

  /** ACT-07: an action goes with any filter. Throws argument. */
  rule(description: RuleDescription): CompiledRule {
    checkRuleShape(description);
    const { name, filter, action } = description;
    return { name, filter: this.filter(filter), action: action && this.action(action) };
  }

  /** The same for equal filters, as long as a rule has it. Throws argument. */
  filter(filter: Filter): CompiledFilter {
    return this.#filters.get(keyOf(filter), () => compileFilter(filter, this.#environment));
  }

  /** The same for equal actions, as long as a rule has it. Throws argument. */
  action(action: Action): CompiledAction {
    return this.#actions.get(keyOf(action), () => compileAction(action, this.#environment));
  }
}

/** The same text for what says the same, in whatever order it was given. */
function keyOf(description: Filter | Action): string {
  if (description.kind === 'sql') {
    return JSON.stringify(['sql', description.expression, sorted(description.parameters)]);
  }
  if (description.kind !== 'correlation') return description.kind;
  const { kind, properties, ...fields } = description;
  return JSON.stringify([kind, sorted(fields), sorted(properties)]);
}

function sorted(values: RuleParameters | undefined = {}): [string, unknown][] {
  return Object.entries(values)
    .filter(([, value]) => value !== undefined)
    .sort(([a], [b]) => (a < b ? -1 : 1));
}
