// The schemas of queues, topics and subscriptions in ATOM: named elements in a fixed order, some of them computed or constant.

import type { QueueInfo, SubscriptionInfo, TopicInfo } from '../../broker/contract/result.js';
import {
  type GivenQueueProperties,
  type GivenSubscriptionProperties,
  type GivenTopicProperties,
  QUEUE_PROPERTIES,
  SUBSCRIPTION_PROPERTIES,
  TOPIC_PROPERTIES,
} from '../../description/entity-properties.js';
import type { PropertyTable } from '../../description/entity-property.js';
import { textElement } from '../xml/write-xml.js';
import type { AtomContext } from './atom.js';
import {
  accessedAt,
  accessedAtOfSubscription,
  authorizationRules,
  countDetails,
  forwardElement,
  messageCount,
  timeElements,
} from './computed-elements.js';
import { reportedMessageSize, reportedSize } from './entity-sizes.js';

export type EntitySchema<Info, Given> = {
  /** `QueueDescription` and the like. */
  readonly element: string;
  readonly properties: PropertyTable<Given>;
  /** All elements, in the order of the service. */
  readonly order: readonly string[];
  /** XML of elements that are not properties, or differ from the stored value; undefined leaves the element out. */
  readonly computed: Readonly<Record<string, (info: Info, context: AtomContext) => string | undefined>>;
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

/** The versions of the protocol that introduced elements. */
const MESSAGE_SIZE_VERSION = '2021-05';
const FILTER_COUNTS_VERSION = '2024-05';

export const QUEUE_SCHEMA: EntitySchema<QueueInfo, GivenQueueProperties> = {
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
  computed: {
    ...timeElements,
    AccessedAt: accessedAt,
    MaxSizeInMegabytes: ({ description }, context) =>
      textElement('MaxSizeInMegabytes', reportedSize(description, context)),
    SizeInBytes: ({ sizeBytes }) => textElement('SizeInBytes', sizeBytes),
    MessageCount: ({ counts }) => messageCount(counts),
    AuthorizationRules: ({ description }) => authorizationRules(description.authorizationRules),
    ForwardTo: ({ description }, context) => forwardElement('ForwardTo', description.forwardTo, context),
    SupportOrdering: ({ description }) => textElement('SupportOrdering', !description.enablePartitioning),
    CountDetails: countDetails,
    ForwardDeadLetteredMessagesTo: ({ description }, context) =>
      forwardElement('ForwardDeadLetteredMessagesTo', description.forwardDeadLetteredMessagesTo, context),
    MaxMessageSizeInKilobytes: maxMessageSize,
  },
  constant: { IsAnonymousAccessible: 'false', SupportOrdering: '', EntityAvailabilityStatus: 'Available' },
  alsoIgnored: ['Path', 'Name'],
};

export const TOPIC_SCHEMA: EntitySchema<TopicInfo, GivenTopicProperties> = {
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
  computed: {
    ...timeElements,
    AccessedAt: accessedAt,
    MaxSizeInMegabytes: ({ description }, context) =>
      textElement('MaxSizeInMegabytes', reportedSize(description, context)),
    SizeInBytes: ({ sizeBytes }) => textElement('SizeInBytes', sizeBytes),
    AuthorizationRules: ({ description }) => authorizationRules(description.authorizationRules),
    CountDetails: countDetails,
    SubscriptionCount: ({ subscriptionCount }, { answerTo }) =>
      answerTo === 'read' ? textElement('SubscriptionCount', subscriptionCount) : undefined,
    MaxMessageSizeInKilobytes: maxMessageSize,
    SqlFilterCount: ({ filterCounts }, context) => filterCount('SqlFilterCount', filterCounts.sql, context),
    CorrelationFilterCount: ({ filterCounts }, context) =>
      filterCount('CorrelationFilterCount', filterCounts.correlation, context),
  },
  constant: {
    FilteringMessagesBeforePublishing: 'false',
    IsAnonymousAccessible: 'false',
    EntityAvailabilityStatus: 'Available',
    EnableSubscriptionPartitioning: 'false',
  },
  alsoIgnored: ['Path', 'Name', 'MessageCount', 'IsExpress'],
};

export const SUBSCRIPTION_SCHEMA: EntitySchema<SubscriptionInfo, GivenSubscriptionProperties> = {
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
  computed: {
    ...timeElements,
    AccessedAt: accessedAtOfSubscription,
    MessageCount: ({ counts }) => messageCount(counts),
    ForwardTo: ({ description }, context) => forwardElement('ForwardTo', description.forwardTo, context),
    CountDetails: countDetails,
    ForwardDeadLetteredMessagesTo: ({ description }, context) =>
      forwardElement('ForwardDeadLetteredMessagesTo', description.forwardDeadLetteredMessagesTo, context),
    IsClientAffine: (_info, { apiVersion }) =>
      apiVersion >= MESSAGE_SIZE_VERSION ? textElement('IsClientAffine', false) : undefined,
  },
  constant: { EntityAvailabilityStatus: 'Available' },
  alsoIgnored: ['Name', 'TopicPath', 'SizeInBytes', 'IsDurable', 'IsShared', DEFAULT_RULE_ELEMENT],
};

/** Left out for an early version. A client that names no version gets it, because it may read anything. */
function maxMessageSize(
  { description }: { readonly description: Parameters<typeof reportedMessageSize>[0] },
  context: AtomContext,
): string | undefined {
  if (context.apiVersion !== '' && context.apiVersion < MESSAGE_SIZE_VERSION) return undefined;
  return textElement('MaxMessageSizeInKilobytes', reportedMessageSize(description, context));
}

function filterCount(name: string, count: number, { apiVersion }: AtomContext): string | undefined {
  return apiVersion >= FILTER_COUNTS_VERSION ? textElement(name, count) : undefined;
}
