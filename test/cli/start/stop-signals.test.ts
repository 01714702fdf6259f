// The first signal asks for a clean stop, the second one ends the process.

import { EventEmitter } from 'node:events';
import { expect, test } from 'vitest';
import { onStopSignal } from '../../../src/cli/start/stop-requests.js';

test.each([
  ['SIGINT', 'SIGINT', 130],
  ['SIGTERM', 'SIGTERM', 143],
  ['SIGINT', 'SIGTERM', 143],
  ['SIGHUP', 'SIGTERM', 143],
  ['SIGTERM', 'SIGHUP', 129],
])('after %s a clean stop is asked for, and %s then exits with %d', async (first, second, exitCode) => {
  const source = new EventEmitter();
  const exits: number[] = [];
  const asked = onStopSignal(source, (code) => exits.push(code));
  source.emit(first, first);
  expect(await asked).toBe(first);
  expect(exits).toEqual([]);
  source.emit(second, second);
  expect(exits).toEqual([exitCode]);
});
