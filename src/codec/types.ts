// AMQP values with their exact types. rhea's codec builds and reads them; it sees only bytes that the scanner has checked.

import types, { type ArrayConstructor, type TypeDescription, type Typed } from 'rhea/lib/types.js';
import { DecodeError } from './decode-error.js';
import { MAX_BUILT_ZERO_WIDTH_ELEMENTS, scanValue } from './scan.js';

/**
 * A value with its AMQP type. `value` is a number, bigint, string, Buffer, boolean, null or an array of AmqpValues. A value with two
 * descriptors keeps only the outer one, so values that must not change stay encoded.
 */
export interface AmqpValue {
  readonly type: { readonly name: string; readonly typecode: number };
  readonly value: unknown;
  readonly descriptor?: AmqpValue;
}

const CODE = {
  null: 0x40,
  ulong: 0x80,
  long: 0x81,
  timestamp: 0x83,
  char: 0x73,
  uuid: 0x98,
  str32: 0xb1,
  list0: 0x45,
  list32: 0xd0,
  map32: 0xd1,
  array32: 0xf0,
} as const;

const create = (code: number, value?: unknown): AmqpValue => created(code).create(value) as AmqpValue;
const created = (code: number) => types.by_code[code] as (typeof types.by_code)[number];
const wrap = (name: Parameters<typeof wrapper>[0], value: unknown): AmqpValue =>
  wrapper(name)(value as never) as AmqpValue;
const wrapper = (name: Exclude<keyof typeof types, 'Reader' | 'Writer' | 'by_code' | 'described'>) =>
  types[name];

/** The 8 bytes of a 64-bit integer, big-endian; rhea writes such buffers unchanged. */
function eightBytes(value: number | bigint): Buffer {
  const bytes = Buffer.alloc(8);
  bytes.writeBigInt64BE(BigInt.asIntN(64, BigInt(value)));
  return bytes;
}

/** Builds values of one exact AMQP type each. */
export const amqp = {
  null: (): AmqpValue => create(CODE.null, null),
  boolean: (value: boolean): AmqpValue => wrap('wrap_boolean', value),
  ubyte: (value: number): AmqpValue => wrap('wrap_ubyte', value),
  ushort: (value: number): AmqpValue => wrap('wrap_ushort', value),
  uint: (value: number): AmqpValue => wrap('wrap_uint', value),
  ulong: (value: number | bigint): AmqpValue => wrap('wrap_ulong', eightBytes(value)),
  byte: (value: number): AmqpValue => wrap('wrap_byte', value),
  short: (value: number): AmqpValue => wrap('wrap_short', value),
  int: (value: number): AmqpValue => wrap('wrap_int', value),
  long: (value: number | bigint): AmqpValue => wrap('wrap_long', eightBytes(value)),
  float: (value: number): AmqpValue => wrap('wrap_float', value),
  double: (value: number): AmqpValue => wrap('wrap_double', value),
  char: (codePoint: number): AmqpValue => wrap('wrap_char', codePoint),
  /** Milliseconds since 1970. */
  timestamp: (ms: number | bigint): AmqpValue => create(CODE.timestamp, eightBytes(ms)),
  /** Takes 32 hexadecimal digits, in the order of the text form (RFC 4122). */
  uuid: (hex: string): AmqpValue => create(CODE.uuid, Buffer.from(hex, 'hex')),
  binary: (bytes: Uint8Array): AmqpValue => wrap('wrap_binary', asBuffer(bytes)),
  string: (text: string): AmqpValue => wrap('wrap_string', text),
  symbol: (text: string): AmqpValue => wrap('wrap_symbol', text),
  list: (items: readonly AmqpValue[]): AmqpValue =>
    items.length === 0 ? create(CODE.list0, []) : create(CODE.list32, [...items]),
  map: (entries: readonly (readonly [AmqpValue, AmqpValue])[]): AmqpValue =>
    create(CODE.map32, entries.flat()),
  // The elements of an array have no constructors; a single one before them applies to all.
  timestampArray: (ms: readonly number[]): AmqpValue => array(CODE.timestamp, ms.map(eightBytes)),
  longArray: (values: readonly (number | bigint)[]): AmqpValue => array(CODE.long, values.map(eightBytes)),
  uuidArray: (hex: readonly string[]): AmqpValue =>
    array(
      CODE.uuid,
      hex.map((each) => Buffer.from(each, 'hex')),
    ),
  stringArray: (texts: readonly string[]): AmqpValue => array(CODE.str32, texts),
  described: (descriptor: AmqpValue, value: AmqpValue): AmqpValue =>
    types.described(descriptor as never, value as never) as AmqpValue,
} as const;

function array(elementCode: number, values: readonly unknown[]): AmqpValue {
  return created(CODE.array32).create([...values], elementCode) as AmqpValue;
}

/** Encodes a value, including its constructor. */
export function encodeValue(value: AmqpValue): Buffer {
  const writer = new ExactWriter();
  writer.write(value as never);
  return writer.toBuffer();
}

/** Decodes exactly one value. Throws DecodeError if the bytes are malformed or more bytes follow. */
export function decodeValue(bytes: Uint8Array): AmqpValue {
  const end = scanValue(bytes, 0, bytes.length, MAX_BUILT_ZERO_WIDTH_ELEMENTS);
  if (end !== bytes.length) throw new DecodeError(`${bytes.length - end} bytes follow a value`);
  return new ExactReader(asBuffer(bytes)).read() as AmqpValue;
}

// rhea 3.0.5 rounds some 64-bit integers beyond 2^53 and returns others as buffers, so they are read from the bytes here.
class ExactReader extends types.Reader {
  override read_fixed_width(type: Parameters<InstanceType<typeof types.Reader>['read_fixed_width']>[0]) {
    const offset = this.position;
    if (type.typecode === CODE.ulong) {
      this.position += 8;
      return narrow(this.buffer.readBigUInt64BE(offset));
    }
    if (type.typecode === CODE.long || type.typecode === CODE.timestamp) {
      this.position += 8;
      return narrow(this.buffer.readBigInt64BE(offset));
    }
    return super.read_fixed_width(type);
  }
}

// Writes everything that was read: rhea 3.0.5 cannot write a bigint, and writes only some types of items of an array that
// it has read.
class ExactWriter extends types.Writer {
  override write_fixed_width(type: TypeDescription, value: unknown): void {
    super.write_fixed_width(type, typeof value === 'bigint' ? eightBytes(value) : value);
  }

  override write_value(type: TypeDescription, value: unknown, elements?: ArrayConstructor): void {
    const arrayItem = isTyped(value) ? value : undefined;
    super.write_value(
      type,
      arrayItem === undefined ? value : arrayItem.value,
      elements ?? arrayItem?.array_constructor,
    );
  }
}

function isTyped(value: unknown): value is Typed {
  return typeof value === 'object' && value !== null && 'type' in value && 'value' in value;
}

function narrow(value: bigint): number | bigint {
  const number = Number(value);
  return Number.isSafeInteger(number) ? number : value;
}

/** A Buffer over the same bytes, without a copy. */
export function asBuffer(bytes: Uint8Array): Buffer {
  return Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}
