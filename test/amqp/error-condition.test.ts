// How the broker's errors look to clients: the condition, the status on `$management`, and the text.

import { describe, expect, it } from 'vitest';
import { amqpErrorOf, conditionOf, failureOf } from '../../src/amqp/error-condition.js';
import { readRequest, writeResponse } from '../../src/amqp/management/request-message.js';
import { truncatedError } from '../../src/amqp/protocol/truncated-error.js';
import { type ErrorReason, ServiceBusError } from '../../src/broker/contract/service-bus-error.js';
import { ReceivedMessage } from '../support/frame-message.js';
import { notation } from '../support/frame-notation.js';

const CONTEXT = { host: 'jitney.servicebus.windows.net', nextGuid: () => '00112233445566778899aabbccddeeff' };

/** As a record, so that a reason cannot be forgotten. */
const EXPECTED: Readonly<Record<ErrorReason, readonly [condition: string, status: number]>> = {
  'entity-not-found': ['amqp:not-found', 404],
  'entity-already-exists': ['com.microsoft:entity-already-exists', 409],
  'entity-disabled': ['com.microsoft:entity-disabled', 400],
  'message-lock-lost': ['com.microsoft:message-lock-lost', 410],
  'session-lock-lost': ['com.microsoft:session-lock-lost', 410],
  'session-cannot-be-locked': ['com.microsoft:session-cannot-be-locked', 410],
  timeout: ['com.microsoft:timeout', 408],
  'server-busy': ['com.microsoft:server-busy', 503],
  'message-not-found': ['com.microsoft:message-not-found', 404],
  'transaction-unknown': ['amqp:transaction:unknown-id', 400],
  'transaction-timeout': ['amqp:transaction:timeout', 400],
  'transaction-rolled-back': ['amqp:transaction:rollback', 400],
  argument: ['com.microsoft:argument-error', 400],
  'argument-out-of-range': ['com.microsoft:argument-out-of-range', 400],
  'not-allowed': ['amqp:not-allowed', 400],
  'not-implemented': ['amqp:not-implemented', 501],
  'property-size-exceeded': ['amqp:internal-error', 500],
  'quota-exceeded': ['amqp:resource-limit-exceeded', 403],
  'message-size-exceeded': ['amqp:link:message-size-exceeded', 403],
  unauthorized: ['amqp:unauthorized-access', 401],
  'invalid-field': ['amqp:invalid-field', 400],
  internal: ['amqp:internal-error', 500],
};

/** What the JavaScript SDK looks for before it says MessagingEntityNotFound. */
const JAVASCRIPT_LOOKS_FOR = /The messaging entity .* could not be found/i;

