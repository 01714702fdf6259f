// Durations in the texts of errors, as .NET writes them.

import { expect, test } from 'vitest';
import { formatTimeSpan } from '../../src/amqp/time-span.js';

test.each([
  [0, '00:00:00'],
  [65_000, '00:01:05'],
  [4_969, '00:00:04.9690000'],
  [59_999, '00:00:59.9990000'],
  [7, '00:00:00.0070000'],
  [600_000, '00:10:00'],
  [86_399_000, '23:59:59'],
  [86_400_000, '1.00:00:00'],
  [2 ** 31 - 1, '24.20:31:23.6470000'],
])('%s milliseconds are %s', (durationMs, text) => {
  expect(formatTimeSpan(durationMs)).toBe(text);
});
