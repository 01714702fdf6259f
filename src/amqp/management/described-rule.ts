// A rule as clients read it: described lists within a described list, whose descriptors are numbers of two lengths.

import type { RuleRecord } from '../../broker/event.js';
import type { Action, CorrelationFilter, Filter } from '../../broker/rules/rule-description.js';
import { type AmqpValue, amqp } from '../../codec/types.js';
import { amqpOf } from './parameter-values.js';

/** Of filters they are sixteen times smaller than of the others: that is how the service writes them. */
const DESCRIPTOR = {
  rule: 0x13700000004,
  emptyAction: 0x13700000005,
  sqlAction: 0x13700000006,
  sqlFilter: 0x1370000006,
  trueFilter: 0x1370000007,
  falseFilter: 0x1370000008,
  correlationFilter: 0x1370000009,
} as const;
/** Of the SQL that the service speaks. */
const COMPATIBILITY_LEVEL = 20;

export function describedRule({ description, createdTime }: RuleRecord): AmqpValue {
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
      return describedList(DESCRIPTOR.sqlFilter, sqlItems(filter.expression));
    case 'correlation':
      return describedList(DESCRIPTOR.correlationFilter, correlationItems(filter));
    default:
      return filter satisfies never;
  }
}

/** SDKs read an action that is not there from an empty list, never from a null. */
function describedAction(action: Action | undefined): AmqpValue {
  return action === undefined
    ? describedList(DESCRIPTOR.emptyAction, [])
    : describedList(DESCRIPTOR.sqlAction, sqlItems(action.expression));
}

function sqlItems(expression: string): AmqpValue[] {
  return [amqp.string(expression), amqp.int(COMPATIBILITY_LEVEL)];
}

/** The properties are a map also when there are none: JavaScript and .NET fail on a null. */
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
