// How the tests run: `test/` and the tests of the page beside its files in one process on a virtual clock, `compat-tests/` against the built product, and the tests of `tools/`.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { defineConfig } from 'vitest/config';
import { LongestFirst } from './test/support/longest-first.js';
import { CoverageReporter } from './tools/rules/coverage-reporter.js';

// Emulators that tests start keep their certificate authority and compiled code there, and not in the home of whoever runs the tests.
const userDirectory = mkdtempSync(join(tmpdir(), 'jitney-tests-'));
process.once('exit', () => rmSync(userDirectory, { recursive: true, force: true }));
const env = {
  XDG_CONFIG_HOME: userDirectory,
  XDG_CACHE_HOME: userDirectory,
  LOCALAPPDATA: userDirectory,
};

export default defineConfig({
  test: {
    // Two cores are what a CI machine has; the third worker uses them while others wait for a lock to end or a browser to draw.
    maxWorkers: 3,
    // What was compiled is kept in node_modules and found by its contents: the next run compiles what has changed.
    experimental: { fsModuleCache: true },
    sequence: { sequencer: LongestFirst },
    reporters: ['default', new CoverageReporter()],
    projects: [
      {
        test: {
          name: 'unit',
          include: ['test/**/*.test.ts', 'tools/**/*.test.ts', 'src/dashboard/**/*.test.ts'],
          testTimeout: 60_000,
          // The files of a worker share loaded modules: loading them anew for each file took a third of the time.
          isolate: false,
          setupFiles: ['test/support/random-values.ts', 'test/support/overwritten-reads.ts'],
          env,
        },
      },
      {
        test: {
          name: 'compat',
          env,
          include: ['compat-tests/**/*.test.ts', 'examples/javascript/*.test.mjs'],
          testTimeout: 240_000,
          hookTimeout: 120_000,
          isolate: false,
        },
      },
    ],
  },
});
