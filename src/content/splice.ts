// Encodes a message for delivery: the sender's sections byte for byte, with the fields the broker sets spliced in.

import { type Instant, NEVER } from '../broker/contract/instant.js';
import type { BrokerProperties, SystemChanges } from '../broker/contract/message-properties.js';
import { ByteWriter } from '../codec/byte-writer.js';
import {
  type AnnotatedDelivery,
  type DeliveryForm,
  writeDeliveryAnnotations,
  writeMessageAnnotations,
  writePeekedAnnotations,
} from './annotations-splice.js';
import { itemOffsets } from './encoded-values.js';
import { HEADER_FIELD, LONGEST_HEADER_TTL_MS, PROPERTIES_FIELD } from './message-format.js';
import { writeApplicationProperties } from './property-changes.js';
import { findHead, SECTION, type Section, splitSections, writeDescriptor } from './sections.js';

/** Enough for the additions to most messages; the writer grows when it is not. */
const ADDED_BYTES = 320;
const LIST32 = 0xd0;
/** The last millisecond of the year 9999: .NET and Python have no later dates. */
const LAST_TIMESTAMP: Instant = 253_402_300_799_999;

/**
 * The encoded message in two pieces: a head written for this delivery, and the rest of `content`, which is not copied.
 * `content` passed `readMessage` when it was sent. A message peeked without its body has no footer either, and an
 * annotation gives the size of the body (PEEK-09).
 */
export function encodeForDelivery(
  content: Uint8Array,
  delivery: AnnotatedDelivery,
  form: DeliveryForm = 'delivered',
): Buffer[] {
  const { properties, lockToken } = delivery;
  const { propertyChanges } = properties;
  const omitsBody = form === 'peeked-without-body';
  const head = findHead(content);
  const writer = new ByteWriter(head.headEnd + ADDED_BYTES);
  writeHeader(writer, content, head.header, properties);
  if (omitsBody || form === 'peeked') {
    const omittedBodyBytes = omitsBody ? bodyBytes(content) : undefined;
    writePeekedAnnotations(writer, content, head.deliveryAnnotations, omittedBodyBytes);
  } else writeDeliveryAnnotations(writer, content, head.deliveryAnnotations, lockToken);
  writeMessageAnnotations(writer, content, head.messageAnnotations, delivery, form);
  const applicationPropertiesStart = head.applicationProperties?.start ?? head.headEnd;
  let rest = head.properties?.start ?? applicationPropertiesStart;
  if (changesProperties(properties, head.properties)) {
    writeProperties(writer, content, head.properties, properties);
    rest = applicationPropertiesStart;
  }
  if (propertyChanges !== undefined && propertyChanges.length > 0) {
    writer.bytes(content.subarray(rest, applicationPropertiesStart));
    writeApplicationProperties(writer, content, head.applicationProperties, propertyChanges);
    rest = head.headEnd;
  }
  if (!omitsBody) return [writer.take(), restOf(content, rest)]; // MSG-01
  writer.bytes(content.subarray(rest, head.headEnd)); // PEEK-09
  return [writer.take()];
}

/** The encoded size of all body sections together. */
function bodyBytes(content: Uint8Array): number {
  const { body } = splitSections(content);
  return body === undefined ? 0 : body.end - body.start;
}

function restOf(content: Uint8Array, start: number): Buffer {
  return Buffer.from(content.buffer, content.byteOffset + start, content.length - start);
}

/** JMS-24: writes the delivery count into the sender's header, even 0: the JS SDK reads an absent count as undefined. */
function writeHeader(
  writer: ByteWriter,
  content: Uint8Array,
  section: Section | undefined,
  properties: BrokerProperties,
): void {
  const offsets = section === undefined ? [0] : itemOffsets(content, section.value);
  const timeToLiveMs = timeToLiveOf(properties);
  writeDescriptor(writer, content, section, SECTION.header);
  writer.compound32(LIST32, () => {
    if (timeToLiveMs !== undefined) {
      copyFields(writer, content, offsets, { from: 0, to: HEADER_FIELD.ttl }); // MSG-06
      if (timeToLiveMs === null) writer.null();
      // TTL-12; the two times of the properties express a span beyond 49 days, as the SDKs send it.
      else writer.uint(Math.min(timeToLiveMs, LONGEST_HEADER_TTL_MS));
      copyFields(writer, content, offsets, {
        from: HEADER_FIELD.firstAcquirer,
        to: HEADER_FIELD.deliveryCount,
      }); // MSG-06
    } else copyFields(writer, content, offsets, { from: 0, to: HEADER_FIELD.deliveryCount });
    writer.uint(properties.deliveryCount); // MSG-10
    return HEADER_FIELD.deliveryCount + 1;
  });
}

/** Null removes the sender's value; undefined keeps it, which has no effect on a message that does not expire. */
function timeToLiveOf({
  expiresAt,
  enqueuedTime,
  systemChanges,
}: BrokerProperties): number | null | undefined {
  return expiresAt === NEVER ? systemChanges?.timeToLiveMs : expiresAt - enqueuedTime; // ACT-04
}

