// The rule of a request to add it: one filter, perhaps an action, as the maps that SDKs write (TOP-11).

import type {
  Action,
  CorrelationFilter,
  Filter,
  RuleDescription,
  RuleParameters,
  SqlExpression,
} from '../../broker/rules/rule-description.js';
import { ServiceBusError } from '../../broker/service-bus-error.js';
import { textOf } from '../../codec/read-value.js';
import { NestedMap } from './nested-map.js';
import { PARAMETER_TYPES, parameterOf } from './parameter-values.js';
import { fieldError, type ManagementRequest, readField } from './request-fields.js';

const RULE_NAME = 'rule-name';
const RULE_DESCRIPTION = 'rule-description';
const SQL_FILTER = 'sql-filter';
const CORRELATION_FILTER = 'correlation-filter';
const SQL_RULE_ACTION = 'sql-rule-action';
const EXPRESSION = 'expression';
const PARAMETERS = 'parameters';
const PROPERTIES = 'properties';

const CORRELATION_FIELDS = {
  correlationId: 'correlation-id',
  messageId: 'message-id',
  to: 'to',
  replyTo: 'reply-to',
  subject: 'label',
  sessionId: 'session-id',
  replyToSessionId: 'reply-to-session-id',
  contentType: 'content-type',
} as const;

export function readRuleName(request: ManagementRequest): string {
  const name = textOf(readField(request, RULE_NAME));
  if (name === undefined) throw fieldError(request, { name: RULE_NAME, wanted: 'a string' });
  return name;
}

/** What .NET and Java repeat in the description, the name, is not read again. */
export function readRule(request: ManagementRequest): RuleDescription {
  const name = readRuleName(request);
  const description = NestedMap.read(request, RULE_DESCRIPTION);
  const action = description.map(SQL_RULE_ACTION);
  return {
    name,
    filter: readFilter(description, request.entityPath),
    action: action && readAction(action),
  };
}

/** True and false filters are written as SQL, `1=1` and `1=0` (SQL-24). */
function readFilter(description: NestedMap, entityPath: string): Filter {
  const sql = description.map(SQL_FILTER);
  const correlation = description.map(CORRELATION_FILTER);
  if (sql !== undefined && correlation === undefined) return readSqlFilter(sql);
  if (correlation !== undefined && sql === undefined) return readCorrelation(correlation);
  throw new ServiceBusError(
    'argument',
    `The field '${RULE_DESCRIPTION}' of the request has ${sql === undefined ? 'neither' : 'both'} of '${SQL_FILTER}' and '${CORRELATION_FILTER}'; it must have one of them.`,
    { entityPath, property: RULE_DESCRIPTION },
  );
}

function readSqlFilter(filter: NestedMap): SqlExpression {
  const expression = filter.text(EXPRESSION);
  if (expression === undefined) throw filter.error(EXPRESSION, 'a string');
  return sqlOf(expression, filter);
}

/** Without an expression there is no action. */
function readAction(action: NestedMap): Action | undefined {
  const expression = action.text(EXPRESSION);
  return expression === undefined ? undefined : sqlOf(expression, action);
}

function sqlOf(expression: string, map: NestedMap): SqlExpression {
  const parameters = readValues(map, PARAMETERS); // SQL-20
  return { kind: 'sql', expression, ...(parameters === undefined ? {} : { parameters }) };
}

function readCorrelation(filter: NestedMap): CorrelationFilter {
  const fields: [string, string][] = [];
  for (const [field, name] of Object.entries(CORRELATION_FIELDS)) {
    const value = filter.text(name);
    if (value !== undefined) fields.push([field, value]); // COR-01
  }
  const properties = readValues(filter, PROPERTIES);
  return {
    kind: 'correlation',
    ...Object.fromEntries(fields),
    ...(properties === undefined ? {} : { properties }),
  };
}

function readValues(map: NestedMap, name: string): RuleParameters | undefined {
  return map.map(name)?.entries(parameterOf, PARAMETER_TYPES);
}
