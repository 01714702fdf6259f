// An AMQP message as its sections, each with the bytes it came in; and sections built from values.

import { type Decoded, decodeAt, items } from './frame-decoder.js';
import { big, bin, described, type Encoded, fixed, map, str, sym, ulong } from './frame-encoder.js';
import { composite, readList } from './frame-lists.js';

const SECTIONS = {
  header: { code: 0x70, symbol: 'amqp:header:list' },
  deliveryAnnotations: { code: 0x71, symbol: 'amqp:delivery-annotations:map' },
  messageAnnotations: { code: 0x72, symbol: 'amqp:message-annotations:map' },
  properties: { code: 0x73, symbol: 'amqp:properties:list' },
  applicationProperties: { code: 0x74, symbol: 'amqp:application-properties:map' },
  data: { code: 0x75, symbol: 'amqp:data:binary' },
  sequence: { code: 0x76, symbol: 'amqp:amqp-sequence:list' },
  value: { code: 0x77, symbol: 'amqp:amqp-value:*' },
  footer: { code: 0x78, symbol: 'amqp:footer:map' },
} as const;

export type SectionName = keyof typeof SECTIONS;
export type Section = { readonly name: SectionName; readonly bytes: Buffer; readonly value: Decoded };

/** The three ways of writing the descriptor of a section. */
export function sectionDescriptors(name: SectionName): readonly [Encoded, Encoded, Encoded] {
  const { code, symbol } = SECTIONS[name];
  return [ulong(code), fixed(0x80, big(code, 8)), sym(symbol)];
}

/** A section around a value, by name or by any code: `section('value', str('hello'))`. */
export function section(name: SectionName | number, value: Encoded): Encoded {
  return described(ulong(typeof name === 'number' ? name : SECTIONS[name].code), value);
}

export const dataSection = (text: string): Encoded => section('data', bin(Buffer.from(text)));

export function applicationProperties(values: Readonly<Record<string, Encoded>>): Encoded {
  return section(
    'applicationProperties',
    map(Object.entries(values).map(([key, value]) => [str(key), value])),
  );
}

export function messageAnnotations(values: Readonly<Record<string, Encoded>>): Encoded {
  return section('messageAnnotations', map(Object.entries(values).map(([key, value]) => [sym(key), value])));
}

export const headerSection = (fields: Parameters<typeof composite<'header'>>[1]): Encoded =>
  composite('header', fields);
export const propertiesSection = (fields: Parameters<typeof composite<'properties'>>[1]): Encoded =>
  composite('properties', fields);

/** Takes an encoded message apart. Throws when something is not a section. */
function readSections(message: Buffer): readonly Section[] {
  const sections: Section[] = [];
  let offset = 0;
  while (offset < message.length) {
    const { value, next } = decodeAt(message, offset);
    sections.push({ name: nameOf(value), bytes: message.subarray(offset, next), value: inner(value) });
    offset = next;
  }
  return sections;
}

export class ReceivedMessage {
  readonly sections: readonly Section[];

  constructor(payload: Buffer) {
    this.sections = readSections(payload);
  }

  /** The bytes of all sections of these names, in order. */
  bytesOf(...names: SectionName[]): Buffer {
    return Buffer.concat(this.sections.filter(({ name }) => names.includes(name)).map(({ bytes }) => bytes));
  }

  section(name: SectionName): Section | undefined {
    return this.sections.find((each) => each.name === name);
  }

  /** The value of a map section under a key, which may be a symbol or a string. */
  entry(name: SectionName, key: string): Decoded | undefined {
    const value = this.section(name)?.value;
    return value === undefined ? undefined : entryOf(value, key);
  }

  header(field: string): Decoded | undefined {
    return this.#listField('header', field);
  }

  property(field: string): Decoded | undefined {
    return this.#listField('properties', field);
  }

  #listField(name: 'header' | 'properties', field: string): Decoded | undefined {
    const found = this.section(name);
    return found === undefined ? undefined : readList(decodeAt(found.bytes, 0).value).field(field);
  }
}

/** What a map holds under a key, which may be a symbol or a string. */
export function entryOf(value: Decoded | undefined, key: string): Decoded | undefined {
  if (value?.type !== 'map') throw new Error(`a map is expected, not ${value?.type ?? 'nothing'}`);
  return value.value.find(([each]) => each.value === key)?.[1];
}

/** The value of a map or list section, cut into the bytes of its items. */
export function itemBytes(found: Section): readonly Buffer[] {
  return items(found.bytes);
}

function nameOf(value: Decoded): SectionName {
  const descriptor = value.type === 'described' ? value.descriptor.value : undefined;
  const name = (Object.keys(SECTIONS) as SectionName[]).find((each) => {
    const { code, symbol } = SECTIONS[each];
    return descriptor === BigInt(code) || descriptor === symbol;
  });
  if (name === undefined) throw new Error(`${String(descriptor)} is not the descriptor of a section`);
  return name;
}

function inner(value: Decoded): Decoded {
  if (value.type !== 'described') throw new Error('a section is a described value');
  return value.value;
}
