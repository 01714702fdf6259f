// Operations on the rules of a subscription: add, remove and list them, as the maps and described lists of the SDKs (TOP-11).

import assert from 'node:assert';
import type { RuleRecord } from '../../broker/contract/event.js';
import type {
  Action,
  CorrelationFilter,
  Filter,
  RuleDescription,
  RuleParameters,
  SqlExpression,
} from '../../broker/contract/rule-description.js';
import { ServiceBusError } from '../../broker/contract/service-bus-error.js';
import { textOf } from '../../codec/read-value.js';
import { type AmqpValue, amqp } from '../../codec/types.js';
import { type ManagementOperation, type ManagementRequest, OK } from './management-operation.js';
import { amqpOf, PARAMETER_TYPES, parameterOf } from './parameter-values.js';
import { fieldError, NestedMap, readCount, readField } from './request-fields.js';

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
const SKIP = 'skip';
const TOP = 'top';
const RULES = 'rules';
/** SDKs ask for pages until one is empty. */
const PAST_THE_END = { status: 204, description: 'No Content' } as const;
/** The service's descriptors. Those of filters have one hexadecimal digit less than the others. */
const DESCRIPTOR = {
  rule: 0x13700000004,
  emptyAction: 0x13700000005,
  sqlAction: 0x13700000006,
  sqlFilter: 0x1370000006,
  trueFilter: 0x1370000007,
  falseFilter: 0x1370000008,
  correlationFilter: 0x1370000009,
} as const;
/** The version of the service's SQL. */
const COMPATIBILITY_LEVEL = 20;

/** com.microsoft:add-rule: adds a rule to a subscription, for the messages that come from then on (TOP-08, TOP-11). */
export const addRule: ManagementOperation = (request) => ({
  command: { kind: 'add-rule', entityPath: request.entityPath, rule: readRule(request) },
  response: () => OK,
});

/** com.microsoft:remove-rule: removes a rule of a subscription by its name (TOP-11). */
export const removeRule: ManagementOperation = (request) => ({
  command: { kind: 'remove-rule', entityPath: request.entityPath, name: readRuleName(request) },
  response: () => OK,
});

/** com.microsoft:enumerate-rules: lists the rules of a subscription by name, page by page. */
export const enumerateRules: ManagementOperation = (request) => ({
  command: {
    kind: 'list-rules',
    entityPath: request.entityPath,
    skip: readCount(request, SKIP, { least: 0 }),
    maxCount: readCount(request, TOP),
  },
  response(answer) {
    assert(answer.kind === 'rules');
    const { rules } = answer;
    if (rules.length === 0) return PAST_THE_END;
    const items = rules.map((rule) => amqp.map([[amqp.string(RULE_DESCRIPTION), describedRule(rule)]]));
    return { ...OK, body: amqp.map([[amqp.string(RULES), amqp.list(items)]]) };
  },
});

function readRuleName(request: ManagementRequest): string {
  const name = textOf(readField(request, RULE_NAME));
  if (name === undefined) throw fieldError(request, { name: RULE_NAME, wanted: 'a string' });
  return name;
}

/** Reads a rule. The name that .NET and Java repeat in the description is ignored. */
function readRule(request: ManagementRequest): RuleDescription {
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

/** The action; undefined without an expression. */
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

function describedRule({ description, createdTime }: RuleRecord): AmqpValue {
  const { name, filter, action } = description;
  return describedList(DESCRIPTOR.rule, [
    describedFilter(filter),
    describedAction(action),
    amqp.string(name),
    amqp.timestamp(createdTime),
  ]);
}

function describedFilter(filter: Filter): AmqpValue {
  switch (filter.kind) {
    case 'true':
      return describedList(DESCRIPTOR.trueFilter, []);
    case 'false':
      return describedList(DESCRIPTOR.falseFilter, []);
    case 'sql':
    case 'selector': // JMS-18
      return describedList(DESCRIPTOR.sqlFilter, sqlItems(filter.expression));
    case 'correlation':
      return describedList(DESCRIPTOR.correlationFilter, correlationItems(filter));
    default:
      return filter satisfies never;
  }
}

/** An action. SDKs read a missing action from an empty list, never from a null. */
function describedAction(action: Action | undefined): AmqpValue {
  return action === undefined
    ? describedList(DESCRIPTOR.emptyAction, [])
    : describedList(DESCRIPTOR.sqlAction, sqlItems(action.expression));
}

function sqlItems(expression: string): AmqpValue[] {
  return [amqp.string(expression), amqp.int(COMPATIBILITY_LEVEL)];
}

/** Without properties the map is empty: JavaScript and .NET fail on a null. */
function correlationItems(filter: CorrelationFilter): AmqpValue[] {
  const { correlationId, messageId, to, replyTo, subject, sessionId, replyToSessionId, contentType } = filter;
  const fields = [correlationId, messageId, to, replyTo, subject, sessionId, replyToSessionId, contentType];
  const properties = Object.entries(filter.properties ?? {});
  return [
    ...fields.map((field) => (field === undefined ? amqp.null() : amqp.string(field))),
    amqp.map(properties.map(([name, value]) => [amqp.string(name), amqpOf(value)])),
  ];
}

function describedList(descriptor: number, items: readonly AmqpValue[]): AmqpValue {
  return amqp.described(amqp.ulong(descriptor), amqp.list(items));
}
