// The layout of an encoded message: the positions of its fields, the names of its annotations, and its limits.

/** Positions of fields in the header (AMQP 3.2.1, MSG-10). */
export const HEADER_FIELD = { durable: 0, priority: 1, ttl: 2, firstAcquirer: 3, deliveryCount: 4 } as const;

/** Positions of fields in the properties section (AMQP 3.2.4). */
export const PROPERTIES_FIELD = {
  messageId: 0,
  userId: 1,
  to: 2,
  subject: 3,
  replyTo: 4,
  correlationId: 5,
  contentType: 6,
  absoluteExpiryTime: 8,
  creationTime: 9,
  groupId: 10,
  groupSequence: 11,
  replyToGroupId: 12,
} as const;

/** Message annotations that the broker obeys; all others are carried unread. */
export const SENDER_ANNOTATION = {
  partitionKey: 'x-opt-partition-key',
  viaPartitionKey: 'x-opt-via-partition-key',
  scheduledEnqueueTime: 'x-opt-scheduled-enqueue-time',
  /** JMS clients schedule by it. */
  deliveryTime: 'x-opt-delivery-time',
} as const;

/** The longest time to live, in milliseconds, that fits into the header; SDKs write it for anything longer (TTL-01). */
export const LONGEST_HEADER_TTL_MS = 0xffff_ffff;
/** SDKs express "never" by an expiry in this year or later, which contains their greatest times. */
export const YEAR_9999 = Date.UTC(9999, 0);
