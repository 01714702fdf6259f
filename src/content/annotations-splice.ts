// The annotations of a delivered message: the sender's without the names that are the broker's, and the broker's own.

import type { Delivery } from '../broker/effect.js';
import type { BrokerProperties, MessageState } from '../broker/message/message-properties.js';
import type { ByteWriter } from '../codec/byte-writer.js';
import { amqp, encodeValue } from '../codec/types.js';
import { readEntries } from './items.js';
import { writeDescriptor } from './section-splice.js';
import { SECTION, type Section } from './sections.js';
import { ANNOTATION } from './sender-annotations.js';

/** What the annotations say of one delivery. */
export type AnnotatedDelivery = Pick<Delivery, 'properties' | 'lockedUntil' | 'lockToken'>;

/** By which way a message leaves. */
export type Way = 'delivered' | 'received-by-number' | 'peeked' | 'peeked-without-body';

const NAME = {
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

/** Annotations that only the broker may set: what a sender put there is left out (SEQ-03). */
const RESERVED: ReadonlySet<string> = new Set([
  NAME.sequenceNumber,
  NAME.enqueuedTime,
  NAME.lockedUntil,
  NAME.messageState,
  NAME.partitionId,
  NAME.lockToken,
  NAME.enqueuedSequenceNumber,
  NAME.deadLetterSource,
]);
/** The same among the delivery annotations. */
const LOCK_TOKEN: ReadonlySet<string> = new Set([NAME.lockToken]);
const LOCK_TOKEN_AND_OMITTED_SIZE: ReadonlySet<string> = new Set([NAME.lockToken, NAME.omittedBodySize]);
/** Delivered as strings, whichever type the sender gave their text (MSG-10). */
const TEXTS: ReadonlySet<string> = new Set([ANNOTATION.partitionKey, ANNOTATION.viaPartitionKey]);

const KEY = {
  sequenceNumber: encodeValue(amqp.symbol(NAME.sequenceNumber)),
  enqueuedTime: encodeValue(amqp.symbol(NAME.enqueuedTime)),
  lockedUntil: encodeValue(amqp.symbol(NAME.lockedUntil)),
  messageState: encodeValue(amqp.symbol(NAME.messageState)),
  partitionId: encodeValue(amqp.symbol(NAME.partitionId)),
  enqueuedSequenceNumber: encodeValue(amqp.symbol(NAME.enqueuedSequenceNumber)),
  deadLetterSource: encodeValue(amqp.symbol(NAME.deadLetterSource)),
  lockToken: encodeValue(amqp.symbol(NAME.lockToken)),
  omittedBodySize: encodeValue(amqp.symbol(NAME.omittedBodySize)),
} as const;

const MAP32 = 0xd1;
const SHORT = 0x61;
const UUID = 0x98;
const STR8 = 0xa1;
const STR32 = 0xb1;
const SCHEDULED: MessageState = 2;

/** The delivery annotations of most deliveries: none of the sender's, and none at all where there is no lock. */
const NO_DELIVERY_ANNOTATIONS = Buffer.from([0x00, 0x53, SECTION.deliveryAnnotations, 0xc1, 0x01, 0x00]);
/** The same up to the token itself. */
const ONLY_LOCK_TOKEN = Buffer.concat([
  Buffer.from([0x00, 0x53, SECTION.deliveryAnnotations, 0xc1, 1 + KEY.lockToken.length + 17, 2]),
  KEY.lockToken,
  Buffer.from([UUID]),
]);

/** The sender's come first, as they were (MSG-03); those of the broker each have their one type (MSG-09). */
export function writeMessageAnnotations(
  writer: ByteWriter,
  content: Uint8Array,
  section: Section | undefined,
  { properties, lockedUntil, lockToken }: AnnotatedDelivery,
  way: Way,
): void {
  writeDescriptor(writer, content, section, SECTION.messageAnnotations);
  writer.compound32(MAP32, () => {
    let count = section === undefined ? 0 : copyAnnotations(writer, content, section, RESERVED);
    writer.bytes(KEY.sequenceNumber);
    writer.long(properties.sequenceNumber);
    writer.bytes(KEY.enqueuedTime);
    writer.timestamp(properties.enqueuedTime);
    count += 4 + writeState(writer, properties, way);
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
    // .NET looks for the token of a deferred message here.
    return way === 'received-by-number' ? count + writeLockToken(writer, lockToken) : count;
  });
}

/** The state that a receiver is told: of an active message just that it was scheduled (MSG-09). */
export function receivedState({ state, wasScheduled }: BrokerProperties): MessageState {
  return state === 0 && wasScheduled ? SCHEDULED : state;
}

/** A browser sees the state the message has. */
function writeState(writer: ByteWriter, properties: BrokerProperties, way: Way): number {
  const isPeeked = way === 'peeked' || way === 'peeked-without-body';
  const shown = isPeeked ? properties.state : receivedState(properties);
  if (shown === 0 && !isPeeked) return 0;
  writer.bytes(KEY.messageState);
  writer.int(shown);
  return 2;
}

/** Of a copy from a topic and of a forwarded message. Answers how many items it wrote. */
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

/** A receiver gets the token of its lock beside the sender's, and where there is neither an empty map (MSG-09). */
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
      return count + writeLockToken(writer, lockToken); // Go and Python look for it here
    });
  }
}

/** The sender's alone, and the size of the body when that is left out (PEEK-09). */
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

/** In the byte order in which a client gives it back in `lock-tokens`. Answers how many items it wrote. */
function writeLockToken(writer: ByteWriter, lockToken: string | undefined): number {
  if (lockToken === undefined) return 0;
  writer.bytes(KEY.lockToken);
  writer.byte(UUID);
  writer.hex(lockToken);
  return 2;
}

function hasLockToken(content: Uint8Array, section: Section | undefined): boolean {
  return (
    section !== undefined && readEntries(content, section.value).some(({ name }) => name === NAME.lockToken)
  );
}

/** Answers how many items it wrote. */
function copyAnnotations(
  writer: ByteWriter,
  content: Uint8Array,
  section: Section,
  reserved: ReadonlySet<string>,
): number {
  let count = 0;
  for (const { name, key, value, end } of readEntries(content, section.value)) {
    if (name !== undefined && reserved.has(name)) continue;
    if (name !== undefined && TEXTS.has(name)) {
      writer.bytes(content.subarray(key, value));
      writer.byte(asString(content[value] as number));
      writer.bytes(content.subarray(value + 1, end));
    } else writer.bytes(content.subarray(key, end));
    count += 2;
  }
  return count;
}

/** Binaries, strings and symbols differ in their constructor alone; a null stays one. */
function asString(code: number): number {
  if ((code & 0xf0) === (STR8 & 0xf0)) return STR8;
  return (code & 0xf0) === (STR32 & 0xf0) ? STR32 : code;
}
