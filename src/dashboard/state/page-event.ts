// An event as the page reads it. Which fields there are depends on its kind: `docs/control.md` and `openapi.json` say so.

export type PageEvent = {
  readonly id: number;
  /** ISO 8601, like all times. */
  readonly time: string;
  readonly kind: string;
  readonly path?: string;
  readonly sequenceNumber?: number;
  readonly linkId?: number;
  readonly client?: {
    readonly connectionId: number;
    readonly name: string;
    readonly product?: string;
    /** Tells programs of one SDK apart. */
    readonly label?: string;
    readonly identifier?: string;
  };
  readonly messageId?: string;
  readonly sessionId?: string;
  readonly correlationId?: string;
  readonly sizeBytes?: number;
  readonly enqueueAt?: string;
  readonly acceptedNumber?: number;
  readonly rule?: string;
  readonly scheduledNumber?: number;
  readonly lockedUntil?: string;
  readonly lockToken?: string;
  readonly heldMs?: number;
  readonly deliveryCount?: number;
  readonly maxDeliveryCount?: number;
  readonly reason?: string;
  readonly description?: string;
  readonly outcome?: string;
  readonly destination?: string;
  readonly newNumber?: number;
  readonly messageCount?: number;
  readonly command?: string;
  readonly condition?: string;
  readonly text?: string;
  readonly cause?: string;
  readonly role?: string;
  readonly transport?: string;
  readonly entity?: string;
  readonly operation?: string;
  readonly effect?: string;
  readonly fault?: number;
  readonly status?: number;
  readonly method?: string;
};
