// Parses and checks the values in rows of JSON.

import { NEVER } from '../../../broker/contract/instant.js';

type Reviver = (key: string, value: { readonly never?: unknown } | null) => unknown;

export function parseObject(row: string, reviver?: Reviver): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(row, reviver);
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && Number(value) >= 0;
}

export function isTextOrAbsent(value: unknown): value is string | undefined {
  return value === undefined || typeof value === 'string';
}

export function isTextOrNull(value: unknown): value is string | null {
  return value === null || typeof value === 'string';
}

/** Also accepts a duration in milliseconds. */
export function isInstant(value: unknown): value is number {
  return typeof value === 'number' && Number.isFinite(value);
}

/** Reads an instant that is left out when it is `NEVER`, as most are. Returns undefined for any other value. */
export function readEndless(value: unknown): number | undefined {
  if (value === undefined) return NEVER;
  return isInstant(value) ? value : undefined;
}
