// Starts the longest test files first, so that neither core of a clean clone waits for the other at the end of a run.

import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Files that work for tens of seconds, longest first. Vitest orders what it has not run before by size. */
const LONGEST: readonly string[] = [
  'compat-tests/page/safety.test.ts',
  'test/simulation/simulation.test.ts',
  'compat-tests/readme.test.ts',
  'compat-tests/page/outage.test.ts',
  'compat-tests/page/layout.test.ts',
  'compat-tests/page/timeline.test.ts',
  'compat-tests/page/screens.test.ts',
  'compat-tests/page/lists.test.ts',
  'compat-tests/page/hour.test.ts',
  'compat-tests/command-line.test.ts',
  'compat-tests/copy.test.ts',
  'compat-tests/message-commands.test.ts',
];

export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    return sorted.toSorted((one, other) => rankOf(one) - rankOf(other));
  }
}

function rankOf({ moduleId }: TestSpecification): number {
  const rank = LONGEST.findIndex((path) => moduleId.endsWith(path));
  return rank < 0 ? LONGEST.length : rank;
}
