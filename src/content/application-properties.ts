// What the broker must know of the application properties: how large they are, and whether their types are allowed.

import type { NewMessage } from '../broker/message/message-properties.js';
import { endOfValue, firstItem, textAt } from './items.js';
import type { Section } from './sections.js';

const DESCRIBED = 0x00;
const LIST0 = 0x45;
const LEAST_COMPOUND = 0xc0;
const LEAST_ARRAY = 0xe0;

export type PropertyFacts = Pick<NewMessage, 'largestPropertyBytes' | 'unsupportedProperty'>;

const NONE: PropertyFacts = { largestPropertyBytes: 0, unsupportedProperty: undefined };

/** Names are not decoded unless there is something to say of one. */
export function readPropertyFacts(bytes: Buffer, section: Section | undefined): PropertyFacts {
  if (section === undefined) return NONE;
  let { largestPropertyBytes, unsupportedProperty } = NONE;
  for (let key = firstItem(bytes, section.value); key < section.end; ) {
    const value = endOfValue(bytes, key);
    const end = endOfValue(bytes, value);
    if (end - value > largestPropertyBytes) largestPropertyBytes = end - value; // MSG-08
    const type = unsupportedProperty === undefined ? unsupportedType(codeAt(bytes, value)) : undefined;
    if (type !== undefined) unsupportedProperty = { name: textAt(bytes, key) ?? '', type }; // SND-16
    key = end;
  }
  return { largestPropertyBytes, unsupportedProperty };
}

/** What a value is, whatever describes it: `com.microsoft:timespan` and the like are scalars (MSG-11). */
function codeAt(bytes: Buffer, value: number): number {
  let offset = value;
  while (bytes[offset] === DESCRIBED) offset = endOfValue(bytes, offset + 1);
  return bytes[offset] as number;
}

function unsupportedType(code: number): 'list' | 'map' | 'array' | undefined {
  if (code < LEAST_COMPOUND) return code === LIST0 ? 'list' : undefined;
  if (code >= LEAST_ARRAY) return 'array';
  return (code & 0x0f) === 1 ? 'map' : 'list';
}
