// The table of everything that can be said about a queue: its public name, what it must look like, where it is kept.

import type { QueueDescription } from '../broker/entity/queue-description.js';
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

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const DAY = 24 * 60 * MINUTE;
const INT32_MAX = 2_147_483_647;

// Ranges: semantics B.20.1. The official emulator's caps (10 deliveries, one hour to live) are left out on purpose.
export const QUEUE_PROPERTIES: readonly QueueProperty[] = [
  {
    name: 'lockDuration',
    field: 'lockDurationMs',
    type: 'duration',
    read: (value) => ({ lockDurationMs: duration(value, { leastMs: 1, mostMs: 5 * MINUTE }) }),
  },
  {
    name: 'maxDeliveryCount',
    field: 'maxDeliveryCount',
    type: 'number',
    read: (value) => ({ maxDeliveryCount: wholeNumber(value, { least: 1, most: INT32_MAX }) }),
  },
  {
    name: 'maxSizeInMegabytes',
    field: 'maxSizeInMegabytes',
    type: 'number',
    read: (value) => ({ maxSizeInMegabytes: wholeNumber(value, { least: 1024, most: 81_920, step: 1024 }) }),
  },
  {
    name: 'maxMessageSizeInKilobytes',
    field: 'maxMessageSizeInKilobytes',
    type: 'number',
    read: (value) => ({ maxMessageSizeInKilobytes: wholeNumber(value, { least: 1, most: 102_400 }) }),
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
    // Differs from Azure: it starts at 20 s, but files of the official emulator may go down to 5 s.
    read: (value) => ({
      duplicateDetectionHistoryTimeWindowMs: duration(value, { leastMs: 5 * SECOND, mostMs: 7 * DAY }),
    }),
  },
  {
    name: 'defaultMessageTimeToLive',
    field: 'defaultMessageTimeToLiveMs',
    type: 'duration',
    read: (value) => ({ defaultMessageTimeToLiveMs: duration(value, { leastMs: SECOND }) }),
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
    read: (value) => ({ autoDeleteOnIdleMs: duration(value, { leastMs: 5 * MINUTE }) }),
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
    read: (value) => ({ userMetadata: text(value, 1024) }),
  },
];
