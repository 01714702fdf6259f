// Seals: each value of the table begins with a checksum over its key and text, so that a row under the wrong key counts as damage.

import { crc32 } from 'node:zlib';

const SEAL_DIGITS = 8;

export type OpenedValue = { readonly seal: number; readonly text: string };

/** Returns the seal of a row, a number of 32 bits. */
export function sealOf(key: string, text: string): number {
  return crc32(text, crc32(key));
}

/** Returns the value of a row: its seal in hexadecimal digits, then its text. */
export function withSeal(seal: number, text: string): string {
  return seal.toString(16).padStart(SEAL_DIGITS, '0') + text;
}

/** Returns undefined if the value is damaged, or was written under another key. */
export function openValue(key: string, value: string): OpenedValue | undefined {
  const text = value.slice(SEAL_DIGITS);
  const seal = sealOf(key, text);
  return value.startsWith(withSeal(seal, '')) ? { seal, text } : undefined;
}
