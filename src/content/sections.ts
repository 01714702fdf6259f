// The sections of an encoded message and of a batch (AMQP 3.2): checks every byte, builds no values.

import type { ByteWriter } from '../codec/byte-writer.js';
import { DecodeError } from '../codec/decode-error.js';
import { readDescriptor } from '../codec/performatives.js';
import { scanValue } from '../codec/scan.js';
import { countItems, endOfValue, payloadAt } from './encoded-values.js';

export const SECTION = {
  header: 0x70,
  deliveryAnnotations: 0x71,
  messageAnnotations: 0x72,
  properties: 0x73,
  applicationProperties: 0x74,
  data: 0x75,
  sequence: 0x76,
  value: 0x77,
  footer: 0x78,
} as const;
/** The message-format of a batched transfer. */
export const BATCH_MESSAGE_FORMAT = 0x80013700;

const DESCRIBED = 0x00;
const SMALL_ULONG = 0x53;

type SectionCode = (typeof SECTION)[keyof typeof SECTION];

/** The offsets of one section: its descriptor, its value and its end. */
export type Section = { readonly start: number; readonly value: number; readonly end: number };

/** The sections before the body. */
export type HeadSections = {
  readonly header: Section | undefined;
  readonly deliveryAnnotations: Section | undefined;
  readonly messageAnnotations: Section | undefined;
  readonly properties: Section | undefined;
  readonly applicationProperties: Section | undefined;
  /** The offset behind the head, where the body or the footer begins. */
  readonly headEnd: number;
};

/** All sections of the body, from the start of the first to the end of the last. `value` is the value of the first. */
export type Body = Section & { readonly kind: 'data' | 'sequence' | 'value' };

/** All sections are optional: an empty message is legal (MSG-02). */
export type Sections = HeadSections & {
  readonly body: Body | undefined;
  readonly footer: Section | undefined;
  /** Whether they stand in the order of the standard. If not, `headEnd` means nothing. */
  readonly isInOrder: boolean;
};

type Mutable<T> = { -readonly [K in keyof T]: T[K] };
type Shape = 'list' | 'map' | 'binary' | 'any';
type Row = { readonly name: keyof typeof SECTION; readonly shape: Shape; readonly maxItems?: number };

const ROWS: Readonly<Record<SectionCode, Row>> = {
  [SECTION.header]: { name: 'header', shape: 'list', maxItems: 5 },
  [SECTION.deliveryAnnotations]: { name: 'deliveryAnnotations', shape: 'map' },
  [SECTION.messageAnnotations]: { name: 'messageAnnotations', shape: 'map' },
  [SECTION.properties]: { name: 'properties', shape: 'list', maxItems: 13 },
  [SECTION.applicationProperties]: { name: 'applicationProperties', shape: 'map' },
  [SECTION.data]: { name: 'data', shape: 'binary' },
  [SECTION.sequence]: { name: 'sequence', shape: 'list' },
  [SECTION.value]: { name: 'value', shape: 'any' },
  [SECTION.footer]: { name: 'footer', shape: 'map' },
};

const CODE_BY_SYMBOL: ReadonlyMap<string, SectionCode> = new Map([
  ['amqp:header:list', SECTION.header],
  ['amqp:delivery-annotations:map', SECTION.deliveryAnnotations],
  ['amqp:message-annotations:map', SECTION.messageAnnotations],
  ['amqp:properties:list', SECTION.properties],
  ['amqp:application-properties:map', SECTION.applicationProperties],
  ['amqp:data:binary', SECTION.data],
  ['amqp:amqp-sequence:list', SECTION.sequence],
  ['amqp:amqp-value:*', SECTION.value],
  ['amqp:footer:map', SECTION.footer],
]);

const CODES_OF_SHAPE: Readonly<Record<Exclude<Shape, 'any'>, readonly number[]>> = {
  list: [0x45, 0xc0, 0xd0],
  map: [0xc1, 0xd1],
  binary: [0xa0, 0xb0],
};

/**
 * Checks a whole encoded message and finds its sections; throws DecodeError for malformed bytes. They may stand in any order,
 * because rhea, pyamqp and uamqp each write some of them in another place (MSG-03).
 */
export function splitSections(bytes: Uint8Array): Sections {
  const found = noSections();
  let previous: SectionCode | 0 = 0;
  // Zero bytes are a message without sections (MSG-02).
  for (let start = 0; start < bytes.length; ) {
    const { code, value } = readSectionCode(bytes, start);
    const end = scanValue(bytes, value, bytes.length);
    requireOnce(found, code, previous);
    requireShape(bytes, code, value);
    recordSection(found, code, { start, value, end });
    if (code < previous) found.isInOrder = false;
    previous = code;
    start = end;
  }
  return found;
}

