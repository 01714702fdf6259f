// Refusals of a service as a client reports them, in the words of Azure.

import { expect, test } from 'vitest';
import { refusalOf, type ServiceError } from '../../src/client/client-error.js';

const CONTEXT = { address: 'amqps://ns.servicebus.windows.net:5671', path: 'orders', keyName: 'Root' };
const TRACKING =
  ' TrackingId:00000000-1111-2222-3333-444444444444_G1, SystemTracker:ns:Queue:orders, Timestamp:2026-01-01T00:00:00';
const NO_ACCESS = "Unauthorized access. 'Send' claim(s) are required to perform this operation.";
const NO_RECEIVER =
  'It is not possible for an entity that requires sessions to create a non-sessionful message receiver.';
const NO_SESSION_ID =
  'The SessionId was not set on a message, and it cannot be sent to the entity. Entities that have session support ' +
  'enabled can only receive messages that have the SessionId set to a valid value.';

test.each<[ServiceError, string, string]>([
  [
    { condition: 'amqp:unauthorized-access', description: NO_ACCESS },
    'access-refused',
    `the key 'Root' for 'orders': ${NO_ACCESS}`,
  ],
  [
    { condition: 'amqp:not-found', description: 'x' },
    'no-entity',
    "There is no queue, topic or subscription 'orders'",
  ],
  [
    { condition: 'amqp:not-allowed', description: NO_RECEIVER },
    'needs-session',
    "'orders' requires sessions",
  ],
  [
    { condition: 'amqp:not-allowed', description: NO_SESSION_ID },
    'needs-session',
    "'orders' requires sessions",
  ],
  [
    { condition: 'com.microsoft:timeout', description: 'Slow.' },
    'no-answer',
    "did not carry out the request for 'orders' in time: Slow.",
  ],
  [{ condition: 'com.microsoft:session-cannot-be-locked', description: 'Held.' }, 'session-held', 'Held.'],
  [
    { condition: 'com.microsoft:server-busy', description: 'Busy.' },
    'refused',
    "request for 'orders': Busy.",
  ],
  [{ condition: 'amqp:internal-error' }, 'refused', 'amqp:internal-error'],
  [{}, 'refused', 'no reason is given'],
])('%j is an error of one sentence', ({ condition, description }, kind, words) => {
  const error = refusalOf({ condition, description: description && description + TRACKING }, CONTEXT);
  expect(error.kind).toBe(kind);
  expect(error.message).toContain(words);
  expect(error.message).not.toContain('TrackingId');
});

test('only a wait for a session ends without one', () => {
  const error = refusalOf({ condition: 'com.microsoft:timeout' }, { ...CONTEXT, waitsForSession: true });
  expect(error.kind).toBe('no-session');
});
