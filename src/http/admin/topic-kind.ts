// A topic as the administration tells of it.

import type { TopicInfo } from '../../broker/result.js';
import { type GivenTopicProperties, TOPIC_PROPERTIES } from '../../description/entity-properties.js';
import { textElement } from '../xml/write-xml.js';
import { authorizationRules, countDetails, timeElements } from './computed-elements.js';
import type { EntityKind } from './entity-kind.js';
import { toldMessageSize, toldSize } from './told-sizes.js';

export const TOPIC_KIND: EntityKind<TopicInfo, GivenTopicProperties> = {
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
    'UserMetadata',
    'CreatedAt',
    'UpdatedAt',
    'AccessedAt',
    'SupportOrdering',
    'CountDetails',
    'SubscriptionCount',
    'AutoDeleteOnIdle',
    'EnablePartitioning',
    'EntityAvailabilityStatus',
    'EnableSubscriptionPartitioning',
    'EnableExpress',
    'MaxMessageSizeInKilobytes',
  ],
  computed: {
    ...timeElements,
    MaxSizeInMegabytes: ({ description }, place) =>
      textElement('MaxSizeInMegabytes', toldSize(description, place)),
    SizeInBytes: ({ sizeBytes }) => textElement('SizeInBytes', sizeBytes),
    AuthorizationRules: (info) => authorizationRules(info.description.authorizationRules, info),
    // CNT-01: what is active is in the subscriptions, and nothing is dead-lettered by a topic.
    CountDetails: ({ scheduledCount }) =>
      countDetails({ active: 0, deadLetter: 0, scheduled: scheduledCount }),
    SubscriptionCount: ({ subscriptionCount }) => textElement('SubscriptionCount', subscriptionCount),
    MaxMessageSizeInKilobytes: ({ description }, place) =>
      textElement('MaxMessageSizeInKilobytes', toldMessageSize(description, place)),
  },
  constant: {
    FilteringMessagesBeforePublishing: 'false',
    IsAnonymousAccessible: 'false',
    EntityAvailabilityStatus: 'Available',
    EnableSubscriptionPartitioning: 'false',
  },
  alsoIgnored: ['Path', 'Name', 'MessageCount', 'SqlFilterCount', 'CorrelationFilterCount', 'IsExpress'],
  fixed: ['requiresDuplicateDetection', 'enablePartitioning'],
};
