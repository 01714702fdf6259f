// How much a test does that could go on for ever: little in `npm test`, and more in `npm run measure -- thorough`, which runs only such tests.

/** For a test of which `npm test` has a short version: `test.runIf(IS_THOROUGH)`. */
export const IS_THOROUGH = process.env.JITNEY_THOROUGH === '1';

/** A count for `npm test`, or the larger one for `npm run measure -- thorough`. */
export function countFor(usual: number, thorough: number): number {
  return IS_THOROUGH ? thorough : usual;
}
