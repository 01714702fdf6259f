// The sizes and counts at which the broker says no; each tier of the service has its own.

export type Tier = 'basic' | 'standard' | 'premium';

export type Limits = {
  /** The largest message of an entity that does not set its own, in bytes (LIM-01). */
  readonly maxMessageSizeBytes: number;
  /** The largest size an entity may set for itself, in bytes. */
  readonly maxMessageSizeCeilingBytes: number;
  /** Messages in one batched transfer (SND-12). */
  readonly maxBatchCount: number;
};

const KILOBYTE = 1024;
const MEGABYTE = 1024 * KILOBYTE;

export const LIMITS_OF_TIER: Readonly<Record<Tier, Limits>> = {
  basic: {
    maxMessageSizeBytes: 256 * KILOBYTE,
    maxMessageSizeCeilingBytes: 256 * KILOBYTE,
    maxBatchCount: 4500,
  },
  standard: {
    maxMessageSizeBytes: 256 * KILOBYTE,
    maxMessageSizeCeilingBytes: 256 * KILOBYTE,
    maxBatchCount: 4500,
  },
  premium: {
    maxMessageSizeBytes: MEGABYTE,
    maxMessageSizeCeilingBytes: 100 * MEGABYTE,
    maxBatchCount: 4500,
  },
};
