// The clock's setting on the disk.

import { mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { ClockFile } from '../../src/steer/clock-file.js';

const STORED = { realTime: 1000, brokerTime: 5000, rate: 0, hiddenMs: 0 };

let directory: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'jitney-clock-file-'));
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));

test('what was written is read, also in a directory that was not there', async () => {
  const file = new ClockFile(join(directory, 'new'));
  await file.write(STORED);
  expect(await file.read()).toEqual(STORED);
});

test('it is written under a name that no link can already have', async () => {
  const other = join(directory, 'other');
  writeFileSync(other, 'as it was');
  symlinkSync(other, join(directory, 'clock.json.new'));
  await new ClockFile(directory).write(STORED);
  expect(readFileSync(other, 'utf8')).toBe('as it was');
  expect(readdirSync(directory)).toEqual(['clock.json', 'clock.json.new', 'other']);
});

test('the time of the machine leaves no file', async () => {
  const file = new ClockFile(directory);
  await file.write(STORED);
  await file.write(undefined);
  expect(readdirSync(directory)).toEqual([]);
  expect(await file.read()).toBeUndefined();
});

test.each([
  '',
  '{',
  '[]',
  '{"rate":1}',
  JSON.stringify({ ...STORED, rate: -1 }),
  JSON.stringify({ ...STORED, brokerTime: 1e16 }),
])('a file with %j is refused, with what to do', async (text) => {
  writeFileSync(join(directory, 'clock.json'), text);
  await expect(new ClockFile(directory).read()).rejects.toThrow(/clock\.json should hold .* Delete it/);
});
