// What the outside must do after a turn, once its events are durable. Effects are values copied in the turn.

import type { Instant } from './instant.js';
import type { BrokerProperties } from './message/message-properties.js';
import type { ServiceBusError } from './service-bus-error.js';

export type Delivery = {
  /** Names the content row; its bytes are fetched by the engine. */
  readonly contentId: number;
  readonly properties: BrokerProperties;
  /** 32 hexadecimal digits; undefined in receive-and-delete. */
  readonly lockToken: string | undefined;
  readonly lockedUntil: Instant | undefined;
};

export type Effect =
  /** The receiver holds this session from now on; said once, before anything is delivered to it. */
  | {
      readonly kind: 'session-accepted';
      readonly linkId: number;
      readonly sessionId: string;
      readonly lockedUntil: Instant;
    }
  | { readonly kind: 'deliver'; readonly linkId: number; readonly delivery: Delivery }
  /**
   * The receiver's credit is used up (CRD-02): `deliveredCount` is the number of deliveries made since it attached and
   * of those it gave up, now and in earlier drains; its limit, unless it had already been given more.
   */
  | { readonly kind: 'drained'; readonly linkId: number; readonly deliveredCount: number }
  | { readonly kind: 'detach'; readonly linkId: number; readonly error: ServiceBusError };
