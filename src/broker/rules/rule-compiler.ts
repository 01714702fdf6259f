// Compiles rules. Equal filters and actions share one parse and one function.

import {
  type Action,
  checkRuleShape,
  type Filter,
  type RuleDescription,
  type RuleParameters,
} from '../contract/rule-description.js';
import { type CompiledAction, compileAction } from './compile-action.js';
import { type CompiledFilter, compileFilter } from './compile-filter.js';
import { RuleEffort, type RuleEnvironment } from './compile-value.js';

export type CompiledRule = {
  readonly name: string;
  readonly filter: CompiledFilter;
  readonly action: CompiledAction | undefined;
};

export class RuleCompiler {
  /** The cost of all evaluations of its rules so far. */
  readonly effort = new RuleEffort();
  readonly #environment: RuleEnvironment;
  readonly #filters = new WeakCache<CompiledFilter>();
  readonly #actions = new WeakCache<CompiledAction>();

  constructor({ nextGuid }: Pick<RuleEnvironment, 'nextGuid'>) {
    this.#environment = { nextGuid, effort: this.effort };
  }

  /** ACT-07: any filter may have an action. Throws argument. */
  rule(description: RuleDescription): CompiledRule {
    checkRuleShape(description);
    const { name, filter, action } = description;
    return { name, filter: this.filter(filter), action: action && this.action(action) };
  }

  /** Returns the same function for equal filters, as long as a rule holds it. Throws argument. */
  filter(filter: Filter): CompiledFilter {
    return this.#filters.get(keyOf(filter), () => compileFilter(filter, this.#environment));
  }

  /** Returns the same function for equal actions, as long as a rule holds it. Throws argument. */
  action(action: Action): CompiledAction {
    return this.#actions.get(keyOf(action), () => compileAction(action, this.#environment));
  }
}

/** A key that is equal for equal filters or actions, whatever the order of their fields. */
function keyOf(description: Filter | Action): string {
  if (description.kind === 'sql') {
    return JSON.stringify(['sql', description.expression, sorted(description.parameters)]);
  }
  if (description.kind === 'selector') return JSON.stringify([description.kind, description.expression]);
  if (description.kind !== 'correlation') return description.kind;
  const { kind, properties, ...fields } = description;
  return JSON.stringify([kind, sorted(fields), sorted(properties)]);
}

function sorted(values: RuleParameters | undefined = {}): [string, unknown][] {
  return Object.entries(values)
    .filter(([, value]) => value !== undefined)
    .sort(([a], [b]) => (a < b ? -1 : 1));
}

/** The least number of entries at which the cache is swept. */
const MIN_SWEEP_SIZE = 64;

/** Holds each value as long as something else does. Sweeps when it has doubled since the last sweep, so sweeping is cheap. */
export class WeakCache<Value extends object> {
  readonly #references = new Map<string, WeakRef<Value>>();
  #sweepAt = MIN_SWEEP_SIZE;

  /** The number of keys. Some of them may have lost their value. */
  get size(): number {
    return this.#references.size;
  }

  get(key: string, make: () => Value): Value {
    const found = this.#references.get(key)?.deref();
    if (found !== undefined) return found;
    const made = make();
    this.#references.set(key, new WeakRef(made));
    if (this.#references.size >= this.#sweepAt) this.#sweep();
    return made;
  }

  #sweep(): void {
    for (const [key, reference] of this.#references) {
      if (reference.deref() === undefined) this.#references.delete(key);
    }
    this.#sweepAt = Math.max(MIN_SWEEP_SIZE, 2 * this.#references.size);
  }
}