/**
 * Finds the head of a message that `splitSections` has checked before. It relies on the sizes and never reads the body, so
 * its cost does not grow with the message.
 */
export function findHead(bytes: Uint8Array): HeadSections {
  const found = noSections();
  for (let start = 0; start < bytes.length; start = found.headEnd) {
    const { code, value } = readSectionCode(bytes, start);
    if (code > SECTION.applicationProperties) break;
    recordSection(found, code, { start, value, end: endOfValue(bytes, value) });
  }
  return found;
}

/** The payloads of the data sections of a body, as slices of `bytes`. */
export function readDataSections(bytes: Uint8Array, body: Body): Buffer[] {
  const payloads: Buffer[] = [];
  for (let start = body.start; start < body.end; ) {
    const payload = payloadAt(bytes, readSectionCode(bytes, start).value);
    payloads.push(payload);
    start = payload.byteOffset - bytes.byteOffset + payload.length;
  }
  return payloads;
}

/**
 * The encoded messages in the data sections of a batch, as slices of it; none when the batch has no body (SND-13). The
 * other sections repeat those of the first message and are ignored.
 */
export function splitBatch(batch: Uint8Array): Buffer[] {
  const { body } = splitSections(batch);
  if (body === undefined) return [];
  if (body.kind !== 'data') {
    throw new DecodeError(`a batch holds its messages in data sections; this one has a ${body.kind} section`);
  }
  return readDataSections(batch, body);
}

/** Copies the descriptor of a sent section, numeric or symbolic, or writes the descriptor of a new section. */
export function writeDescriptor(
  writer: ByteWriter,
  content: Uint8Array,
  section: Section | undefined,
  code: number,
): void {
  if (section === undefined) writer.descriptor(code);
  else writer.bytes(content.subarray(section.start, section.value));
}

function noSections(): Mutable<Sections> {
  return {
    header: undefined,
    deliveryAnnotations: undefined,
    messageAnnotations: undefined,
    properties: undefined,
    applicationProperties: undefined,
    headEnd: 0,
    body: undefined,
    footer: undefined,
    isInOrder: true,
  };
}

function readSectionCode(bytes: Uint8Array, start: number): { code: SectionCode; value: number } {
  // The usual case is a small ulong, read without building a value.
  if (bytes[start] === DESCRIBED && bytes[start + 1] === SMALL_ULONG && isSectionCode(bytes[start + 2])) {
    return { code: bytes[start + 2] as SectionCode, value: start + 3 };
  }
  const { descriptor, next } = readDescriptor(bytes, start, bytes.length);
  const code = typeof descriptor === 'number' ? descriptor : CODE_BY_SYMBOL.get(descriptor);
  if (!isSectionCode(code)) {
    throw new DecodeError(`a message has a section ${descriptor}, which does not exist`);
  }
  return { code, value: next };
}

function isSectionCode(code: number | undefined): code is SectionCode {
  return code !== undefined && code >= SECTION.header && code <= SECTION.footer;
}

function recordSection(found: Mutable<Sections>, code: SectionCode, section: Section): void {
  const { name } = ROWS[code];
  if (name === 'data' || name === 'sequence' || name === 'value') {
    const { start, value } = found.body ?? section;
    found.body = { kind: name, start, value, end: section.end };
    return;
  }
  found[name] = section;
  if (name !== 'footer') found.headEnd = section.end;
}

/** Each section stands once. The sections of a body follow one another; only data and sequences may repeat. */
function requireOnce(found: Sections, code: SectionCode, previous: SectionCode | 0): void {
  const { name } = ROWS[code];
  if (name !== 'data' && name !== 'sequence' && name !== 'value') {
    if (found[name] !== undefined) throw new DecodeError(`a message has two sections ${name}`);
    return;
  }
  const { body } = found;
  if (body === undefined || (code === previous && name !== 'value')) return;
  if (body.kind !== name) {
    throw new DecodeError('the body of a message mixes data, sequence and value sections');
  }
  throw new DecodeError(
    name === 'value'
      ? 'a message has two sections value'
      : `another section of a message stands between its sections ${name}`,
  );
}

function requireShape(bytes: Uint8Array, code: SectionCode, value: number): void {
  const { name, shape, maxItems } = ROWS[code];
  if (shape === 'any') return;
  const typeCode = bytes[value] as number;
  if (!CODES_OF_SHAPE[shape].includes(typeCode)) {
    throw new DecodeError(`the section ${name} has type 0x${typeCode.toString(16)}, which is not a ${shape}`);
  }
  if (maxItems !== undefined && countItems(bytes, value) > maxItems) {
    throw new DecodeError(
      `the section ${name} has ${countItems(bytes, value)} fields, ${maxItems} are known`,
    );
  }
}
