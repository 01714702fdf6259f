// Decodes AMQP values for the filters and actions of rules, and encodes the values that an action stores (ACT-03).

import type { Decimal, Duration, RuleValue, Timestamp, Uuid } from '../broker/rules/rule-value.js';
import { type AmqpValue, amqp, encodeValue } from '../codec/types.js';
import { endOfValue, ownBytes, textAt } from './encoded-values.js';

const GREATEST_CODE_POINT = 0x10ffff;
const UUID_BYTES = 16;
const LONG_BITS = 64;
const DESCRIBED = 0x00;
const LONG_CODES: ReadonlySet<number> = new Set([0x55, 0x81]);
/** The descriptor of .NET's `TimeSpan`, a long in ticks. */
export const TIME_SPAN = 'com.microsoft:timespan';
/** No SDK writes one of 32 or 64 bits: such a value is only copied. */
const DECIMAL128 = 0x94;
const DECIMAL_DIGIT_BITS = 113;
const DECIMAL_BIAS = 6176;
/** A decimal of .NET has at most so many digits behind its point. */
const LARGEST_SCALE = 28;

/** The value at `offset` of bytes that the scanner has checked. */
export function ruleValueAt(bytes: Buffer, offset: number): RuleValue {
  const value = simpleValueAt(bytes, offset);
  if (value !== undefined) return value;
  const ticks = bytes[offset] === DESCRIBED ? ticksAt(bytes, offset + 1) : undefined;
  if (ticks !== undefined) return { kind: 'duration', ticks };
  const decimal = bytes[offset] === DECIMAL128 ? decimalAt(bytes, offset) : undefined;
  if (decimal !== undefined) return decimal;
  return { kind: 'other', encoded: bytes.subarray(offset, endOfValue(bytes, offset)) };
}

/** The ticks of a time span whose descriptor is at `descriptor`; undefined for any other described value. */
function ticksAt(bytes: Buffer, descriptor: number): bigint | undefined {
  if (textAt(bytes, descriptor) !== TIME_SPAN) return undefined;
  const value = endOfValue(bytes, descriptor);
  return LONG_CODES.has(bytes[value] ?? 0) ? integerAt(bytes, value) : undefined;
}

/** A plain value; undefined for values that rules only copy, and for described ones such as a time span. */
function simpleValueAt(bytes: Buffer, offset: number): RuleValue | undefined {
  const start = offset + 1;
  switch (bytes[offset]) {
    case 0x40:
      return null;
    case 0x41:
      return true;
    case 0x42:
      return false;
    case 0x56:
      return bytes[start] === 1;
    case 0x72:
      return bytes.readFloatBE(start);
    case 0x82:
      return bytes.readDoubleBE(start);
    case 0x73:
      return characterAt(bytes, start);
    case 0x83:
      return timestampAt(bytes, start);
    case 0x98:
      return { kind: 'uuid', hex: bytes.toString('hex', start, start + UUID_BYTES) };
    case 0xa1:
    case 0xa3:
    case 0xb1:
    case 0xb3:
      return textAt(bytes, offset);
    default:
      return integerAt(bytes, offset);
  }
}

/** An integer of any width. */
function integerAt(bytes: Buffer, offset: number): bigint | undefined {
  const start = offset + 1;
  switch (bytes[offset]) {
    case 0x43:
    case 0x44:
      return 0n;
    case 0x50:
    case 0x52:
    case 0x53:
      return BigInt(bytes.readUInt8(start));
    case 0x51:
    case 0x54:
    case 0x55:
      return BigInt(bytes.readInt8(start));
    case 0x60:
      return BigInt(bytes.readUInt16BE(start));
    case 0x61:
      return BigInt(bytes.readInt16BE(start));
    case 0x70:
      return BigInt(bytes.readUInt32BE(start));
    case 0x71:
      return BigInt(bytes.readInt32BE(start));
    case 0x80:
      return bytes.readBigUInt64BE(start);
    case 0x81:
      return bytes.readBigInt64BE(start);
    default:
      return undefined;
  }
}

/** Undefined for a code that is not a character: such a value is only copied. */
function characterAt(bytes: Buffer, start: number): string | undefined {
  const codePoint = bytes.readUInt32BE(start);
  return codePoint > GREATEST_CODE_POINT ? undefined : String.fromCodePoint(codePoint);
}

/** Undefined for a time beyond 2^53, which no date reaches: such a value is only copied. */
function timestampAt(bytes: Buffer, start: number): RuleValue | undefined {
  const ms = Number(bytes.readBigInt64BE(start));
  return Number.isSafeInteger(ms) ? { kind: 'timestamp', ms } : undefined;
}

/** IEEE 754-2008 with binary digits; undefined for infinities and what is no number. */
function decimalAt(bytes: Buffer, offset: number): Decimal | undefined {
  const first = bytes.readUInt8(offset + 1);
  const second = bytes.readUInt8(offset + 2) >> 1;
  if ((first & 0x60) === 0x60) return undefined;
  const high = first & 0x7f;
  // .NET shifts the upper bits of the exponent by two too many, and Python does not.
  const asByDotNet = ((high << 9) | second) - DECIMAL_BIAS;
  const isByDotNet = asByDotNet <= 0 && asByDotNet >= -LARGEST_SCALE;
  const exponent = isByDotNet ? asByDotNet : ((high << 7) | second) - DECIMAL_BIAS;
  const end = endOfValue(bytes, offset);
  const digits = BigInt.asUintN(DECIMAL_DIGIT_BITS, BigInt(`0x${bytes.toString('hex', offset + 1, end)}`));
  const encoded = bytes.subarray(offset, end);
  return { kind: 'decimal', digits: first >= 0x80 ? -digits : digits, exponent, encoded };
}

/** Encodes into memory of its own, because the bytes outlive the message that they may have been copied from. */
export function encodeRuleValue(value: RuleValue): Uint8Array {
  if (typeof value === 'object' && value !== null && 'encoded' in value) return ownBytes(value.encoded);
  return ownBytes(encodeValue(amqpValueOf(value)));
}

function amqpValueOf(value: Exclude<RuleValue, { readonly encoded: Uint8Array }>): AmqpValue {
  if (value === null) return amqp.null();
  switch (typeof value) {
    case 'boolean':
      return amqp.boolean(value);
    case 'string':
      return amqp.string(value);
    case 'bigint':
      // Only a sender's own ulong exceeds a long.
      return BigInt.asIntN(LONG_BITS, value) === value ? amqp.long(value) : amqp.ulong(value);
    case 'number':
      return amqp.double(value);
    default:
      return amqpObjectOf(value);
  }
}

function amqpObjectOf(value: Uuid | Timestamp | Duration): AmqpValue {
  switch (value.kind) {
    case 'uuid':
      return amqp.uuid(value.hex);
    case 'timestamp':
      return amqp.timestamp(value.ms);
    case 'duration':
      return amqp.described(amqp.symbol(TIME_SPAN), amqp.long(value.ticks));
    default:
      return value satisfies never;
  }
}
