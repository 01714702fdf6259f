// Rules as properties of Azure Resource Manager, which has SQL without parameters, and correlation filters whose values are texts.

import type {
  Action,
  CorrelationFilter,
  Filter,
  ParameterValue,
  RuleDescription,
  SqlExpression,
} from '../broker/contract/rule-description.js';
import { filterText, literal } from '../broker/rules/filter-text.js';
import { findParameter } from '../broker/rules/parameter-value.js';
import { checkAction, checkFilter, toParameter } from '../config/given-rule.js';
import { isAbsent } from '../config/official-rule.js';
import { OFFICIAL_CORRELATION_FIELDS } from '../description/correlation-fields.js';
import { type Path, shown, ValueError } from '../description/value-error.js';
import { isJsonObject, type JsonObject } from './json-object.js';
import { atPlace } from './place.js';

/** The names of the system properties in a correlation filter, and ours. */
const FIELDS = Object.entries(OFFICIAL_CORRELATION_FIELDS).map(
  ([name, field]) => [`${name.charAt(0).toLowerCase()}${name.slice(1)}`, field] as const,
);
/** The SQL by which Azure writes a filter that matches everything, and one that matches nothing. */
const EVERYTHING = '1=1';
const NOTHING = '1=0';

type WrittenRule = { readonly properties: JsonObject; readonly notes: readonly string[] };

/** `what` names the rule in notes. */
export function writeRuleResource({ filter, action }: RuleDescription, what: string): WrittenRule {
  const notes: string[] = [];
  const writtenAction = action && writeSql(action, `the action of ${what}`, notes);
  return {
    properties: {
      ...writeFilter(filter, what, notes),
      ...(writtenAction === undefined ? {} : { action: { sqlExpression: writtenAction } }),
    },
    notes,
  };
}

function writeFilter(filter: Filter, what: string, notes: string[]): JsonObject {
  const sql = (sqlExpression: string) => ({ filterType: 'SqlFilter', sqlFilter: { sqlExpression } });
  const nothing = (why: string) => {
    notes.push(`${what} ${why}: it is written as a filter that matches nothing`);
    return sql(NOTHING);
  };
  switch (filter.kind) {
    case 'true':
      return sql(EVERYTHING);
    case 'false':
      return sql(NOTHING);
    case 'sql': {
      const written = writeSql(filter, `the filter of ${what}`, notes);
      return written === undefined ? nothing('has then no filter') : sql(written);
    }
    case 'selector': {
      const { expression } = filter;
      if (!isValid(() => checkFilter({ kind: 'sql', expression }))) {
        return nothing('is the selector of a JMS consumer and no SQL');
      }
      notes.push(`${what} is the selector of a JMS consumer: it is written as SQL`);
      return sql(expression);
    }
    case 'correlation': {
      const values = Object.values(filter.properties ?? {});
      if (values.every((value) => typeof value === 'string')) {
        return { filterType: 'CorrelationFilter', correlationFilter: writeCorrelation(filter) };
      }
      if (!values.every(hasLiteral)) {
        return nothing('compares with a value of a type that neither a template nor SQL can write');
      }
      const expression = filterText(filter);
      if (!isValid(() => checkFilter({ kind: 'sql', expression }))) return nothing('is too long as SQL');
      notes.push(`${what} compares with values that are not texts: it is written as SQL`);
      return sql(expression);
    }
    default:
      return filter satisfies never;
  }
}

function writeCorrelation(filter: CorrelationFilter): JsonObject {
  const fields = FIELDS.flatMap(([name, field]) =>
    filter[field] === undefined ? [] : [[name, filter[field]]],
  );
  const { properties = {} } = filter;
  return {
    ...Object.fromEntries(fields),
    ...(Object.keys(properties).length === 0 ? {} : { properties }),
  };
}

/** SQL with the values of its parameters in place of their names. Undefined if it cannot be written; a note says so. */
function writeSql({ expression, parameters = {} }: SqlExpression, what: string, notes: string[]) {
  if (Object.keys(parameters).length === 0) return expression;
  const given = namesOfParameters(expression).map((name) => findParameter(parameters, name));
  if (!given.every((value) => value !== undefined && hasLiteral(value))) {
    notes.push(`${what} has a parameter that a template cannot hold: it is left out`);
    return undefined;
  }
  notes.push(`${what} has parameters, which templates lack: their values stand in the SQL`);
  return replaceParameters(expression, (name) => literal(findParameter(parameters, name) ?? name));
}

