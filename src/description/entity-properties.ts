// Defines each property of queues, topics and subscriptions once.

import {
  MAX_USER_METADATA_LENGTH,
  QUEUE_RANGES,
  type QueueDescription,
} from '../broker/contract/entities/queue-description.js';
import type {
  SubscriptionDescription,
  TopicDescription,
} from '../broker/contract/entities/topic-description.js';
import { readAuthorizationRules } from './authorization-rules.js';
import type { EntityProperty, PropertyTable, ReadSpan } from './entity-property.js';
import { boolean, forwardTarget, oneOf, text, wholeNumber } from './property-values.js';

export type GivenQueueProperties = Partial<Omit<QueueDescription, 'name'>>;
export type GivenTopicProperties = Partial<Omit<TopicDescription, 'name'>>;
export type GivenSubscriptionProperties = Partial<Omit<SubscriptionDescription, 'name'>>;

const lockDuration = {
  name: 'lockDuration',
  field: 'lockDurationMs',
  type: 'duration',
  read: (value: unknown, readSpan: ReadSpan) => ({
    lockDurationMs: readSpan(value, QUEUE_RANGES.lockDurationMs),
  }),
} as const;

const maxDeliveryCount = {
  name: 'maxDeliveryCount',
  field: 'maxDeliveryCount',
  type: 'number',
  read: (value: unknown) => ({ maxDeliveryCount: wholeNumber(value, QUEUE_RANGES.maxDeliveryCount) }),
} as const;

const maxSizeInMegabytes = {
  name: 'maxSizeInMegabytes',
  field: 'maxSizeInMegabytes',
  type: 'number',
  read: (value: unknown) => ({ maxSizeInMegabytes: wholeNumber(value, QUEUE_RANGES.maxSizeInMegabytes) }),
} as const;

const maxMessageSizeInKilobytes = {
  name: 'maxMessageSizeInKilobytes',
  field: 'maxMessageSizeInKilobytes',
  type: 'number',
  read: (value: unknown) => ({
    maxMessageSizeInKilobytes: wholeNumber(value, QUEUE_RANGES.maxMessageSizeInKilobytes),
  }),
} as const;

const requiresSession = {
  name: 'requiresSession',
  field: 'requiresSession',
  type: 'boolean',
  read: (value: unknown) => ({ requiresSession: boolean(value) }),
} as const;

const requiresDuplicateDetection = {
  name: 'requiresDuplicateDetection',
  field: 'requiresDuplicateDetection',
  type: 'boolean',
  read: (value: unknown) => ({ requiresDuplicateDetection: boolean(value) }),
} as const;

const duplicateDetectionHistoryTimeWindow = {
  name: 'duplicateDetectionHistoryTimeWindow',
  field: 'duplicateDetectionHistoryTimeWindowMs',
  type: 'duration',
  read: (value: unknown, readSpan: ReadSpan) => ({
    duplicateDetectionHistoryTimeWindowMs: readSpan(
      value,
      QUEUE_RANGES.duplicateDetectionHistoryTimeWindowMs,
    ),
  }),
} as const;

const defaultMessageTimeToLive = {
  name: 'defaultMessageTimeToLive',
  field: 'defaultMessageTimeToLiveMs',
  type: 'duration',
  read: (value: unknown, readSpan: ReadSpan) => ({
    defaultMessageTimeToLiveMs: readSpan(value, QUEUE_RANGES.defaultMessageTimeToLiveMs),
  }),
} as const;

const deadLetteringOnMessageExpiration = {
  name: 'deadLetteringOnMessageExpiration',
  field: 'deadLetteringOnMessageExpiration',
  type: 'boolean',
  read: (value: unknown) => ({ deadLetteringOnMessageExpiration: boolean(value) }),
} as const;

const deadLetteringOnFilterEvaluationExceptions = {
  name: 'deadLetteringOnFilterEvaluationExceptions',
  field: 'deadLetteringOnFilterEvaluationExceptions',
  type: 'boolean',
  read: (value: unknown) => ({ deadLetteringOnFilterEvaluationExceptions: boolean(value) }),
} as const;

const enableBatchedOperations = {
  name: 'enableBatchedOperations',
  field: 'enableBatchedOperations',
  type: 'boolean',
  read: (value: unknown) => ({ enableBatchedOperations: boolean(value) }),
} as const;

