// The elements of queues, topics and subscriptions in ATOM: which there are, in which order, and which of them are constant.

import {
  type GivenQueueProperties,
  type GivenSubscriptionProperties,
  type GivenTopicProperties,
  QUEUE_PROPERTIES,
  SUBSCRIPTION_PROPERTIES,
  TOPIC_PROPERTIES,
} from '../description/entity-properties.js';
import type { PropertyTable } from '../description/entity-property.js';

export type EntityElements<Given> = {
  /** `QueueDescription` and the like. */
  readonly element: string;
  readonly properties: PropertyTable<Given>;
  /** All elements, in the order of the service. */
  readonly order: readonly string[];
  /**
   * Elements with a constant value. A different value from a client is stored and returned, but has no effect. An element without
   * a constant value, '', is computed as long as no client sends one.
   */
  readonly constant: Readonly<Record<string, string>>;
  /** Elements that clients may send back and that are ignored. */
  readonly alsoIgnored: readonly string[];
};

/** The element of a new subscription's first rule, which is not part of the description afterwards. */
export const DEFAULT_RULE_ELEMENT = 'DefaultRuleDescription';
export const RULE_ELEMENT = 'RuleDescription';

export const QUEUE_ELEMENTS: EntityElements<GivenQueueProperties> = {
  element: 'QueueDescription',
  properties: QUEUE_PROPERTIES,
  order: [
    'LockDuration',
    'MaxSizeInMegabytes',
    'RequiresDuplicateDetection',
    'RequiresSession',
    'DefaultMessageTimeToLive',
    'DeadLetteringOnMessageExpiration',
    'DuplicateDetectionHistoryTimeWindow',
    'MaxDeliveryCount',
    'EnableBatchedOperations',
    'SizeInBytes',
    'MessageCount',
    'IsAnonymousAccessible',
    'AuthorizationRules',
    'Status',
    'ForwardTo',
    'CreatedAt',
    'UpdatedAt',
    'AccessedAt',
    'UserMetadata',
    'SupportOrdering',
    'CountDetails',
    'AutoDeleteOnIdle',
    'EnablePartitioning',
    'EntityAvailabilityStatus',
    'ForwardDeadLetteredMessagesTo',
    'EnableExpress',
    'MaxMessageSizeInKilobytes',
  ],
  constant: { IsAnonymousAccessible: 'false', SupportOrdering: '', EntityAvailabilityStatus: 'Available' },
  alsoIgnored: ['Path', 'Name'],
};

export const TOPIC_ELEMENTS: EntityElements<GivenTopicProperties> = {
  element: 'TopicDescription',
  properties: TOPIC_PROPERTIES,
  order: [
    'DefaultMessageTimeToLive',
    'MaxSizeInMegabytes',
    'RequiresDuplicateDetection',
    'DuplicateDetectionHistoryTimeWindow',
    'EnableBatchedOperations',
    'SizeInBytes',
    'FilteringMessagesBeforePublishing',
    'IsAnonymousAccessible',
    'AuthorizationRules',
    'Status',
    'CreatedAt',
    'UpdatedAt',
    'AccessedAt',
    'UserMetadata',
    'SupportOrdering',
    'CountDetails',
    'SubscriptionCount',
    'AutoDeleteOnIdle',
    'EnablePartitioning',
    'EntityAvailabilityStatus',
    'EnableSubscriptionPartitioning',
    'EnableExpress',
    'MaxMessageSizeInKilobytes',
    'SqlFilterCount',
    'CorrelationFilterCount',
  ],
  constant: {
    FilteringMessagesBeforePublishing: 'false',
    IsAnonymousAccessible: 'false',
    EntityAvailabilityStatus: 'Available',
    EnableSubscriptionPartitioning: 'false',
  },
  alsoIgnored: ['Path', 'Name', 'MessageCount', 'IsExpress'],
};

export const SUBSCRIPTION_ELEMENTS: EntityElements<GivenSubscriptionProperties> = {
  element: 'SubscriptionDescription',
  properties: SUBSCRIPTION_PROPERTIES,
  order: [
    'LockDuration',
    'RequiresSession',
    'DefaultMessageTimeToLive',
    'DeadLetteringOnMessageExpiration',
    'DeadLetteringOnFilterEvaluationExceptions',
    'MessageCount',
    'MaxDeliveryCount',
    'EnableBatchedOperations',
    'Status',
    'ForwardTo',
    'CreatedAt',
    'UpdatedAt',
    'AccessedAt',
    'UserMetadata',
    'CountDetails',
    'ForwardDeadLetteredMessagesTo',
    'AutoDeleteOnIdle',
    'EntityAvailabilityStatus',
    'IsClientAffine',
  ],
  constant: { EntityAvailabilityStatus: 'Available' },
  alsoIgnored: ['Name', 'TopicPath', 'SizeInBytes', 'IsDurable', 'IsShared', DEFAULT_RULE_ELEMENT],
};
