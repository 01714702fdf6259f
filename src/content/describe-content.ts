// Inspected messages as JSON: one form for the control interface and the command line.

import { isoTime, NEVER } from '../broker/contract/instant.js';
import { asBuffer } from '../codec/types.js';
import { BROKER_ANNOTATION, LARGEST_DATE, RESERVED_ANNOTATIONS } from './annotations-splice.js';
import { bodyAsJson, type JsonBody } from './body-json.js';
import { type DecodedMessage, decodeMessage, type TypedEntries } from './decode-message.js';
import { givenField, itemOffsets, readEntries, uintAt } from './encoded-values.js';
import { HEADER_FIELD } from './message-format.js';
import type { PropertyParts } from './message-parts.js';
import { findHead } from './sections.js';
import { type TypedValue, typedValueAt } from './typed-value.js';

type TimedProperties = 'scheduledEnqueueTime' | 'timeToLiveMs';

/** Times are ISO 8601. */
export type DescribedContent = {
  readonly deadLetterReason: string | undefined;
  readonly deadLetterErrorDescription: string | undefined;
  readonly properties: Omit<PropertyParts, TimedProperties> & {
    readonly scheduledEnqueueTime: string | undefined;
    readonly timeToLiveMs: number | undefined;
  };
  readonly applicationProperties: Readonly<Record<string, TypedValue>>;
  readonly annotations: Readonly<Record<string, TypedValue>>;
  readonly body: JsonBody;
};

const STATES: Readonly<Record<number, string>> = { 0: 'active', 1: 'deferred', 2: 'scheduled' };

export function describeContent(inspected: DecodedMessage): DescribedContent {
  const { applicationProperties, annotations, body } = inspected;
  const { scheduledEnqueueTime, timeToLiveMs, ...sent } = inspected.properties;
  return {
    deadLetterReason: textOf(applicationProperties, 'DeadLetterReason'),
    deadLetterErrorDescription: textOf(applicationProperties, 'DeadLetterErrorDescription'),
    properties: {
      ...sent,
      scheduledEnqueueTime: scheduledEnqueueTime === undefined ? undefined : isoTime(scheduledEnqueueTime),
      timeToLiveMs: timeToLiveMs === NEVER ? undefined : timeToLiveMs,
    },
    applicationProperties: Object.fromEntries(applicationProperties),
    annotations: Object.fromEntries(annotations),
    body: bodyAsJson(body),
  };
}

/** A message as a receiver or a browser got it. Numbers beyond 2^53 are texts. */
export type DescribedMessage = DescribedContent & {
  readonly sequenceNumber: number | string | undefined;
  /** Defined for a message that was peeked. */
  readonly state: string | undefined;
  readonly enqueuedTime: string | undefined;
  /** Undefined for a message in a session, too, whose annotation says nothing of the lock. */
  readonly lockedUntil: string | undefined;
  readonly deliveryCount: number;
  readonly enqueuedSequenceNumber: number | string | undefined;
  readonly partitionId: number | string | undefined;
  readonly deadLetterSource: string | undefined;
};

/** Decodes a message from a broker. Its annotations are those that no field tells. Throws a DecodeError. */
export function describeMessage(message: Uint8Array, form: 'received' | 'peeked'): DescribedMessage {
  const inspected = decodeMessage(message);
  const values = new Map(inspected.annotations.map(([name, { value }]) => [name, value]));
  const number = (name: string) => numberOrDigits(values.get(name));
  const state = Number(values.get(BROKER_ANNOTATION.messageState) ?? 0);
  const lockedUntil = text(values.get(BROKER_ANNOTATION.lockedUntil));
  const annotations = inspected.annotations.filter(([name]) => !RESERVED_ANNOTATIONS.has(name));
  return {
    sequenceNumber: number(BROKER_ANNOTATION.sequenceNumber),
    // A received message that had been scheduled still says so.
    state: form === 'peeked' ? STATES[state] : undefined,
    enqueuedTime: text(values.get(BROKER_ANNOTATION.enqueuedTime)),
    lockedUntil: lockedUntil === isoTime(LARGEST_DATE) ? undefined : lockedUntil, // SES-04
    deliveryCount: deliveryCountOf(asBuffer(message)),
    enqueuedSequenceNumber: number(BROKER_ANNOTATION.enqueuedSequenceNumber),
    partitionId: number(BROKER_ANNOTATION.partitionId),
    deadLetterSource: text(values.get(BROKER_ANNOTATION.deadLetterSource)),
    ...describeContent({ ...inspected, annotations }),
  };
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
