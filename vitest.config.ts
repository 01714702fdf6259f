// How the tests run: `test/` is in-process on a virtual clock, `compat-tests/` drives the built product.
import { defineConfig } from 'vitest/config';
import { CoverageReporter } from './test/rules/coverage-reporter.js';
import { LongestFirst } from './test/support/longest-first.js';

export default defineConfig({
  test: {
    // Two cores are what a CI machine has; left alone, vitest would use one of them.
    maxWorkers: 2,
    sequence: { sequencer: LongestFirst },
    reporters: ['default', new CoverageReporter()],
    projects: [
      { test: { name: 'unit', include: ['test/**/*.test.ts'], testTimeout: 60_000 } },
      {
        test: {
          name: 'compat',
          include: ['compat-tests/**/*.test.ts'],
          testTimeout: 120_000,
          hookTimeout: 60_000,
        },
      },
    ],
  },
});
