// Reads and writes BrokerProperties, the JSON of a message's system properties in headers and batches.

import type { Delivery } from '../../broker/contract/effect.js';
import { NEVER } from '../../broker/contract/instant.js';
import type { BrokerProperties, MessageState } from '../../broker/contract/message-properties.js';
import { receivedState } from '../../content/annotations-splice.js';
import { NO_PROPERTIES, type PropertyParts } from '../../content/message-parts.js';
import { dashed } from '../../content/read-message.js';
import { parseDuration } from '../../description/duration.js';
import { readAllParts, shown, ValueError, within } from '../../description/value-error.js';
import { formatHttpDate, parseHttpDate, parseIsoDate } from './header-values.js';

type TextProperty = Exclude<keyof PropertyParts, 'scheduledEnqueueTime' | 'timeToLiveMs'>;

/** Keys by their exact case. A key in another case is unknown and ignored. */
const TEXTS: readonly (readonly [key: string, property: TextProperty])[] = [
  ['MessageId', 'messageId'],
  ['To', 'to'],
  ['Label', 'subject'],
  ['ReplyTo', 'replyTo'],
  ['CorrelationId', 'correlationId'],
  ['ContentType', 'contentType'],
  ['SessionId', 'sessionId'],
  ['ReplyToSessionId', 'replyToSessionId'],
  ['PartitionKey', 'partitionKey'],
  ['ViaPartitionKey', 'viaPartitionKey'],
];
const SECOND_MS = 1000;
/** TimeSpan.MaxValue in whole seconds, which means never in .NET. */
const SENT_NEVER_SECONDS = 922_337_203_685;
const NUMBER = /^\d+(?:\.\d+)?(?:[eE][+-]?\d+)?$/;
const PRINTABLE_ASCII = /^[\x20-\x7e]*$/;
type Json = Readonly<Record<string, string | number | undefined>>;

const STATES: Readonly<Record<MessageState, string>> = { 0: 'Active', 1: 'Deferred', 2: 'Scheduled' };
/** TimeSpan.MaxValue, which means never in .NET. */
const DELIVERED_NEVER_SECONDS = 922_337_203_685.4775;

/** Reads the header of a sender. Throws a ValueError that names the wrong key. */
export function parseBrokerProperties(json: string): PropertyParts {
  let given: unknown;
  try {
    given = JSON.parse(json);
  } catch {
    throw new ValueError(`must be JSON such as {"MessageId":"1"}, not ${shown(json)}`);
  }
  return readBrokerProperties(given);
}

/** Reads the properties of one message. Throws a ValueError that names the wrong key. */
export function readBrokerProperties(given: unknown): PropertyParts {
  const fieldOf = fieldsOf(given);
  const texts = readAllParts(
    TEXTS.map(
      ([key, property]) =>
        () =>
          [property, within(key, () => readText(fieldOf(key)))] as const,
    ),
  );
  const properties: PropertyParts = {
    ...NO_PROPERTIES,
    ...Object.fromEntries(texts),
    scheduledEnqueueTime: within('ScheduledEnqueueTimeUtc', () =>
      readDate(fieldOf('ScheduledEnqueueTimeUtc')),
    ),
    timeToLiveMs:
      within('TimeToLiveTimeSpan', () => readTimeSpan(fieldOf('TimeToLiveTimeSpan'))) ??
      within('TimeToLive', () => readSeconds(fieldOf('TimeToLive'))),
  };
  const { contentType } = properties;
  if (contentType !== undefined) within('ContentType', () => checkContentType(contentType));
  return properties;
}

/** Returns the value of a key; null counts as missing. */
export function fieldsOf(given: unknown): (key: string) => unknown {
  if (typeof given !== 'object' || given === null || Array.isArray(given)) {
    throw new ValueError(`must be a JSON object, not ${shown(given)}`);
  }
  const fields = new Map<string, unknown>(Object.entries(given));
  return (key) => fields.get(key) ?? undefined;
}

/** Reads a content type. It must be ASCII, because it is a symbol in AMQP. */
export function checkContentType(text: string): void {
  if (!PRINTABLE_ASCII.test(text)) {
    throw new ValueError(`must be ASCII, such as application/json, not ${shown(text)}`);
  }
}

function readText(value: unknown): string | undefined {
  if (value === undefined || typeof value === 'string') return value;
  throw new ValueError(`must be a text, not ${shown(value)}`);
}

/** Reads a number, also from a text, as azure-sb sends it. */
function readSeconds(value: unknown): number | undefined {
  if (value === undefined) return undefined;
  const seconds = typeof value === 'string' && NUMBER.test(value) ? Number(value) : value;
  if (typeof seconds !== 'number' || !(seconds > 0)) {
    throw new ValueError(`must be a number of seconds above 0, not ${shown(value)}`);
  }
  return seconds >= SENT_NEVER_SECONDS ? NEVER : Math.max(1, Math.round(seconds * SECOND_MS));
}

function readTimeSpan(value: unknown): number | undefined {
  if (value === undefined) return undefined;
  if (typeof value !== 'string') {
    throw new ValueError(`must be a duration such as 00:05:00, not ${shown(value)}`);
  }
  const durationMs = parseDuration(value);
  if (durationMs > 0) return durationMs;
  throw new ValueError(`must be longer than 0, not ${shown(value)}`);
}

function readDate(value: unknown): number | undefined {
  if (value === undefined) return undefined;
  const ms = typeof value === 'string' ? (parseHttpDate(value) ?? parseIsoDate(value)) : undefined;
  if (ms !== undefined) return ms;
  throw new ValueError(`must be a date such as "Sun, 06 Nov 1994 08:49:37 GMT", not ${shown(value)}`);
}

/** The properties for a receiver: the ones that the sender set, and the ones that the broker adds. JSON omits undefined values. */
export function describeDelivery(
  { properties, lockToken, lockedUntil }: Delivery,
  sent: PropertyParts,
): Json {
  const lockedUntilText = lockedUntil === undefined ? undefined : formatHttpDate(lockedUntil);
  return {
    // DLV-01: over HTTP the current delivery counts.
    DeliveryCount: properties.deliveryCount + 1,
    EnqueuedSequenceNumber: properties.enqueuedSequenceNumber ?? 0, // SEQ-05
    EnqueuedTimeUtc: formatHttpDate(properties.enqueuedTime),
    SequenceNumber: properties.sequenceNumber,
    State: STATES[receivedState(properties)], // MSG-09
    TimeToLive: timeToLiveSeconds(properties, sent),
    DeadLetterSource: properties.deadLetterSource, // DLQ-07
    LockToken: lockToken === undefined ? undefined : dashed(lockToken),
    // Azure's documentation uses the first name and the service the second.
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
  return durationMs === NEVER ? DELIVERED_NEVER_SECONDS : durationMs / SECOND_MS;
}
