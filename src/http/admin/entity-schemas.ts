// How each element of queues, topics and subscriptions that is not a stored property is written.

import { authorizationRules } from '../../atom/authorization-rules-xml.js';
import {
  type EntityElements,
  QUEUE_ELEMENTS,
  SUBSCRIPTION_ELEMENTS,
  TOPIC_ELEMENTS,
} from '../../atom/entity-elements.js';
import { textElement } from '../../atom/xml/write-xml.js';
import type { QueueInfo, SubscriptionInfo, TopicInfo } from '../../broker/contract/result.js';
import type {
  GivenQueueProperties,
  GivenSubscriptionProperties,
  GivenTopicProperties,
} from '../../description/entity-properties.js';
import type { AtomContext } from './atom.js';
import {
  accessedAt,
  accessedAtOfSubscription,
  countDetails,
  forwardElement,
  messageCount,
  timeElements,
} from './computed-elements.js';
import { reportedMessageSize, reportedSize } from './entity-sizes.js';

export type EntitySchema<Info, Given> = EntityElements<Given> & {
  /** XML of elements that are not properties, or differ from the stored value; undefined leaves the element out. */
  readonly computed: Readonly<Record<string, (info: Info, context: AtomContext) => string | undefined>>;
};

/** The versions of the protocol that introduced elements. */
const MESSAGE_SIZE_VERSION = '2021-05';
const FILTER_COUNTS_VERSION = '2024-05';

export const QUEUE_SCHEMA: EntitySchema<QueueInfo, GivenQueueProperties> = {
  ...QUEUE_ELEMENTS,
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
};

export const TOPIC_SCHEMA: EntitySchema<TopicInfo, GivenTopicProperties> = {
  ...TOPIC_ELEMENTS,
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
};

export const SUBSCRIPTION_SCHEMA: EntitySchema<SubscriptionInfo, GivenSubscriptionProperties> = {
  ...SUBSCRIPTION_ELEMENTS,
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
