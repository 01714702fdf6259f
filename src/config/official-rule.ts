// A rule of the official emulator's Config.json: its shape, and the filter and action it means.

import type { Action, CorrelationFilter, Filter, RuleDescription } from '../broker/rules/rule-description.js';
import { toParameter } from './given-rule.js';
import { oneOf } from './property-values.js';

export type OfficialRule = {
  readonly Name: string;
  readonly Properties: {
    readonly FilterType: string;
    readonly CorrelationFilter?: OfficialCorrelationFilter | null | undefined;
    readonly SqlFilter?: OfficialSql | null | undefined;
    readonly Action?: OfficialSql | null | undefined;
  };
};

export type OfficialSql = { readonly SqlExpression: string };

type CorrelationField = Exclude<keyof CorrelationFilter, 'kind' | 'properties'>;

/** What a filter may name of a message, and as what the broker knows it. */
export const CORRELATION_FIELDS = {
  ContentType: 'contentType',
  CorrelationId: 'correlationId',
  Label: 'subject',
  MessageId: 'messageId',
  ReplyTo: 'replyTo',
  ReplyToSessionId: 'replyToSessionId',
  SessionId: 'sessionId',
  To: 'to',
} as const satisfies Readonly<Record<string, CorrelationField>>;

export type OfficialCorrelationFilter = {
  readonly [Field in keyof typeof CORRELATION_FIELDS]?: string | null | undefined;
} & { readonly Properties?: Readonly<Record<string, unknown>> | null | undefined };

export const FILTER_TYPES = ['Correlation', 'Sql'] as const;

export type FilterType = (typeof FILTER_TYPES)[number];

export function filterTypeOf({ Properties }: OfficialRule): FilterType {
  return oneOf(Properties.FilterType, FILTER_TYPES);
}

/** Of a file whose values have been checked. */
export function ruleOf(rule: OfficialRule): RuleDescription {
  return { name: rule.Name, filter: filterOf(rule), action: actionOf(rule) };
}

export function filterOf(rule: OfficialRule): Filter {
  const { CorrelationFilter, SqlFilter } = rule.Properties;
  return filterTypeOf(rule) === 'Sql'
    ? { kind: 'sql', expression: SqlFilter?.SqlExpression ?? '' }
    : correlationOf(CorrelationFilter ?? {});
}

export function actionOf({ Properties: { Action } }: OfficialRule): Action | undefined {
  return Action === undefined || Action === null
    ? undefined
    : { kind: 'sql', expression: Action.SqlExpression };
}

function correlationOf(given: OfficialCorrelationFilter): CorrelationFilter {
  const fields = (Object.keys(CORRELATION_FIELDS) as (keyof typeof CORRELATION_FIELDS)[]).flatMap((key) => {
    const value = given[key];
    return value === undefined || value === null ? [] : [[CORRELATION_FIELDS[key], value]];
  });
  const properties = Object.entries(given.Properties ?? {}).map(([name, value]) => [
    name,
    toParameter(value),
  ]);
  return {
    kind: 'correlation',
    ...Object.fromEntries(fields),
    ...(properties.length === 0 ? {} : { properties: Object.fromEntries(properties) }),
  };
}
