// A topic as the administration tells of it.

import type { TopicInfo } from '../../broker/result.js';
import { type GivenTopicProperties, TOPIC_PROPERTIES } from '../../description/entity-properties.js';
import { textElement } from '../xml/write-xml.js';
import { authorizationRules, countDetails, timeElements } from './computed-elements.js';
import type { EntityKind, Place } from './entity-kind.js';
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
    'SqlFilterCount',
    'CorrelationFilterCount',
  ],
  computed: {
    ...timeElements,
    MaxSizeInMegabytes: ({ description }, place) =>
      textElement('MaxSizeInMegabytes', toldSize(description, place)),
    SizeInBytes: ({ sizeBytes }) => textElement('SizeInBytes', sizeBytes),
    AuthorizationRules: ({ description }) => authorizationRules(description.authorizationRules),
    CountDetails: ({ counts }) => countDetails(counts),
    SubscriptionCount: ({ subscriptionCount }) => textElement('SubscriptionCount', subscriptionCount),
    MaxMessageSizeInKilobytes: ({ description }, place) =>
      textElement('MaxMessageSizeInKilobytes', toldMessageSize(description, place)),
    SqlFilterCount: ({ filterCounts }, place) => filterCount('SqlFilterCount', filterCounts.sql, place),
    CorrelationFilterCount: ({ filterCounts }, place) =>
      filterCount('CorrelationFilterCount', filterCounts.correlation, place),
  },
  constant: {
    FilteringMessagesBeforePublishing: 'false',
    IsAnonymousAccessible: 'false',
    EntityAvailabilityStatus: 'Available',
    EnableSubscriptionPartitioning: 'false',
  },
  alsoIgnored: ['Path', 'Name', 'MessageCount', 'IsExpress'],
  fixed: ['requiresDuplicateDetection', 'enablePartitioning'],
};

/** The first version of the protocol that tells them. */
const COUNTS_FILTERS = '2024-05';

function filterCount(name: string, count: number, { apiVersion }: Place): string | undefined {
  return apiVersion >= COUNTS_FILTERS ? textElement(name, count) : undefined;
}