function namesOfParameters(sql: string): readonly string[] {
  const names: string[] = [];
  replaceParameters(sql, (name) => {
    names.push(name);
    return name;
  });
  return names;
}

const CLOSING: Readonly<Record<string, string>> = { "'": "'", '"': '"', '[': ']' };
const PARAMETER = /@\p{L}[\p{L}\p{Nd}_]*/uy;

/** Replaces the parameters outside of texts and quoted names. */
function replaceParameters(sql: string, replace: (name: string) => string): string {
  let written = '';
  for (let at = 0; at < sql.length; ) {
    const closing = CLOSING[sql.charAt(at)];
    let part = sql.charAt(at);
    if (closing !== undefined) {
      const end = sql.indexOf(closing, at + 1);
      part = sql.slice(at, end < 0 ? undefined : end + 1);
    } else if (part === '@') {
      PARAMETER.lastIndex = at;
      part = PARAMETER.exec(sql)?.[0] ?? part;
    }
    written += part.length > 1 && part.startsWith('@') ? replace(part) : part;
    at += part.length;
  }
  return written;
}

function hasLiteral(value: ParameterValue): boolean {
  if (typeof value !== 'object') return true;
  if (value.type === 'double') return Number.isFinite(Number(value.value));
  return value.type === 'int' || value.type === 'long';
}

export function isValid(check: () => void): boolean {
  try {
    check();
    return true;
  } catch (error) {
    if (error instanceof ValueError) return false;
    throw error;
  }
}

/** Reads the filter and the action of a rule. Throws a ValueError with the place. */
export function readRule(
  name: string,
  properties: JsonObject,
  pathOf: (property: string) => Path,
): RuleDescription {
  const filter = readFilterResource(properties, pathOf);
  const sql = sqlOf(properties.action);
  const action: Action | undefined = sql === undefined ? undefined : { kind: 'sql', expression: sql };
  if (action !== undefined) atPlace(pathOf('action'), () => checkAction(action));
  return { name, filter, action };
}

function readFilterResource(properties: JsonObject, pathOf: (property: string) => Path): Filter {
  const { filterType } = properties;
  // Templates of 2015, and many that were copied from them, call either of them `filter`.
  const isSql = isJsonObject(properties.filter) && 'sqlExpression' in properties.filter;
  const sqlFilter = properties.sqlFilter ?? (isSql ? properties.filter : undefined);
  const correlationFilter = properties.correlationFilter ?? (isSql ? undefined : properties.filter);
  const hasCorrelation = isJsonObject(correlationFilter) && Object.keys(correlationFilter).length > 0;
  const type =
    typeof filterType === 'string' ? filterType : hasCorrelation ? 'CorrelationFilter' : 'SqlFilter';
  switch (type.toLowerCase()) {
    case 'correlationfilter':
      return atPlace(pathOf('correlationFilter'), () => {
        const filter = readCorrelation(correlationFilter);
        checkFilter(filter);
        return filter;
      });
    case 'sqlfilter': {
      const expression = sqlOf(sqlFilter);
      // Azure makes a rule without SQL match everything.
      if (expression === undefined || expression === EVERYTHING) return { kind: 'true' };
      if (expression === NOTHING) return { kind: 'false' };
      const filter: Filter = { kind: 'sql', expression };
      atPlace(pathOf('sqlFilter'), () => checkFilter(filter));
      return filter;
    }
    default:
      return atPlace(pathOf('filterType'), () => {
        throw new ValueError(`must be SqlFilter or CorrelationFilter, not ${shown(filterType)}`);
      });
  }
}

function sqlOf(given: unknown): string | undefined {
  const sql = isJsonObject(given) ? given.sqlExpression : given;
  return typeof sql === 'string' && sql.trim() !== '' ? sql : undefined;
}

function readCorrelation(given: unknown): CorrelationFilter {
  if (!isJsonObject(given)) throw new ValueError(`must be an object of properties, not ${shown(given)}`);
  const fields = FIELDS.flatMap(([name, field]) => {
    const value = given[name];
    if (isAbsent(value) || value === '') return [];
    if (typeof value !== 'string') throw new ValueError(`must have a text as ${name}, not ${shown(value)}`);
    return [[field, value]];
  });
  const properties = Object.entries(isJsonObject(given.properties) ? given.properties : {})
    .filter(([, value]) => !isAbsent(value))
    .map(([name, value]) => [name, toParameter(value)]);
  return {
    kind: 'correlation',
    ...Object.fromEntries(fields),
    ...(properties.length === 0 ? {} : { properties: Object.fromEntries(properties) }),
  };
}
