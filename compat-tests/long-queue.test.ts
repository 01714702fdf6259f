// The benchmark of a very long queue in small: nothing is asserted on speed, only that all of it comes through `kill -9` and the drain.

import { expect, test } from 'vitest';
import { formatMillion } from '../tools/bench/million/million-report.js';
import { runMillion } from '../tools/bench/million/run-million.js';
import { temporaryDirectory } from './support/temporary-directory.js';

const MESSAGE_COUNT = 5_000;
const KILOBYTE = 1024;

test('5,000 waiting messages outlive kill -9, and four receivers get each of them once and in order [RCV-04, RCV-07, SEQ-02]', async () => {
  await using directory = await temporaryDirectory();
  const lines: string[] = [];
  const figures = await runMillion({
    messageCount: MESSAGE_COUNT,
    directory: directory.path,
    restartCount: 1,
    restMs: 0,
    tell: (line) => lines.push(line),
  });

  expect(lines).toContain('sent 5,000 of 5,000');
  expect(lines).toContain('completed 5,000 of 5,000');
  expect(figures.diskBytes.full).toBeGreaterThan(MESSAGE_COUNT * KILOBYTE);
  expect(formatMillion(figures)).toContain('5,000 messages of 1 KB waiting');
});
