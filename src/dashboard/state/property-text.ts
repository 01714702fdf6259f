// Application properties as people read and write them: a type of one word, and a text. Uri, TimeSpan and DateTimeOffset of .NET are
// described values in AMQP, and have words of their own here, as for `jitney send`.

import { offsetText, readOffset, readSpan, spanText } from '../../content/ticks.js';
import type { MessageAnswer } from '../../http/control/control-schemas.js';

type Typed = MessageAnswer['applicationProperties'][string];

/** The types of AMQP that an application property can be sent with. */
const SENT_TYPES = [
  ...['string', 'int', 'long', 'double', 'boolean', 'timestamp', 'uuid', 'symbol', 'char', 'ubyte', 'ushort'],
  ...['uint', 'ulong', 'byte', 'short', 'float', 'null'],
] as const;
/** The types that a person chooses from. */
export const PROPERTY_TYPES = [...SENT_TYPES, 'uri', 'timespan', 'datetime-offset'] as const;
export type PropertyType = (typeof PROPERTY_TYPES)[number];

/** A property as `POST messages` takes it. */
export type SentProperty = {
  readonly type: string;
  readonly value: string | number | boolean | null;
  readonly descriptor?: string;
};

const DESCRIPTORS: Readonly<Record<string, PropertyType>> = {
  'com.microsoft:uri': 'uri',
  'com.microsoft:timespan': 'timespan',
  'com.microsoft:datetime-offset': 'datetime-offset',
};

type PropertyText = { readonly type: string; readonly text: string };

/** `timespan` and `PT5S` for a described long. */
export function propertyText({ type, value, descriptor }: Typed): PropertyText {
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  if (descriptor === undefined) return { type, text };
  const known = DESCRIPTORS[descriptor];
  const read = known === undefined ? undefined : describedText(known, type, text);
  return known === undefined || read === undefined
    ? { type: `${type}, ${descriptor}`, text }
    : { type: known, text: read };
}

function describedText(known: PropertyType, type: string, text: string): string | undefined {
  if (known === 'uri') return type === 'string' ? text : undefined;
  if (type !== 'long') return undefined;
  return known === 'timespan' ? spanText(BigInt(text)) : offsetText(BigInt(text));
}

export function isPropertyType(type: string): type is PropertyType {
  return PROPERTY_TYPES.some((each) => each === type);
}

/** A Uri, TimeSpan or DateTimeOffset as it is sent; undefined for a text that is none, and for other types. */
export function describedProperty(type: PropertyType, text: string): SentProperty | undefined {
  if (type === 'uri') return { type: 'string', value: text, descriptor: 'com.microsoft:uri' };
  const ticks =
    type === 'timespan' ? readSpan(text) : type === 'datetime-offset' ? readOffset(text) : undefined;
  if (ticks === undefined) return undefined;
  return { type: 'long', value: String(ticks), descriptor: `com.microsoft:${type}` };
}

/** The property as it is sent; undefined for one that cannot be sent, such as a list. */
export function sentProperty({ type, value, descriptor }: Typed): SentProperty | undefined {
  if (typeof value === 'object' && value !== null) return undefined;
  if (!SENT_TYPES.some((each) => each === type)) return undefined;
  return { type, value, ...(descriptor === undefined ? {} : { descriptor }) };
}
