// What a person reads when the machine's clock was ahead during the last run.

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { startEmulator } from '../src/emulator.js';

const NOW = Date.UTC(2030, 0, 1);
const YEAR = 365 * 24 * 3_600_000;

/** The warnings of a start at this time of the machine. */
async function warningsAt(time: number, dataDirectory: string): Promise<string[]> {
  vi.setSystemTime(time);
  const warnings: string[] = [];
  const emulator = await startEmulator({
    dataDirectory,
    queues: ['orders'],
    port: 0,
    log: (level, text) => level === 'warn' && warnings.push(text),
  });
  await emulator.stop();
  return warnings;
}

test('a start after a clock that was ahead warns once, and says by how much', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'jitney-clock-'));
  onTestFinished(() => rm(directory, { recursive: true, force: true }));
  vi.useFakeTimers({ toFake: ['Date'] });
  onTestFinished(() => {
    vi.useRealTimers();
  });
  expect(await warningsAt(NOW + YEAR, directory)).toEqual([]);
  const warnings = await warningsAt(NOW, directory);
  expect(warnings).toHaveLength(1);
  expect(warnings[0]).toContain('365 days behind');
  expect(await warningsAt(NOW + 1000, directory)).toEqual([]);
});
