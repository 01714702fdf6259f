// A message decoded for those who look at it: properties as plain values, each other value with its AMQP type, the body by its kind.

import { asBuffer } from '../codec/types.js';
import { endOfValue, isNullAt, isStringAt, readEntries, textAt } from './encoded-values.js';
import { type PropertyParts, readParts } from './message-parts.js';
import { type Body, type Section, splitSections } from './sections.js';
import { type TypedValue, typedValueAt } from './typed-value.js';

const BINARY_CODES: ReadonlySet<number | undefined> = new Set([0xa0, 0xb0]);

/** A map of a message, such as its application properties, in the order of the sender. */
export type TypedEntries = readonly (readonly [name: string, value: TypedValue])[];

/** A body by the kind of its content; `section` is the kind of its sections. */
export type DecodedBody = {
  readonly section: Body['kind'] | 'none';
  readonly sizeBytes: number;
} & (
  | { readonly kind: 'empty' }
  /** Data sections joined, or a binary value. */
  | { readonly kind: 'bytes'; readonly bytes: Uint8Array }
  /** A value of the type string. */
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'value'; readonly value: TypedValue }
  /** One list for each section. */
  | { readonly kind: 'sequence'; readonly value: readonly TypedValue[] }
);

export type DecodedMessage = {
  readonly properties: PropertyParts;
  readonly applicationProperties: TypedEntries;
  readonly annotations: TypedEntries;
  readonly body: DecodedBody;
};

/** Decodes a message that passed `readMessage`; `bytes` may have been spliced since. */
export function decodeMessage(bytes: Uint8Array): DecodedMessage {
  const buffer = asBuffer(bytes);
  const { messageAnnotations, applicationProperties, body } = splitSections(buffer);
  return {
    properties: readParts(buffer).properties,
    applicationProperties: typedEntriesIn(buffer, applicationProperties),
    annotations: typedEntriesIn(buffer, messageAnnotations),
    body: decodeBody(buffer, body),
  };
}

export function typedEntriesIn(bytes: Buffer, section: Section | undefined): TypedEntries {
  const entries = section === undefined ? [] : readEntries(bytes, section.value);
  return entries.map(({ name, key, value }) => [
    name ?? String(typedValueAt(bytes, key).value),
    typedValueAt(bytes, value),
  ]);
}

/** The body alone. */
export function bodyOf(bytes: Uint8Array): DecodedBody {
  const buffer = asBuffer(bytes);
  return decodeBody(buffer, splitSections(buffer).body);
}

function decodeBody(bytes: Buffer, body: Body | undefined): DecodedBody {
  if (body === undefined) return { section: 'none', sizeBytes: 0, kind: 'empty' };
  const { kind: section, start, value, end } = body;
  const common = { section, sizeBytes: end - start };
  if (section === 'sequence') return { ...common, kind: 'sequence', value: listsIn(bytes, body) };
  if (section === 'value') {
    if (isNullAt(bytes, value)) return { ...common, kind: 'empty' };
    if (isStringAt(bytes, value)) return { ...common, kind: 'text', text: textAt(bytes, value) ?? '' };
    if (!BINARY_CODES.has(bytes[value]))
      return { ...common, kind: 'value', value: typedValueAt(bytes, value) };
  }
  const read = readParts(bytes).body;
  const payload = read.kind === 'bytes' ? read.bytes : new Uint8Array();
  const sized = { section, sizeBytes: payload.length };
  return payload.length === 0 ? { ...sized, kind: 'empty' } : { ...sized, kind: 'bytes', bytes: payload };
}

function listsIn(bytes: Buffer, { start, end }: Body): readonly TypedValue[] {
  const lists: TypedValue[] = [];
  for (let section = start; section < end; section = endOfValue(bytes, section)) {
    lists.push(typedValueAt(bytes, endOfValue(bytes, section + 1)));
  }
  return lists;
}
