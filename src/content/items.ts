// The items of an encoded list or map by their offsets; only for bytes that the scanner has passed.

import { asBuffer } from '../codec/types.js';

const DESCRIBED = 0x00;
const NULL = 0x40;
const LIST0 = 0x45;
const STR8 = 0xa1;
const SYM8 = 0xa3;
const STR32 = 0xb1;
const SYM32 = 0xb3;
/** Constructors from here on are followed by a size. */
const LEAST_SIZED = 0xa0;

/** Where the value at `offset` (its constructor) ends; the upper half of the constructor says it (AMQP 1.6). */
export function endOfValue(bytes: Uint8Array, offset: number): number {
  const code = byteAt(bytes, offset);
  if (code === DESCRIBED) return endOfValue(bytes, endOfValue(bytes, offset + 1));
  if (code >= LEAST_SIZED) {
    return hasLongSize(code)
      ? offset + 5 + readUint32(bytes, offset + 1)
      : offset + 2 + byteAt(bytes, offset + 1);
  }
  // 0x4_ has no bytes behind the constructor, 0x5_ one, and each further row twice as many.
  return code < 0x50 ? offset + 1 : offset + 1 + (1 << ((code >> 4) - 5));
}

/** A map has two items an entry. */
export function countItems(bytes: Uint8Array, offset: number): number {
  const code = byteAt(bytes, offset);
  if (code === LIST0) return 0;
  return hasLongSize(code) ? readUint32(bytes, offset + 5) : byteAt(bytes, offset + 2);
}

/** Where the first item of the list or map at `offset` is, or would be. */
export function firstItem(bytes: Uint8Array, offset: number): number {
  const code = byteAt(bytes, offset);
  if (code === LIST0) return offset + 1;
  return offset + (hasLongSize(code) ? 9 : 3);
}

/** The offsets of the items of the list or map at `offset`, and behind them where the last one ends. */
export function itemOffsets(bytes: Uint8Array, offset: number): number[] {
  const end = endOfValue(bytes, offset);
  const offsets: number[] = [];
  for (let item = firstItem(bytes, offset); item < end; item = endOfValue(bytes, item)) offsets.push(item);
  offsets.push(end);
  return offsets;
}

/** An entry of a map by its offsets; the name of a key that is neither string nor symbol is undefined. */
export type Entry = {
  readonly name: string | undefined;
  readonly key: number;
  readonly value: number;
  readonly end: number;
};

/** The entries of the map at `offset`. */
export function readEntries(bytes: Uint8Array, offset: number): Entry[] {
  const mapEnd = endOfValue(bytes, offset);
  const entries: Entry[] = [];
  for (let key = firstItem(bytes, offset); key < mapEnd; ) {
    const value = endOfValue(bytes, key);
    const end = endOfValue(bytes, value);
    entries.push({ name: textAt(bytes, key), key, value, end });
    key = end;
  }
  return entries;
}

/** The offset of a field among `itemOffsets`; undefined when it is left out or null. */
export function givenField(bytes: Uint8Array, offsets: readonly number[], index: number): number | undefined {
  const offset = index < offsets.length - 1 ? (offsets[index] as number) : undefined;
  return offset === undefined || isNullAt(bytes, offset) ? undefined : offset;
}

export function isNullAt(bytes: Uint8Array, offset: number): boolean {
  return bytes[offset] === NULL;
}

export function isStringAt(bytes: Uint8Array, offset: number): boolean {
  return bytes[offset] === STR8 || bytes[offset] === STR32;
}

/** Of a string or a symbol; undefined for everything else. */
export function textAt(bytes: Uint8Array, offset: number): string | undefined {
  if (!isTextAt(bytes, offset)) return undefined;
  return asBuffer(bytes).toString('utf8', startOfPayload(bytes, offset), endOfValue(bytes, offset));
}

/** Whether the value at `offset` is a string or symbol that says `text`, found without decoding it. */
export function saysAt(bytes: Uint8Array, offset: number, text: Uint8Array): boolean {
  if (!isTextAt(bytes, offset)) return false;
  const start = startOfPayload(bytes, offset);
  if (endOfValue(bytes, offset) - start !== text.length) return false;
  for (let index = 0; index < text.length; index++) {
    if (bytes[start + index] !== text[index]) return false;
  }
  return true;
}

/** The bytes of the binary, string or symbol at `offset`, without its constructor and size. */
export function payloadAt(bytes: Uint8Array, offset: number): Buffer {
  return asBuffer(bytes).subarray(startOfPayload(bytes, offset), endOfValue(bytes, offset));
}

/** A copy that shares its memory with nothing: a part of a larger buffer would keep all of that alive. */
export function ownBytes(part: Uint8Array): Uint8Array {
  return part.byteLength === part.buffer.byteLength ? part : new Uint8Array(part);
}

function isTextAt(bytes: Uint8Array, offset: number): boolean {
  return isStringAt(bytes, offset) || bytes[offset] === SYM8 || bytes[offset] === SYM32;
}

function startOfPayload(bytes: Uint8Array, offset: number): number {
  return offset + (hasLongSize(byteAt(bytes, offset)) ? 5 : 2);
}

/** Whether a size, and a count, take four bytes: in 0xb_, 0xd_ and 0xf_; else one byte. */
function hasLongSize(code: number): boolean {
  return (code & 0x10) !== 0;
}

function byteAt(bytes: Uint8Array, offset: number): number {
  return bytes[offset] as number;
}

function readUint32(bytes: Uint8Array, offset: number): number {
  const low =
    (byteAt(bytes, offset + 1) << 16) | (byteAt(bytes, offset + 2) << 8) | byteAt(bytes, offset + 3);
  return byteAt(bytes, offset) * 0x1000000 + low;
}
