// A configured entity that the broker refuses: what kind of mistake it was.

import { expect, test } from 'vitest';
import {
  checkDescription,
  checkForwarding,
  checkUpdate,
} from '../../src/broker/contract/entities/description-check.js';
import type { DescribedEntity } from '../../src/broker/contract/entities/entity.js';
import {
  describeQueue,
  type QueueDescription,
} from '../../src/broker/contract/entities/queue-description.js';
import {
  describeSubscription,
  describeTopic,
  type SubscriptionDescription,
} from '../../src/broker/contract/entities/topic-description.js';
import { LIMITS_OF_TIER, withoutSizes } from '../../src/broker/contract/limits.js';
import {
  type ErrorReason,
  type RefusalData,
  ServiceBusError,
} from '../../src/broker/contract/service-bus-error.js';
import { refusedEntity } from '../../src/config/entity-refusal.js';

const { basic, standard } = LIMITS_OF_TIER;
const PLAIN = describeQueue('orders');

function queue(description: QueueDescription): DescribedEntity {
  return { type: 'queue', description };
}

test('a value out of its range is told as such, in the words of the broker', () => {
  const wanted = describeQueue('orders', { maxMessageSizeInKilobytes: 1024 });
  const error = thrownBy(() => checkDescription(queue(wanted), standard));
  expect(refusedEntity(queue(wanted), standard, error)).toMatchObject({
    name: 'JitneyError',
    kind: 'entity-beyond-limits',
    message: error.message,
    cause: error,
    refused: { entity: { name: 'orders' }, property: undefined },
  });
});

test.each<[ErrorReason, RefusalData]>([
  ['argument', {}],
  ['argument-out-of-range', {}],
  ['quota-exceeded', {}],
  ['not-allowed', {}],
  ['not-allowed', { property: 'requiresSession', value: true }],
  ['not-allowed', { about: 'same-step' }],
  ['entity-already-exists', {}],
])('%s that is none of these, with %j, is told in the words of the broker and no others', (reason, data) => {
  const error = new ServiceBusError(reason, 'what the broker said', data);
  const wanted = describeQueue('orders', { requiresSession: true });
  for (const limits of [basic, standard]) {
    expect(refusedEntity(queue(wanted), limits, error)).toMatchObject({
      kind: 'entity-refused',
      message: 'what the broker said',
      cause: error,
    });
  }
});

test.each(['requiresDuplicateDetection', 'requiresSession'] as const)(
  '%s is beyond the tier basic, with sizes or without',
  (property) => {
    const wanted = describeQueue('orders', { [property]: true });
    for (const limits of [basic, withoutSizes(basic)]) {
      const error = thrownBy(() => checkDescription(queue(wanted), limits));
      expect(refusedEntity(queue(wanted), limits, error)).toMatchObject({
        kind: 'entity-beyond-tier',
        message: `${property} of queue 'orders' is true, and the tier basic does not have it`,
        refused: { entity: { name: 'orders' }, property },
      });
    }
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
        thrownBy(() => checkUpdate(kept, queue(wanted))),
      );
      expect(mistake).toMatchObject({
        kind: 'entity-fixed',
        refused: { entity: { name: 'orders' }, property },
      });
      expect(mistake?.message).toBe(
        `Queue 'orders' exists with ${property} ${kept[property]}, ` +
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
  const topic = { type: 'topic', description: describeTopic('events') } as const;
  const error = thrownBy(() => checkDescription(topic, basic));
  expect(refusedEntity(topic, basic, error)).toMatchObject({
    kind: 'entity-beyond-tier',
    message: "Topic 'events' cannot be, because the tier basic does not have topics",
    refused: { entity: { name: 'events' } },
  });
});

const AUDIT = {
  type: 'subscription',
  topicName: 'events',
  description: describeSubscription('audit', { requiresSession: true, forwardTo: 'archive' }),
} as const;

test('a subscription is told with its topic', () => {
  const error = thrownBy(() => checkUpdate(describeSubscription('audit'), AUDIT));
  expect(refusedEntity(AUDIT, standard, error)).toMatchObject({
    kind: 'entity-fixed',
    message: "Subscription 'events/audit' exists with requiresSession false, which cannot become true",
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
  const error = thrownBy(() => checkForwarding({ ...AUDIT, description }, isThere));
  expect(refusedEntity({ ...AUDIT, description }, standard, error)).toMatchObject({
    kind: 'bad-forwarding',
    message: error.message,
    refused: { entity: { topicName: 'events', name: 'audit' }, property },
  });
});

test.each(['forwardTo', 'forwardDeadLetteredMessagesTo'] as const)(
  '%s is beyond the tier basic',
  (property) => {
    const wanted = describeQueue('orders', { [property]: 'archive' });
    const error = thrownBy(() => checkDescription(queue(wanted), basic));
    expect(refusedEntity(queue(wanted), basic, error)).toMatchObject({
      kind: 'entity-beyond-tier',
      message: `${property} of queue 'orders' is archive, and the tier basic does not have it`,
      refused: { entity: { name: 'orders' }, property },
    });
  },
);

test.each([
  [queue(PLAIN), "Queue 'orders' cannot be created: there is a topic of that name already"],
  [
    { type: 'topic', description: describeTopic('events') } as const,
    "Topic 'events' cannot be created: there is a queue of that name already",
  ],
])('a name of the other kind is told as in use', (entity, message) => {
  const error = new ServiceBusError('entity-already-exists', 'it exists', { about: 'name-in-use' });
  expect(refusedEntity(entity, standard, error)).toMatchObject({ kind: 'name-in-use', message });
});
