// Whether a rule is made as its type says: a program may give anything, and what is stored is read strictly at the next start.

import { ServiceBusError } from '../service-bus-error.js';
import type { CorrelationFilter, RuleDescription } from './rule-description.js';

type Given = Readonly<Record<string, unknown>>;

const CORRELATION_TEXTS = [
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
export function checkRuleShape({ name, filter, action }: RuleDescription): void {
  const problem = problemOfFilter(filter) ?? (action === undefined ? undefined : problemOfSql(action));
  if (problem === undefined) return;
  throw new ServiceBusError('argument', `The rule '${name}' cannot be: ${problem}.`);
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
      const wrong = CORRELATION_TEXTS.find(
        (text) => filter[text] !== undefined && typeof filter[text] !== 'string',
      );
      if (wrong !== undefined) return `the ${wrong} of its filter is no text`;
      return (
        unknownKey(filter, ['kind', 'properties', ...CORRELATION_TEXTS]) ?? problemOfValues(filter.properties)
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
  const wrong = Object.keys(values).find((name) => !isValue(values[name]));
  return wrong === undefined ? undefined : `the value of '${wrong}' is none that a rule can have`;
}

function isValue(value: unknown): boolean {
  if (typeof value === 'string' || typeof value === 'boolean') return true;
  if (!isObject(value)) return false;
  if (value.type === 'timestamp') return Number.isSafeInteger(value.value);
  const isTyped =
    value.type === 'int' || value.type === 'long' || value.type === 'double' || value.type === 'uuid';
  return isTyped && typeof value.value === 'string';
}

function unknownKey(given: Given, known: readonly string[]): string | undefined {
  const unknown = Object.keys(given).find((key) => !known.includes(key));
  return unknown === undefined ? undefined : `it has '${unknown}', which means nothing`;
}

function isObject(value: unknown): value is Given {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
