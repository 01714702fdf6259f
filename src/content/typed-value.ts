// AMQP values as JSON with their types, for people and programs that look at a message, and back for those that send one.

import { isoTime } from '../broker/contract/instant.js';
import { type AmqpValue, amqp, encodeValue } from '../codec/types.js';
import { endOfValue, itemOffsets, ownBytes, payloadAt, textAt } from './encoded-values.js';
import { dashed } from './read-message.js';

const DESCRIBED = 0x00;
const GREATEST_CODE_POINT = 0x10ffff;

type PlainValue = null | boolean | number | string;

/**
 * A value with the name of its AMQP type. Integers beyond 2^53 are texts of digits, as are NaN and the infinities by their names;
 * a timestamp is ISO 8601, a binary Base64, a decimal or an array the Base64 of its encoding. A map is a list of pairs.
 */
export type TypedValue = {
  readonly type: string;
  readonly value:
    | PlainValue
    | readonly TypedValue[]
    | readonly (readonly [key: TypedValue, value: TypedValue])[];
  /** The descriptor of a described value, such as `com.microsoft:timespan`. */
  readonly descriptor?: string | undefined;
};

/** The value at `offset` of bytes that the scanner has checked. */
export function typedValueAt(bytes: Buffer, offset: number): TypedValue {
  if (bytes[offset] !== DESCRIBED) return plainAt(bytes, offset);
  const value = typedValueAt(bytes, endOfValue(bytes, offset + 1));
  return { ...value, descriptor: String(typedValueAt(bytes, offset + 1).value) };
}

function plainAt(bytes: Buffer, offset: number): TypedValue {
  const code = bytes[offset] ?? 0;
  const start = offset + 1;
  switch (code) {
    case 0x40:
      return { type: 'null', value: null };
    case 0x41:
    case 0x42:
      return { type: 'boolean', value: code === 0x41 };
    case 0x56:
      return { type: 'boolean', value: bytes[start] === 1 };
    case 0x72:
      return { type: 'float', value: finite(bytes.readFloatBE(start)) };
    case 0x82:
      return { type: 'double', value: finite(bytes.readDoubleBE(start)) };
    case 0x73:
      return { type: 'char', value: characterAt(bytes, start) };
    case 0x83:
      return { type: 'timestamp', value: dateText(bytes.readBigInt64BE(start)) };
    case 0x98:
      return { type: 'uuid', value: dashed(bytes.toString('hex', start, start + 16)) };
    default:
      return integerAt(bytes, offset) ?? sizedAt(bytes, offset);
  }
}

const READ_INTEGER: Readonly<
  Record<number, readonly [type: string, read: (bytes: Buffer, start: number) => number | bigint]>
> = {
  67: ['uint', () => 0],
  68: ['ulong', () => 0],
  80: ['ubyte', (bytes, start) => bytes.readUInt8(start)],
  81: ['byte', (bytes, start) => bytes.readInt8(start)],
  82: ['uint', (bytes, start) => bytes.readUInt8(start)],
  83: ['ulong', (bytes, start) => bytes.readUInt8(start)],
  84: ['int', (bytes, start) => bytes.readInt8(start)],
  85: ['long', (bytes, start) => bytes.readInt8(start)],
  96: ['ushort', (bytes, start) => bytes.readUInt16BE(start)],
  97: ['short', (bytes, start) => bytes.readInt16BE(start)],
  112: ['uint', (bytes, start) => bytes.readUInt32BE(start)],
  113: ['int', (bytes, start) => bytes.readInt32BE(start)],
  128: ['ulong', (bytes, start) => bytes.readBigUInt64BE(start)],
  129: ['long', (bytes, start) => bytes.readBigInt64BE(start)],
};

function integerAt(bytes: Buffer, offset: number): TypedValue | undefined {
  const found = READ_INTEGER[bytes[offset] ?? 0];
  if (found === undefined) return undefined;
  const [type, read] = found;
  const value = read(bytes, offset + 1);
  return { type, value: Number.isSafeInteger(Number(value)) ? Number(value) : String(value) };
}

/** Texts, binaries, lists and maps; a decimal or an array as its encoding. */
function sizedAt(bytes: Buffer, offset: number): TypedValue {
  switch (bytes[offset]) {
    case 0xa0:
    case 0xb0:
      return { type: 'binary', value: payloadAt(bytes, offset).toString('base64') };
    case 0xa1:
    case 0xb1:
      return { type: 'string', value: textAt(bytes, offset) ?? '' };
    case 0xa3:
    case 0xb3:
      return { type: 'symbol', value: textAt(bytes, offset) ?? '' };
    case 0x45:
    case 0xc0:
    case 0xd0:
      return { type: 'list', value: itemsAt(bytes, offset) };
    case 0xc1:
    case 0xd1:
      return { type: 'map', value: pairsOf(itemsAt(bytes, offset)) };
    default: {
      const type = (bytes[offset] ?? 0) >= 0xe0 ? 'array' : 'decimal';
      return { type, value: bytes.toString('base64', offset, endOfValue(bytes, offset)) };
    }
  }
}

