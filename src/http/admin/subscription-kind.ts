// A subscription as the administration tells of it.

import type { SubscriptionInfo } from '../../broker/result.js';
import {
  type GivenSubscriptionProperties,
  SUBSCRIPTION_PROPERTIES,
} from '../../description/entity-properties.js';
import { countDetails, forwardElement, messageCount, timeElements } from './computed-elements.js';
import type { EntityKind } from './entity-kind.js';

/** What a subscription is created with, in its description; it is a rule from then on, and not told here. */
export const DEFAULT_RULE_ELEMENT = 'DefaultRuleDescription';

export const SUBSCRIPTION_KIND: EntityKind<SubscriptionInfo, GivenSubscriptionProperties> = {
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
    'AutoDeleteOnIdle',
    'ForwardDeadLetteredMessagesTo',
    'EntityAvailabilityStatus',
  ],
  computed: {
    ...timeElements,
    MessageCount: ({ counts }) => messageCount(counts),
    ForwardTo: ({ description }, place) => forwardElement('ForwardTo', description.forwardTo, place),
    CountDetails: ({ counts }) => countDetails(counts),
    ForwardDeadLetteredMessagesTo: ({ description }, place) =>
      forwardElement('ForwardDeadLetteredMessagesTo', description.forwardDeadLetteredMessagesTo, place),
  },
  constant: { EntityAvailabilityStatus: 'Available' },
  alsoIgnored: [
    'Name',
    'TopicPath',
    'SizeInBytes',
    'IsClientAffine',
    'IsDurable',
    'IsShared',
    DEFAULT_RULE_ELEMENT,
  ],
  fixed: ['requiresSession'],
};
