// Descriptions of rules, as plain data that JSON preserves exactly, and the check of their shape.

import { ServiceBusError } from './service-bus-error.js';

/** The keys are as the client wrote them, with their `@`. */
export type RuleParameters = Readonly<Record<string, ParameterValue>>;

export type ParameterValue =
  | string
  | boolean
  /** Decimal digits, because a JSON number cannot hold 64 bits. Both types compare alike. */
  | { readonly type: 'int' | 'long'; readonly value: string }
  /** JavaScript's text of the number, because JSON has neither infinity nor NaN. */
  | { readonly type: 'double'; readonly value: string }
  /** Milliseconds since 1970. `text` is the client's own notation, for showing the rule again. */
  | { readonly type: 'timestamp'; readonly value: number; readonly text?: string }
  /** ISO 8601, such as `P1DT2H`. It compares with .NET's time spans in application properties. */
  | { readonly type: 'duration'; readonly value: string }
  /** 32 hexadecimal digits, with or without hyphens. */
  | { readonly type: 'uuid'; readonly value: string };

export type SqlExpression = {
  readonly kind: 'sql';
  readonly expression: string;
  readonly parameters?: RuleParameters;
};

/** COR-01: a field that the filter does not name matches anything. */
export type CorrelationFilter = {
  readonly kind: 'correlation';
  readonly correlationId?: string;
  readonly messageId?: string;
  readonly to?: string;
  readonly replyTo?: string;
  readonly subject?: string;
  readonly sessionId?: string;
  readonly replyToSessionId?: string;
  readonly contentType?: string;
  readonly properties?: Readonly<Record<string, ParameterValue>>;
};

/** The selector of a JMS consumer, which an administrator is shown as a SQL filter (JMS-18). */
export type SelectorFilter = { readonly kind: 'selector'; readonly expression: string };

export type Filter =
  | { readonly kind: 'true' }
  | { readonly kind: 'false' }
  | SqlExpression
  | SelectorFilter
  | CorrelationFilter;

export type Action = SqlExpression;

export type RuleDescription = {
  readonly name: string;
  readonly filter: Filter;
  readonly action: Action | undefined;
};

/** TOP-02: the rule of a subscription that is created without one. */
export const DEFAULT_RULE: RuleDescription = {
  name: '$Default',
  filter: { kind: 'true' },
  action: undefined,
};

type Given = Readonly<Record<string, unknown>>;

/** COR-01: the system properties that a correlation filter can name. Their values are texts. */
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

/** Checks the types of a rule that comes from a program or from disk. Throws argument, with the reason. */
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
    case 'selector':
      if (typeof filter.expression !== 'string') return 'its selector is no text';
      return unknownKey(filter, ['kind', 'expression']);
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
