// Correlation filters: fields of the broker and application properties that must all be equal (COR).

import { ServiceBusError } from '../service-bus-error.js';
import type { Test } from './compile-condition.js';
import { readParameter } from './parameter-value.js';
import type { CorrelationFilter, ParameterValue } from './rule-description.js';
import type { SystemProperty } from './system-property.js';
import { areEqual } from './value-comparison.js';
import { textOf } from './value-text.js';

const FIELDS = {
  correlationId: 'CorrelationId',
  messageId: 'MessageId',
  to: 'To',
  replyTo: 'ReplyTo',
  subject: 'Label',
  sessionId: 'SessionId',
  replyToSessionId: 'ReplyToSessionId',
  contentType: 'ContentType',
} as const satisfies Readonly<Record<string, SystemProperty>>;

/** Throws argument when nothing is given, or a value is not of its type. */
export function compileCorrelation(filter: CorrelationFilter): Test {
  const tests = [...fieldTests(filter), ...Object.entries(filter.properties ?? {}).map(propertyTest)];
  if (tests.length === 0) {
    throw new ServiceBusError(
      'argument',
      'A correlation filter names at least one property the message has to have; this one names none.',
      { property: 'filter' },
    );
  }
  return (message) => tests.every((test) => test(message)); // COR-01
}

function fieldTests(filter: CorrelationFilter): Test[] {
  return Object.entries(FIELDS).flatMap(([field, property]) => {
    const expected = filter[field as keyof typeof FIELDS];
    return expected === undefined ? [] : [fieldTest(property, expected)];
  });
}

/** COR-04: compared as text. COR-03: null has none. */
function fieldTest(property: SystemProperty, expected: string): Test {
  return (message) => textOf(message.system(property)) === expected;
}

/** COR-02: equal as in SQL, which no type is to another it does not fit. COR-03: what is missing or null is equal to nothing. */
function propertyTest([name, value]: [string, ParameterValue]): Test {
  const expected = readParameter(name, value);
  return (message) => areEqual(message.user(name), expected) === true;
}
