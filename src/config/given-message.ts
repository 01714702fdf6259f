// A message that a program gives to `startEmulator` as a seed.

/**
 * A message for the start, such as `{ entity: 'orders', body: { id: 7 } }`: what `POST messages` of the control interface takes, or what
 * `GET messages` and `jitney peek --json` show, and the path of its entity.
 */
export type GivenMessage = {
  /** The path of a queue, topic, subscription or dead-letter queue. */
  readonly entity: string;
  /** A text is sent as it is, any other value as JSON. */
  readonly body?: unknown;
  /** The bytes of the body in Base64, in place of `body`. */
  readonly bodyBase64?: string;
  readonly applicationProperties?: Readonly<Record<string, unknown>>;
  readonly messageId?: string;
  readonly sessionId?: string;
  readonly subject?: string;
  readonly scheduledEnqueueTime?: string | Date;
  readonly timeToLiveMs?: number;
  readonly [property: string]: unknown;
};
