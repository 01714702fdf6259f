// Reads the few properties of a sender's message that the broker acts on; all else stays encoded.

import type { NewMessage, UnsupportedProperty } from '../broker/contract/message-properties.js';
import { DecodeError } from '../codec/decode-error.js';
import { isSmallPart } from '../codec/small-part.js';
import { asBuffer } from '../codec/types.js';
import { conform } from './conform.js';
import {
  anyTextAt,
  endOfValue,
  equalsTextAt,
  firstItem,
  givenField,
  instantAt,
  itemOffsets,
  ownBytes,
  payloadAt,
  stringAt,
  textAt,
  timestampAt,
  uintAt,
} from './encoded-values.js';
import {
  HEADER_FIELD,
  LONGEST_HEADER_TTL_MS,
  PROPERTIES_FIELD,
  SENDER_ANNOTATION,
  YEAR_9999,
} from './message-format.js';
import { findHead, type HeadSections, type Section, splitSections } from './sections.js';

/** Smaller messages are cheaper in memory of their own. */
const LEAST_VIEW_BYTES = 16 * 1024;
const DESCRIBED = 0x00;
const LIST0 = 0x45;
const BIN8 = 0xa0;
const BIN32 = 0xb0;
const FIRST_COMPOUND = 0xc0;
const FIRST_ARRAY = 0xe0;
const NO_OFFSETS: readonly number[] = [];

/**
 * Checks an encoded message and reads the properties that the broker needs. Throws DecodeError when the message is malformed or a
 * field that is read has the wrong type. `bytes` are copied unless they fill all of their memory; the caller must not
 * write to them afterwards. Forms that some receivers cannot read are rewritten, see `conform`. `keepsViews`: large bytes that are less than
 * half of their memory are not copied, and so the message is valid only as long as they are.
 */
export function readMessage(bytes: Uint8Array, { keepsViews = false } = {}): NewMessage {
  const buffer = asBuffer(bytes);
  const sections = splitSections(buffer);
  const conformed = conform(buffer, sections);
  if (conformed === undefined) {
    const isKept = keepsViews && bytes.length >= LEAST_VIEW_BYTES && isSmallPart(bytes);
    return readHead(buffer, sections, isKept ? bytes : ownBytes(bytes));
  }
  return readHead(conformed, findHead(conformed), conformed);
}

/** The same for bytes whose head is known; `content` is the form of them that is stored. */
export function readHead(buffer: Buffer, head: HeadSections, content: Uint8Array): NewMessage {
  const { header, messageAnnotations, properties, applicationProperties, headEnd } = head;
  const fields = offsetsOf(buffer, properties);
  const annotations = readSenderAnnotations(buffer, messageAnnotations);
  const facts = readPropertyFacts(buffer, applicationProperties);
  return {
    content,
    messageId: messageIdAt(buffer, givenField(buffer, fields, PROPERTIES_FIELD.messageId)),
    correlationIdOffset: givenField(buffer, fields, PROPERTIES_FIELD.correlationId),
    sessionId: stringAt(buffer, givenField(buffer, fields, PROPERTIES_FIELD.groupId), 'a group-id'), // MSG-10
    replyToSessionId: stringAt(
      buffer,
      givenField(buffer, fields, PROPERTIES_FIELD.replyToGroupId),
      'a reply-to-group-id',
    ),
    partitionKey: annotations.partitionKey,
    viaPartitionKey: annotations.viaPartitionKey,
    timeToLiveMs: timeToLiveOf({
      ttlMs: readHeaderTtl(buffer, header),
      creationTime: timestampAt(
        buffer,
        givenField(buffer, fields, PROPERTIES_FIELD.creationTime),
        'a creation-time',
      ),
      absoluteExpiryTime: timestampAt(
        buffer,
        givenField(buffer, fields, PROPERTIES_FIELD.absoluteExpiryTime),
        'an absolute-expiry-time',
      ),
    }),
    scheduledEnqueueTime: annotations.scheduledEnqueueTime,
    headBytes: headEnd,
    largestPropertyBytes: facts.largestPropertyBytes,
    unsupportedProperty: facts.unsupportedProperty,
  };
}

function offsetsOf(bytes: Buffer, section: Section | undefined): readonly number[] {
  return section === undefined ? NO_OFFSETS : itemOffsets(bytes, section.value);
}

/** The message-id as text, which duplicate detection compares, from any of its four AMQP types (MSG-04, DUP-07). */
function messageIdAt(bytes: Buffer, offset: number | undefined): string | undefined {
  if (offset === undefined) return undefined;
  const text = idTextAt(bytes, offset);
  if (text !== undefined) return text;
  throw new DecodeError('a message-id is not a string, ulong, uuid or binary', 'amqp:invalid-field');
}

/** An id as text; undefined for any other type. */
export function idTextAt(bytes: Buffer, offset: number): string | undefined {
  switch (bytes[offset]) {
    case 0xa1:
    case 0xb1:
      return textAt(bytes, offset);
    case 0x98:
      return dashed(bytes.toString('hex', offset + 1, offset + 17));
    case 0xa0:
    case 0xb0:
      return payloadAt(bytes, offset).toString('latin1'); // one character a byte, because its length is limited
    case 0x44:
      return '0';
    case 0x53:
      return String(bytes[offset + 1]);
    case 0x80:
      return bytes.readBigUInt64BE(offset + 1).toString();
    default:
      return undefined;
  }
}

/** 32 hexadecimal digits with the dashes of a uuid; in lower case as the SDKs write one. */
export function dashed(hex: string): string {
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
}

type SenderAnnotations = Pick<NewMessage, 'partitionKey' | 'viaPartitionKey' | 'scheduledEnqueueTime'>;

