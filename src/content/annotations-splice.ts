// The annotations of a delivered message: the sender's, except for names that the broker reserves, and the broker's own.

import type { Delivery } from '../broker/contract/effect.js';
import type { Instant } from '../broker/contract/instant.js';
import type { BrokerProperties, MessageState } from '../broker/contract/message-properties.js';
import type { ByteWriter } from '../codec/byte-writer.js';
import { amqp, encodeValue } from '../codec/types.js';
import { readEntries } from './encoded-values.js';
import { SENDER_ANNOTATION } from './message-format.js';
import { SECTION, type Section, writeDescriptor } from './sections.js';

/** The parts of a delivery that its annotations carry. */
export type AnnotatedDelivery = Pick<Delivery, 'properties' | 'lockedUntil' | 'lockToken'>;

/** The greatest date of .NET, as its encoder writes it: the first millisecond of the year 10000. */
export const LARGEST_DATE: Instant = 253_402_300_800_000;

/**
 * The delivery of a message in a session, which has no lock of its own: its locked-until is the largest date (SES-04, RCV-05).
 * .NET settles a deferred message only while this date lies ahead, and never hears that the session's lock was renewed.
 */
export function inSession(delivery: AnnotatedDelivery): AnnotatedDelivery {
  return delivery.lockedUntil === undefined ? delivery : { ...delivery, lockedUntil: LARGEST_DATE };
}

/** How a message reaches its receiver, which decides the annotations it gets. */
export type DeliveryForm = 'delivered' | 'received-by-number' | 'peeked' | 'peeked-without-body';

/** Message annotations of a delivered message, and the delivery annotations at the end. */
export const BROKER_ANNOTATION = {
  sequenceNumber: 'x-opt-sequence-number',
  enqueuedTime: 'x-opt-enqueued-time',
  lockedUntil: 'x-opt-locked-until',
  messageState: 'x-opt-message-state',
  partitionId: 'x-opt-partition-id',
  enqueuedSequenceNumber: 'x-opt-enqueue-sequence-number',
  deadLetterSource: 'x-opt-deadletter-source',
  lockToken: 'x-opt-lock-token',
  omittedBodySize: 'omitted-message-body-size',
} as const;

/** Message annotations that only the broker may set: a sender's values for them are dropped (SEQ-03). */
export const RESERVED_ANNOTATIONS: ReadonlySet<string> = new Set([
  BROKER_ANNOTATION.sequenceNumber,
  BROKER_ANNOTATION.enqueuedTime,
  BROKER_ANNOTATION.lockedUntil,
  BROKER_ANNOTATION.messageState,
  BROKER_ANNOTATION.partitionId,
  BROKER_ANNOTATION.lockToken,
  BROKER_ANNOTATION.enqueuedSequenceNumber,
  BROKER_ANNOTATION.deadLetterSource,
]);
/** Delivery annotations that only the broker may set. */
const LOCK_TOKEN: ReadonlySet<string> = new Set([BROKER_ANNOTATION.lockToken]);
const LOCK_TOKEN_AND_OMITTED_SIZE: ReadonlySet<string> = new Set([
  BROKER_ANNOTATION.lockToken,
  BROKER_ANNOTATION.omittedBodySize,
]);
/** Annotations that are delivered as strings, whichever type the sender gave them (MSG-10). */
const TEXTS: ReadonlySet<string> = new Set([
  SENDER_ANNOTATION.partitionKey,
  SENDER_ANNOTATION.viaPartitionKey,
]);

