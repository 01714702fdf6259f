// Reads encoded AMQP values in place, by their offsets; only for bytes that the scanner has checked.

import { DecodeError } from '../codec/decode-error.js';
import { asBuffer } from '../codec/types.js';

const DESCRIBED = 0x00;
const NULL = 0x40;
const UINT0 = 0x43;
const LIST0 = 0x45;
const SMALL_UINT = 0x52;
const SMALL_LONG = 0x55;
const UINT = 0x70;
const LONG = 0x81;
const TIMESTAMP = 0x83;
const BIN8 = 0xa0;
const STR8 = 0xa1;
const SYM8 = 0xa3;
const BIN32 = 0xb0;
const STR32 = 0xb1;
const SYM32 = 0xb3;
/** The first constructor that is followed by a size, as are all above it. */
const FIRST_SIZED = 0xa0;

/** The end of the value at `offset` (its constructor), from the upper half of the constructor (AMQP 1.6). */
export function endOfValue(bytes: Uint8Array, offset: number): number {
  const code = byteAt(bytes, offset);
  if (code === DESCRIBED) return endOfValue(bytes, endOfValue(bytes, offset + 1));
  if (code >= FIRST_SIZED) {
    return hasLongSize(code)
      ? offset + 5 + readUint32(bytes, offset + 1)
      : offset + 2 + byteAt(bytes, offset + 1);
  }
  // 0x4_ has no bytes behind the constructor, 0x5_ one, and each further row twice as many.
  return code < 0x50 ? offset + 1 : offset + 1 + (1 << ((code >> 4) - 5));
}

/** The number of items of the list or map at `offset`; a map has two an entry. */
export function countItems(bytes: Uint8Array, offset: number): number {
  const code = byteAt(bytes, offset);
  if (code === LIST0) return 0;
  return hasLongSize(code) ? readUint32(bytes, offset + 5) : byteAt(bytes, offset + 2);
}

/** The offset of the first item of the list or map at `offset`, or its end when it is empty. */
export function firstItem(bytes: Uint8Array, offset: number): number {
  const code = byteAt(bytes, offset);
  if (code === LIST0) return offset + 1;
  return offset + (hasLongSize(code) ? 9 : 3);
}

/** The offsets of the items of the list or map at `offset`, followed by the end of the last one. */
export function itemOffsets(bytes: Uint8Array, offset: number): number[] {
  const offsets = new Array<number>(countItems(bytes, offset) + 1);
  offsets[0] = firstItem(bytes, offset);
  for (let index = 1; index < offsets.length; index++) {
    offsets[index] = endOfValue(bytes, offsets[index - 1] as number);
  }
  return offsets;
}

/** The offsets of a map's entry, and its name: undefined when the key is neither string nor symbol. */
type MapEntry = {
  readonly name: string | undefined;
  readonly key: number;
  readonly value: number;
  readonly end: number;
};

/** The entries of the map at `offset`. */
export function readEntries(bytes: Uint8Array, offset: number): MapEntry[] {
  const mapEnd = endOfValue(bytes, offset);
  const entries: MapEntry[] = [];
  for (let key = firstItem(bytes, offset); key < mapEnd; ) {
    const value = endOfValue(bytes, key);
    const end = endOfValue(bytes, value);
    entries.push({ name: textAt(bytes, key), key, value, end });
    key = end;
  }
  return entries;
}

/** The offset of a field among `itemOffsets`; undefined when the field is absent or null. */
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

/** The text of a string or symbol; undefined for any other type. */
export function textAt(bytes: Uint8Array, offset: number): string | undefined {
  if (!isTextAt(bytes, offset)) return undefined;
  return asBuffer(bytes).toString('utf8', startOfPayload(bytes, offset), endOfValue(bytes, offset));
}

/** Whether the value at `offset` is a string or symbol equal to `text`, compared without decoding. */
export function equalsTextAt(bytes: Uint8Array, offset: number, text: Uint8Array): boolean {
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

/** A string; undefined when it is absent or null. `what` names it in the error about another type. */
export function stringAt(bytes: Buffer, offset: number | undefined, what: string): string | undefined {
  if (offset === undefined || isNullAt(bytes, offset)) return undefined;
  if (!isStringAt(bytes, offset)) throw wrongType(what, 'string');
  return textAt(bytes, offset);
}

/** The text of a string, a symbol, or UTF-8 in a binary: pyamqp returns a text that it received as bytes (MSG-10). */
export function anyTextAt(bytes: Buffer, offset: number, what: string): string | undefined {
  if (isNullAt(bytes, offset)) return undefined;
  if (bytes[offset] !== BIN8 && bytes[offset] !== BIN32) {
    const text = textAt(bytes, offset);
    if (text === undefined) throw wrongType(what, 'string');
    return text;
  }
  const payload = payloadAt(bytes, offset);
  const text = payload.toString('utf8');
  if (!payload.equals(Buffer.from(text, 'utf8'))) {
    throw new DecodeError(`${what} is a binary that is not UTF-8`, 'amqp:invalid-field');
  }
  return text;
}

/** Milliseconds since 1970 as a timestamp or a long; undefined for any other type. */
export function instantAt(bytes: Buffer, offset: number): number | undefined {
  const code = bytes[offset];
  if (code === SMALL_LONG) return bytes.readInt8(offset + 1);
  return code === TIMESTAMP || code === LONG ? eightBytesAt(bytes, offset + 1) : undefined;
}

/** Milliseconds since 1970; rounded beyond 2^53. */
export function timestampAt(bytes: Buffer, offset: number | undefined, what: string): number | undefined {
  if (offset === undefined || isNullAt(bytes, offset)) return undefined;
  if (bytes[offset] !== TIMESTAMP) throw wrongType(what, 'timestamp');
  return eightBytesAt(bytes, offset + 1);
}

export function uintAt(bytes: Buffer, offset: number | undefined, what: string): number | undefined {
  if (offset === undefined || isNullAt(bytes, offset)) return undefined;
  const code = bytes[offset];
  if (code === UINT) return bytes.readUInt32BE(offset + 1);
  if (code === SMALL_UINT) return bytes[offset + 1];
  if (code === UINT0) return 0;
  throw wrongType(what, 'uint');
}

/** A copy with memory of its own: a slice would keep the whole of a larger buffer alive. */
export function ownBytes(part: Uint8Array): Uint8Array {
  return part.byteLength === part.buffer.byteLength ? part : new Uint8Array(part);
}

function isTextAt(bytes: Uint8Array, offset: number): boolean {
  return isStringAt(bytes, offset) || bytes[offset] === SYM8 || bytes[offset] === SYM32;
}

function startOfPayload(bytes: Uint8Array, offset: number): number {
  return offset + (hasLongSize(byteAt(bytes, offset)) ? 5 : 2);
}

/** Whether size and count take four bytes each, as in 0xb_, 0xd_ and 0xf_, instead of one. */
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

function eightBytesAt(bytes: Buffer, offset: number): number {
  return bytes.readInt32BE(offset) * 0x1_0000_0000 + bytes.readUInt32BE(offset + 4);
}

function wrongType(what: string, type: string): DecodeError {
  return new DecodeError(`${what} is not a ${type}`, 'amqp:invalid-field');
}
