// Whether a rule can be carried out: the broker's own compiler is asked before anything is started (SQL-23, COR-01).

import { RuleCompiler } from '../broker/rules/rule-compiler.js';
import type { Action, Filter } from '../broker/rules/rule-description.js';
import { ServiceBusError } from '../broker/service-bus-error.js';
import { ValueError } from '../description/value-error.js';

/** Throws a ValueError, of SQL with line and column; its message reads on after the name of what is checked. */
export function checkFilter(filter: Filter): void {
  check((compiler) => compiler.filter(filter));
}

/** The same. */
export function checkAction(action: Action): void {
  check((compiler) => compiler.action(action));
}

function check(compile: (compiler: RuleCompiler) => void): void {
  try {
    compile(new RuleCompiler({ nextGuid: () => '' }));
  } catch (error) {
    if (!(error instanceof ServiceBusError)) throw error;
    throw new ValueError(predicateOf(error), error);
  }
}

function predicateOf({ message, data: { sql } }: ServiceBusError): string {
  return sql === undefined
    ? `cannot be used: ${message.replace(/\.$/, '')}`
    : `is invalid at line ${sql.line}, column ${sql.column}: ${sql.problem}`;
}
