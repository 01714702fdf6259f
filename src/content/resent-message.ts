// Encodes a received message to be sent again: the sender's sections as they came, without what a broker adds.

import type { Instant } from '../broker/contract/instant.js';
import type { PropertyChange } from '../broker/contract/message-properties.js';
import { ByteWriter } from '../codec/byte-writer.js';
import { asBuffer } from '../codec/types.js';
import { copyAnnotations, RESERVED_ANNOTATIONS } from './annotations-splice.js';
import { givenField, itemOffsets, readEntries } from './encoded-values.js';
import { HEADER_FIELD, PROPERTIES_FIELD, SENDER_ANNOTATION, YEAR_9999 } from './message-format.js';
import { DEAD_LETTER_TEXTS, writeApplicationProperties } from './property-changes.js';
import { readHead } from './read-message.js';
import { type HeadSections, SECTION, type Section, splitSections, writeDescriptor } from './sections.js';
import { copyFields } from './splice.js';

const LIST32 = 0xd0;
const MAP32 = 0xd1;
/** The time of a schedule is over. */
const NOT_RESENT: ReadonlySet<string> = new Set([
  ...RESERVED_ANNOTATIONS,
  SENDER_ANNOTATION.scheduledEnqueueTime,
  SENDER_ANNOTATION.deliveryTime,
]);
/** Takes away why a message was a dead letter. The broker gives the reasons, or the receiver that dead-lettered it. */
export const WITHOUT_REASONS: readonly PropertyChange[] = DEAD_LETTER_TEXTS.map((name) => ({
  name,
  value: null,
}));

type ResentOptions = {
  /** The time to live begins here. */
  readonly now: Instant;
  /** Replaces the value of the message. */
  readonly messageId?: string | undefined;
  /** Whether a scheduled message stays one. */
  readonly keepsSchedule?: boolean;
  /** Changes to the application properties. Default: the reasons of a dead letter go. */
  readonly propertyChanges?: readonly PropertyChange[];
};

/**
 * As the SDKs copy a received message: ids, properties, the sender's annotations, body and footer stay; delivery count, lock,
 * numbers, times of the broker, schedule and the reasons of a dead letter go, unless the options keep them. Throws a
 * DecodeError.
 */
export function encodeResent(received: Uint8Array, options: ResentOptions): Uint8Array {
  const bytes = asBuffer(received);
  const sections = splitSections(bytes);
  const writer = new ByteWriter(bytes.length);
  if (sections.header !== undefined) writeHeader(writer, bytes, sections.header);
  const left = options.keepsSchedule === true ? RESERVED_ANNOTATIONS : NOT_RESENT;
  writeAnnotations(writer, bytes, sections.messageAnnotations, left);
  writeProperties(writer, bytes, sections, options);
  const { propertyChanges = WITHOUT_REASONS } = options;
  writeApplicationProperties(writer, bytes, sections.applicationProperties, propertyChanges);
  const { body, footer } = sections;
  // rhea writes the footer before the body.
  if (body !== undefined) writer.bytes(bytes.subarray(body.start, body.end));
  if (footer !== undefined) writer.bytes(bytes.subarray(footer.start, footer.end));
  return writer.take();
}

function writeHeader(writer: ByteWriter, bytes: Buffer, section: Section): void {
  writeDescriptor(writer, bytes, section, SECTION.header);
  writer.compound32(LIST32, () => {
    copyFields(writer, bytes, itemOffsets(bytes, section.value), { from: 0, to: HEADER_FIELD.firstAcquirer });
    return HEADER_FIELD.firstAcquirer;
  });
}

function writeAnnotations(
  writer: ByteWriter,
  bytes: Buffer,
  section: Section | undefined,
  left: ReadonlySet<string>,
): void {
  if (section === undefined) return;
  const isSent = ({ name }: { readonly name: string | undefined }) => name === undefined || !left.has(name);
  if (!readEntries(bytes, section.value).some(isSent)) return;
  writeDescriptor(writer, bytes, section, SECTION.messageAnnotations);
  writer.compound32(MAP32, () => copyAnnotations(writer, bytes, section, left));
}

function writeProperties(
  writer: ByteWriter,
  bytes: Buffer,
  head: HeadSections,
  { now, messageId }: ResentOptions,
): void {
  const { properties } = head;
  if (properties === undefined && messageId === undefined) return;
  const offsets = properties === undefined ? [0] : itemOffsets(bytes, properties.value);
  const sentCount = offsets.length - 1;
  writeDescriptor(writer, bytes, properties, SECTION.properties);
  writer.compound32(LIST32, () => {
    if (messageId !== undefined) writer.string(messageId);
    const from = messageId === undefined ? PROPERTIES_FIELD.messageId : PROPERTIES_FIELD.userId;
    const toTimes = Math.min(sentCount, PROPERTIES_FIELD.absoluteExpiryTime);
    copyFields(writer, bytes, offsets, { from, to: toTimes });
    if (sentCount <= PROPERTIES_FIELD.absoluteExpiryTime) return Math.max(from, toTimes);
    writeTimes(writer, bytes, offsets, { now, timeToLiveMs: readHead(bytes, head, bytes).timeToLiveMs });
    copyFields(writer, bytes, offsets, { from: PROPERTIES_FIELD.groupId, to: sentCount });
    return Math.max(PROPERTIES_FIELD.groupId, sentCount);
  });
}

/** The absolute expiry is now plus the time to live, because the expiry of the message may be past. Without a time to live there is none. */
function writeTimes(
  writer: ByteWriter,
  bytes: Buffer,
  offsets: readonly number[],
  { now, timeToLiveMs }: { readonly now: Instant; readonly timeToLiveMs: number | undefined },
): void {
  const expires = givenField(bytes, offsets, PROPERTIES_FIELD.absoluteExpiryTime) !== undefined;
  if (expires && timeToLiveMs !== undefined && timeToLiveMs > 0) {
    writer.timestamp(Math.min(now + timeToLiveMs, YEAR_9999));
    writer.timestamp(now);
    return;
  }
  writer.null();
  copyFields(writer, bytes, offsets, { from: PROPERTIES_FIELD.creationTime, to: PROPERTIES_FIELD.groupId });
}
