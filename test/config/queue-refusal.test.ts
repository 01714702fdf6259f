// A configured queue that the broker refuses: what kind of mistake it was.

import { expect, test } from 'vitest';
import { describeQueue, type QueueDescription } from '../../src/broker/entity/queue-description.js';
import { checkQueueUpdate } from '../../src/broker/entity/queue-description-check.js';
import { LIMITS_OF_TIER, withoutSizes } from '../../src/broker/limits.js';
import { type ErrorReason, ServiceBusError } from '../../src/broker/service-bus-error.js';
import type { ConfigErrorKind } from '../../src/config/config-error.js';
import { refusedQueue } from '../../src/config/queue-refusal.js';

const { basic, standard, premium } = LIMITS_OF_TIER;
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
    expect(refusedQueue(wanted, basic, error)).toMatchObject({
      kind: 'queue-beyond-tier',
      message: `${property} of queue 'orders' is true, and the tier basic does not have it`,
      refused: { queueName: 'orders', property },
    });
    expect(refusedQueue(wanted, withoutSizes(basic), error)?.message).toContain('the tier basic');
    expect(refusedQueue(PLAIN, basic, error)?.kind).toBe('queue-fixed');
    expect(refusedQueue(wanted, standard, error)?.kind).toBe('queue-fixed');
    expect(refusedQueue(wanted, premium, error)?.kind).toBe('queue-fixed');
  },
);

test.each(['requiresSession', 'requiresDuplicateDetection', 'enablePartitioning'] as const)(
  '%s of a queue that is there is told as what it has been from the start and what it cannot become [SES-01]',
  (property) => {
    const before = describeQueue('orders', { [property]: true });
    for (const [kept, wanted] of [
      [before, PLAIN],
      [PLAIN, before],
    ] as const) {
      const mistake = refusedQueue(wanted, standard, refusalOf(kept, wanted));
      expect(mistake).toMatchObject({ kind: 'queue-fixed', refused: { queueName: 'orders', property } });
      expect(mistake?.message).toBe(
        `Queue 'orders' was created by an earlier start with ${property} ${kept[property]}, ` +
          `which cannot become ${wanted[property]}`,
      );
    }
  },
);

/** What the broker says itself. */
function refusalOf(before: QueueDescription, after: QueueDescription): ServiceBusError {
  try {
    checkQueueUpdate(before, after);
  } catch (error) {
    if (error instanceof ServiceBusError) return error;
    throw error;
  }
  throw new Error('The broker did not refuse');
}

test('what broke inside is no mistake of who configured the queue', () => {
  expect(refusedQueue(PLAIN, standard, new ServiceBusError('internal', 'broken'))).toBeUndefined();
});
