// Reads a rule from an object: filter and action in short form, in the SDK's form, or as the broker describes them.

import {
  type Action,
  CORRELATION_FIELDS,
  type CorrelationFilter,
  type Filter,
  isParameterValue,
  type ParameterValue,
  type RuleDescription,
  type RuleParameters,
} from '../broker/contract/rule-description.js';
import { ServiceBusError } from '../broker/contract/service-bus-error.js';
import { RuleCompiler } from '../broker/rules/rule-compiler.js';
import { checkRuleName, readName } from '../description/entity-name.js';
import { suggestion } from '../description/suggestion.js';
import { named, shown, ValueError } from '../description/value-error.js';

type Given = Readonly<Record<string, unknown>>;

/** Reads a rule; without a filter it matches everything. Throws a ValueError. */
export function readGivenRule(given: unknown): RuleDescription {
  if (!isObject(given)) throw new ValueError(`a rule must be an object with a name, not ${shown(given)}`);
  const { name, filter = true, action, ...more } = given;
  const ruleName = named("a rule's name", () => readName(name, checkRuleName));
  return named(`rule ${shown(ruleName)}:`, () => {
    refuseUnknown(more, ['name', 'filter', 'action']);
    return { name: ruleName, filter: readFilter(filter), action: readAction(action) };
  });
}

/** Throws a ValueError. */
export function readFilter(given: unknown): Filter {
  const filter = named('the filter', () => toFilter(given));
  named('the filter', () => checkFilter(filter));
  return filter;
}

function readAction(given: unknown): Action | undefined {
  // The SDK lists a rule without an action as one whose action is empty.
  if (given === undefined || (isObject(given) && Object.keys(given).length === 0)) return undefined;
  const action = named('the action', () => toSql(given));
  named('the action', () => checkAction(action));
  return action;
}

function toFilter(given: unknown): Filter {
  if (typeof given === 'boolean') return { kind: given ? 'true' : 'false' };
  if (typeof given === 'string') return { kind: 'sql', expression: given };
  if (!isObject(given)) {
    throw new ValueError(`must be SQL, an object of properties, true or false, not ${shown(given)}`);
  }
  switch (given.kind) {
    case 'true':
    case 'false':
      refuseUnknown(given, ['kind']);
      return { kind: given.kind };
    case 'sql':
      return toSql(given);
    case 'correlation': {
      const { kind: _, properties, ...fields } = given;
      return toCorrelation({
        ...fields,
        ...(properties === undefined ? {} : { applicationProperties: properties }),
      });
    }
    default:
      return 'sqlExpression' in given ? toSql(given) : toCorrelation(given);
  }
}

function toSql(given: unknown): Action {
  if (typeof given === 'string') return { kind: 'sql', expression: given };
  if (!isObject(given)) throw new ValueError(`must be SQL, not ${shown(given)}`);
  if (given.kind === 'sql') {
    const { kind: _, expression, parameters, ...more } = given;
    refuseUnknown(more, ['kind', 'expression', 'parameters']);
    return toSql({ sqlExpression: expression, sqlParameters: parameters });
  }
  const { sqlExpression, sqlParameters, ...more } = given;
  refuseUnknown(more, ['sqlExpression', 'sqlParameters']);
  if (typeof sqlExpression !== 'string') throw new ValueError(`must be SQL, not ${shown(sqlExpression)}`);
  return {
    kind: 'sql',
    expression: sqlExpression,
    ...(sqlParameters === undefined ? {} : { parameters: toParameters(sqlParameters) }),
  };
}

/** COR-01 */
function toCorrelation(given: Given): CorrelationFilter {
  const { applicationProperties, ...more } = given;
  refuseUnknown(more, [...CORRELATION_FIELDS, 'applicationProperties'], NAMES_OF_OTHERS);
  const fields = CORRELATION_FIELDS.flatMap((field) => {
    const value = more[field];
    if (value === undefined || value === null) return []; // as the SDK lists them
    if (typeof value !== 'string') throw new ValueError(`has a ${field} that is not a text: ${shown(value)}`);
    return [[field, value]];
  });
  return {
    kind: 'correlation',
    ...Object.fromEntries(fields),
    ...(applicationProperties === undefined ? {} : { properties: toParameters(applicationProperties) }),
  };
}

function toParameters(given: unknown): RuleParameters {
  if (!isObject(given)) throw new ValueError(`has properties that are not an object: ${shown(given)}`);
  return Object.fromEntries(
    Object.entries(given).map(([name, value]) => [name, named(shown(name), () => toParameter(value))]),
  );
}

const MAX_INT = 2 ** 31 - 1;

/** A value to compare with, in its type on the wire. Throws a ValueError. */
export function toParameter(value: unknown): ParameterValue {
  if (isParameterValue(value)) return value; // a text, true, false, or a value that the broker described
  if (typeof value === 'bigint' || Number.isSafeInteger(value)) {
    // An `int` if it fits: the JavaScript SDK's administration client cannot read a `long`.
    const type = Math.abs(Number(value)) <= MAX_INT ? 'int' : 'long';
    return { type, value: String(value) };
  }
  if (typeof value === 'number') return { type: 'double', value: String(value) };
  if (value instanceof Date && Number.isSafeInteger(value.getTime())) {
    return { type: 'timestamp', value: value.getTime() };
  }
  throw new ValueError(`must be a text, a number, true or false, or a date, not ${shown(value)}`);
}

/** The names that Config.json, ATOM and older SDKs have for these properties, in lower case. */
const NAMES_OF_OTHERS: Readonly<Record<string, string>> = {
  label: 'subject',
  properties: 'applicationProperties',
  userproperties: 'applicationProperties',
};

function refuseUnknown(
  given: Given,
  known: readonly string[],
  otherNames: Readonly<Record<string, string>> = {},
): void {
  const unknown = Object.keys(given).find((key) => !known.includes(key));
  if (unknown === undefined) return;
  const name = otherNames[unknown.toLowerCase()];
  const hint = name === undefined ? suggestion(unknown, known) : ` It is called '${name}' here.`;
  throw new ValueError(`has no property ${shown(unknown)}.${hint}`);
}

function isObject(value: unknown): value is Given {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Compiles a filter. Throws a ValueError whose message follows a name; for SQL it has line and column. */
export function checkFilter(filter: Filter): void {
  check((compiler) => compiler.filter(filter));
}

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
