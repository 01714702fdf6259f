// Whether a rule is made as its type says: a program may give anything, and what was stored may be damaged.

import { ServiceBusError } from '../service-bus-error.js';
import type { CorrelationFilter, ParameterValue, RuleDescription } from './rule-description.js';

type Given = Readonly<Record<string, unknown>>;

/** COR-01: of a message's own properties, which are texts. */
export const CORRELATION_FIELDS = [
  'contentType',
  'correlationId',
  'messageId',
  'replyTo',
  'replyToSessionId',
  'sessionId',
  'subject',
  'to',
] as const satisfies readonly (keyof CorrelationFilter)[];

/** Throws argument, naming what is wrong. */
export function checkRuleShape(rule: RuleDescription): void {
  const problem = problemOfRule(rule);
  if (problem === undefined) return;
  const data = { property: 'rule', value: rule.name };
  throw new ServiceBusError('argument', `The rule '${rule.name}' cannot be: ${problem}.`, data);
}

export function isRuleDescription(value: unknown): value is RuleDescription {
  return isObject(value) && typeof value.name === 'string' && problemOfRule(value) === undefined;
}

export function isParameterValue(value: unknown): value is ParameterValue {
  return typeof value === 'string' || typeof value === 'boolean' || isTyped(value);
}

function problemOfRule({ filter, action }: Given): string | undefined {
  return problemOfFilter(filter) ?? (action === undefined ? undefined : problemOfSql(action));
}

function problemOfFilter(filter: unknown): string | undefined {
  if (!isObject(filter)) return 'its filter is no object';
  switch (filter.kind) {
    case 'true':
    case 'false':
      return unknownKey(filter, ['kind']);
    case 'sql':
      return problemOfSql(filter);
    case 'correlation': {
      const wrong = CORRELATION_FIELDS.find(
        (text) => filter[text] !== undefined && typeof filter[text] !== 'string',
      );
      if (wrong !== undefined) return `the ${wrong} of its filter is no text`;
      return (
        unknownKey(filter, ['kind', 'properties', ...CORRELATION_FIELDS]) ??
        problemOfValues(filter.properties)
      );
    }
    default:
      return 'its filter is of no kind that is known';
  }
}

function problemOfSql(given: unknown): string | undefined {
  if (!isObject(given) || given.kind !== 'sql' || typeof given.expression !== 'string') return 'it lacks SQL';
  return unknownKey(given, ['kind', 'expression', 'parameters']) ?? problemOfValues(given.parameters);
}

function problemOfValues(values: unknown): string | undefined {
  if (values === undefined) return undefined;
  if (!isObject(values)) return 'its properties or parameters are no object';
  const wrong = Object.keys(values).find((name) => !isParameterValue(values[name]));
  return wrong === undefined ? undefined : `the value of '${wrong}' is none that a rule can have`;
}

function isTyped(value: unknown): boolean {
  if (!isObject(value)) return false;
  const { text, ...typed } = value;
  if (text !== undefined && (value.type !== 'timestamp' || typeof text !== 'string')) return false;
  if (unknownKey(typed, ['type', 'value']) !== undefined) return false;
  switch (value.type) {
    case 'int':
    case 'long':
    case 'double':
    case 'duration':
    case 'uuid':
      return typeof value.value === 'string';
    case 'timestamp':
      return Number.isSafeInteger(value.value);
    default:
      return false;
  }
}

function unknownKey(given: Given, known: readonly string[]): string | undefined {
  const unknown = Object.keys(given).find((key) => !known.includes(key));
  return unknown === undefined ? undefined : `it has '${unknown}', which means nothing`;
}

function isObject(value: unknown): value is Given {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
