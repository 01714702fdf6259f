// A message as it is shown: one shape for tests in the same process, the control interface, the command line and the page. The names
// are those of the SDKs' ServiceBusReceivedMessage; the values are JavaScript's own or JSON.

import type { InspectedMessage, MessageCondition } from '../broker/contract/inspection.js';
import { type Instant, isoTime, NEVER } from '../broker/contract/instant.js';
import { asBuffer } from '../codec/types.js';
import { BROKER_ANNOTATION, LARGEST_DATE, RESERVED_ANNOTATIONS } from './annotations-splice.js';
import { bodyAsJson, type JsonBody } from './body-json.js';
import { type DecodedBody, type DecodedMessage, decodeMessage, type TypedEntries } from './decode-message.js';
import { givenField, itemOffsets, readEntries, uintAt } from './encoded-values.js';
import { inspectContent } from './inspect-content.js';
import { HEADER_FIELD } from './message-format.js';
import { plainBody, plainValue } from './plain-value.js';
import { findHead } from './sections.js';
import { type TypedValue, typedValueAt } from './typed-value.js';

/** The types of the values of a shown message. */
type Form = { readonly time: unknown; readonly value: unknown; readonly body: unknown };

/** Times are ISO 8601, and values have their AMQP types. */
export type JsonForm = { readonly time: string; readonly value: TypedValue; readonly body: JsonBody };

/** As JavaScript has them. */
export type PlainForm = { readonly time: Date; readonly value: unknown; readonly body: unknown };

/** A message from any broker. Properties without a value are left out. */
export type ShownMessage<F extends Form> = {
  /** A text if it is beyond 2^53, as are the two numbers below. */
  readonly sequenceNumber?: number | string;
  /** Missing for a message that a client received. */
  readonly state?: MessageCondition;
  readonly enqueuedTime?: F['time'];
  readonly expiresAt?: F['time'];
  /** When a scheduled message becomes active; missing if its sender wrote a time that no Date holds. */
  readonly scheduledTime?: F['time'];
  /** When the lock of a locked message ends; missing if it is held until its receiver detaches. */
  readonly lockedUntil?: F['time'];
  /** Deliveries that ended without a settlement, as in the SDK before the next delivery. */
  readonly deliveryCount: number;
  /** The number in the entity it was first sent to, for a copy from a topic or a forwarded message. */
  readonly enqueuedSequenceNumber?: number | string;
  readonly partitionId?: number | string;
  /** The size of the encoded message as it was sent. */
  readonly sizeBytes?: number;
  /** The number of entities it was forwarded from. */
  readonly hopCount?: number;
  /** The entity that a message sent through another one waits for. */
  readonly destination?: string;
  /** Why it is in a dead-letter queue, such as `MaxDeliveryCountExceeded`. */
  readonly deadLetterReason?: string;
  readonly deadLetterErrorDescription?: string;
  /** The entity from whose dead-letter queue it was forwarded. */
  readonly deadLetterSource?: string;
  /** The client that dead-lettered it, or that had its last delivery: SDK and connection. */
  readonly lastHolder?: string;
  /** When it came to the dead-letter queue that it is in. */
  readonly deadLetteredTime?: F['time'];
  readonly messageId?: string;
  readonly subject?: string;
  readonly correlationId?: string;
  readonly contentType?: string;
  readonly to?: string;
  readonly replyTo?: string;
  readonly sessionId?: string;
  readonly replyToSessionId?: string;
  readonly partitionKey?: string;
  readonly viaPartitionKey?: string;
  /** As the sender set it. */
  readonly timeToLiveMs?: number;
  /** As the sender set it, also when the message has become active. */
  readonly scheduledEnqueueTime?: F['time'];
  /** In JavaScript integers beyond 2^53 are bigint, timestamps Date, binaries Uint8Array, UUIDs and symbols strings. */
  readonly applicationProperties: Readonly<Record<string, F['value']>>;
  /** The annotations that the sender gave it, apart from those of other properties. */
  readonly annotations: Readonly<Record<string, F['value']>>;
  /**
   * In JavaScript JSON as its value, any other text as a string, other bytes as a Uint8Array; a body of an AMQP value as that
   * value, converted like an application property. Undefined without a body.
   */
  readonly body: F['body'];
};

