// A configured entity that the broker refuses: what kind of mistake it was.

import { expect, test } from 'vitest';
import { checkForwarding } from '../../src/broker/entity/forwarding-check.js';
import { describeQueue, type QueueDescription } from '../../src/broker/entity/queue-description.js';
import { checkQueueUpdate } from '../../src/broker/entity/queue-description-check.js';
import {
  describeSubscription,
  describeTopic,
  type SubscriptionDescription,
} from '../../src/broker/entity/topic-description.js';
import { LIMITS_OF_TIER, withoutSizes } from '../../src/broker/limits.js';
import { type ErrorReason, ServiceBusError } from '../../src/broker/service-bus-error.js';
import type { ConfigErrorKind } from '../../src/config/config-error.js';
import { type RefusableEntity, refusedEntity } from '../../src/config/entity-refusal.js';

const { basic, standard, premium } = LIMITS_OF_TIER;
const PLAIN = describeQueue('orders');

function queue(description: QueueDescription): RefusableEntity {
  return { kind: 'queue', description };
}

test.each<[ErrorReason, ConfigErrorKind]>([
  ['argument', 'entity-beyond-limits'],
  ['argument-out-of-range', 'entity-beyond-limits'],
  ['quota-exceeded', 'entity-beyond-limits'],
  ['not-allowed', 'entity-fixed'],
])('%s is told as %s, in the words of the broker', (reason, kind) => {
  const error = new ServiceBusError(reason, 'what the broker said', 'orders');
  expect(refusedEntity(queue(PLAIN), standard, error)).toMatchObject({
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
    expect(refusedEntity(queue(wanted), basic, error)).toMatchObject({
      kind: 'entity-beyond-tier',
      message: `${property} of queue 'orders' is true, and the tier basic does not have it`,
      refused: { entity: { name: 'orders' }, property },
    });
    expect(refusedEntity(queue(wanted), withoutSizes(basic), error)?.message).toContain('the tier basic');
    expect(refusedEntity(queue(PLAIN), basic, error)?.kind).toBe('entity-fixed');
    expect(refusedEntity(queue(wanted), standard, error)?.kind).toBe('entity-fixed');
    expect(refusedEntity(queue(wanted), premium, error)?.kind).toBe('entity-fixed');
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
      const mistake = refusedEntity(
        queue(wanted),
        standard,
        thrownBy(() => checkQueueUpdate(kept, wanted)),
      );
      expect(mistake).toMatchObject({
        kind: 'entity-fixed',
        refused: { entity: { name: 'orders' }, property },
      });
      expect(mistake?.message).toBe(
        `Queue 'orders' was created by an earlier start with ${property} ${kept[property]}, ` +
          `which cannot become ${wanted[property]}`,
      );
    }
  },
);

/** What the broker says itself. */
function thrownBy(check: () => void): ServiceBusError {
  try {
    check();
  } catch (error) {
    if (error instanceof ServiceBusError) return error;
    throw error;
  }
  throw new Error('The broker did not refuse');
}

test('what broke inside is no mistake of who configured the queue', () => {
  expect(refusedEntity(queue(PLAIN), standard, new ServiceBusError('internal', 'broken'))).toBeUndefined();
});

test('a topic in a tier without topics is beyond it', () => {
  const topic = { kind: 'topic', description: describeTopic('events') } as const;
  expect(refusedEntity(topic, basic, new ServiceBusError('not-allowed', 'no'))).toMatchObject({
    kind: 'entity-beyond-tier',
    message: "Topic 'events' cannot be, because the tier basic does not have topics",
    refused: { entity: { name: 'events' } },
  });
});

const AUDIT = {
  kind: 'subscription',
  topicName: 'events',
  description: describeSubscription('audit', { requiresSession: true, forwardTo: 'archive' }),
} as const;

test('a subscription is told with its topic', () => {
  const error = new ServiceBusError('not-allowed', 'no', 'events/Subscriptions/audit', 'requiresSession');
  expect(refusedEntity(AUDIT, standard, error)).toMatchObject({
    kind: 'entity-fixed',
    message:
      "Subscription 'events/audit' was created by an earlier start with requiresSession false, which cannot become true",
    refused: { entity: { topicName: 'events', name: 'audit' }, property: 'requiresSession' },
  });
});

test.each<readonly [Partial<SubscriptionDescription>, string]>([
  [{ forwardTo: 'nowhere' }, 'forwardTo'],
  [{ forwardDeadLetteredMessagesTo: 'nowhere' }, 'forwardDeadLetteredMessagesTo'],
  [{ requiresSession: true, forwardTo: 'events' }, 'forwardTo'],
])('forwarding that the broker refuses is told as such, in its words: %o', (given, property) => {
  const description = describeSubscription('audit', given);
  const isThere = (name: string) => name === 'events';
  const error = thrownBy(() => checkForwarding(description, 'events', isThere));
  expect(refusedEntity({ ...AUDIT, description }, standard, error)).toMatchObject({
    kind: 'bad-forwarding',
    message: error.message,
    refused: { entity: { topicName: 'events', name: 'audit' }, property },
  });
});

test('forwarding is beyond the tier basic', () => {
  const forwarding = queue(describeQueue('orders', { forwardTo: 'archive' }));
  expect(refusedEntity(forwarding, basic, new ServiceBusError('not-allowed', 'no'))).toMatchObject({
    kind: 'entity-beyond-tier',
    message: "forwardTo of queue 'orders' is archive, and the tier basic does not have it",
    refused: { entity: { name: 'orders' }, property: 'forwardTo' },
  });
});

test.each([
  [queue(PLAIN), "Queue 'orders' cannot be created: an earlier start has made a topic of that name"],
  [
    { kind: 'topic', description: describeTopic('events') } as const,
    "Topic 'events' cannot be created: an earlier start has made a queue of that name",
  ],
])('a name of the other kind is told as in use', (entity, message) => {
  const error = new ServiceBusError('entity-already-exists', 'it exists');
  expect(refusedEntity(entity, standard, error)).toMatchObject({ kind: 'name-in-use', message });
});
