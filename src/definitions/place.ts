// Places in a file that is read.

import { type Path, within } from '../description/value-error.js';

/** Runs a reader, and puts the place in the file before the path of its problems. */
export function atPlace<T>(place: Path, read: () => T): T {
  return place.reduceRight<() => T>((inner, step) => () => within(step, inner), read)();
}
