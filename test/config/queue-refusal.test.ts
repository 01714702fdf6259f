// A configured queue that the broker refuses: what kind of mistake it was.

import { expect, test } from 'vitest';
import { describeQueue } from '../../src/broker/entity/queue-description.js';
import { LIMITS_OF_TIER } from '../../src/broker/limits.js';
import { type ErrorReason, ServiceBusError } from '../../src/broker/service-bus-error.js';
import type { ConfigErrorKind } from '../../src/config/config-error.js';
import { refusedQueue } from '../../src/config/queue-refusal.js';

const { basic, standard } = LIMITS_OF_TIER;
const PLAIN = describeQueue('orders');

test.each<[ErrorReason, ConfigErrorKind]>([
  ['argument', 'queue-beyond-limits'],
  ['argument-out-of-range', 'queue-beyond-limits'],
  ['not-implemented', 'queue-not-implemented'],
  ['not-allowed', 'queue-fixed'],
])('%s is told as %s, in the words of the broker', (reason, kind) => {
  const error = new ServiceBusError(reason, 'what the broker said', 'orders');
  expect(refusedQueue(PLAIN, standard, error)).toMatchObject({
    name: 'ConfigError',
    kind,
    message: 'what the broker said',
    cause: error,
  });
});

test.each(['requiresDuplicateDetection', 'requiresSession'] as const)(
  '%s is beyond the tier basic, and in any other a matter of the queue that exists',
  (property) => {
    const error = new ServiceBusError('not-allowed', 'it is not allowed', 'orders');
    const wanted = describeQueue('orders', { [property]: true });
    expect(refusedQueue(wanted, basic, error)?.kind).toBe('queue-beyond-tier');
    expect(refusedQueue(PLAIN, basic, error)?.kind).toBe('queue-fixed');
    expect(refusedQueue(wanted, standard, error)?.kind).toBe('queue-fixed');
  },
);

test('what broke inside is no mistake of who configured the queue', () => {
  expect(refusedQueue(PLAIN, standard, new ServiceBusError('internal', 'broken'))).toBeUndefined();
});
