// Encodes a message from its parts, as an SDK would send it over AMQP: its body is one data section.

import { type Instant, NEVER } from '../broker/contract/instant.js';
import { ByteWriter } from '../codec/byte-writer.js';
import type { GatheredBytes } from '../codec/gathered-bytes.js';
import { LONGEST_HEADER_TTL_MS, PROPERTIES_FIELD, SENDER_ANNOTATION, YEAR_9999 } from './message-format.js';
import type { PropertyParts, SentParts } from './message-parts.js';
import { encodeRuleValue } from './rule-values.js';
import { SECTION } from './sections.js';

const LIST32 = 0xd0;
const MAP32 = 0xd1;
const INT_BITS = 32;
/** Enough for the sections before most bodies; the writer grows when it is not. */
const HEAD_BYTES = 1024;

/** A message without its body. */
export type SentHead = Omit<SentParts, 'body'>;
type TextField = { readonly index: number; readonly property: keyof PropertyParts & string };

const BEFORE_TIMES = [
  { index: PROPERTIES_FIELD.messageId, property: 'messageId' },
  { index: PROPERTIES_FIELD.to, property: 'to' },
  { index: PROPERTIES_FIELD.subject, property: 'subject' },
  { index: PROPERTIES_FIELD.replyTo, property: 'replyTo' },
  { index: PROPERTIES_FIELD.correlationId, property: 'correlationId' },
  { index: PROPERTIES_FIELD.contentType, property: 'contentType' },
] as const satisfies readonly TextField[];
const BEHIND_TIMES = [
  { index: PROPERTIES_FIELD.groupId, property: 'sessionId' },
  { index: PROPERTIES_FIELD.replyToGroupId, property: 'replyToSessionId' },
] as const satisfies readonly TextField[];

/** `now` becomes the creation time when the time to live is too long for the header. */
export function encodeMessage(
  { properties, applicationProperties, body }: SentParts,
  now: Instant,
): Uint8Array {
  const writer = new ByteWriter(HEAD_BYTES + body.length);
  writeHead(writer, { properties, applicationProperties }, now);
  writer.binary(body);
  return writer.take();
}

/** The same for a body that has come in pieces, which is not in memory twice. Takes the body. */
export function encodeGathered(head: SentHead, body: GatheredBytes, now: Instant): Uint8Array {
  const writer = new ByteWriter(HEAD_BYTES);
  writeHead(writer, head, now);
  writer.binaryHead(body.byteLength);
  return body.take(writer.take());
}

function writeHead(writer: ByteWriter, { properties, applicationProperties }: SentHead, now: Instant): void {
  const { timeToLiveMs = NEVER } = properties;
  const isLong = timeToLiveMs > LONGEST_HEADER_TTL_MS && timeToLiveMs !== NEVER;
  if (timeToLiveMs !== NEVER) writeHeader(writer, Math.min(timeToLiveMs, LONGEST_HEADER_TTL_MS));
  writeAnnotations(writer, properties);
  writeProperties(writer, properties, isLong ? { now, timeToLiveMs } : undefined);
  writeApplicationProperties(writer, applicationProperties);
  writer.descriptor(SECTION.data);
}

function writeHeader(writer: ByteWriter, ttlMs: number): void {
  writer.descriptor(SECTION.header);
  writer.compound32(LIST32, () => {
    writer.null();
    writer.null();
    writer.uint(ttlMs);
    return 3;
  });
}

function writeAnnotations(
  writer: ByteWriter,
  { partitionKey, viaPartitionKey, scheduledEnqueueTime }: PropertyParts,
): void {
  if ((partitionKey ?? viaPartitionKey ?? scheduledEnqueueTime) === undefined) return;
  writer.descriptor(SECTION.messageAnnotations);
  writer.compound32(MAP32, () => {
    let count = 0;
    const annotate = (name: string, write: () => void) => {
      writer.symbol(name);
      write();
      count += 2;
    };
    if (partitionKey !== undefined)
      annotate(SENDER_ANNOTATION.partitionKey, () => writer.string(partitionKey));
    if (viaPartitionKey !== undefined)
      annotate(SENDER_ANNOTATION.viaPartitionKey, () => writer.string(viaPartitionKey));
    if (scheduledEnqueueTime !== undefined)
      annotate(SENDER_ANNOTATION.scheduledEnqueueTime, () => writer.timestamp(scheduledEnqueueTime)); // SCH-01
    return count;
  });
}

/** `long` is a time to live too long for the header, written as the difference of two times (TTL-01). */
function writeProperties(
  writer: ByteWriter,
  properties: PropertyParts,
  long: { readonly now: Instant; readonly timeToLiveMs: number } | undefined,
): void {
  const isGiven = ({ property }: TextField) => properties[property] !== undefined;
  if (long === undefined && !BEFORE_TIMES.some(isGiven) && !BEHIND_TIMES.some(isGiven)) return;
  writer.descriptor(SECTION.properties);
  writer.compound32(LIST32, () => {
    let next = 0;
    const goTo = (index: number) => {
      for (; next < index; next++) writer.null();
      next += 1;
    };
    for (const { index, property } of BEFORE_TIMES) {
      const text = properties[property];
      if (text === undefined) continue;
      goTo(index);
      if (property === 'contentType') writer.symbol(text);
      else writer.string(text);
    }
    if (long !== undefined) {
      goTo(PROPERTIES_FIELD.absoluteExpiryTime);
      writer.timestamp(Math.min(long.now + long.timeToLiveMs, YEAR_9999));
      goTo(PROPERTIES_FIELD.creationTime);
      writer.timestamp(long.now);
    }
    for (const { index, property } of BEHIND_TIMES) {
      const text = properties[property];
      if (text === undefined) continue;
      goTo(index);
      writer.string(text);
    }
    return next;
  });
}

function writeApplicationProperties(
  writer: ByteWriter,
  properties: SentParts['applicationProperties'],
): void {
  if (properties.length === 0) return;
  writer.descriptor(SECTION.applicationProperties);
  writer.compound32(MAP32, () => {
    for (const { name, value } of properties) {
      writer.string(name);
      if (typeof value === 'bigint' && BigInt.asIntN(INT_BITS, value) === value) writer.int(Number(value));
      else writer.bytes(encodeRuleValue(value));
    }
    return 2 * properties.length;
  });
}