type ChangedField = {
  readonly index: number;
  readonly property: Exclude<keyof SystemChanges, 'messageId' | 'timeToLiveMs' | 'scheduledEnqueueTime'>;
};

/** The fields that a rule's action may change, by position (MSG-10, ACT-04). TOP-10: not the message-id. */
const CHANGED_BEFORE_TIMES: readonly ChangedField[] = [
  { index: PROPERTIES_FIELD.to, property: 'to' },
  { index: PROPERTIES_FIELD.subject, property: 'subject' },
  { index: PROPERTIES_FIELD.replyTo, property: 'replyTo' },
  { index: PROPERTIES_FIELD.correlationId, property: 'correlationId' },
  { index: PROPERTIES_FIELD.contentType, property: 'contentType' },
];
const CHANGED_BEHIND_TIMES: readonly ChangedField[] = [
  { index: PROPERTIES_FIELD.groupId, property: 'sessionId' },
  { index: PROPERTIES_FIELD.replyToGroupId, property: 'replyToSessionId' },
];
const CHANGED: readonly ChangedField[] = [...CHANGED_BEFORE_TIMES, ...CHANGED_BEHIND_TIMES];

/** Whether the broker sets or clears anything in the properties section. */
function changesProperties(
  { generatedMessageId, expiresAt, systemChanges }: BrokerProperties,
  section: Section | undefined,
): boolean {
  if (generatedMessageId !== undefined || expiresAt !== NEVER) return true;
  return systemChanges !== undefined && changesFields(systemChanges, section);
}

function changesFields(changes: SystemChanges, section: Section | undefined): boolean {
  // A missing section has nothing to clear.
  if (section === undefined) return CHANGED.some(({ property }) => typeof changes[property] === 'string');
  return (
    changes.timeToLiveMs !== undefined || CHANGED.some(({ property }) => changes[property] !== undefined)
  );
}

function writeProperties(
  writer: ByteWriter,
  content: Uint8Array,
  section: Section | undefined,
  { generatedMessageId, expiresAt, enqueuedTime, systemChanges }: BrokerProperties,
): void {
  const offsets = section === undefined ? [0] : itemOffsets(content, section.value);
  const sentCount = offsets.length - 1;
  writeDescriptor(writer, content, section, SECTION.properties);
  writer.compound32(LIST32, () => {
    let next = 0;
    if (generatedMessageId !== undefined) {
      writer.string(generatedMessageId); // MSG-04
      next = PROPERTIES_FIELD.userId;
    }
    if (systemChanges !== undefined) {
      const changes = { fields: CHANGED_BEFORE_TIMES, systemChanges, next };
      next = writeChanges(writer, content, offsets, changes);
    }
    if (expiresAt !== NEVER) {
      copyFields(writer, content, offsets, { from: next, to: PROPERTIES_FIELD.absoluteExpiryTime }); // MSG-05
      writer.timestamp(Math.min(expiresAt, LAST_TIMESTAMP)); // TTL-12
      // The creation time too, as the service does: the JS SDK computes the time to live as the difference of the two.
      writer.timestamp(enqueuedTime);
      next = PROPERTIES_FIELD.groupId;
    } else if (systemChanges?.timeToLiveMs !== undefined && PROPERTIES_FIELD.absoluteExpiryTime < sentCount) {
      copyFields(writer, content, offsets, { from: next, to: PROPERTIES_FIELD.absoluteExpiryTime }); // MSG-05
      writer.null(); // ACT-04: the header alone gives the time to live; the sender's times would contradict it
      next = PROPERTIES_FIELD.creationTime;
    }
    if (systemChanges !== undefined) {
      const changes = { fields: CHANGED_BEHIND_TIMES, systemChanges, next };
      next = writeChanges(writer, content, offsets, changes);
    }
    copyFields(writer, content, offsets, { from: next, to: sentCount }); // SND-07: a session id too
    return Math.max(next, sentCount);
  });
}

/** Writes the changed fields from index `next` on and the sent ones between them; returns the next index. */
function writeChanges(
  writer: ByteWriter,
  content: Uint8Array,
  offsets: readonly number[],
  given: {
    readonly fields: readonly ChangedField[];
    readonly systemChanges: SystemChanges;
    readonly next: number;
  },
): number {
  const sentCount = offsets.length - 1;
  let { next } = given;
  for (const { index, property } of given.fields) {
    const text = given.systemChanges[property];
    if (text === undefined || (text === null && index >= sentCount)) continue;
    copyFields(writer, content, offsets, { from: next, to: index }); // MSG-05
    if (text === null) writer.null();
    else if (property === 'contentType') writer.symbol(text);
    else writer.string(text);
    next = index + 1;
  }
  return next;
}

/** Copies the fields of a list by position, `to` excluded: as they were sent, and null where nothing was sent. */
export function copyFields(
  writer: ByteWriter,
  content: Uint8Array,
  offsets: readonly number[],
  { from, to }: { from: number; to: number },
): void {
  const sentCount = offsets.length - 1;
  const sentTo = Math.min(to, sentCount);
  if (from < sentTo) writer.bytes(content.subarray(offsets[from], offsets[sentTo]));
  for (let index = Math.max(from, sentCount); index < to; index++) writer.null();
}
