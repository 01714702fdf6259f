// Takes an encoded message apart, whoever encoded it: all its properties, and its body as plainly as it can be had.

import { asBuffer } from '../codec/types.js';
import { endOfValue, givenField, isStringAt, itemOffsets, payloadAt, readEntries, textAt } from './items.js';
import type { BodyPart, NamedValue, PartValue, PropertyParts, ReceivedParts } from './message-parts.js';
import { readHead } from './properties.js';
import { PLACE } from './property-places.js';
import { ruleValueAt } from './rule-values.js';
import { type Body, readDataSections, type Section, splitSections } from './sections.js';

const DESCRIBED = 0x00;
const NULL = 0x40;
const BIN8 = 0xa0;
const BIN32 = 0xb0;

/** `bytes` is a message that has passed `readMessage` when it was sent, and perhaps has been spliced since. */
export function readParts(bytes: Uint8Array): ReceivedParts {
  const buffer = asBuffer(bytes);
  const sections = splitSections(buffer);
  const offsets = sections.properties === undefined ? [] : itemOffsets(buffer, sections.properties.value);
  const { messageId, sessionId, replyToSessionId, ...said } = readHead(buffer, sections, buffer);
  const text = (place: number) => {
    const offset = givenField(buffer, offsets, place);
    return offset === undefined ? undefined : plainText(valueAt(buffer, offset));
  };
  const properties: PropertyParts = {
    messageId,
    to: text(PLACE.to),
    subject: text(PLACE.subject),
    replyTo: text(PLACE.replyTo),
    correlationId: text(PLACE.correlationId),
    contentType: text(PLACE.contentType),
    sessionId,
    replyToSessionId,
    partitionKey: said.partitionKey,
    viaPartitionKey: said.viaPartitionKey,
    scheduledEnqueueTime: said.scheduledEnqueueTime,
    timeToLiveMs: said.timeToLiveMs,
  };
  return {
    properties,
    applicationProperties: readApplicationProperties(buffer, sections.applicationProperties),
    body: readBody(buffer, sections.body),
  };
}

/** A key that is no text names no property. */
function readApplicationProperties(bytes: Buffer, section: Section | undefined): NamedValue<PartValue>[] {
  const entries = section === undefined ? [] : readEntries(bytes, section.value);
  return entries.flatMap(({ name, value }) =>
    name === undefined ? [] : [{ name, value: valueAt(bytes, value) }],
  );
}

/** Of a described value what it describes: a URI is text, a time span its number of ticks (MSG-11). */
function valueAt(bytes: Buffer, offset: number): PartValue {
  let plain = offset;
  while (bytes[plain] === DESCRIBED) plain = endOfValue(bytes, plain + 1);
  const code = bytes[plain];
  if (code === BIN8 || code === BIN32) return { kind: 'binary', bytes: payloadAt(bytes, plain) };
  const value = ruleValueAt(bytes, plain);
  if (typeof value !== 'object' || value === null) return value;
  return value.kind === 'uuid' || value.kind === 'timestamp' ? value : undefined;
}

/** Of the types that an id may have, whichever it is. */
function plainText(value: PartValue): string | undefined {
  if (typeof value === 'string') return value;
  if (typeof value === 'bigint') return value.toString();
  if (typeof value !== 'object' || value === null) return undefined;
  if (value.kind === 'uuid') return dashed(value.hex);
  return value.kind === 'binary' ? asBuffer(value.bytes).toString('latin1') : undefined;
}

/** From 32 hexadecimal digits. */
export function dashed(hex: string): string {
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
}

function readBody(bytes: Buffer, body: Body | undefined): BodyPart {
  switch (body?.kind) {
    case undefined:
      return { kind: 'bytes', bytes: new Uint8Array() };
    case 'data':
      return { kind: 'bytes', bytes: joined(readDataSections(bytes, body)) };
    case 'sequence':
      return { kind: 'sections', bytes: bytes.subarray(body.start, body.end) };
    case 'value':
      return readValueBody(bytes, body);
  }
}

function readValueBody(bytes: Buffer, { start, value, end }: Body): BodyPart {
  const code = bytes[value];
  if (code === NULL) return { kind: 'bytes', bytes: new Uint8Array() };
  if (code === BIN8 || code === BIN32) return { kind: 'bytes', bytes: payloadAt(bytes, value) };
  if (isStringAt(bytes, value)) return { kind: 'text', text: textAt(bytes, value) ?? '' };
  return { kind: 'sections', bytes: bytes.subarray(start, end) };
}

/** One alone is not copied. */
function joined([first, ...others]: readonly Buffer[]): Uint8Array {
  if (first === undefined) return new Uint8Array();
  return others.length === 0 ? first : Buffer.concat([first, ...others]);
}
