// Durations: every form that people, SDKs and .NET write, and what is said about the others.

import { expect, test } from 'vitest';
import { NEVER } from '../../src/broker/contract/instant.js';
import { formatDuration, parseDuration, parseSpan } from '../../src/description/duration.js';
import { ValueError } from '../../src/description/value-error.js';

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

test.each([
  ['PT30S', 30 * SECOND],
  ['PT5M', 5 * MINUTE],
  ['PT1H', HOUR],
  ['P1D', DAY],
  ['P1DT12H', 36 * HOUR],
  ['P2W', 14 * DAY],
  ['P1Y2M3D', (365 + 60 + 3) * DAY],
  ['P1DT2H3M4.5S', DAY + 2 * HOUR + 3 * MINUTE + 4.5 * SECOND],
  ['PT0S', 0],
  ['PT0.5S', 500],
  ['PT1.1S', 1100],
  ['PT90M', 90 * MINUTE],
])('the ISO 8601 duration %s is %d milliseconds', (text, milliseconds) => {
  expect(parseDuration(text)).toBe(milliseconds);
});

test.each([
  ['00:01:00', MINUTE],
  ['1.02:03:04.5', DAY + 2 * HOUR + 3 * MINUTE + 4.5 * SECOND],
  ['23:59:59.9990000', DAY - 1],
])('the .NET TimeSpan text %s is %d milliseconds', (text, milliseconds) => {
  expect(parseDuration(text)).toBe(milliseconds);
});

test.each(['P10675199DT2H48M5.4775807S', 'P10675199DT2H48M5.477S', '10675199.02:48:05.4775807'])(
  'the longest TimeSpan %s means never',
  (text) => {
    expect(parseDuration(text)).toBe(NEVER);
  },
);

test('a duration longer than the longest TimeSpan is refused', () => {
  expect(() => parseDuration('P10675200D')).toThrow(
    'must not be longer than P10675199DT2H48M5.4775807S (never), but "P10675200D" is',
  );
});

test.each([
  ['90', 90 * SECOND],
  ['0.5', 500],
  ['10s', 10 * SECOND],
  ['5m', 5 * MINUTE],
  ['2d', 2 * DAY],
  ['PT5M', 5 * MINUTE],
])('people may type %s', (text, milliseconds) => {
  expect(parseSpan(text)).toBe(milliseconds);
});

test.each([
  ['soon', DAY, 'must be a duration such as PT20S, or a number of seconds, not "soon"'],
  [
    'P99999999D',
    undefined,
    'must not be longer than P10675199DT2H48M5.4775807S (never), but "P99999999D" is',
  ],
  ['86401', DAY, 'must not be longer than P1D, but "86401" is'],
  ['P99999999D', DAY, 'must not be longer than P1D, but "P99999999D" is'],
])('of the time %s it is said whether it is none or too long', (text, longestMs, message) => {
  const read = () => parseSpan(text, longestMs === undefined ? {} : { longestMs });
  expect(read).toThrow(new ValueError(message));
});

test.each([
  '',
  '5',
  '5 minutes',
  'P',
  'PT',
  'P1DT',
  'PT1D',
  '-PT5S',
  'PT5',
  'pt5s',
  '24:00:00',
  '1:2',
  ' PT5S',
])('the text "%s" is not a duration', (text) => {
  expect(() => parseDuration(text)).toThrow(
    `must be a duration such as PT30S, P1DT12H or 00:05:00, not "${text}"`,
  );
});

test.each([
  [0, 'PT0S'],
  [500, 'PT0.5S'],
  [5 * MINUTE, 'PT5M'],
  [DAY, 'P1D'],
  [DAY + 2 * HOUR + 3 * MINUTE + 4.5 * SECOND, 'P1DT2H3M4.5S'],
  [NEVER, 'P10675199DT2H48M5.4775807S'],
])('%d milliseconds are written %s, which reads back the same', (milliseconds, text) => {
  expect(formatDuration(milliseconds)).toBe(text);
  expect(parseDuration(text)).toBe(milliseconds);
});
