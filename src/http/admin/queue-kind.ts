// A queue as the administration tells of it.

import type { QueueInfo } from '../../broker/result.js';
import { type GivenQueueProperties, QUEUE_PROPERTIES } from '../../description/entity-properties.js';
import { textElement } from '../xml/write-xml.js';
import {
  authorizationRules,
  countDetails,
  forwardElement,
  messageCount,
  timeElements,
} from './computed-elements.js';
import type { EntityKind } from './entity-kind.js';
import { toldMessageSize, toldSize } from './told-sizes.js';

export const QUEUE_KIND: EntityKind<QueueInfo, GivenQueueProperties> = {
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
    'UserMetadata',
    'CreatedAt',
    'UpdatedAt',
    'AccessedAt',
    'SupportOrdering',
    'CountDetails',
    'AutoDeleteOnIdle',
    'EnablePartitioning',
    'ForwardDeadLetteredMessagesTo',
    'EntityAvailabilityStatus',
    'EnableExpress',
    'MaxMessageSizeInKilobytes',
  ],
  computed: {
    ...timeElements,
    MaxSizeInMegabytes: ({ description }, place) =>
      textElement('MaxSizeInMegabytes', toldSize(description, place)),
    SizeInBytes: ({ sizeBytes }) => textElement('SizeInBytes', sizeBytes),
    MessageCount: ({ counts }) => messageCount(counts),
    AuthorizationRules: ({ description }) => authorizationRules(description.authorizationRules),
    ForwardTo: ({ description }, place) => forwardElement('ForwardTo', description.forwardTo, place),
    SupportOrdering: ({ description }) => textElement('SupportOrdering', !description.enablePartitioning),
    CountDetails: ({ counts }) => countDetails(counts),
    ForwardDeadLetteredMessagesTo: ({ description }, place) =>
      forwardElement('ForwardDeadLetteredMessagesTo', description.forwardDeadLetteredMessagesTo, place),
    MaxMessageSizeInKilobytes: ({ description }, place) =>
      textElement('MaxMessageSizeInKilobytes', toldMessageSize(description, place)),
  },
  constant: { IsAnonymousAccessible: 'false', EntityAvailabilityStatus: 'Available' },
  alsoIgnored: ['Path', 'Name'],
  fixed: ['requiresSession', 'requiresDuplicateDetection', 'enablePartitioning'],
};
