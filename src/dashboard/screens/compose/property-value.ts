// The value of an application property as it is typed, read for its type.

import { readDuration } from '../../state/duration.js';
import { describedProperty, type PropertyType, type SentProperty } from '../../state/property-text.js';

type Problem = { readonly problem: string };
type Read = { readonly value: SentProperty['value'] } | Problem;

const EXAMPLES = {
  uri: 'An address, such as https://contoso.com.',
  timespan: 'A duration, such as 5 min or PT5M.',
  'datetime-offset': 'A time in UTC, such as 2026-05-01T12:00:00Z.',
} as const;

const UUID = /^[\da-f]{8}-?(?:[\da-f]{4}-?){3}[\da-f]{12}$/i;
/** The least and the greatest integer of each type. */
const RANGES: Readonly<Partial<Record<PropertyType, readonly [least: bigint, most: bigint]>>> = {
  byte: [-128n, 127n],
  short: [-32_768n, 32_767n],
  int: [-2_147_483_648n, 2_147_483_647n],
  long: [-(2n ** 63n), 2n ** 63n - 1n],
  ubyte: [0n, 255n],
  ushort: [0n, 65_535n],
  uint: [0n, 4_294_967_295n],
  ulong: [0n, 2n ** 64n - 1n],
};

/** Durations are read as everywhere on the page: `5 min` and `PT5M`. */
export function readProperty(type: PropertyType, text: string): SentProperty | Problem {
  if (type === 'uri' || type === 'timespan' || type === 'datetime-offset') {
    const ms = type === 'timespan' ? readDuration(text) : undefined;
    const given = ms === undefined ? text.trim() : `PT${ms / 1000}S`;
    return describedProperty(type, given) ?? { problem: EXAMPLES[type] };
  }
  const read = readValue(type, text);
  return 'problem' in read ? read : { type, ...read };
}

function readValue(type: PropertyType, text: string): Read {
  const range = RANGES[type];
  if (range !== undefined) return readInteger(type, text.trim(), range);
  switch (type) {
    case 'null':
      return { value: null };
    case 'boolean':
      return /^(true|false)$/i.test(text.trim())
        ? { value: text.trim().toLowerCase() === 'true' }
        : { problem: 'true or false.' };
    case 'double':
    case 'float': {
      if (/^(NaN|-?Infinity)$/.test(text.trim())) return { value: text.trim() };
      const value = Number(text);
      return text.trim() === '' || !Number.isFinite(value)
        ? { problem: 'A number, such as 18.9.' }
        : { value };
    }
    case 'timestamp': {
      const time = Date.parse(text);
      return Number.isNaN(time)
        ? { problem: 'A time, such as 2026-05-01T12:00:00Z.' }
        : { value: new Date(time).toISOString() };
    }
    case 'uuid':
      return UUID.test(text.trim()) ? { value: text.trim() } : { problem: 'A UUID of 32 digits.' };
    case 'char':
      return [...text].length === 1 ? { value: text } : { problem: 'One character.' };
    default:
      return { value: text };
  }
}

function readInteger(type: PropertyType, text: string, [least, most]: readonly [bigint, bigint]): Read {
  if (!/^[+-]?\d{1,20}$/.test(text)) return { problem: 'A whole number.' };
  const value = BigInt(text.replace('+', ''));
  if (value < least || value > most) return { problem: `${type} is from ${least} to ${most}.` };
  const number = Number(value);
  // Beyond 2^53 the interface takes digits.
  return { value: Number.isSafeInteger(number) ? number : String(value) };
}
