// Encodes a message for delivery: the sender's sections byte for byte, with the fields the broker sets spliced in.

import type { Delivery } from '../broker/effect.js';
import type { PropertyChange, PropertyValue } from '../broker/message/message-properties.js';
import { ByteWriter } from '../codec/byte-writer.js';
import { amqp, encodeValue } from '../codec/types.js';
import { itemOffsets, readEntries } from './items.js';
import { findHead, SECTION, type Section } from './sections.js';

/** What the broker says about one delivery of a message. */
export type DeliveredProperties = Pick<Delivery, 'properties' | 'lockedUntil'>;

/** Annotations that only the broker may set: what a sender put there is left out (SEQ-03). */
const RESERVED_ANNOTATIONS: ReadonlySet<string> = new Set([
  'x-opt-sequence-number',
  'x-opt-enqueued-time',
  'x-opt-locked-until',
  'x-opt-message-state',
  'x-opt-deadletter-source',
  'x-opt-enqueue-sequence-number',
  'x-opt-lock-token',
]);

const KEY = {
  sequenceNumber: encodeValue(amqp.symbol('x-opt-sequence-number')),
  enqueuedTime: encodeValue(amqp.symbol('x-opt-enqueued-time')),
  lockedUntil: encodeValue(amqp.symbol('x-opt-locked-until')),
  messageState: encodeValue(amqp.symbol('x-opt-message-state')),
} as const;

const LIST32 = 0xd0;
const MAP32 = 0xd1;
/** Place of the delivery-count in the header (AMQP 3.2.1). */
const DELIVERY_COUNT = 4;
/** Ample for what is added to most messages; the writer grows when it is not. */
const ADDED_BYTES = 256;

/**
 * The encoded message in two pieces: a head written for this delivery, and the rest of `content`, which is not copied.
 * `content` has passed `readMessage` when it was sent.
 */
export function encodeForDelivery(content: Uint8Array, delivery: DeliveredProperties): Buffer[] {
  const { deliveryCount, inventedMessageId, propertyChanges } = delivery.properties;
  const head = findHead(content);
  const writer = new ByteWriter(head.headEnd + ADDED_BYTES);
  writeHeader(writer, content, head.header, deliveryCount);
  if (head.deliveryAnnotations !== undefined) {
    writer.bytes(content.subarray(head.deliveryAnnotations.start, head.deliveryAnnotations.end));
  }
  writeMessageAnnotations(writer, content, head.messageAnnotations, delivery);
  const applicationPropertiesStart = head.applicationProperties?.start ?? head.headEnd;
  let rest = head.properties?.start ?? applicationPropertiesStart;
  if (inventedMessageId !== undefined) {
    writeProperties(writer, content, head.properties, inventedMessageId);
    rest = applicationPropertiesStart;
  }
  if (propertyChanges !== undefined && propertyChanges.length > 0) {
    writer.bytes(content.subarray(rest, applicationPropertiesStart));
    writeApplicationProperties(writer, content, head.applicationProperties, propertyChanges);
    rest = head.headEnd;
  }
  return [writer.take(), Buffer.from(content.buffer, content.byteOffset + rest, content.length - rest)];
}

/** The delivery count is written even when it is 0: the JS SDK reads an absent one as undefined. */
function writeHeader(
  writer: ByteWriter,
  content: Uint8Array,
  section: Section | undefined,
  deliveryCount: number,
): void {
  const offsets = section === undefined ? [0] : itemOffsets(content, section.value);
  const keptCount = Math.min(offsets.length - 1, DELIVERY_COUNT);
  writeDescriptor(writer, content, section, SECTION.header);
  writer.compound32(LIST32, () => {
    writer.bytes(content.subarray(offsets[0], offsets[keptCount]));
    for (let index = keptCount; index < DELIVERY_COUNT; index++) writer.null();
    writer.uint(deliveryCount);
    return DELIVERY_COUNT + 1;
  });
}

function writeMessageAnnotations(
  writer: ByteWriter,
  content: Uint8Array,
  section: Section | undefined,
  { properties, lockedUntil }: DeliveredProperties,
): void {
  writeDescriptor(writer, content, section, SECTION.messageAnnotations);
  writer.compound32(MAP32, () => {
    let count = section === undefined ? 0 : writeSentAnnotations(writer, content, section);
    writer.bytes(KEY.sequenceNumber);
    writer.long(properties.sequenceNumber);
    writer.bytes(KEY.enqueuedTime);
    writer.timestamp(properties.enqueuedTime);
    writer.bytes(KEY.messageState);
    writer.int(properties.state);
    count += 6;
    if (lockedUntil === undefined) return count;
    writer.bytes(KEY.lockedUntil);
    writer.timestamp(lockedUntil);
    return count + 2;
  });
}

/** Answers how many items it wrote. */
function writeSentAnnotations(writer: ByteWriter, content: Uint8Array, section: Section): number {
  let count = 0;
  for (const { name, key, end } of readEntries(content, section.value)) {
    if (name !== undefined && RESERVED_ANNOTATIONS.has(name)) continue;
    writer.bytes(content.subarray(key, end));
    count += 2;
  }
  return count;
}

function writeProperties(
  writer: ByteWriter,
  content: Uint8Array,
  section: Section | undefined,
  messageId: string,
): void {
  writeDescriptor(writer, content, section, SECTION.properties);
  writer.compound32(LIST32, () => {
    writer.string(messageId);
    if (section === undefined) return 1;
    const offsets = itemOffsets(content, section.value);
    writer.bytes(content.subarray(offsets[1] ?? section.end, section.end));
    return Math.max(1, offsets.length - 1);
  });
}

/** A change takes the place of the sender's property of its name; new ones follow behind (SET-07). */
function writeApplicationProperties(
  writer: ByteWriter,
  content: Uint8Array,
  section: Section | undefined,
  changes: readonly PropertyChange[],
): void {
  const entries = section === undefined ? [] : readEntries(content, section.value);
  const changed = new Map(changes.map(({ name, value }) => [name, value]));
  writeDescriptor(writer, content, section, SECTION.applicationProperties);
  writer.compound32(MAP32, () => {
    for (const { name, key, value, end } of entries) {
      const change = name === undefined ? undefined : changed.get(name);
      writer.bytes(content.subarray(key, change === undefined ? end : value));
      if (change !== undefined) writeValue(writer, change);
    }
    const sent = new Set(entries.map(({ name }) => name));
    const added = [...changed].filter(([name]) => !sent.has(name));
    for (const [name, value] of added) {
      writer.string(name);
      writeValue(writer, value);
    }
    return 2 * (entries.length + added.length);
  });
}

function writeValue(writer: ByteWriter, value: PropertyValue): void {
  if (typeof value === 'string') writer.string(value);
  else writer.bytes(value);
}

/** A section that the sender wrote keeps its descriptor, be it numeric or symbolic. */
function writeDescriptor(
  writer: ByteWriter,
  content: Uint8Array,
  section: Section | undefined,
  code: number,
): void {
  if (section === undefined) writer.descriptor(code);
  else writer.bytes(content.subarray(section.start, section.value));
}
