// BrokerProperties as a receiver reads them: what the sender said, and what the broker says of the message and its delivery.

import type { Delivery } from '../../broker/effect.js';
import { NEVER } from '../../broker/instant.js';
import type { BrokerProperties, MessageState } from '../../broker/message/message-properties.js';
import { receivedState } from '../../content/annotations-splice.js';
import type { PropertyParts } from '../../content/message-parts.js';
import { dashed } from '../../content/received-parts.js';
import { formatHttpDate } from './http-date.js';

type Json = Readonly<Record<string, string | number | undefined>>;

const STATES: Readonly<Record<MessageState, string>> = { 0: 'Active', 1: 'Deferred', 2: 'Scheduled' };
const SECOND_MS = 1000;
/** TimeSpan.MaxValue, which is what .NET calls never. */
const NEVER_SECONDS = 922_337_203_685.4775;

/** Undefined values are left out of the JSON. */
export function describeDelivery(
  { properties, lockToken, lockedUntil }: Delivery,
  sent: PropertyParts,
): Json {
  const lockedUntilText = lockedUntil === undefined ? undefined : formatHttpDate(lockedUntil);
  return {
    // DLV-01: over HTTP the delivery under way counts.
    DeliveryCount: properties.deliveryCount + 1,
    EnqueuedSequenceNumber: properties.enqueuedSequenceNumber ?? 0, // SEQ-05
    EnqueuedTimeUtc: formatHttpDate(properties.enqueuedTime),
    SequenceNumber: properties.sequenceNumber,
    State: STATES[receivedState(properties)], // MSG-09
    TimeToLive: timeToLiveSeconds(properties, sent),
    DeadLetterSource: properties.deadLetterSource, // DLQ-07
    LockToken: lockToken === undefined ? undefined : dashed(lockToken),
    // Azure's documentation has the first of these names, the service the second.
    LockedUntil: lockedUntilText,
    LockedUntilUtc: lockedUntilText,
    MessageId: sent.messageId,
    CorrelationId: sent.correlationId,
    SessionId: sent.sessionId,
    Label: sent.subject,
    ReplyTo: sent.replyTo,
    ReplyToSessionId: sent.replyToSessionId,
    To: sent.to,
    PartitionKey: sent.partitionKey,
    ViaPartitionKey: sent.viaPartitionKey,
    ScheduledEnqueueTimeUtc:
      sent.scheduledEnqueueTime === undefined ? undefined : formatHttpDate(sent.scheduledEnqueueTime),
  };
}

function timeToLiveSeconds(
  { expiresAt, enqueuedTime }: BrokerProperties,
  { timeToLiveMs = NEVER }: PropertyParts,
): number {
  const durationMs = expiresAt === NEVER ? timeToLiveMs : expiresAt - enqueuedTime;
  return durationMs === NEVER ? NEVER_SECONDS : durationMs / SECOND_MS;
}
