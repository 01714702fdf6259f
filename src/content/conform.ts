// Makes of a sent message one that every receiver can read, where a sender's own ways would stop some of them (MSG-03).

import { endOfValue, firstItem, isStringAt, payloadAt } from './items.js';
import type { Section, Sections } from './sections.js';

/** From the constructor of a string to that of a symbol, short or long. */
const SYMBOL_BEHIND_STRING = 2;
const LEAST_BEYOND_ASCII = 0x80;

/**
 * Puts the sections in their order, since proton-j leaves out what comes too late: delivery annotations that stand behind
 * all else, where pyamqp writes them, and a footer before the body, where rhea does. Makes symbols of text keys in the
 * footer, which rhea and the Java SDK write and the Java SDK does not read. All other bytes stay, in a copy; undefined when
 * there is nothing to do.
 */
export function conform(bytes: Buffer, sections: Sections): Buffer | undefined {
  const { header, deliveryAnnotations, headEnd, footer, body } = sections;
  const isLate = deliveryAnnotations !== undefined && deliveryAnnotations.start >= headEnd;
  const keys = footer === undefined ? [] : textKeysOf(bytes, footer);
  const isEarly = footer !== undefined && body !== undefined && footer.start < body.start;
  if (!isLate && !isEarly && keys.length === 0) return undefined;
  const copy = Buffer.allocUnsafeSlow(bytes.length);
  copy.set(bytes);
  for (const key of keys) copy[key] = (bytes[key] as number) + SYMBOL_BEHIND_STRING;
  if (isEarly) swap(copy, footer, body);
  if (isLate) swap(copy, { start: header?.end ?? 0, end: deliveryAnnotations.start }, deliveryAnnotations);
  return copy;
}

/** The offsets of the keys that can be symbols, which are ASCII. */
function textKeysOf(bytes: Buffer, { value, end }: Section): readonly number[] {
  const keys: number[] = [];
  for (let key = firstItem(bytes, value); key < end; key = endOfValue(bytes, endOfValue(bytes, key))) {
    if (isStringAt(bytes, key) && payloadAt(bytes, key).every((byte) => byte < LEAST_BEYOND_ASCII)) {
      keys.push(key);
    }
  }
  return keys;
}

type Part = Pick<Section, 'start' | 'end'>;

/** Two parts of which one begins where the other ends. */
function swap(bytes: Buffer, first: Part, second: Part): void {
  const moved = Buffer.from(bytes.subarray(first.start, first.end));
  bytes.copyWithin(first.start, second.start, second.end);
  bytes.set(moved, first.start + second.end - second.start);
}
