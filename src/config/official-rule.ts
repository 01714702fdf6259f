// A rule of the official emulator's Config.json: its shape, and its translation to the broker's filter and action.

import type {
  Action,
  CorrelationFilter,
  Filter,
  RuleDescription,
  RuleParameters,
  SqlExpression,
} from '../broker/contract/rule-description.js';
import { OFFICIAL_CORRELATION_FIELDS } from '../description/correlation-fields.js';
import { oneOf } from '../description/property-values.js';
import { toParameter } from './given-rule.js';

export type OfficialRule = {
  readonly Name: string;
  readonly Properties: {
    readonly FilterType: string;
    readonly CorrelationFilter?: OfficialCorrelationFilter | null | undefined;
    readonly SqlFilter?: OfficialSql | null | undefined;
    readonly Action?: OfficialSql | null | undefined;
  };
};

type OfficialSql = {
  readonly SqlExpression: string;
  /** Values of the parameters that the SQL names. The official emulator has none. */
  readonly Parameters?: Readonly<Record<string, unknown>> | null | undefined;
};

type OfficialField = keyof typeof OFFICIAL_CORRELATION_FIELDS;

type OfficialCorrelationFilter = {
  readonly [Field in OfficialField]?: string | null | undefined;
} & {
  readonly Properties?: Readonly<Record<string, unknown>> | null | undefined;
  /** Written by tools; without effect here and in Azure. */
  readonly RequiresPreprocessing?: unknown;
};

export const FILTER_TYPES = ['Correlation', 'Sql', 'True', 'False'] as const;

export type FilterType = (typeof FILTER_TYPES)[number];

/** Reads a filter type in any case, also by its name in the SDKs, such as `SqlFilter`. Throws a ValueError. */
export function readFilterType(value: unknown): FilterType {
  const short = FILTER_TYPES.find(
    (type) => typeof value === 'string' && value.toLowerCase() === `${type.toLowerCase()}filter`,
  );
  return short ?? oneOf(value, FILTER_TYPES);
}

export function filterTypeOf({ Properties }: OfficialRule): FilterType {
  return readFilterType(Properties.FilterType);
}

export function ruleOf(rule: OfficialRule): RuleDescription {
  return { name: rule.Name, filter: filterOf(rule), action: actionOf(rule) };
}

export function filterOf(rule: OfficialRule): Filter {
  const { CorrelationFilter, SqlFilter } = rule.Properties;
  const type = filterTypeOf(rule);
  switch (type) {
    case 'True':
      return { kind: 'true' };
    case 'False':
      return { kind: 'false' };
    case 'Sql':
      if (isSqlLeftOut(rule)) return { kind: 'true' };
      return isCorrelationAlone(rule)
        ? correlationOf(CorrelationFilter ?? {})
        : sqlOf(SqlFilter ?? { SqlExpression: '' });
    case 'Correlation':
      return correlationOf(CorrelationFilter ?? {});
    default:
      return type satisfies never;
  }
}

/**
 * Whether .NET Aspire has left out the SQL: it writes every SQL rule with an empty correlation filter and without SQL. The official
 * emulator then lets every message through.
 */
export function isSqlLeftOut(rule: OfficialRule): boolean {
  return hasOnlyCorrelation(rule) && conditionCountOf(rule) === 0;
}

/** Whether the rule has only the conditions of a correlation filter although its type is `Sql`, which .NET Aspire writes for every rule. */
export function isCorrelationAlone(rule: OfficialRule): boolean {
  return hasOnlyCorrelation(rule) && conditionCountOf(rule) > 0;
}

function hasOnlyCorrelation(rule: OfficialRule): boolean {
  const { CorrelationFilter, SqlFilter } = rule.Properties;
  return filterTypeOf(rule) === 'Sql' && isAbsent(SqlFilter) && !isAbsent(CorrelationFilter);
}

function conditionCountOf({ Properties: { CorrelationFilter } }: OfficialRule): number {
  const { kind: _, ...conditions } = correlationOf(CorrelationFilter ?? {});
  return Object.keys(conditions).length;
}

export function isAbsent(value: unknown): value is undefined | null {
  return value === undefined || value === null;
}

export function actionOf({ Properties: { Action } }: OfficialRule): Action | undefined {
  return isAbsent(Action) ? undefined : sqlOf(Action);
}

function sqlOf({ SqlExpression: expression, Parameters }: OfficialSql): SqlExpression {
  const parameters = parametersOf(Parameters);
  return { kind: 'sql', expression, ...(Object.keys(parameters).length === 0 ? {} : { parameters }) };
}

function correlationOf(given: OfficialCorrelationFilter): CorrelationFilter {
  const fields = (Object.keys(OFFICIAL_CORRELATION_FIELDS) as OfficialField[]).flatMap((key) => {
    const value = given[key];
    return isAbsent(value) ? [] : [[OFFICIAL_CORRELATION_FIELDS[key], value]];
  });
  const properties = parametersOf(given.Properties);
  return {
    kind: 'correlation',
    ...Object.fromEntries(fields),
    ...(Object.keys(properties).length === 0 ? {} : { properties }),
  };
}

function parametersOf(given: Readonly<Record<string, unknown>> | null | undefined): RuleParameters {
  return Object.fromEntries(Object.entries(given ?? {}).map(([name, value]) => [name, toParameter(value)]));
}
