// Reads one field or annotation of a message at its offset and holds it to its type: one of another type is refused by name.

import { DecodeError } from '../codec/decode-error.js';
import { isNullAt, isStringAt, textAt } from './items.js';

const UINT0 = 0x43;
const SMALL_UINT = 0x52;
const UINT = 0x70;
const TIMESTAMP = 0x83;

/** Undefined when it is null or not there, as in the other readers. */
export function stringAt(bytes: Buffer, offset: number | undefined, what: string): string | undefined {
  if (offset === undefined || isNullAt(bytes, offset)) return undefined;
  if (!isStringAt(bytes, offset)) throw ofAnotherType(what, 'string');
  return textAt(bytes, offset);
}

/** Milliseconds since 1970; beyond 2^53 rounded. */
export function timestampAt(bytes: Buffer, offset: number | undefined, what: string): number | undefined {
  if (offset === undefined || isNullAt(bytes, offset)) return undefined;
  if (bytes[offset] !== TIMESTAMP) throw ofAnotherType(what, 'timestamp');
  return bytes.readInt32BE(offset + 1) * 0x1_0000_0000 + bytes.readUInt32BE(offset + 5);
}

export function uintAt(bytes: Buffer, offset: number | undefined, what: string): number | undefined {
  if (offset === undefined || isNullAt(bytes, offset)) return undefined;
  const code = bytes[offset];
  if (code === UINT) return bytes.readUInt32BE(offset + 1);
  if (code === SMALL_UINT) return bytes[offset + 1];
  if (code === UINT0) return 0;
  throw ofAnotherType(what, 'uint');
}

function ofAnotherType(what: string, type: string): DecodeError {
  return new DecodeError(`${what} is not a ${type}`, 'amqp:invalid-field');
}
