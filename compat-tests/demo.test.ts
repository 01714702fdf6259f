// `npm run demo` is what many people see first: it must run through.

import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { RunningProcess } from './support/running-process.js';

const DEMO = fileURLToPath(new URL('demo.ts', import.meta.url));

test('the demo runs through and says so', async () => {
  const demo = new RunningProcess(['--import', 'tsx', DEMO]);
  const exit = await demo.endedWithin(60_000);
  expect(exit, demo.output).toEqual({ code: 0, signal: null });
  expect(demo.output).toContain('All as it would be in Azure');
  expect(demo.stderr).toBe('');
});
