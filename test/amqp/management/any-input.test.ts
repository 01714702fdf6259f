// Whatever AMQP a request to `$management` holds: it is a command or an error that can be told, and never a fault.

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ManagementOperation } from '../../../src/amqp/management/management-operation.js';
import { ServiceBusError } from '../../../src/broker/contract/service-bus-error.js';
import { anyValue } from '../../support/frame-arbitraries.js';
import { type Encoded, list, map } from '../../support/frame-encoder.js';
import { bodyOf } from './management-client.js';
import { ask, OPERATIONS } from './operation-under-test.js';
import { description, GOOD, item } from './request-bodies.js';

/** Those that may be left out. */
const OTHER_FIELDS = ['session-id', 'omit-message-body', 'properties-to-modify', 'deadletter-reason'];

function expectNoFault(operation: ManagementOperation, body: Encoded): 'taken' | 'refused' {
  try {
    expect(ask(operation, body).command.kind).toBeTypeOf('string');
    return 'taken';
  } catch (error) {
    if (!(error instanceof ServiceBusError)) throw error;
    expect(error.message.length).toBeLessThan(1000);
    return 'refused';
  }
}

describe.each(Object.entries(OPERATIONS))('%s', (name, operation) => {
  it('takes or refuses any body', () => {
    fc.assert(fc.property(anyValue, (body) => void expectNoFault(operation, body)));
  });

  it('takes or refuses any value as one of its fields', () => {
    const good = GOOD[name] ?? {};
    const anyField = fc.constantFrom(...Object.keys(good), ...OTHER_FIELDS);
    const outcomes = new Set<string>();
    fc.assert(
      fc.property(
        anyField,
        fc.oneof(
          anyValue,
          fc.array(anyValue).map((items) => list(items)),
        ),
        (field, value) => void outcomes.add(expectNoFault(operation, bodyOf({ ...good, [field]: value }))),
      ),
    );
    expect(outcomes).toEqual(new Set(['taken', 'refused']));
  });
});

it('schedule-message takes or refuses any bytes as a message', () => {
  fc.assert(
    fc.property(
      fc.oneof(fc.uint8Array(), anyValue),
      (bytes) =>
        void expectNoFault(
          OPERATIONS['schedule-message'],
          bodyOf({ messages: list([item(Buffer.from(bytes))]) }),
        ),
    ),
  );
});

it.each(['sql-filter', 'correlation-filter'] as const)(
  'add-rule takes or refuses any value in a %s',
  (filter) => {
    const anyField = fc.constantFrom('expression', 'parameters', 'label', 'properties');
    const anyMap = fc.array(fc.tuple(anyValue, anyValue)).map(map);
    fc.assert(
      fc.property(anyField, fc.oneof(anyValue, anyMap), (field, value) => {
        const body = bodyOf({
          ...GOOD['add-rule'],
          'rule-description': description({ [field]: value }, filter),
        });
        expectNoFault(OPERATIONS['add-rule'], body);
      }),
    );
  },
);
