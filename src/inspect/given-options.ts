// Checks the names of options, because JavaScript does not check their types.

import { suggestion } from '../description/suggestion.js';

/** Shows a given value in a message. A text is quoted, because the text '300' would look like a number. */
export function seenValue(value: unknown): string {
  return typeof value === 'string' ? `the text '${value}'` : String(value);
}

/** Throws a TypeError for options that are not a plain object, or have an unknown key, such as `timeout` for `timeoutMs`. */
export function checkKeys(of: string, given: unknown, known: readonly string[]): void {
  if (given === undefined) return;
  const names = known.join(', ');
  if (typeof given !== 'object' || given === null || Array.isArray(given)) {
    const seen = Array.isArray(given) ? 'an array' : String(given);
    throw new TypeError(`${of} takes an object with any of ${names}, not ${seen}.`);
  }
  const unknown = Object.keys(given).find((key) => !known.includes(key));
  if (unknown === undefined) return;
  throw new TypeError(`${of} has no option '${unknown}'; it has ${names}.${suggestion(unknown, known)}`);
}

/** Throws a TypeError for anything but bytes. */
export function checkSnapshot(given: unknown): Uint8Array {
  if (given instanceof Uint8Array) return given;
  throw new TypeError(`restore takes the Uint8Array that snapshot() has given, not ${seenValue(given)}.`);
}

/** Whether to reset the entities, too. Throws a TypeError. */
export function checkResetOptions(given: { readonly all?: boolean } = {}): boolean {
  checkKeys('reset', given, ['all']);
  const { all = false } = given;
  if (typeof all === 'boolean') return all;
  throw new TypeError(`The option 'all' of reset is ${JSON.stringify(all)}; give true or false.`);
}
