// The assertions of the hot loops: node's own are slow when they are called some million times.

import { inspect } from 'node:util';

export function check(condition: boolean, problem: string): asserts condition {
  if (!condition) throw new Error(problem);
}

/** For plain values. */
export function checkSame(actual: unknown, expected: unknown, problem: string): void {
  if (!Object.is(actual, expected))
    throw new Error(`${problem}: ${inspect(actual)}, not ${inspect(expected)}`);
}
