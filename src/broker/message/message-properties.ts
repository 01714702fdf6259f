// What the broker itself says about a message; it is spliced into the sender's content when a message is delivered.

import type { Instant } from '../instant.js';

/** A value that was set on a message after it was sent: text of the broker's own, or an encoded AMQP value it never opens. */
export type PropertyValue = string | Uint8Array;

/** One application property set by a settlement, replacing the sender's of the same name (SET-07). */
export type PropertyChange = {
  readonly name: string;
  /** Null: a rule's action has removed it (ACT-01). */
  readonly value: PropertyValue | null;
};

/** What the action of a rule has made of the broker's properties of a copy (ACT-04); null: cleared, absent: as sent. */
export type SystemChanges = {
  readonly contentType?: string | null;
  readonly correlationId?: string | null;
  readonly messageId?: string | null;
  readonly replyTo?: string | null;
  readonly replyToSessionId?: string | null;
  readonly sessionId?: string | null;
  readonly subject?: string | null;
  readonly to?: string | null;
  /** Takes effect at once, on the expiry of the copy. */
  readonly timeToLiveMs?: number | null;
  /** Takes effect when the copy is forwarded (TOP-10). */
  readonly scheduledEnqueueTime?: Instant | null;
};

/** The numbers are those of the `x-opt-message-state` annotation. */
export const MESSAGE_STATE = { active: 0, deferred: 1, scheduled: 2 } as const;
export type MessageState = (typeof MESSAGE_STATE)[keyof typeof MESSAGE_STATE];

export type BrokerProperties = {
  readonly sequenceNumber: number;
  /** Of a scheduled message: when it was sent. */
  readonly enqueuedTime: Instant;
  /** `NEVER` when it does not expire, and as long as it is scheduled: the time to live counts from its activation (TTL-04). */
  readonly expiresAt: Instant;
  /** Deliveries that ended without completion; 0 on the first delivery (DLV-01). */
  readonly deliveryCount: number;
  readonly state: MessageState;
  /** It has waited here, or at its topic, for its scheduled time: a receiver is told so of an active message (MSG-09). */
  readonly wasScheduled: boolean;
  /** Set when the sender gave no message-id (MSG-04): 32 hexadecimal digits. */
  readonly inventedMessageId: string | undefined;
  readonly propertyChanges: readonly PropertyChange[] | undefined;
  readonly systemChanges: SystemChanges | undefined;
  /** The number it had where it was first submitted, of a copy from a topic or a forwarded message (SEQ-05, FWD-05). */
  readonly enqueuedSequenceNumber: number | undefined;
  /** The entity in whose dead-letter queue it was, of a message forwarded from there (DLQ-07). */
  readonly deadLetterSource: string | undefined;
  /** Of a partitioned entity: also the topmost 16 bits of the sequence number (SEQ-06). */
  readonly partitionId: number | undefined;
};

/** What a front end reads from a sender's message for the broker; the content itself stays closed. */
export type NewMessage = {
  /** The encoded sections as the sender wrote them; never changed afterwards. */
  readonly content: Uint8Array;
  /** As text, whichever of the four AMQP types it has (DUP-07). */
  readonly messageId: string | undefined;
  readonly sessionId: string | undefined;
  readonly replyToSessionId: string | undefined;
  readonly partitionKey: string | undefined;
  readonly viaPartitionKey: string | undefined;
  /** In milliseconds; undefined: the entity's default. Negative when the sender lets it expire before its creation. */
  readonly timeToLiveMs: number | undefined;
  readonly scheduledEnqueueTime: Instant | undefined;
  /** Encoded size of everything that comes before the body (MSG-08). */
  readonly headBytes: number;
  /** Encoded size of the largest value among the application properties; 0 when there are none. */
  readonly largestPropertyBytes: number;
  /** The first application property whose value is none of AMQP's scalars (SND-16). */
  readonly unsupportedProperty: { readonly name: string; readonly type: string } | undefined;
};