const enablePartitioning = {
  name: 'enablePartitioning',
  field: 'enablePartitioning',
  type: 'boolean',
  read: (value: unknown) => ({ enablePartitioning: boolean(value) }),
} as const;

const enableExpress = {
  name: 'enableExpress',
  field: 'enableExpress',
  type: 'boolean',
  read: (value: unknown) => ({ enableExpress: boolean(value) }),
} as const;

const supportOrdering = {
  name: 'supportOrdering',
  field: 'supportOrdering',
  type: 'boolean',
  read: (value: unknown) => ({ supportOrdering: boolean(value) }),
} as const;

// ENT-06
const QUEUE_STATUSES = ['Active', 'Disabled', 'SendDisabled', 'ReceiveDisabled'] as const;
const TOPIC_STATUSES = ['Active', 'Disabled', 'SendDisabled'] as const;
const SUBSCRIPTION_STATUSES = ['Active', 'Disabled', 'ReceiveDisabled'] as const;

function status<Status extends string>(statuses: readonly Status[]) {
  return {
    name: 'status',
    field: 'status',
    type: 'text',
    values: statuses,
    read: (value: unknown) => ({ status: oneOf(value, statuses) }),
  } as const satisfies EntityProperty<{ readonly status: Status }>;
}

const autoDeleteOnIdle = {
  name: 'autoDeleteOnIdle',
  field: 'autoDeleteOnIdleMs',
  type: 'duration',
  read: (value: unknown, readSpan: ReadSpan) => ({
    autoDeleteOnIdleMs: readSpan(value, QUEUE_RANGES.autoDeleteOnIdleMs),
  }),
} as const;

const forwardTo = {
  name: 'forwardTo',
  field: 'forwardTo',
  type: 'text',
  read: (value: unknown) => ({ forwardTo: forwardTarget(value) }),
} as const;

const forwardDeadLetteredMessagesTo = {
  name: 'forwardDeadLetteredMessagesTo',
  field: 'forwardDeadLetteredMessagesTo',
  type: 'text',
  read: (value: unknown) => ({ forwardDeadLetteredMessagesTo: forwardTarget(value) }),
} as const;

const userMetadata = {
  name: 'userMetadata',
  field: 'userMetadata',
  type: 'text',
  read: (value: unknown) => ({ userMetadata: text(value, MAX_USER_METADATA_LENGTH) }),
} as const;

const authorizationRules = {
  name: 'authorizationRules',
  field: 'authorizationRules',
  type: 'list',
  read: (value: unknown) => ({ authorizationRules: readAuthorizationRules(value) }),
} as const;

export const QUEUE_PROPERTIES: PropertyTable<GivenQueueProperties> = [
  lockDuration,
  maxDeliveryCount,
  maxSizeInMegabytes,
  maxMessageSizeInKilobytes,
  requiresSession,
  requiresDuplicateDetection,
  duplicateDetectionHistoryTimeWindow,
  defaultMessageTimeToLive,
  deadLetteringOnMessageExpiration,
  enableBatchedOperations,
  enablePartitioning,
  enableExpress,
  status(QUEUE_STATUSES),
  autoDeleteOnIdle,
  forwardTo,
  forwardDeadLetteredMessagesTo,
  userMetadata,
  authorizationRules,
];

export const TOPIC_PROPERTIES: PropertyTable<GivenTopicProperties> = [
  maxSizeInMegabytes,
  maxMessageSizeInKilobytes,
  requiresDuplicateDetection,
  duplicateDetectionHistoryTimeWindow,
  defaultMessageTimeToLive,
  enableBatchedOperations,
  enablePartitioning,
  enableExpress,
  supportOrdering,
  status(TOPIC_STATUSES),
  autoDeleteOnIdle,
  userMetadata,
  authorizationRules,
];

export const SUBSCRIPTION_PROPERTIES: PropertyTable<GivenSubscriptionProperties> = [
  lockDuration,
  maxDeliveryCount,
  requiresSession,
  defaultMessageTimeToLive,
  deadLetteringOnMessageExpiration,
  deadLetteringOnFilterEvaluationExceptions,
  enableBatchedOperations,
  status(SUBSCRIPTION_STATUSES),
  autoDeleteOnIdle,
  forwardTo,
  forwardDeadLetteredMessagesTo,
  userMetadata,
];
