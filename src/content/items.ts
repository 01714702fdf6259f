// The items of an encoded list or map by their offsets; only for bytes that the scanner has passed.

import { scanValue } from '../codec/scan.js';
import { asBuffer } from '../codec/types.js';

const NULL = 0x40;
const LIST0 = 0x45;
const STR8 = 0xa1;
const SYM8 = 0xa3;
const STR32 = 0xb1;
const SYM32 = 0xb3;

/** Where the list or map at `offset` (its constructor) ends. */
export function endOfCompound(bytes: Uint8Array, offset: number): number {
  if (bytes[offset] === LIST0) return offset + 1;
  return isWide(bytes, offset)
    ? offset + 5 + readUint32(bytes, offset + 1)
    : offset + 2 + byteAt(bytes, offset + 1);
}

/** A map has two items an entry. */
export function countItems(bytes: Uint8Array, offset: number): number {
  if (bytes[offset] === LIST0) return 0;
  return isWide(bytes, offset) ? readUint32(bytes, offset + 5) : byteAt(bytes, offset + 2);
}

/** The offsets of the items of the list or map at `offset`, and behind them where the last one ends. */
export function itemOffsets(bytes: Uint8Array, offset: number): number[] {
  const end = endOfCompound(bytes, offset);
  const offsets: number[] = [];
  let item = firstItem(bytes, offset);
  while (item < end) {
    offsets.push(item);
    item = scanValue(bytes, item, end);
  }
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
  const offsets = itemOffsets(bytes, offset);
  const entries: Entry[] = [];
  for (let index = 0; index + 2 < offsets.length; index += 2) {
    const key = offsets[index] as number;
    const value = offsets[index + 1] as number;
    entries.push({ name: textAt(bytes, key), key, value, end: offsets[index + 2] as number });
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
  const isText = isStringAt(bytes, offset) || bytes[offset] === SYM8 || bytes[offset] === SYM32;
  return isText ? payloadAt(bytes, offset).toString('utf8') : undefined;
}

/** The bytes of the binary, string or symbol at `offset`, without its constructor and size. */
export function payloadAt(bytes: Uint8Array, offset: number): Buffer {
  const isLong = byteAt(bytes, offset) >= 0xb0;
  const start = offset + (isLong ? 5 : 2);
  const length = isLong ? readUint32(bytes, offset + 1) : byteAt(bytes, offset + 1);
  return asBuffer(bytes).subarray(start, start + length);
}

/** A copy that shares its memory with nothing: a part of a larger buffer would keep all of that alive. */
export function ownBytes(part: Uint8Array): Uint8Array {
  return part.byteLength === part.buffer.byteLength ? part : new Uint8Array(part);
}

function firstItem(bytes: Uint8Array, offset: number): number {
  if (bytes[offset] === LIST0) return offset + 1;
  return offset + (isWide(bytes, offset) ? 9 : 3);
}

/** Whether size and count of a list or map take four bytes each. */
function isWide(bytes: Uint8Array, offset: number): boolean {
  return byteAt(bytes, offset) >= 0xd0;
}

function byteAt(bytes: Uint8Array, offset: number): number {
  return bytes[offset] as number;
}

function readUint32(bytes: Uint8Array, offset: number): number {
  return asBuffer(bytes).readUInt32BE(offset);
}
