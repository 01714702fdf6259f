// Compares secrets in a time that says nothing about them.

import { createHash, timingSafeEqual } from 'node:crypto';

/** Digests are equally long, whatever was given. */
export function isSameSecret(given: string, expected: string): boolean {
  return timingSafeEqual(digestOf(given), digestOf(expected));
}

function digestOf(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
