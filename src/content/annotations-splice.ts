// The annotations of a delivered message: the sender's without the names that are the broker's, and the broker's own.

import type { Delivery } from '../broker/effect.js';
import type { BrokerProperties } from '../broker/message/message-properties.js';
import type { ByteWriter } from '../codec/byte-writer.js';
import { amqp, encodeValue } from '../codec/types.js';
import { readEntries } from './items.js';
import { writeDescriptor } from './section-splice.js';
import { SECTION, type Section } from './sections.js';

/** What the annotations say of one delivery. */
export type AnnotatedDelivery = Pick<Delivery, 'properties' | 'lockedUntil'> & {
  /** As an annotation: of a message that is not delivered on a link, where the delivery tag says it. */
  readonly lockTokenAnnotation?: string | undefined;
};

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

/** The sender's come first, as they were (MSG-03); those of the broker each have their one type (MSG-09). */
export function writeMessageAnnotations(
  writer: ByteWriter,
  content: Uint8Array,
  section: Section | undefined,
  { properties, lockedUntil, lockTokenAnnotation }: AnnotatedDelivery,
): void {
  writeDescriptor(writer, content, section, SECTION.messageAnnotations);
  writer.compound32(MAP32, () => {
    let count = section === undefined ? 0 : copyAnnotations(writer, content, section, RESERVED);
    writer.bytes(KEY.sequenceNumber);
    writer.long(properties.sequenceNumber);
    writer.bytes(KEY.enqueuedTime);
    writer.timestamp(properties.enqueuedTime);
    writer.bytes(KEY.messageState);
    writer.int(properties.state);
    count += 6;
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
    return count + writeLockToken(writer, lockTokenAnnotation);
  });
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

export type DeliveryAnnotations = Pick<AnnotatedDelivery, 'lockTokenAnnotation'> & {
  /** The size of the body when it is not delivered (PEEK-09). */
  readonly omittedBodyBytes: number | undefined;
};

export function writeDeliveryAnnotations(
  writer: ByteWriter,
  content: Uint8Array,
  section: Section | undefined,
  { lockTokenAnnotation, omittedBodyBytes }: DeliveryAnnotations,
): void {
  const hasOwn = lockTokenAnnotation !== undefined || omittedBodyBytes !== undefined;
  if (!hasOwn && !hasLockToken(content, section)) {
    if (section !== undefined) writer.bytes(content.subarray(section.start, section.end));
    return;
  }
  writeDescriptor(writer, content, section, SECTION.deliveryAnnotations);
  writer.compound32(MAP32, () => {
    const reserved = omittedBodyBytes === undefined ? LOCK_TOKEN : LOCK_TOKEN_AND_OMITTED_SIZE;
    let count = section === undefined ? 0 : copyAnnotations(writer, content, section, reserved);
    count += writeLockToken(writer, lockTokenAnnotation); // Go and Python look for it here, .NET among the others
    if (omittedBodyBytes === undefined) return count;
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
  writer.bytes(Buffer.from(lockToken, 'hex'));
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
  for (const { name, key, end } of readEntries(content, section.value)) {
    if (name !== undefined && reserved.has(name)) continue;
    writer.bytes(content.subarray(key, end));
    count += 2;
  }
  return count;
}