describe('an error', () => {
  it.each(Object.entries(EXPECTED))(
    'for the reason %s has the condition and status %j [ERR-01]',
    (reason, row) => {
      const error = new ServiceBusError(reason as ErrorReason, 'No.');
      const [condition, status] = row;
      expect(amqpErrorOf(error, CONTEXT).condition).toBe(condition);
      expect(conditionOf(error.reason)).toBe(condition);
      expect(failureOf(error, CONTEXT)).toMatchObject({ condition, status });
    },
  );

  it('ends its text with a tracking id, the entity and the time [ERR-02]', () => {
    const error = new ServiceBusError('not-allowed', 'That is not allowed.', {
      entityPath: 'orders/$DeadLetterQueue',
    });
    expect(amqpErrorOf(error, CONTEXT).description).toMatch(
      /^That is not allowed\. TrackingId:00112233-4455-6677-8899-aabbccddeeff, SystemTracker:jitney:Queue:orders\/\$DeadLetterQueue, Timestamp:\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d$/,
    );
  });

  it.each([
    ['events/Subscriptions/billing', 'Topic:events|billing'],
    ['Events/subscriptions/Billing/$DeadLetterQueue', 'Topic:Events|Billing/$DeadLetterQueue'],
    ['subscriptions/new', 'Queue:subscriptions/new'],
  ])('about %s names it %s, as Azure does [ERR-02]', (path, tracked) => {
    const { description } = failureOf(
      new ServiceBusError('not-allowed', 'No.', { entityPath: path }),
      CONTEXT,
    );
    expect(description).toContain(`, SystemTracker:jitney:${tracked}, Timestamp:`);
  });

  it('about no entity in particular names the entity of the request, if that is known [ERR-02]', () => {
    const { description } = failureOf(new ServiceBusError('argument', 'No.'), CONTEXT, 'orders');
    expect(description).toContain(', SystemTracker:jitney:Queue:orders, Timestamp:');
  });

  it('about no entity names the namespace alone [ERR-02]', () => {
    const error = new ServiceBusError('internal', 'It broke.');
    expect(amqpErrorOf(error, CONTEXT).description).toMatch(/, SystemTracker:jitney, Timestamp:/);
  });

  it('about a missing entity says the words that the JavaScript SDK looks for, with the address [ERR-04]', () => {
    const error = new ServiceBusError('entity-not-found', 'There is no such queue.', { entityPath: 'gone' });
    const { description } = amqpErrorOf(error, CONTEXT);
    expect(description).toMatch(JAVASCRIPT_LOOKS_FOR);
    expect(description).toContain("'sb://jitney.servicebus.windows.net/gone'");
  });
});

describe('a very long value that a client sent', () => {
  const long = 'x'.repeat(100_000);

  it('is cut in an error that repeats it, which ends like every error [ERR-02]', () => {
    const { description } = amqpErrorOf(
      new ServiceBusError('argument', `Not ${long}.`, { entityPath: long }),
      CONTEXT,
    );
    expect(description).toMatch(/^Not x+… TrackingId:.*, SystemTracker:jitney:Queue:x+…, Timestamp:\S+$/);
    expect(description?.length).toBeLessThan(3000);
  });

  it('is cut in the address of a missing entity [ERR-04]', () => {
    const context = { ...CONTEXT, host: long };
    const { description } = amqpErrorOf(
      new ServiceBusError('entity-not-found', 'No.', { entityPath: long }),
      context,
    );
    expect(description).toMatch(JAVASCRIPT_LOOKS_FOR);
    expect(description?.length).toBeLessThan(3000);
  });

  it('is cut in errors of the protocol too, even where a frame has room for more', () => {
    const error = {
      condition: 'amqp:session:handle-in-use',
      description: `link ${long} is attached already`,
    };
    expect(truncatedError(error, 256 * 1024).description?.length).toBeLessThan(17_000);
    expect(truncatedError({ ...error, description: 'short' }, 256 * 1024).description).toBe('short');
  });
});

describe('a response of a node', () => {
  const request = readRequest(Buffer.alloc(0));
  const propertyOf = (message: ReceivedMessage, name: string) =>
    notation(message.entry('applicationProperties', name));

  it('that is a failure carries status, text and condition, each in its type and in both spellings [ERR-05]', () => {
    const response = { status: 410, description: 'Lost.', condition: 'com.microsoft:message-lock-lost' };
    const message = new ReceivedMessage(writeResponse(request, response));
    for (const name of ['statusCode', 'status-code']) expect(propertyOf(message, name)).toBe('int 410');
    for (const name of ['statusDescription', 'status-description'])
      expect(propertyOf(message, name)).toBe('"Lost."');
    for (const name of ['errorCondition', 'error-condition'])
      expect(propertyOf(message, name)).toBe("'com.microsoft:message-lock-lost");
  });

  it('that is a success has no condition [ERR-05]', () => {
    const message = new ReceivedMessage(writeResponse(request, { status: 200, description: 'OK' }));
    expect(propertyOf(message, 'statusCode')).toBe('int 200');
    expect(propertyOf(message, 'errorCondition')).toBe('absent');
  });
});