const ANNOTATION_KEY = {
  partitionKey: Buffer.from(SENDER_ANNOTATION.partitionKey),
  viaPartitionKey: Buffer.from(SENDER_ANNOTATION.viaPartitionKey),
  scheduledEnqueueTime: Buffer.from(SENDER_ANNOTATION.scheduledEnqueueTime),
  /** A value that is no time is carried unread, like any other annotation. */
  deliveryTime: Buffer.from(SENDER_ANNOTATION.deliveryTime),
} as const;

const NO_ANNOTATIONS: SenderAnnotations = {
  partitionKey: undefined,
  viaPartitionKey: undefined,
  scheduledEnqueueTime: undefined,
};

/** Compares names as bytes: a message may have many annotations, and few messages have these. */
function readSenderAnnotations(bytes: Buffer, section: Section | undefined): SenderAnnotations {
  if (section === undefined) return NO_ANNOTATIONS;
  let { partitionKey, viaPartitionKey, scheduledEnqueueTime } = NO_ANNOTATIONS;
  let deliveryTime: number | undefined;
  for (let key = firstItem(bytes, section.value); key < section.end; ) {
    const value = endOfValue(bytes, key);
    if (equalsTextAt(bytes, key, ANNOTATION_KEY.partitionKey))
      partitionKey = anyTextAt(bytes, value, SENDER_ANNOTATION.partitionKey);
    else if (equalsTextAt(bytes, key, ANNOTATION_KEY.viaPartitionKey))
      viaPartitionKey = anyTextAt(bytes, value, SENDER_ANNOTATION.viaPartitionKey);
    else if (equalsTextAt(bytes, key, ANNOTATION_KEY.scheduledEnqueueTime))
      scheduledEnqueueTime = scheduledTimeAt(bytes, value);
    else if (equalsTextAt(bytes, key, ANNOTATION_KEY.deliveryTime)) deliveryTime = instantAt(bytes, value);
    key = endOfValue(bytes, value);
  }
  return { partitionKey, viaPartitionKey, scheduledEnqueueTime: scheduledEnqueueTime ?? deliveryTime }; // JMS-20
}

/** SCH-01; a long where uamqp sends a received message again. */
function scheduledTimeAt(bytes: Buffer, value: number): number | undefined {
  return instantAt(bytes, value) ?? timestampAt(bytes, value, SENDER_ANNOTATION.scheduledEnqueueTime);
}

type PropertyFacts = Pick<NewMessage, 'largestPropertyBytes' | 'unsupportedProperty'>;

const NO_FACTS: PropertyFacts = { largestPropertyBytes: 0, unsupportedProperty: undefined };

/** The sizes and types of the application properties. A name is decoded only when its property has to be reported. */
function readPropertyFacts(bytes: Buffer, section: Section | undefined): PropertyFacts {
  if (section === undefined) return NO_FACTS;
  let { largestPropertyBytes, unsupportedProperty } = NO_FACTS;
  for (let key = firstItem(bytes, section.value); key < section.end; ) {
    const value = endOfValue(bytes, key);
    const end = endOfValue(bytes, value);
    if (end - value > largestPropertyBytes) largestPropertyBytes = end - value; // MSG-08
    const type = unsupportedProperty === undefined ? unsupportedType(codeAt(bytes, value)) : undefined;
    if (type !== undefined) unsupportedProperty = { name: textAt(bytes, key) ?? '', type }; // SND-16, MSG-11
    key = end;
  }
  return { largestPropertyBytes, unsupportedProperty };
}

/** The constructor behind any descriptors: `com.microsoft:timespan` and the like are scalars (MSG-11). */
function codeAt(bytes: Buffer, value: number): number {
  let offset = value;
  while (bytes[offset] === DESCRIBED) offset = endOfValue(bytes, offset + 1);
  return bytes[offset] as number;
}

function unsupportedType(code: number): UnsupportedProperty['type'] | undefined {
  if (code === BIN8 || code === BIN32) return 'binary';
  if (code < FIRST_COMPOUND) return code === LIST0 ? 'list' : undefined;
  if (code >= FIRST_ARRAY) return 'array';
  return (code & 0x0f) === 1 ? 'map' : 'list';
}

function readHeaderTtl(bytes: Buffer, section: Section | undefined): number | undefined {
  const offsets = offsetsOf(bytes, section);
  return uintAt(bytes, givenField(bytes, offsets, HEADER_FIELD.ttl), 'the ttl of the header');
}

type SentTimes = {
  /** `header.ttl` in milliseconds. */
  readonly ttlMs: number | undefined;
  readonly creationTime: number | undefined;
  readonly absoluteExpiryTime: number | undefined;
};

/**
 * The time to live in milliseconds: a header field of 32 bits, or the difference of two times for longer spans. Undefined
 * when there is no limit, negative when the expiry is before the creation (TTL-01).
 */
function timeToLiveOf({ ttlMs, creationTime, absoluteExpiryTime }: SentTimes): number | undefined {
  // The times alone set no limit: they are by the sender's clock.
  if (ttlMs === undefined) return undefined;
  // Proton and the Java SDK write 0 for none, for example when they resend a received message (TTL-13).
  if (creationTime === undefined || absoluteExpiryTime === undefined) return ttlMs === 0 ? undefined : ttlMs;
  const spanMs = absoluteExpiryTime - creationTime;
  // .NET casts a longer span to a uint, and any number may result.
  if (spanMs <= LONGEST_HEADER_TTL_MS && ttlMs === 0) return undefined;
  if (spanMs < 0) return spanMs;
  const isCapped = ttlMs === LONGEST_HEADER_TTL_MS;
  if (isCapped && absoluteExpiryTime >= YEAR_9999) return undefined;
  return isCapped || spanMs > LONGEST_HEADER_TTL_MS ? spanMs : ttlMs;
}
