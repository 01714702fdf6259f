// The limits of sizes, counts and features that the broker enforces, for each tier of the service.

import { NEVER } from './instant.js';

export type Tier = 'basic' | 'standard' | 'premium';

export type Limits = {
  /** The largest message, in bytes, for an entity without its own limit (LIM-01). */
  readonly maxMessageSizeBytes: number;
  /** The highest value of that limit which an entity may set, in bytes. */
  readonly maxMessageSizeCeilingBytes: number;
  /** Messages in one batched transfer (SND-12). */
  readonly maxBatchCount: number;
  /** Characters of a message-id, session id or partition key (LIM-04). */
  readonly maxIdLength: number;
  /** Bytes of one message before its body (LIM-03). */
  readonly maxHeadBytes: number;
  /** Bytes of one application property (LIM-03). */
  readonly maxPropertyBytes: number;
  /** Messages deleted by one call (LIM-17). */
  readonly maxDeleteCount: number;
  /** Messages in one peek, and their total bytes, counting 128 more for each; the first is returned at any size (PEEK-02). */
  readonly maxPeekCount: number;
  readonly maxPeekBytes: number;
  /** Bytes of the contents in one answer with several deferred messages, and of the ids in one list of sessions. */
  readonly maxAnswerBytes: number;
  /** The maximum of any time to live, defaults included; Basic has one (S1-13). */
  readonly maxTimeToLiveMs: number;
  /** SES-01, DUP-01: Basic has neither. */
  readonly hasSessions: boolean;
  readonly hasDuplicateDetection: boolean;
  /** Basic has neither (FWD-02). */
  readonly hasTopics: boolean;
  readonly hasForwarding: boolean;
  /** LIM-09 to LIM-11. The filters of all subscriptions of a topic are counted together. */
  readonly maxSubscriptionsPerTopic: number;
  readonly maxSqlFiltersPerTopic: number;
  readonly maxCorrelationFiltersPerTopic: number;
  /** Basic has none (TXN-02). */
  readonly hasTransactions: boolean;
  /** Whether a transaction is limited to one entity, and to one partition of it (TXN-03). */
  readonly hasOneEntityTransactions: boolean;
  /** Messages sent in one transaction (TXN-09). */
  readonly maxTransactionMessages: number;
  /** Whether `maxSizeInMegabytes` of entities is enforced (LIM-05). */
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

/** Removes the sizes and counts from `limits`; the features of the tier stay as they are. */
export function withoutSizes(limits: Limits): Limits {
  return {
    ...limits,
    // Clients are sent this number and size their batches by it, so it is the highest that the service allows.
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
