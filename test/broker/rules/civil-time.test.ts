// Timestamps as text and back, against JavaScript's own calendar.

import fc from 'fast-check';
import { expect, it } from 'vitest';
import { formatTime, parseTime } from '../../../src/broker/rules/civil-time.js';

const YEAR_0 = -62_167_219_200_000;
const YEAR_10000 = 253_402_300_800_000;
/** 2100-03-01: there is no 29 February before it. */
const CENTURY = 4_107_542_400_000;
const instant = fc.integer({ min: YEAR_0, max: YEAR_10000 - 1 });

it('a time is written as ISO 8601 has it, and read again', () => {
  fc.assert(
    fc.property(instant, (ms) => {
      const text = new Date(ms).toISOString();
      expect(formatTime(ms)).toBe(text);
      expect(parseTime(text)).toBe(ms);
    }),
    {
      numRuns: 5000,
      examples: [[0], [-1], [951_782_400_000], [CENTURY], [CENTURY - 1], [YEAR_0], [YEAR_10000 - 1]],
    },
  );
});

it.each([
  ['2026-11-21', 1_795_219_200_000],
  ['2026-11-21 10:14', 1_795_256_040_000],
  ['2026-11-21T10:14:04', 1_795_256_044_000],
  ['2026-11-21t10:14:04.25z', 1_795_256_044_250],
  ['2026-11-21T10:14:04.1234567Z', 1_795_256_044_123],
  ['2026-11-21T12:14:04+02:00', 1_795_256_044_000],
  ['2026-11-21T05:44:04-04:30', 1_795_256_044_000],
  [' 2024-02-29 ', 1_709_164_800_000],
])('%s is a time', (text, ms) => {
  expect(parseTime(text)).toBe(ms);
});

it.each(['', 'soon', '2026', '2026-13-01', '2026-00-10', '2026-02-29', '2026-04-31', '2026-01-00'])(
  '%j is no time',
  (text) => {
    expect(parseTime(text)).toBeUndefined();
  },
);

it.each(['2026-01-01T24:00', '2026-01-01T10:60', '2026-01-01T10:00:60', '2026-01-01T10', '2026-01-01+1'])(
  '%j is no time either',
  (text) => {
    expect(parseTime(text)).toBeUndefined();
  },
);

it('times far beyond the calendar are written all the same', () => {
  expect(formatTime(Number.MAX_SAFE_INTEGER)).toBe('287396-10-12T08:59:00.991Z');
  expect(formatTime(YEAR_0 - 1)).toBe('-0001-12-31T23:59:59.999Z');
});
