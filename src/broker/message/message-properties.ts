// What the broker itself says about a message; it is spliced into the sender's content when a message is delivered.

import type { Instant } from '../instant.js';

/** A value that was set on a message after it was sent: text of the broker's own, or an encoded AMQP value it never opens. */
export type PropertyValue = string | Uint8Array;

/** One application property set by a settlement, replacing the sender's of the same name (SET-07). */
export type PropertyChange = { readonly name: string; readonly value: PropertyValue };

/** The numbers are those of the `x-opt-message-state` annotation. */
export const MESSAGE_STATE = { active: 0, deferred: 1, scheduled: 2 } as const;
export type MessageState = (typeof MESSAGE_STATE)[keyof typeof MESSAGE_STATE];

export type BrokerProperties = {
  readonly sequenceNumber: number;
  readonly enqueuedTime: Instant;
  /** Deliveries that ended without completion; 0 on the first delivery (DLV-01). */
  readonly deliveryCount: number;
  readonly state: MessageState;
  /** Set when the sender gave no message-id (MSG-04): 32 hexadecimal digits. */
  readonly inventedMessageId: string | undefined;
  readonly propertyChanges: readonly PropertyChange[] | undefined;
};

/** What a front end reads from a sender's message for the broker; the content itself stays closed. */
export type NewMessage = {
  /** The encoded sections as the sender wrote them; never changed afterwards. */
  readonly content: Uint8Array;
  readonly hasMessageId: boolean;
  readonly sessionId: string | undefined;
};
