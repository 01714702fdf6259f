// Queues, topics and subscriptions as entities: each has a type, a description and a path.

import { subscriptionPathOf } from './entity-path.js';
import type { QueueDescription } from './queue-description.js';
import type { SubscriptionDescription, TopicDescription } from './topic-description.js';

export type EntityType = 'queue' | 'topic' | 'subscription';

export type EntityDescription = QueueDescription | TopicDescription | SubscriptionDescription;

/** A description, and the type of the entity that it describes. */
export type DescribedEntity =
  | { readonly type: 'queue'; readonly description: QueueDescription }
  | { readonly type: 'topic'; readonly description: TopicDescription }
  | DescribedSubscription;

export type DescribedSubscription = {
  readonly type: 'subscription';
  readonly topicName: string;
  readonly description: SubscriptionDescription;
};

/** The path of an entity. No two entities have the same, whatever their types (ENT-03). */
export function pathOf(entity: DescribedEntity): string {
  const { name } = entity.description;
  return entity.type === 'subscription' ? subscriptionPathOf(entity.topicName, name) : name;
}

export type FixedProperty = 'requiresSession' | 'requiresDuplicateDetection' | 'enablePartitioning';

/** The properties that cannot change once an entity is created (SES-01, DUP-01, PRT-01). */
export const FIXED_PROPERTIES: Readonly<Record<EntityType, readonly FixedProperty[]>> = {
  queue: ['requiresSession', 'requiresDuplicateDetection', 'enablePartitioning'],
  topic: ['requiresDuplicateDetection', 'enablePartitioning'],
  subscription: ['requiresSession'],
};
