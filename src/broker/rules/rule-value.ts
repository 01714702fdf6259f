// The values a rule computes with; what is missing is no value at all but `undefined`, the unknown of three-valued logic.

export type Uuid = { readonly kind: 'uuid' /** 32 hexadecimal digits, lower case. */; readonly hex: string };
export type Timestamp = {
  readonly kind: 'timestamp';
  /** Milliseconds since 1970-01-01T00:00:00Z, a whole number. */ readonly ms: number;
};
/** A `TimeSpan` of .NET: compared with its like, and copied. */
export type Duration = { readonly kind: 'duration' /** Of 100 ns. */; readonly ticks: bigint };
/** Binary, decimal, lists: there, but compared with nothing. */
export type OtherValue = {
  readonly kind: 'other';
  /** As the sender wrote it; an action can only copy it. */
  readonly encoded: Uint8Array;
};

export type RuleValue =
  /** A property whose value is null, or a system property that is not set. */
  | null
  | boolean
  /** Also symbols and characters. */
  | string
  /** An integer of any width. */
  | bigint
  /** A float or a double. */
  | number
  | Uuid
  | Timestamp
  | Duration
  | OtherValue;

/** The truth of a condition: true, false or unknown. */
export type Truth = boolean | undefined;

const INTEGER_BITS = 64;

export function isNumeric(value: RuleValue | undefined): value is bigint | number {
  return typeof value === 'bigint' || typeof value === 'number';
}

export function isInt64(value: bigint): boolean {
  return wrapInt64(value) === value;
}

/** As C# does unless told otherwise: what does not fit wraps round. */
export function wrapInt64(value: bigint): bigint {
  return BigInt.asIntN(INTEGER_BITS, value);
}

/** From 32 hexadecimal digits, with or without hyphens, in any case. */
export function uuidOf(text: string): Uuid {
  return { kind: 'uuid', hex: text.replaceAll('-', '').toLowerCase() };
}
