// Time spans and times of .NET as text, and back.

import { expect, it } from 'vitest';
import { offsetText, readOffset, readSpan, spanText } from '../../src/content/ticks.js';

it.each([
  ['PT0S', 0n],
  ['PT5S', 50_000_000n],
  ['PT0.0000001S', 1n],
  ['-PT1M0.5S', -605_000_000n],
  ['P10675199DT2H48M5.4775807S', 9_223_372_036_854_775_807n],
  ['P1D', 864_000_000_000n],
  ['PT1H30M', 54_000_000_000n],
])('the time span %s is %d ticks', (text, ticks) => {
  expect([readSpan(text), spanText(ticks)]).toEqual([ticks, text]);
});

it.each([
  ['0001-01-01T00:00:00Z', 0n],
  ['1970-01-01T00:00:00Z', 621_355_968_000_000_000n],
  ['2026-05-01T12:00:00.1234567Z', 639_132_336_001_234_567n],
  ['9999-12-31T23:59:59.9999999Z', 3_155_378_975_999_999_999n],
])('the time %s is %d ticks', (text, ticks) => {
  expect([readOffset(text), offsetText(ticks)]).toEqual([ticks, text]);
});

it.each(['', 'P', 'PT', '5', 'PT1X', 'P1DT', '00:00:05'])('%j is no time span', (text) => {
  expect(readSpan(text)).toBeUndefined();
});

it.each(['', '2026-05-01', '2026-13-01T00:00:00Z', '2026-05-01T12:00:00+02:00'])('%j is no time', (text) => {
  expect(readOffset(text)).toBeUndefined();
});