/** A message in an entity of the emulator, which knows all about it. */
export type EntityMessage<F extends Form> = ShownMessage<F> &
  Required<Pick<ShownMessage<F>, 'state' | 'enqueuedTime' | 'sizeBytes' | 'hopCount'>> & {
    readonly sequenceNumber: number;
    readonly enqueuedSequenceNumber?: number;
    readonly partitionId?: number;
  };

/** How values are written in a form. */
type Writer<F extends Form> = {
  /** Undefined for an instant that no Date holds. */
  readonly time: (instant: Instant) => F['time'] | undefined;
  readonly value: (value: TypedValue) => F['value'];
  readonly body: (body: DecodedBody) => F['body'];
};

const AS_JSON: Writer<JsonForm> = { time: isoTime, value: (value) => value, body: bodyAsJson };
const AS_PLAIN: Writer<PlainForm> = {
  time: (instant) => (isoTime(instant) === undefined ? undefined : new Date(instant)),
  value: plainValue,
  body: plainBody,
};

export function jsonMessage(message: InspectedMessage, content: Uint8Array): EntityMessage<JsonForm> {
  return entityMessage(message, content, AS_JSON);
}

export function plainMessage(message: InspectedMessage, content: Uint8Array): EntityMessage<PlainForm> {
  return entityMessage(message, content, AS_PLAIN);
}

function entityMessage<F extends Form>(
  { properties, details, condition, lock, sizeBytes }: InspectedMessage,
  content: Uint8Array,
  writer: Writer<F>,
): EntityMessage<F> {
  const timeOf = (time: Instant | undefined) => (time === undefined ? undefined : writer.time(time));
  return withoutUndefined<EntityMessage<F>>({
    sequenceNumber: properties.sequenceNumber,
    state: condition,
    enqueuedTime: timeOf(properties.enqueuedTime),
    expiresAt: timeOf(properties.expiresAt),
    scheduledTime: timeOf(details?.schedule?.enqueueAt),
    lockedUntil: timeOf(lock?.lockedUntil),
    deliveryCount: properties.deliveryCount,
    enqueuedSequenceNumber: properties.enqueuedSequenceNumber,
    partitionId: properties.partitionId,
    sizeBytes,
    hopCount: details?.hopCount ?? 0,
    destination: details?.destination,
    deadLetterSource: properties.deadLetterSource,
    lastHolder: details?.lastHolder,
    deadLetteredTime: timeOf(details?.deadLetteredAt),
    ...contentFields(inspectContent(content, properties), writer),
  });
}

/** A message that somebody has received, or has sent: what its sender set, and of the broker only what `known` says. */
export type SentMessageView = Omit<ShownMessage<PlainForm>, 'sequenceNumber'> & {
  readonly sequenceNumber: number;
};

export function plainContent(
  content: Uint8Array,
  known: Pick<SentMessageView, 'sequenceNumber'> & Partial<SentMessageView>,
): SentMessageView {
  const fields = { deliveryCount: 0, ...contentFields(decodeMessage(content), AS_PLAIN), ...known };
  return withoutUndefined<SentMessageView>(fields);
}

