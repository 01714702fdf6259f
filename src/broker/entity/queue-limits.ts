// What a queue's name may look like and from where to where its numbers go (semantics B.20.1).

import { NEVER } from '../instant.js';
import type { QueueDescription } from './queue-description.js';

export const MAX_NAME_LENGTH = 260;
/** ENT-01: segments parted by slashes, none of them empty or of dots alone, which no URL could carry. */
export const NAME_PATTERN = /^(?!\.+(?:\/|$))[\w\-.~]+(?:\/(?!\.+(?:\/|$))[\w\-.~]+)*$/;
/** ENT-01: one such segment, the name of a subscription or a rule. */
export const INNER_NAME_PATTERN = /^(?!\.+$)[\w\-.~]+$/;
export const MAX_USER_METADATA_LENGTH = 1024;

export type NumberField = {
  [K in keyof QueueDescription]-?: QueueDescription[K] extends number | undefined ? K : never;
}[keyof QueueDescription];

/** Whole numbers; where `most` is `NEVER`, that too. */
export type Range = { readonly least: number; readonly most: number };

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const DAY = 24 * 60 * MINUTE;
const MAX_INT32 = 2 ** 31 - 1;

// ENT-10. The official emulator's caps (10 deliveries, one hour to live) are left out on purpose.
export const QUEUE_RANGES: Readonly<Record<NumberField, Range>> = {
  lockDurationMs: { least: 1, most: 5 * MINUTE },
  maxDeliveryCount: { least: 1, most: MAX_INT32 }, // DLV-09
  // Differs from Azure: it takes 1024 and its multiples, but a full queue is to be tested without sending a gigabyte.
  maxSizeInMegabytes: { least: 1, most: 81_920 },
  // Of all tiers; what a tier allows is in its limits.
  maxMessageSizeInKilobytes: { least: 1, most: 102_400 },
  // Differs from Azure: it starts at 20 s, but files of the official emulator may go down to 5 s.
  duplicateDetectionHistoryTimeWindowMs: { least: 5 * SECOND, most: 7 * DAY }, // DUP-03
  defaultMessageTimeToLiveMs: { least: SECOND, most: NEVER }, // TTL-13
  autoDeleteOnIdleMs: { least: 5 * MINUTE, most: NEVER }, // IDL-01
};

export function isInRange(value: number, { least, most }: Range): boolean {
  return value >= least && value <= most && (Number.isInteger(value) || value === NEVER);
}
