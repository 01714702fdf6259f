// Encodes a message from its parts, as an SDK would have sent it over AMQP: one data section, each property at its place.

import { type Instant, NEVER } from '../broker/instant.js';
import { ByteWriter } from '../codec/byte-writer.js';
import type { PropertyParts, SentParts } from './message-parts.js';
import { PLACE } from './property-places.js';
import { encodeRuleValue } from './rule-values.js';
import { SECTION } from './sections.js';
import { ANNOTATION } from './sender-annotations.js';

const LIST32 = 0xd0;
const MAP32 = 0xd1;
const INT_BITS = 32;
/** Ample for what comes before most bodies; the writer grows when it is not. */
const HEAD_BYTES = 1024;
/** The longest time to live that fits into the header (TTL-01). */
const GREATEST_UINT = 0xffff_ffff;
/** Times from here on are how SDKs say never. */
const YEAR_9999 = Date.UTC(9999, 0);

type TextField = { readonly place: number; readonly property: keyof PropertyParts & string };

const BEFORE_TIMES = [
  { place: PLACE.messageId, property: 'messageId' },
  { place: PLACE.to, property: 'to' },
  { place: PLACE.subject, property: 'subject' },
  { place: PLACE.replyTo, property: 'replyTo' },
  { place: PLACE.correlationId, property: 'correlationId' },
  { place: PLACE.contentType, property: 'contentType' },
] as const satisfies readonly TextField[];
const BEHIND_TIMES = [
  { place: PLACE.groupId, property: 'sessionId' },
  { place: PLACE.replyToGroupId, property: 'replyToSessionId' },
] as const satisfies readonly TextField[];

/** `now` is the creation time of a message that lives longer than a header can say. */
export function encodeMessage(
  { properties, applicationProperties, body }: SentParts,
  now: Instant,
): Uint8Array {
  const writer = new ByteWriter(HEAD_BYTES + body.length);
  const { timeToLiveMs = NEVER } = properties;
  const isLong = timeToLiveMs > GREATEST_UINT && timeToLiveMs !== NEVER;
  if (timeToLiveMs !== NEVER) writeHeader(writer, Math.min(timeToLiveMs, GREATEST_UINT));
  writeAnnotations(writer, properties);
  writeProperties(writer, properties, isLong ? { now, timeToLiveMs } : undefined);
  writeApplicationProperties(writer, applicationProperties);
  writer.descriptor(SECTION.data);
  writer.binary(body);
  return writer.take();
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
    if (partitionKey !== undefined) annotate(ANNOTATION.partitionKey, () => writer.string(partitionKey));
    if (viaPartitionKey !== undefined)
      annotate(ANNOTATION.viaPartitionKey, () => writer.string(viaPartitionKey));
    if (scheduledEnqueueTime !== undefined)
      annotate(ANNOTATION.scheduledEnqueueTime, () => writer.timestamp(scheduledEnqueueTime)); // SCH-01
    return count;
  });
}

/** With `long` the time to live is the difference of two times (TTL-01). */
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
    const goTo = (place: number) => {
      for (; next < place; next++) writer.null();
      next += 1;
    };
    for (const { place, property } of BEFORE_TIMES) {
      const text = properties[property];
      if (text === undefined) continue;
      goTo(place);
      if (property === 'contentType') writer.symbol(text);
      else writer.string(text);
    }
    if (long !== undefined) {
      goTo(PLACE.absoluteExpiryTime);
      writer.timestamp(Math.min(long.now + long.timeToLiveMs, YEAR_9999));
      goTo(PLACE.creationTime);
      writer.timestamp(long.now);
    }
    for (const { place, property } of BEHIND_TIMES) {
      const text = properties[property];
      if (text === undefined) continue;
      goTo(place);
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