const KEY = {
  sequenceNumber: encodeValue(amqp.symbol(BROKER_ANNOTATION.sequenceNumber)),
  enqueuedTime: encodeValue(amqp.symbol(BROKER_ANNOTATION.enqueuedTime)),
  lockedUntil: encodeValue(amqp.symbol(BROKER_ANNOTATION.lockedUntil)),
  messageState: encodeValue(amqp.symbol(BROKER_ANNOTATION.messageState)),
  partitionId: encodeValue(amqp.symbol(BROKER_ANNOTATION.partitionId)),
  enqueuedSequenceNumber: encodeValue(amqp.symbol(BROKER_ANNOTATION.enqueuedSequenceNumber)),
  deadLetterSource: encodeValue(amqp.symbol(BROKER_ANNOTATION.deadLetterSource)),
  lockToken: encodeValue(amqp.symbol(BROKER_ANNOTATION.lockToken)),
  omittedBodySize: encodeValue(amqp.symbol(BROKER_ANNOTATION.omittedBodySize)),
} as const;

const MAP32 = 0xd1;
const SHORT = 0x61;
const LONG = 0x81;
const TIMESTAMP = 0x83;
const UUID = 0x98;
const STR8 = 0xa1;
const STR32 = 0xb1;
const SCHEDULED: MessageState = 2;

/** Delivery annotations without entries, for a message whose sender set none and that has no lock. */
const NO_DELIVERY_ANNOTATIONS = Buffer.from([0x00, 0x53, SECTION.deliveryAnnotations, 0xc1, 0x01, 0x00]);
/** Delivery annotations that hold only a lock token, up to the token itself. */
const ONLY_LOCK_TOKEN = Buffer.concat([
  Buffer.from([0x00, 0x53, SECTION.deliveryAnnotations, 0xc1, 1 + KEY.lockToken.length + 17, 2]),
  KEY.lockToken,
  Buffer.from([UUID]),
]);

/** Writes the sender's message annotations unchanged (MSG-03, JMS-23), then the broker's, each with its one type (MSG-09). */
export function writeMessageAnnotations(
  writer: ByteWriter,
  content: Uint8Array,
  section: Section | undefined,
  { properties, lockedUntil, lockToken }: AnnotatedDelivery,
  form: DeliveryForm,
): void {
  writeDescriptor(writer, content, section, SECTION.messageAnnotations);
  writer.compound32(MAP32, () => {
    let count = section === undefined ? 0 : copyAnnotations(writer, content, section, RESERVED_ANNOTATIONS);
    writer.bytes(KEY.sequenceNumber);
    writer.long(properties.sequenceNumber);
    writer.bytes(KEY.enqueuedTime);
    writer.timestamp(properties.enqueuedTime);
    count += 4 + writeState(writer, properties, form);
    if (lockedUntil !== undefined) {
      writer.bytes(KEY.lockedUntil);
      writer.timestamp(lockedUntil);
      count += 2;
    }
    if (properties.partitionId !== undefined) {
      writer.bytes(KEY.partitionId);
      writer.byte(SHORT);
      writer.uint16(properties.partitionId);
      count += 2;
    }
    count += writeOrigin(writer, properties);
    // .NET reads the token of a deferred message from here.
    return form === 'received-by-number' ? count + writeLockToken(writer, lockToken) : count;
  });
}

/** The state that a receiver sees: an active message that had been scheduled still says scheduled (MSG-09). */
export function receivedState({ state, wasScheduled }: BrokerProperties): MessageState {
  return state === 0 && wasScheduled ? SCHEDULED : state;
}

/** Writes the state; a browser always sees the actual one. Returns the number of items written. */
function writeState(writer: ByteWriter, properties: BrokerProperties, form: DeliveryForm): number {
  const isPeeked = form === 'peeked' || form === 'peeked-without-body';
  const shown = isPeeked ? properties.state : receivedState(properties);
  if (shown === 0 && !isPeeked) return 0;
  writer.bytes(KEY.messageState);
  writer.int(shown);
  return 2;
}

