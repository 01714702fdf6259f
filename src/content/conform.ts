// Rewrites a sent message that some receivers could not read into one that all of them can (MSG-03).

import { endOfValue, firstItem, isStringAt, payloadAt } from './encoded-values.js';
import type { Section, Sections } from './sections.js';

/** The constructor of a symbol less that of a string, short or long. */
const SYMBOL_MINUS_STRING = 2;
const FIRST_BEYOND_ASCII = 0x80;

/**
 * Returns a rewritten copy, or undefined when nothing has to change. Puts the sections in their order, because proton-j
 * ignores those that come too late: pyamqp writes delivery annotations last, and rhea writes the footer before the body.
 * Turns text keys in the footer into symbols, because rhea and the Java SDK write text and the Java SDK cannot read it. All
 * other bytes stay.
 */
export function conform(bytes: Buffer, sections: Sections): Buffer | undefined {
  const { header, deliveryAnnotations, headEnd, footer, body } = sections;
  const isLate = deliveryAnnotations !== undefined && deliveryAnnotations.start >= headEnd;
  const keys = footer === undefined ? [] : textKeysOf(bytes, footer);
  const isEarly = footer !== undefined && body !== undefined && footer.start < body.start;
  if (!isLate && !isEarly && keys.length === 0) return undefined;
  const copy = Buffer.allocUnsafeSlow(bytes.length);
  copy.set(bytes);
  for (const key of keys) copy[key] = (bytes[key] as number) + SYMBOL_MINUS_STRING;
  if (isEarly) swap(copy, footer, body);
  if (isLate) swap(copy, { start: header?.end ?? 0, end: deliveryAnnotations.start }, deliveryAnnotations);
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

type Part = Pick<Section, 'start' | 'end'>;

/** Swaps two adjacent parts. */
function swap(bytes: Buffer, first: Part, second: Part): void {
  const moved = Buffer.from(bytes.subarray(first.start, first.end));
  bytes.copyWithin(first.start, second.start, second.end);
  bytes.set(moved, first.start + second.end - second.start);
}