/** A message as a client got it. Its annotations are those that no field tells. Throws a DecodeError. */
export function describeMessage(message: Uint8Array, form: 'received' | 'peeked'): ShownMessage<JsonForm> {
  const decoded = decodeMessage(message);
  const values = new Map(decoded.annotations.map(([name, { value }]) => [name, value]));
  const number = (name: string) => numberOrDigits(values.get(name));
  const lockedUntil = text(values.get(BROKER_ANNOTATION.lockedUntil));
  const annotations = decoded.annotations.filter(([name]) => !RESERVED_ANNOTATIONS.has(name));
  return withoutUndefined<ShownMessage<JsonForm>>({
    sequenceNumber: number(BROKER_ANNOTATION.sequenceNumber),
    // A received message that had been scheduled still says so.
    state: form === 'peeked' ? STATES[Number(values.get(BROKER_ANNOTATION.messageState) ?? 0)] : undefined,
    enqueuedTime: text(values.get(BROKER_ANNOTATION.enqueuedTime)),
    lockedUntil: lockedUntil === isoTime(LARGEST_DATE) ? undefined : lockedUntil, // SES-04
    deliveryCount: deliveryCountOf(asBuffer(message)),
    enqueuedSequenceNumber: number(BROKER_ANNOTATION.enqueuedSequenceNumber),
    partitionId: number(BROKER_ANNOTATION.partitionId),
    deadLetterSource: text(values.get(BROKER_ANNOTATION.deadLetterSource)),
    ...contentFields({ ...decoded, annotations }, AS_JSON),
  });
}

const STATES: Readonly<Record<number, MessageCondition>> = { 0: 'active', 1: 'deferred', 2: 'scheduled' };

function contentFields<F extends Form>(
  { properties, applicationProperties, annotations, body }: DecodedMessage,
  { time, value, body: bodyOf }: Writer<F>,
) {
  const { scheduledEnqueueTime, timeToLiveMs, ...texts } = properties;
  const valuesOf = (entries: TypedEntries): Readonly<Record<string, F['value']>> =>
    Object.fromEntries(entries.map(([name, typed]) => [name, value(typed)]));
  return {
    deadLetterReason: textOf(applicationProperties, 'DeadLetterReason'),
    deadLetterErrorDescription: textOf(applicationProperties, 'DeadLetterErrorDescription'),
    ...texts,
    timeToLiveMs: timeToLiveMs === NEVER ? undefined : timeToLiveMs,
    scheduledEnqueueTime: scheduledEnqueueTime === undefined ? undefined : time(scheduledEnqueueTime),
    applicationProperties: valuesOf(applicationProperties),
    annotations: valuesOf(annotations),
    body: bodyOf(body),
  };
}

type MaybeUndefined<T> = { readonly [Key in keyof T]: T[Key] | undefined };

function withoutUndefined<T extends { readonly body: unknown }>(fields: MaybeUndefined<T>): T {
  const given = Object.entries(fields).filter(([name, value]) => value !== undefined || name === 'body');
  return Object.fromEntries(given) as T;
}

/** The sequence number of a message from a broker; 0 without one. */
export function sequenceNumberOf(message: Uint8Array): bigint {
  const bytes = asBuffer(message);
  const { messageAnnotations } = findHead(bytes);
  const entries = messageAnnotations === undefined ? [] : readEntries(bytes, messageAnnotations.value);
  const found = entries.find(({ name }) => name === BROKER_ANNOTATION.sequenceNumber);
  return found === undefined ? 0n : BigInt(String(typedValueAt(bytes, found.value).value));
}

function deliveryCountOf(bytes: Buffer): number {
  const { header } = findHead(bytes);
  if (header === undefined) return 0;
  const offset = givenField(bytes, itemOffsets(bytes, header.value), HEADER_FIELD.deliveryCount);
  return uintAt(bytes, offset, 'the delivery-count') ?? 0;
}

function textOf(entries: TypedEntries, wanted: string): string | undefined {
  return text(entries.find(([name]) => name === wanted)?.[1].value);
}

function text(value: TypedValue['value'] | undefined): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

function numberOrDigits(value: TypedValue['value'] | undefined): number | string | undefined {
  return typeof value === 'number' || typeof value === 'string' ? value : undefined;
}