/** Writes where a forwarded message or a topic's copy came from. Returns the number of items written. */
function writeOrigin(
  writer: ByteWriter,
  { enqueuedSequenceNumber, deadLetterSource }: BrokerProperties,
): number {
  let count = 0;
  if (enqueuedSequenceNumber !== undefined) {
    writer.bytes(KEY.enqueuedSequenceNumber);
    writer.long(enqueuedSequenceNumber); // SEQ-05
    count += 2;
  }
  if (deadLetterSource !== undefined) {
    writer.bytes(KEY.deadLetterSource);
    writer.string(deadLetterSource); // DLQ-07
    count += 2;
  }
  return count;
}

/** Writes the lock token behind the sender's delivery annotations; an empty map when there is neither (MSG-09). */
export function writeDeliveryAnnotations(
  writer: ByteWriter,
  content: Uint8Array,
  section: Section | undefined,
  lockToken: string | undefined,
): void {
  if (section === undefined) {
    writer.bytes(lockToken === undefined ? NO_DELIVERY_ANNOTATIONS : ONLY_LOCK_TOKEN);
    if (lockToken !== undefined) writer.hex(lockToken);
  } else if (lockToken === undefined && !hasLockToken(content, section)) {
    writer.bytes(content.subarray(section.start, section.end));
  } else {
    writeDescriptor(writer, content, section, SECTION.deliveryAnnotations);
    writer.compound32(MAP32, () => {
      const count = copyAnnotations(writer, content, section, LOCK_TOKEN);
      return count + writeLockToken(writer, lockToken); // Go and Python read it from here
    });
  }
}

/** Writes the sender's delivery annotations alone, with the size of the body when that is left out (PEEK-09). */
export function writePeekedAnnotations(
  writer: ByteWriter,
  content: Uint8Array,
  section: Section | undefined,
  omittedBodyBytes: number | undefined,
): void {
  if (omittedBodyBytes === undefined) {
    if (section !== undefined) writeDeliveryAnnotations(writer, content, section, undefined);
    return;
  }
  writeDescriptor(writer, content, section, SECTION.deliveryAnnotations);
  writer.compound32(MAP32, () => {
    const count =
      section === undefined ? 0 : copyAnnotations(writer, content, section, LOCK_TOKEN_AND_OMITTED_SIZE);
    writer.bytes(KEY.omittedBodySize);
    writer.int(omittedBodyBytes);
    return count + 2;
  });
}

/** Writes the token in the byte order that clients use in `lock-tokens`. Returns the number of items written. */
function writeLockToken(writer: ByteWriter, lockToken: string | undefined): number {
  if (lockToken === undefined) return 0;
  writer.bytes(KEY.lockToken);
  writer.byte(UUID);
  writer.hex(lockToken);
  return 2;
}

function hasLockToken(content: Uint8Array, section: Section | undefined): boolean {
  return (
    section !== undefined &&
    readEntries(content, section.value).some(({ name }) => name === BROKER_ANNOTATION.lockToken)
  );
}

/** Copies all annotations but the `reserved` ones. Returns the number of items written. */
export function copyAnnotations(
  writer: ByteWriter,
  content: Uint8Array,
  section: Section,
  reserved: ReadonlySet<string>,
): number {
  let count = 0;
  for (const { name, key, value, end } of readEntries(content, section.value)) {
    if (name !== undefined && reserved.has(name)) continue;
    writer.bytes(content.subarray(key, value));
    writer.byte(codeFor(name, content[value] as number));
    writer.bytes(content.subarray(value + 1, end));
    count += 2;
  }
  return count;
}

/** MSG-10: the constructor with which a value leaves; it has the same payload as the one that came. */
function codeFor(name: string | undefined, code: number): number {
  if (name === undefined) return code;
  if (name === SENDER_ANNOTATION.scheduledEnqueueTime) return code === LONG ? TIMESTAMP : code;
  return TEXTS.has(name) ? asString(code) : code;
}

/** The string constructor for a binary or symbol, which differ from a string in nothing else; a null stays null. */
function asString(code: number): number {
  if ((code & 0xf0) === (STR8 & 0xf0)) return STR8;
  return (code & 0xf0) === (STR32 & 0xf0) ? STR32 : code;
}
