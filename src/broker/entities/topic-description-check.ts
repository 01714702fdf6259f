// Checks the descriptions of topics and subscriptions: the rules for queues, and properties fixed at creation.

import type { Limits } from '../limits.js';
import { ServiceBusError } from '../service-bus-error.js';
import { subscriptionPathOf } from './entity-path.js';
import { describeQueue, INNER_NAME_PATTERN } from './queue-description.js';
import { checkFixed, checkQueueDescription } from './queue-description-check.js';
import type { SubscriptionDescription, TopicDescription } from './topic-description.js';

const MAX_SUBSCRIPTION_NAME_LENGTH = 50;

/** Throws argument or not-allowed, naming the value. */
export function checkTopicDescription(description: TopicDescription, limits: Limits): void {
  const { supportOrdering: _, ...properties } = description;
  if (!limits.hasTopics) {
    const text = `'${description.name}' is a topic, and this tier does not have topics; choose another tier.`;
    throw new ServiceBusError('not-allowed', text, { entityPath: description.name, about: 'tier' });
  }
  checkQueueDescription(describeQueue(description.name, properties), limits, 'topic');
}

export function checkSubscriptionDescription(
  { description: topic }: { readonly description: TopicDescription },
  description: SubscriptionDescription,
  limits: Limits,
): void {
  const { name, deadLetteringOnFilterEvaluationExceptions: _, ...properties } = description;
  if (name.length > MAX_SUBSCRIPTION_NAME_LENGTH || !INNER_NAME_PATTERN.test(name)) {
    const text =
      `'${name}' cannot be the name of a subscription: up to ${MAX_SUBSCRIPTION_NAME_LENGTH} letters, digits, '.', '-', '_' and '~', ` +
      'and not dots alone.';
    const limit = MAX_SUBSCRIPTION_NAME_LENGTH;
    throw new ServiceBusError('argument', text, {
      entityPath: topic.name,
      property: 'name',
      value: name,
      limit,
    });
  }
  checkQueueDescription({ ...describeQueue(name, properties), name }, limits, 'subscription');
}

/** Throws not-allowed for a change of a property that is fixed at creation. */
export function checkTopicUpdate(before: TopicDescription, after: TopicDescription): void {
  checkFixed(
    ['requiresDuplicateDetection', 'enablePartitioning'],
    { before, after },
    {
      type: 'Topic',
      path: before.name,
    },
  );
}

export function checkSubscriptionUpdate(
  { description: topic }: { readonly description: TopicDescription },
  before: SubscriptionDescription,
  after: SubscriptionDescription,
): void {
  const path = subscriptionPathOf(topic.name, before.name);
  checkFixed(['requiresSession'], { before, after }, { type: 'Subscription', path });
}
