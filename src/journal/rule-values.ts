// What stands in the rows of rules. Looked at closely, for the broker compiles what it is given back.

import type { RuleRecord } from '../broker/event.js';
import type {
  Action,
  CorrelationFilter,
  Filter,
  ParameterValue,
  RuleParameters,
  SqlExpression,
} from '../broker/rules/rule-description.js';
import { isInstant, isObject, isTextOrAbsent, parseObject } from './json-row.js';

/** The fields of a correlation filter that are texts (COR-01). */
const CORRELATION_TEXTS = [
  'correlationId',
  'messageId',
  'to',
  'replyTo',
  'subject',
  'sessionId',
  'replyToSessionId',
  'contentType',
] as const satisfies readonly (keyof CorrelationFilter)[];

/** JSON keeps a rule exactly: nothing in it is infinite. */
export function writeRule(rule: RuleRecord): string {
  return JSON.stringify(rule);
}

export function readRule(row: string): RuleRecord | undefined {
  const value = parseObject(row);
  if (value === undefined || !isInstant(value.createdTime) || !isObject(value.description)) return undefined;
  const { name, filter, action } = value.description;
  if (typeof name !== 'string' || !isFilter(filter) || !isActionOrAbsent(action)) return undefined;
  return { description: { name, filter, action }, createdTime: value.createdTime };
}

function isFilter(value: unknown): value is Filter {
  if (!isObject(value)) return false;
  switch (value.kind) {
    case 'true':
    case 'false':
      return true;
    case 'sql':
      return isSql(value);
    case 'correlation':
      return CORRELATION_TEXTS.every((name) => isTextOrAbsent(value[name])) && isValues(value.properties);
    default:
      return false;
  }
}

function isActionOrAbsent(value: unknown): value is Action | undefined {
  return value === undefined || isSql(value);
}

function isSql(value: unknown): value is SqlExpression {
  if (!isObject(value) || value.kind !== 'sql') return false;
  return typeof value.expression === 'string' && isValues(value.parameters);
}

/** Of parameters, or of the properties of a correlation filter; both may be absent. */
function isValues(value: unknown): value is RuleParameters | undefined {
  if (value === undefined) return true;
  return isObject(value) && Object.values(value).every(isParameterValue);
}

function isParameterValue(value: unknown): value is ParameterValue {
  if (typeof value === 'string' || typeof value === 'boolean') return true;
  if (!isObject(value)) return false;
  switch (value.type) {
    case 'int':
    case 'long':
    case 'double':
    case 'uuid':
      return typeof value.value === 'string';
    case 'timestamp':
      return isInstant(value.value);
    default:
      return false;
  }
}
