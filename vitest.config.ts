// How the tests run: `test/`, `tools/` and the tests of the page beside its files in one process on a virtual clock, `compat-tests/` against the built product.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { defineConfig } from 'vitest/config';
import { EvenlySpread } from './test/support/evenly-spread.js';
import { CoverageReporter } from './tools/rules/coverage-reporter.js';

// Emulators that tests start keep their certificate authority and compiled code there, and not in the home of whoever runs the tests.
const userDirectory = mkdtempSync(join(tmpdir(), 'jitney-tests-'));
process.once('exit', () => rmSync(userDirectory, { recursive: true, force: true }));

export default defineConfig({
  test: {
    include: [
      'test/**/*.test.ts',
      'tools/**/*.test.ts',
      'src/dashboard/**/*.test.ts',
      'compat-tests/**/*.test.ts',
      'examples/javascript/*.test.mjs',
    ],
    // Last limits, so that a machine which has much else to do fails no test.
    testTimeout: 240_000,
    hookTimeout: 120_000,
    // Two cores are what a CI machine has; the others use them while a test waits for another program, a browser or the end of a lock.
    maxWorkers: 4,
    // The files of a worker share loaded modules: loading them anew for each file took a third of the time.
    isolate: false,
    // A large young generation is collected rarely, and one thread does it with less work in all: the simulation takes a tenth less.
    execArgv: ['--min-semi-space-size=64', '--max-semi-space-size=64', '--single-threaded-gc'],
    // What was compiled is kept in node_modules and found by its contents: the next run compiles what has changed.
    experimental: { fsModuleCache: true },
    sequence: { sequencer: EvenlySpread },
    setupFiles: ['test/support/random-values.ts', 'test/support/overwritten-reads.ts'],
    reporters: ['default', new CoverageReporter()],
    env: {
      XDG_CONFIG_HOME: userDirectory,
      XDG_CACHE_HOME: userDirectory,
      LOCALAPPDATA: userDirectory,
    },
  },
});
