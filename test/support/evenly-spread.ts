// The order of the test files: the longest first, so that no core waits for the other at the end of a run; and those that wait for other
// programs evenly among those that work, so that neither core waits in the middle.

import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Files that take five seconds and more, longest first. Vitest orders what it has not run before by size. */
const LONGEST: readonly string[] = [
  'test/simulation/simulation.test.ts',
  'compat-tests/readme.test.ts',
  'compat-tests/crowd.test.ts',
  'compat-tests/page/safety.test.ts',
  'compat-tests/page/outage.test.ts',
  'compat-tests/page/screens.test.ts',
  'compat-tests/session-load.test.ts',
  'compat-tests/page/layout.test.ts',
  'compat-tests/page/hour.test.ts',
  'compat-tests/page/lists.test.ts',
  'compat-tests/page/timeline.test.ts',
  'test/regular-expressions.test.ts',
  'test/fuzz/fuzz.test.ts',
  'compat-tests/samples/runner.test.ts',
  'compat-tests/entity-commands.test.ts',
  'compat-tests/message-commands.test.ts',
  'compat-tests/copy-without-marks.test.ts',
  'compat-tests/descriptors.test.ts',
];

export class EvenlySpread extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const longestFirst = (await super.sort(files)).toSorted((one, other) => rankOf(one) - rankOf(other));
    const waiting = longestFirst.filter(isWaiting);
    const working = longestFirst.filter((file) => !isWaiting(file));
    return [...placesOf(waiting), ...placesOf(working)]
      .toSorted((one, other) => one.place - other.place)
      .map(({ file }) => file);
  }
}

/** Whether it mostly waits: for the built product, a browser, or the end of a lock. */
function isWaiting({ moduleId }: TestSpecification): boolean {
  return /\/(?:compat-tests|examples)\//.test(moduleId);
}

/** Each file with its place in the run, from 0 to 1. */
function placesOf(files: readonly TestSpecification[]) {
  return files.map((file, index) => ({ file, place: index / files.length }));
}

function rankOf({ moduleId }: TestSpecification): number {
  const rank = LONGEST.findIndex((path) => moduleId.endsWith(path));
  return rank < 0 ? LONGEST.length : rank;
}
