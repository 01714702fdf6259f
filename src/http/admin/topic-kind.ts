// A topic as the administration tells of it.

import type { TopicInfo } from '../../broker/result.js';
import { type GivenTopicProperties, TOPIC_PROPERTIES } from '../../description/entity-properties.js';
import { textElement } from '../xml/write-xml.js';
import { always, authorizationRules, countDetails, timeElements } from './computed-elements.js';
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
    FilteringMessagesBeforePublishing: always('FilteringMessagesBeforePublishing', false),
    IsAnonymousAccessible: always('IsAnonymousAccessible', false),
    AuthorizationRules: (info) => authorizationRules(info.description.authorizationRules, info),
    // CNT-01: what is active is in the subscriptions, and nothing is dead-lettered by a topic.
    CountDetails: ({ scheduledCount }) =>
      countDetails({ active: 0, deadLetter: 0, scheduled: scheduledCount }),
    SubscriptionCount: ({ subscriptionCount }) => textElement('SubscriptionCount', subscriptionCount),
    EntityAvailabilityStatus: always('EntityAvailabilityStatus', 'Available'),
    EnableSubscriptionPartitioning: always('EnableSubscriptionPartitioning', false),
    MaxMessageSizeInKilobytes: ({ description }, place) =>
      textElement('MaxMessageSizeInKilobytes', toldMessageSize(description, place)),
  },
  alsoIgnored: ['Path', 'Name', 'MessageCount', 'SqlFilterCount', 'CorrelationFilterCount', 'IsExpress'],
  fixed: ['requiresDuplicateDetection', 'enablePartitioning'],
};
