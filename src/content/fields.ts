// Reads one field or annotation of a message at its offset and holds it to its type: one of another type is refused by name.

import { DecodeError } from '../codec/decode-error.js';
import { isNullAt, isStringAt, payloadAt, textAt } from './items.js';

const UINT0 = 0x43;
const SMALL_UINT = 0x52;
const UINT = 0x70;
const TIMESTAMP = 0x83;
const LONG = 0x81;
const SMALL_LONG = 0x55;
const BIN8 = 0xa0;
const BIN32 = 0xb0;

/** Undefined when it is null or not there, as in the other readers. */
export function stringAt(bytes: Buffer, offset: number | undefined, what: string): string | undefined {
  if (offset === undefined || isNullAt(bytes, offset)) return undefined;
  if (!isStringAt(bytes, offset)) throw ofAnotherType(what, 'string');
  return textAt(bytes, offset);
}

/** The text of a string, a symbol, or UTF-8 in a binary: pyamqp sends back as bytes a text that it received (MSG-10). */
export function anyTextAt(bytes: Buffer, offset: number, what: string): string | undefined {
  if (isNullAt(bytes, offset)) return undefined;
  if (bytes[offset] !== BIN8 && bytes[offset] !== BIN32) {
    const text = textAt(bytes, offset);
    if (text === undefined) throw ofAnotherType(what, 'string');
    return text;
  }
  const payload = payloadAt(bytes, offset);
  const text = payload.toString('utf8');
  if (!payload.equals(Buffer.from(text, 'utf8'))) {
    throw new DecodeError(`${what} is a binary that is not UTF-8`, 'amqp:invalid-field');
  }
  return text;
}

/** Milliseconds since 1970 as a timestamp or a long; undefined for everything else. */
export function instantAt(bytes: Buffer, offset: number): number | undefined {
  const code = bytes[offset];
  if (code === SMALL_LONG) return bytes.readInt8(offset + 1);
  return code === TIMESTAMP || code === LONG ? eightBytesAt(bytes, offset + 1) : undefined;
}

/** Milliseconds since 1970; beyond 2^53 rounded. */
export function timestampAt(bytes: Buffer, offset: number | undefined, what: string): number | undefined {
  if (offset === undefined || isNullAt(bytes, offset)) return undefined;
  if (bytes[offset] !== TIMESTAMP) throw ofAnotherType(what, 'timestamp');
  return eightBytesAt(bytes, offset + 1);
}

export function uintAt(bytes: Buffer, offset: number | undefined, what: string): number | undefined {
  if (offset === undefined || isNullAt(bytes, offset)) return undefined;
  const code = bytes[offset];
  if (code === UINT) return bytes.readUInt32BE(offset + 1);
  if (code === SMALL_UINT) return bytes[offset + 1];
  if (code === UINT0) return 0;
  throw ofAnotherType(what, 'uint');
}

function eightBytesAt(bytes: Buffer, offset: number): number {
  return bytes.readInt32BE(offset) * 0x1_0000_0000 + bytes.readUInt32BE(offset + 4);
}

function ofAnotherType(what: string, type: string): DecodeError {
  return new DecodeError(`${what} is not a ${type}`, 'amqp:invalid-field');
}
