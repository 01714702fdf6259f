// The sizes and counts at which the broker says no; each tier of the service has its own.

import { NEVER } from './instant.js';

export type Tier = 'basic' | 'standard' | 'premium';

export type Limits = {
  /** The largest message of an entity that does not set its own, in bytes (LIM-01). */
  readonly maxMessageSizeBytes: number;
  /** The largest size an entity may set for itself, in bytes. */
  readonly maxMessageSizeCeilingBytes: number;
  /** Messages in one batched transfer (SND-12). */
  readonly maxBatchCount: number;
  /** Characters of a message-id, session id or partition key (LIM-04). */
  readonly maxIdLength: number;
  /** Everything before the body of one message (LIM-03). */
  readonly maxHeadBytes: number;
  /** One application property (LIM-03). */
  readonly maxPropertyBytes: number;
  /** Messages deleted by one call (LIM-17). */
  readonly maxDeleteCount: number;
  /** Messages shown by one peek, and their contents together, 128 bytes more counted for each; one is shown whatever its size (PEEK-02). */
  readonly maxPeekCount: number;
  readonly maxPeekBytes: number;
  /** Contents of the messages received by their numbers in one call, when it is more than one, and ids in a list of sessions. */
  readonly maxAnswerBytes: number;
  /** Of all time to live, defaults included: Basic has a maximum (S1-13). */
  readonly maxTimeToLiveMs: number;
  /** SES-01, DUP-01: Basic has neither. */
  readonly hasSessions: boolean;
  readonly hasDuplicateDetection: boolean;
  /** Basic has neither (FWD-02). */
  readonly hasTopics: boolean;
  readonly hasForwarding: boolean;
  /** LIM-09 to LIM-11; filters of all subscriptions of a topic together. */
  readonly maxSubscriptionsPerTopic: number;
  readonly maxSqlFiltersPerTopic: number;
  readonly maxCorrelationFiltersPerTopic: number;
  /** Basic has none (TXN-02). */
  readonly hasTransactions: boolean;
  /** Whether a transaction is about one entity, and one partition of it (TXN-03). */
  readonly hasOneEntityTransactions: boolean;
  /** Messages sent in one transaction (TXN-09). */
  readonly maxTransactionMessages: number;
  /** Whether entities are held to their `maxSizeInMegabytes` (LIM-05). */
  readonly hasEntitySizes: boolean;
};

const KILOBYTE = 1024;
const MEGABYTE = 1024 * KILOBYTE;
const DAY = 24 * 60 * 60 * 1000;

const STANDARD: Limits = {
  maxMessageSizeBytes: 256 * KILOBYTE,
  maxMessageSizeCeilingBytes: 256 * KILOBYTE,
  maxBatchCount: 4500, // SND-12
  maxIdLength: 128,
  maxHeadBytes: 64 * KILOBYTE,
  maxPropertyBytes: 32 * KILOBYTE,
  maxDeleteCount: 500,
  maxPeekCount: 1000,
  maxPeekBytes: 256 * KILOBYTE,
  maxAnswerBytes: 16 * MEGABYTE,
  maxTimeToLiveMs: NEVER,
  hasSessions: true,
  hasDuplicateDetection: true,
  hasTopics: true,
  hasForwarding: true,
  maxSubscriptionsPerTopic: 2000,
  maxSqlFiltersPerTopic: 2000,
  maxCorrelationFiltersPerTopic: 100_000,
  hasTransactions: true,
  hasOneEntityTransactions: true,
  maxTransactionMessages: 100,
  hasEntitySizes: true,
};

export const LIMITS_OF_TIER: Readonly<Record<Tier, Limits>> = {
  basic: {
    ...STANDARD,
    maxTimeToLiveMs: 14 * DAY,
    hasSessions: false,
    hasDuplicateDetection: false,
    hasTopics: false,
    hasForwarding: false,
    hasTransactions: false,
  },
  standard: STANDARD,
  premium: {
    ...STANDARD,
    maxMessageSizeBytes: MEGABYTE,
    maxMessageSizeCeilingBytes: 100 * MEGABYTE,
    maxPeekBytes: MEGABYTE,
    maxDeleteCount: 4000,
  },
};

/** `limits` without its sizes and counts: what the tier has stays, how much of it is up to the machine. */
export function withoutSizes(limits: Limits): Limits {
  return {
    ...limits,
    // Announced to clients, which size their batches by it: what the service takes at the very most.
    maxMessageSizeBytes: 100 * MEGABYTE,
    maxMessageSizeCeilingBytes: 100 * MEGABYTE,
    maxBatchCount: Number.POSITIVE_INFINITY,
    maxIdLength: Number.POSITIVE_INFINITY,
    maxHeadBytes: Number.POSITIVE_INFINITY,
    maxPropertyBytes: Number.POSITIVE_INFINITY,
    maxDeleteCount: Number.POSITIVE_INFINITY,
    maxSubscriptionsPerTopic: Number.POSITIVE_INFINITY,
    maxSqlFiltersPerTopic: Number.POSITIVE_INFINITY,
    maxCorrelationFiltersPerTopic: Number.POSITIVE_INFINITY,
    maxTimeToLiveMs: NEVER,
    hasOneEntityTransactions: false,
    maxTransactionMessages: Number.POSITIVE_INFINITY,
    hasEntitySizes: false,
  };
}
