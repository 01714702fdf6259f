// A stored message as tests see it: plain JavaScript values under the names of the SDK, with its state in the broker.

import type { InspectedMessage } from '../broker/contract/inspection.js';
import { type Instant, isoTime, NEVER } from '../broker/contract/instant.js';
import { inspectContent } from '../content/inspect-content.js';
import { plainBody, plainValue } from '../content/plain-value.js';

/** The state of a message in its entity. A message that a receiver holds is `locked`, also a deferred one. */
export type EmulatorMessageState = 'active' | 'locked' | 'scheduled' | 'deferred';

/**
 * A message in an entity: a copy, which does not change with the message. Properties without a value are left out. The names are
 * those of the SDK's messages; times are Dates, durations milliseconds.
 */
export type EmulatorMessage = {
  /**
   * JSON as its value, any other text as a string, other bytes as a Uint8Array; a body of an AMQP value as that value, converted
   * like an application property. Undefined without a body.
   */
  readonly body: unknown;
  readonly messageId?: string;
  readonly subject?: string;
  readonly correlationId?: string;
  readonly contentType?: string;
  readonly to?: string;
  readonly replyTo?: string;
  readonly sessionId?: string;
  readonly replyToSessionId?: string;
  readonly partitionKey?: string;
  /** As the sender set it. */
  readonly timeToLiveMs?: number;
  /**
   * Values as JavaScript has them: integers beyond 2^53 as bigint, timestamps as Date, binaries as Uint8Array, UUIDs and symbols as
   * strings.
   */
  readonly applicationProperties: Readonly<Record<string, unknown>>;
  readonly state: EmulatorMessageState;
  readonly sequenceNumber: number;
  readonly enqueuedTime: Date;
  readonly expiresTime?: Date;
  /** When a scheduled message becomes active; missing if its sender wrote a time that no Date holds. */
  readonly scheduledTime?: Date;
  /** When the lock of a locked message ends; missing if it is held until its receiver detaches. */
  readonly lockedUntil?: Date;
  /** Deliveries that ended without a settlement, as in the SDK before the next delivery. */
  readonly deliveryCount: number;
  /** The size of the encoded message as it was sent. */
  readonly sizeBytes: number;
  /** Why it is in a dead-letter queue, such as `MaxDeliveryCountExceeded`. */
  readonly deadLetterReason?: string;
  readonly deadLetterErrorDescription?: string;
  /** The entity from whose dead-letter queue it was forwarded. */
  readonly deadLetterSource?: string;
  /** The client that dead-lettered it, or that had its last delivery: SDK and connection. */
  readonly lastHolder?: string;
};

type MaybeUndefined<T> = { readonly [Key in keyof T]: T[Key] | undefined };

export function emulatorMessage(message: InspectedMessage, content: Uint8Array): EmulatorMessage {
  const { properties, condition, lock, enqueueAt, sizeBytes } = message;
  const { sequenceNumber, enqueuedTime, expiresAt, deliveryCount, deadLetterSource } = properties;
  const decoded = inspectContent(content, properties);
  const { scheduledEnqueueTime: _, viaPartitionKey: __, timeToLiveMs, ...sent } = decoded.properties;
  const applicationProperties = Object.fromEntries(
    decoded.applicationProperties.map(([name, value]) => [name, plainValue(value)]),
  );
  const seen: MaybeUndefined<EmulatorMessage> = {
    body: plainBody(decoded.body),
    ...sent,
    timeToLiveMs: timeToLiveMs === NEVER ? undefined : timeToLiveMs,
    applicationProperties,
    ...{ state: condition, sequenceNumber, deliveryCount, sizeBytes },
    enqueuedTime: new Date(enqueuedTime),
    expiresTime: dateOf(expiresAt),
    scheduledTime: dateOf(enqueueAt),
    lockedUntil: dateOf(lock?.lockedUntil),
    deadLetterReason: textOf(applicationProperties.DeadLetterReason),
    deadLetterErrorDescription: textOf(applicationProperties.DeadLetterErrorDescription),
    deadLetterSource,
    lastHolder: message.lastHolder,
  };
  const given = Object.entries(seen).filter(([name, value]) => value !== undefined || name === 'body');
  return Object.fromEntries(given) as EmulatorMessage;
}

/** Undefined for an instant that no Date holds. */
function dateOf(time: Instant | undefined): Date | undefined {
  return time === undefined || isoTime(time) === undefined ? undefined : new Date(time);
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}
