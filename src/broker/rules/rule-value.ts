// The values that rules compute with, and their text. `undefined` is the unknown of three-valued logic.

import { formatTime } from './civil-time.js';

export type Uuid = { readonly kind: 'uuid' /** 32 hexadecimal digits, lower case. */; readonly hex: string };
export type Timestamp = {
  readonly kind: 'timestamp';
  /** Milliseconds since 1970-01-01T00:00:00Z, a whole number. */ readonly ms: number;
};
/** A `TimeSpan` of .NET: a rule can compare it with another one, and copy it. */
export type Duration = { readonly kind: 'duration' /** Units of 100 ns. */; readonly ticks: bigint };
/** The value is `digits` times ten to the power of `exponent`. An action can only copy it. */
export type Decimal = {
  readonly kind: 'decimal';
  readonly digits: bigint;
  readonly exponent: number;
  /** The bytes that the sender wrote. */
  readonly encoded: Uint8Array;
};
/** A binary or a list: it exists, but every comparison with it is unknown. */
export type OtherValue = {
  readonly kind: 'other';
  /** The bytes that the sender wrote. An action can only copy them. */
  readonly encoded: Uint8Array;
};

export type RuleValue =
  /** The value of a property that is null, and of a system property that is not set. */
  | null
  | boolean
  /** A string, a symbol or a character. */
  | string
  /** An integer of any width. */
  | bigint
  /** A float or a double. */
  | number
  | Uuid
  | Timestamp
  | Duration
  | Decimal
  | OtherValue;

const INTEGER_BITS = 64;

/** Whether it is an integer or a double. A decimal is neither. */
export function isNumeric(value: RuleValue | undefined): value is bigint | number {
  return typeof value === 'bigint' || typeof value === 'number';
}

export function isInt64(value: bigint): boolean {
  return wrapInt64(value) === value;
}

/** Wraps round on overflow, as C# does by default. */
export function wrapInt64(value: bigint): bigint {
  return BigInt.asIntN(INTEGER_BITS, value);
}

/** Takes 32 hexadecimal digits, with or without hyphens, in any case. */
export function uuidValue(text: string): Uuid {
  return { kind: 'uuid', hex: text.replaceAll('-', '').toLowerCase() };
}

/**
 * The text that `+` joins, a system property takes and a correlation filter compares. Null, the unknown, durations and other
 * values have none. Booleans are `True` and `False`, because the service is written in .NET.
 */
export function valueText(value: RuleValue | undefined): string | undefined {
  switch (typeof value) {
    case 'string':
      return value;
    case 'bigint':
    case 'number':
      return String(value);
    case 'boolean':
      return value ? 'True' : 'False';
    case 'object':
      return value === null ? undefined : textOfObject(value);
    default:
      return undefined;
  }
}

function textOfObject(value: RuleValue & object): string | undefined {
  switch (value.kind) {
    case 'uuid':
      return hyphenated(value.hex);
    case 'timestamp':
      return formatTime(value.ms);
    case 'decimal':
      return decimalText(value);
    case 'duration':
    case 'other':
      return undefined;
    default:
      return value satisfies never;
  }
}

/** As .NET writes it: zeros at the end stay. */
function decimalText({ digits, exponent }: Decimal): string {
  if (exponent >= 0) return String(digits * 10n ** BigInt(exponent));
  const [sign, all] = digits < 0n ? ['-', String(-digits)] : ['', String(digits)];
  const padded = all.padStart(1 - exponent, '0');
  return `${sign}${padded.slice(0, exponent)}.${padded.slice(exponent)}`;
}

function hyphenated(hex: string): string {
  const [a, b, c, d] = [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20)];
  return `${a}-${b}-${c}-${d}-${hex.slice(20)}`;
}

/** A rule that fails on a message through no fault of the sender. TOP-09 says what happens then. */
export class RuleEvaluationError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'RuleEvaluationError';
  }
}
