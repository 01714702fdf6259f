// The effects of a turn, which the engine performs once the turn's events are durable. They are copies, safe to use later.

import type { MessageRecord } from './event.js';
import type { Instant } from './instant.js';
import type { BrokerProperties } from './message-properties.js';
import type { ServiceBusError } from './service-bus-error.js';

/** The message that a content was found for, in case it cannot be read. */
export type ContentSource = {
  /** Identifies the content row, whose bytes the engine reads. */
  readonly contentId: number;
  /** The store of the message. */
  readonly storeId: number;
  /** The message, if receive-and-delete mode has removed it from that store. */
  readonly removed?: MessageRecord | undefined;
};

export type Delivery = ContentSource & {
  readonly properties: BrokerProperties;
  /** 32 hexadecimal digits; undefined in receive-and-delete mode. */
  readonly lockToken: string | undefined;
  readonly lockedUntil: Instant | undefined;
};

export type Effect =
  /** The receiver now holds this session. Sent once, before its first delivery. */
  | {
      readonly kind: 'session-accepted';
      readonly linkId: number;
      readonly sessionId: string;
      readonly lockedUntil: Instant;
    }
  | { readonly kind: 'deliver'; readonly linkId: number; readonly delivery: Delivery }
  /**
   * The receiver's credit is drained (CRD-02). `deliveredCount` is the number of deliveries since it attached plus the credit
   * discarded now and in earlier drains: its delivery limit, unless more was already delivered.
   */
  | { readonly kind: 'drained'; readonly linkId: number; readonly deliveredCount: number }
  | { readonly kind: 'detach'; readonly linkId: number; readonly error: ServiceBusError };
