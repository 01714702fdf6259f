// The file of a log: appended to, made with its directory, complete at the end, and never a reason for an emulator to stop.

import { mkdtempSync, readFileSync, rmSync, writeFileSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { LogFile } from '../../../src/cli/output/log-file.js';

let directory: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'jitney-log-'));
});
afterEach(() => rmSync(directory, { recursive: true }));

const noTrouble = (reason: string) => expect.unreachable(reason);

test('it is made with its directory, and lines are appended to the lines of earlier starts', () => {
  const path = join(directory, 'logs', 'today', 'jitney.log');
  for (const start of ['first', 'second']) {
    const file = new LogFile(path, noTrouble);
    file.write(`${start} ü\n`);
    file.write('end\n');
    file.close();
  }
  expect(readFileSync(path, 'utf8')).toBe('first ü\nend\nsecond ü\nend\n');
});

test('many lines are written before anybody closes it', () => {
  const path = join(directory, 'jitney.log');
  const file = new LogFile(path, noTrouble);
  const line = `${'x'.repeat(999)}\n`;
  for (let count = 0; count < 200; count++) file.write(line);
  expect(readFileSync(path, 'utf8').length).toBeGreaterThanOrEqual(128_000);
  file.close();
  expect(readFileSync(path, 'utf8')).toBe(line.repeat(200));
});

test('a process that exits without closing it loses nothing', () => {
  const path = join(directory, 'jitney.log');
  const before = process.listeners('exit');
  const file = new LogFile(path, noTrouble);
  file.write('the last words\n');
  const added = process.listeners('exit').filter((listener) => !before.includes(listener));
  for (const listener of added) listener(1);
  expect(readFileSync(path, 'utf8')).toBe('the last words\n');
  file.close();
  expect(process.listeners('exit')).toEqual(before);
});

test('what comes after the end is dropped', () => {
  const path = join(directory, 'jitney.log');
  const file = new LogFile(path, noTrouble);
  file.close();
  file.write('too late\n');
  expect(readFileSync(path, 'utf8')).toBe('');
});

test('a path that is a directory, or lies in a file, is refused in one sentence', () => {
  writeFileSync(join(directory, 'file'), '');
  for (const [path, reason] of [
    [directory, 'EISDIR: illegal operation on a directory'],
    [join(directory, 'file', 'jitney.log'), 'E[A-Z]+: [a-z ]+'],
  ] as const) {
    expect(() => new LogFile(path, noTrouble)).toThrow(
      expect.objectContaining({
        code: 'JIT3005',
        message: expect.stringMatching(new RegExp(`^The log file ${path} cannot be written: ${reason}$`)),
      }),
    );
  }
});

test('while it cannot be written it says so once, and keeps the lines until it can', () => {
  const path = join(directory, 'jitney.log');
  const reasons: string[] = [];
  let isFull = true;
  const file = new LogFile(
    path,
    (reason) => reasons.push(reason),
    (descriptor, bytes) => {
      if (isFull) throw new Error('ENOSPC: no space left on device, write');
      return writeSync(descriptor, bytes.subarray(0, 4));
    },
  );
  file.write('first\n');
  file.flush();
  file.write('second\n');
  file.flush();
  expect(reasons).toEqual(['ENOSPC: no space left on device']);
  isFull = false;
  file.flush();
  expect(readFileSync(path, 'utf8')).toBe('first\nsecond\n');
  isFull = true;
  file.write('third\n');
  file.flush();
  expect(reasons).toHaveLength(2);
  file.close();
});
