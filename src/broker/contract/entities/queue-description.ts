// The properties of a queue, with Azure's defaults and the ranges of their values; the names follow the SDK's CreateQueueOptions.

import { NEVER } from '../instant.js';
import type { AuthorizationRule } from './authorization-rule.js';

export type EntityStatus = 'Active' | 'Disabled' | 'SendDisabled' | 'ReceiveDisabled';

export type QueueDescription = {
  readonly name: string;
  readonly lockDurationMs: number;
  readonly maxDeliveryCount: number;
  readonly maxSizeInMegabytes: number;
  /** Undefined: the tier's limit applies. */
  readonly maxMessageSizeInKilobytes: number | undefined;
  readonly requiresSession: boolean;
  readonly requiresDuplicateDetection: boolean;
  readonly duplicateDetectionHistoryTimeWindowMs: number;
  readonly defaultMessageTimeToLiveMs: number;
  readonly deadLetteringOnMessageExpiration: boolean;
  readonly enableBatchedOperations: boolean;
  readonly enablePartitioning: boolean;
  readonly enableExpress: boolean;
  readonly status: EntityStatus;
  readonly autoDeleteOnIdleMs: number;
  readonly forwardTo: string | undefined;
  readonly forwardDeadLetteredMessagesTo: string | undefined;
  readonly userMetadata: string | undefined;
  readonly authorizationRules: readonly AuthorizationRule[];
  /** Other properties from the client, stored and returned unchanged; the broker does not read them. */
  readonly otherProperties: string | undefined;
};

const SECOND = 1000;
const MINUTE = 60 * SECOND;

/** A queue as Azure creates it when only the name is given (ENT-10), with the name in lower case (ENT-02). */
export function describeQueue(
  name: string,
  properties: Partial<Omit<QueueDescription, 'name'>> = {},
): QueueDescription {
  return {
    lockDurationMs: MINUTE,
    maxDeliveryCount: 10,
    maxSizeInMegabytes: 1024,
    maxMessageSizeInKilobytes: undefined,
    requiresSession: false,
    requiresDuplicateDetection: false,
    duplicateDetectionHistoryTimeWindowMs: 10 * MINUTE, // DUP-03
    defaultMessageTimeToLiveMs: NEVER,
    deadLetteringOnMessageExpiration: false,
    enableBatchedOperations: true,
    enablePartitioning: false,
    enableExpress: false,
    status: 'Active',
    autoDeleteOnIdleMs: NEVER,
    forwardTo: undefined,
    forwardDeadLetteredMessagesTo: undefined,
    userMetadata: undefined,
    authorizationRules: [],
    otherProperties: undefined,
    ...properties,
    name: name.toLowerCase(),
  };
}

export const MAX_NAME_LENGTH = 260;
/** ENT-01: segments separated by slashes. None is empty or consists of dots only, because a URL could not carry it. */
export const NAME_PATTERN = /^(?!\.+(?:\/|$))[\w\-.~]+(?:\/(?!\.+(?:\/|$))[\w\-.~]+)*$/;
/** ENT-01: a single segment, the name of a subscription or rule. */
export const INNER_NAME_PATTERN = /^(?!\.+$)[\w\-.~]+$/;
export const MAX_USER_METADATA_LENGTH = 1024;

export type NumberField = {
  [K in keyof QueueDescription]-?: QueueDescription[K] extends number | undefined ? K : never;
}[keyof QueueDescription];

/** A range of whole numbers. It includes `NEVER` if `most` is `NEVER`. */
export type Range = { readonly least: number; readonly most: number };

const DAY = 24 * 60 * MINUTE;
const MAX_INT32 = 2 ** 31 - 1;

// ENT-10. The official emulator's limits (10 deliveries, 1 hour to live) do not apply here, on purpose.
export const QUEUE_RANGES: Readonly<Record<NumberField, Range>> = {
  lockDurationMs: { least: 1, most: 5 * MINUTE },
  maxDeliveryCount: { least: 1, most: MAX_INT32 }, // DLV-09
  // Differs from Azure: it accepts multiples of 1024 only, but a test must be able to fill a queue without sending a gigabyte.
  maxSizeInMegabytes: { least: 1, most: 81_920 },
  // The maximum over all tiers; each tier has its own in `limits.ts`.
  maxMessageSizeInKilobytes: { least: 1, most: 102_400 },
  // Differs from Azure: its minimum is 20 s, but the configuration files of the official emulator allow 5 s.
  duplicateDetectionHistoryTimeWindowMs: { least: 5 * SECOND, most: 7 * DAY }, // DUP-03
  defaultMessageTimeToLiveMs: { least: SECOND, most: NEVER }, // TTL-13
  autoDeleteOnIdleMs: { least: 5 * MINUTE, most: NEVER }, // IDL-01
};

export function isInRange(value: number, { least, most }: Range): boolean {
  return value >= least && value <= most && (Number.isInteger(value) || value === NEVER);
}
