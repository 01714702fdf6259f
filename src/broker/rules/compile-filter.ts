// Filters as functions: does this message match?

import { compileCondition, type Test } from './compile-condition.js';
import type { RuleEnvironment } from './compile-value.js';
import { parseCondition } from './condition-parser.js';
import { compileCorrelation } from './correlation-filter.js';
import type { MessageView } from './message-view.js';
import type { Filter, SqlExpression } from './rule-description.js';
import type { Truth } from './rule-value.js';
import { SqlSource } from './sql-source.js';

export class CompiledFilter {
  /** Whether it asks for application properties, which are decoded only then. */
  readonly usesUserProperties: boolean;
  /** Whether it says the same of a message each time; not so with `newid()`. */
  readonly isRepeatable: boolean;
  readonly #test: Test;

  constructor(test: Test, options: { usesUserProperties: boolean; isRepeatable: boolean }) {
    this.#test = test;
    this.usesUserProperties = options.usesUserProperties;
    this.isRepeatable = options.isRepeatable;
  }

  /** Undefined is unknown. Throws RuleEvaluationError. */
  evaluate(message: MessageView): Truth {
    return this.#test(message);
  }

  /** Throws RuleEvaluationError. */
  matches(message: MessageView): boolean {
    return this.#test(message) === true; // SQL-09
  }
}

/** Throws argument, for SQL with line and column (SQL-23). */
export function compileFilter(filter: Filter, environment: RuleEnvironment): CompiledFilter {
  switch (filter.kind) {
    case 'true': // SQL-24
    case 'false': {
      const options = { usesUserProperties: false, isRepeatable: true };
      return new CompiledFilter(() => filter.kind === 'true', options);
    }
    case 'sql':
      return compileSql(filter, environment);
    case 'correlation': {
      const usesUserProperties = Object.keys(filter.properties ?? {}).length > 0;
      return new CompiledFilter(compileCorrelation(filter), { usesUserProperties, isRepeatable: true });
    }
    default:
      return filter satisfies never;
  }
}

function compileSql(
  { expression, parameters }: SqlExpression,
  { nextGuid }: RuleEnvironment,
): CompiledFilter {
  const source = new SqlSource('filter', expression);
  const uses = { userProperties: false, newId: false };
  const condition = parseCondition(source, parameters ?? {});
  const test = compileCondition(condition, { source, nextGuid, uses });
  return new CompiledFilter(test, { usesUserProperties: uses.userProperties, isRepeatable: !uses.newId });
}
