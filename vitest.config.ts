// How the tests run: `test/` is in-process on a virtual clock, `compat-tests/` drives the built product.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { defineConfig } from 'vitest/config';
import { CoverageReporter } from './test/rules/coverage-reporter.js';
import { LongestFirst } from './test/support/longest-first.js';

// Emulators that tests start keep their certificate authority there, and not in the home of whoever runs the tests.
const userDirectory = mkdtempSync(join(tmpdir(), 'jitney-tests-'));
process.once('exit', () => rmSync(userDirectory, { recursive: true, force: true }));
const env = { XDG_CONFIG_HOME: userDirectory, LOCALAPPDATA: userDirectory };

export default defineConfig({
  test: {
    // Two cores are what a CI machine has; left alone, vitest would use one of them.
    maxWorkers: 2,
    sequence: { sequencer: LongestFirst },
    reporters: ['default', new CoverageReporter()],
    projects: [
      { test: { name: 'unit', include: ['test/**/*.test.ts'], testTimeout: 60_000, env } },
      {
        test: {
          name: 'compat',
          env,
          include: ['compat-tests/**/*.test.ts'],
          testTimeout: 120_000,
          hookTimeout: 60_000,
        },
      },
    ],
  },
});
