// The table of everything that can be said about a queue: its public name, what it must look like, where it is kept.

import type { QueueDescription } from '../broker/entity/queue-description.js';
import { MAX_USER_METADATA_LENGTH, QUEUE_RANGES } from '../broker/entity/queue-limits.js';
import { boolean, duration, forwardTarget, status, text, wholeNumber } from './property-values.js';

export type QueueField = Exclude<keyof QueueDescription, 'name'>;
export type GivenProperties = Partial<Omit<QueueDescription, 'name'>>;

export type QueueProperty = {
  /** As in the SDK's CreateQueueOptions. Config.json has the same with a capital. */
  readonly name: string;
  readonly field: QueueField;
  /** What its text in a queue spec is converted to before it is read. */
  readonly type: 'duration' | 'number' | 'boolean' | 'text';
  /** Throws a ValueError when the value will not do. */
  readonly read: (value: unknown) => GivenProperties;
};

export const QUEUE_PROPERTIES: readonly QueueProperty[] = [
  {
    name: 'lockDuration',
    field: 'lockDurationMs',
    type: 'duration',
    read: (value) => ({ lockDurationMs: duration(value, QUEUE_RANGES.lockDurationMs) }),
  },
  {
    name: 'maxDeliveryCount',
    field: 'maxDeliveryCount',
    type: 'number',
    read: (value) => ({ maxDeliveryCount: wholeNumber(value, QUEUE_RANGES.maxDeliveryCount) }),
  },
  {
    name: 'maxSizeInMegabytes',
    field: 'maxSizeInMegabytes',
    type: 'number',
    read: (value) => ({ maxSizeInMegabytes: wholeNumber(value, QUEUE_RANGES.maxSizeInMegabytes) }),
  },
  {
    name: 'maxMessageSizeInKilobytes',
    field: 'maxMessageSizeInKilobytes',
    type: 'number',
    read: (value) => ({
      maxMessageSizeInKilobytes: wholeNumber(value, QUEUE_RANGES.maxMessageSizeInKilobytes),
    }),
  },
  {
    name: 'requiresSession',
    field: 'requiresSession',
    type: 'boolean',
    read: (value) => ({ requiresSession: boolean(value) }),
  },
  {
    name: 'requiresDuplicateDetection',
    field: 'requiresDuplicateDetection',
    type: 'boolean',
    read: (value) => ({ requiresDuplicateDetection: boolean(value) }),
  },
  {
    name: 'duplicateDetectionHistoryTimeWindow',
    field: 'duplicateDetectionHistoryTimeWindowMs',
    type: 'duration',
    read: (value) => ({
      duplicateDetectionHistoryTimeWindowMs: duration(
        value,
        QUEUE_RANGES.duplicateDetectionHistoryTimeWindowMs,
      ),
    }),
  },
  {
    name: 'defaultMessageTimeToLive',
    field: 'defaultMessageTimeToLiveMs',
    type: 'duration',
    read: (value) => ({
      defaultMessageTimeToLiveMs: duration(value, QUEUE_RANGES.defaultMessageTimeToLiveMs),
    }),
  },
  {
    name: 'deadLetteringOnMessageExpiration',
    field: 'deadLetteringOnMessageExpiration',
    type: 'boolean',
    read: (value) => ({ deadLetteringOnMessageExpiration: boolean(value) }),
  },
  {
    name: 'enableBatchedOperations',
    field: 'enableBatchedOperations',
    type: 'boolean',
    read: (value) => ({ enableBatchedOperations: boolean(value) }),
  },
  {
    name: 'enablePartitioning',
    field: 'enablePartitioning',
    type: 'boolean',
    read: (value) => ({ enablePartitioning: boolean(value) }),
  },
  {
    name: 'enableExpress',
    field: 'enableExpress',
    type: 'boolean',
    read: (value) => ({ enableExpress: boolean(value) }),
  },
  { name: 'status', field: 'status', type: 'text', read: (value) => ({ status: status(value) }) },
  {
    name: 'autoDeleteOnIdle',
    field: 'autoDeleteOnIdleMs',
    type: 'duration',
    read: (value) => ({ autoDeleteOnIdleMs: duration(value, QUEUE_RANGES.autoDeleteOnIdleMs) }),
  },
  {
    name: 'forwardTo',
    field: 'forwardTo',
    type: 'text',
    read: (value) => ({ forwardTo: forwardTarget(value) }),
  },
  {
    name: 'forwardDeadLetteredMessagesTo',
    field: 'forwardDeadLetteredMessagesTo',
    type: 'text',
    read: (value) => ({ forwardDeadLetteredMessagesTo: forwardTarget(value) }),
  },
  {
    name: 'userMetadata',
    field: 'userMetadata',
    type: 'text',
    read: (value) => ({ userMetadata: text(value, MAX_USER_METADATA_LENGTH) }),
  },
];
