// The effects of a turn, which the engine performs once the turn's events are durable. They are copies, safe to use later.

import type { Instant } from './instant.js';
import type { BrokerProperties } from './queue/message-properties.js';
import type { ServiceBusError } from './service-bus-error.js';

export type Delivery = {
  /** Identifies the content row, whose bytes the engine reads. */
  readonly contentId: number;
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
