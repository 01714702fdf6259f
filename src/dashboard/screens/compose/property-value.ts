// The value of an application property as it is typed, read for its type.

import type { SentProperty, SentType } from '../../state/sendable.js';

type Read = { readonly value: SentProperty['value'] } | { readonly problem: string };

const UUID = /^[\da-f]{8}-?(?:[\da-f]{4}-?){3}[\da-f]{12}$/i;
/** The least and the greatest integer of each type. */
const RANGES: Readonly<Partial<Record<SentType, readonly [least: bigint, most: bigint]>>> = {
  byte: [-128n, 127n],
  short: [-32_768n, 32_767n],
  int: [-2_147_483_648n, 2_147_483_647n],
  long: [-(2n ** 63n), 2n ** 63n - 1n],
  ubyte: [0n, 255n],
  ushort: [0n, 65_535n],
  uint: [0n, 4_294_967_295n],
  ulong: [0n, 2n ** 64n - 1n],
};

export function readProperty(type: SentType, text: string): Read {
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

function readInteger(type: SentType, text: string, [least, most]: readonly [bigint, bigint]): Read {
  if (!/^[+-]?\d{1,20}$/.test(text)) return { problem: 'A whole number.' };
  const value = BigInt(text.replace('+', ''));
  if (value < least || value > most) return { problem: `${type} is from ${least} to ${most}.` };
  const number = Number(value);
  // Beyond 2^53 the interface takes digits.
  return { value: Number.isSafeInteger(number) ? number : String(value) };
}
