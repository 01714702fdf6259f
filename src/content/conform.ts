// Rewrites a sent message that some receivers could not read into one that all of them can (MSG-03).

import { endOfValue, firstItem, isStringAt, payloadAt } from './encoded-values.js';
import type { Section, Sections } from './sections.js';

/** The difference between the constructors of a symbol and of a string, which is the same for the short and the long form. */
const SYMBOL_MINUS_STRING = 2;
const FIRST_BEYOND_ASCII = 0x80;

const ORDER = [
  'header',
  'deliveryAnnotations',
  'messageAnnotations',
  'properties',
  'applicationProperties',
  'body',
  'footer',
] as const;

/**
 * Returns a rewritten copy, or undefined when nothing has to change. Puts the sections in their order, because proton-j
 * ignores those that come too late: pyamqp writes delivery annotations last, uamqp before the body, and rhea writes the footer
 * before the body. Turns text keys in the footer into symbols, because rhea and the Java SDK write text and the Java SDK
 * cannot read it. All other bytes stay.
 */
export function conform(bytes: Buffer, sections: Sections): Buffer | undefined {
  const { footer, isInOrder } = sections;
  const keys = footer === undefined ? [] : textKeysOf(bytes, footer);
  if (isInOrder && keys.length === 0) return undefined;
  const copy = Buffer.allocUnsafeSlow(bytes.length);
  let end = 0;
  for (const name of ORDER) {
    const section = sections[name];
    if (section !== undefined) end += bytes.copy(copy, end, section.start, section.end);
  }
  const movedBy = bytes.length - (footer?.end ?? 0); // it is last now
  for (const key of keys) copy[key + movedBy] = (bytes[key] as number) + SYMBOL_MINUS_STRING;
  return copy;
}

/** The offsets of the text keys that can become symbols, which are ASCII. */
function textKeysOf(bytes: Buffer, { value, end }: Section): readonly number[] {
  const keys: number[] = [];
  for (let key = firstItem(bytes, value); key < end; key = endOfValue(bytes, endOfValue(bytes, key))) {
    if (isStringAt(bytes, key) && payloadAt(bytes, key).every((byte) => byte < FIRST_BEYOND_ASCII)) {
      keys.push(key);
    }
  }
  return keys;
}