function itemsAt(bytes: Buffer, offset: number): readonly TypedValue[] {
  return itemOffsets(bytes, offset)
    .slice(0, -1)
    .map((item) => typedValueAt(bytes, item));
}

function pairsOf(items: readonly TypedValue[]): readonly (readonly [TypedValue, TypedValue])[] {
  return items.flatMap((key, index) => {
    const value = items[index + 1];
    return index % 2 === 0 && value !== undefined ? [[key, value] as const] : [];
  });
}

function finite(value: number): number | string {
  return Number.isFinite(value) ? value : String(value);
}

function characterAt(bytes: Buffer, start: number): string | number {
  const codePoint = bytes.readUInt32BE(start);
  return codePoint > GREATEST_CODE_POINT ? codePoint : String.fromCodePoint(codePoint);
}

function dateText(ms: bigint): string {
  return isoTime(Number(ms)) ?? String(ms);
}

/** The types of values that can be encoded: those that an application property may be sent with, but for decimals (SND-16, MSG-11). */
export const SENT_TYPES = [
  'string',
  'boolean',
  'int',
  'long',
  'double',
  'timestamp',
  'uuid',
  'symbol',
  'char',
  'ubyte',
  'ushort',
  'uint',
  'ulong',
  'byte',
  'short',
  'float',
  'null',
] as const;
export type SentType = (typeof SENT_TYPES)[number];

const UUID = /^[\da-f]{8}-?(?:[\da-f]{4}-?){3}[\da-f]{12}$/i;

/** Encodes a value in the form of `TypedValue`; undefined if it is none of the type. */
export function encodeTyped(type: SentType, value: PlainValue, descriptor?: string): Uint8Array | undefined {
  const found = amqpValue(type, value);
  if (found === undefined || descriptor === undefined) return found && ownBytes(encodeValue(found));
  const described = amqpValue(/^\d{1,20}$/.test(descriptor) ? 'ulong' : 'symbol', descriptor);
  return described && ownBytes(encodeValue(amqp.described(described, found)));
}

function amqpValue(type: SentType, value: PlainValue): AmqpValue | undefined {
  switch (type) {
    case 'null':
      return value === null ? amqp.null() : undefined;
    case 'boolean':
      return typeof value === 'boolean' ? amqp.boolean(value) : undefined;
    case 'float':
    case 'double':
      return numberValue(type, value);
    case 'byte':
    case 'short':
    case 'int':
    case 'long':
    case 'ubyte':
    case 'ushort':
    case 'uint':
    case 'ulong':
      return integerValue(type, value);
    default:
      return typeof value === 'string' ? textValue(type, value) : undefined;
  }
}

function numberValue(type: 'float' | 'double', value: PlainValue): AmqpValue | undefined {
  const isNamed = typeof value === 'string' && /^(NaN|-?Infinity)$/.test(value);
  return typeof value === 'number' || isNamed ? amqp[type](Number(value)) : undefined;
}

type IntegerType = Extract<SentType, `${'' | 'u'}${'short' | 'int' | 'long' | 'byte'}`>;

const BITS: Readonly<Record<IntegerType, number>> = {
  byte: 8,
  short: 16,
  int: 32,
  long: 64,
  ubyte: 8,
  ushort: 16,
  uint: 32,
  ulong: 64,
};

function integerValue(type: IntegerType, given: PlainValue): AmqpValue | undefined {
  const isDigits = typeof given === 'string' && /^-?\d{1,20}$/.test(given);
  if (!isDigits && !Number.isSafeInteger(given)) return undefined;
  const value = BigInt(given as string | number);
  const wrapped = type.startsWith('u') ? BigInt.asUintN(BITS[type], value) : BigInt.asIntN(BITS[type], value);
  if (wrapped !== value) return undefined;
  return type === 'long' || type === 'ulong' ? amqp[type](value) : amqp[type](Number(value));
}

type TextType = Exclude<SentType, IntegerType | 'float' | 'double' | 'boolean' | 'null'>;

function textValue(type: TextType, value: string): AmqpValue | undefined {
  switch (type) {
    case 'string':
      return amqp.string(value);
    case 'symbol':
      return /^[\x20-\x7e]*$/.test(value) ? amqp.symbol(value) : undefined;
    case 'char': {
      const [codePoint, ...others] = [...value].map((each) => each.codePointAt(0));
      return codePoint === undefined || others.length > 0 ? undefined : amqp.char(codePoint);
    }
    case 'uuid':
      return UUID.test(value) ? amqp.uuid(value.replaceAll('-', '')) : undefined;
    case 'timestamp': {
      const ms = Date.parse(value);
      return Number.isNaN(ms) ? undefined : amqp.timestamp(ms);
    }
    default:
      return type satisfies never;
  }
}
