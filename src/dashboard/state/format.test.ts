import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import {
  bytesText,
  clientName,
  dateTimeText,
  durationText,
  linkClientName,
  numberText,
  rateText,
  shortName,
  shownText,
  spokenPath,
  timeText,
} from './format.js';

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

describe('numbers', () => {
  it('have a comma for each thousand', () => {
    expect([0, 999, 1284, 1_000_000].map(numberText)).toEqual(['0', '999', '1,284', '1,000,000']);
  });

  it.each([
    [0, '0'],
    [0.2, '0.2'],
    [41.84, '41.8'],
    [100, '100'],
    [1284.4, '1,284'],
  ])('of %s a second are written as %s', (rate, expected) => {
    expect(rateText(rate)).toBe(expected);
  });

  it.each([
    [0, '0 B'],
    [999, '999 B'],
    [1000, '1.0 KB'],
    [9960, '10 KB'],
    [262_144, '262 KB'],
    [999_499, '999 KB'],
    [999_500, '1.0 MB'],
    [1_900_000, '1.9 MB'],
    [5e15, '5000 TB'],
  ])('of %s bytes are written as %s', (bytes, expected) => {
    expect(bytesText(bytes)).toBe(expected);
  });
});

describe('a duration', () => {
  it.each([
    [-5, '0.0 s'],
    [0, '0.0 s'],
    [440, '0.4 s'],
    [9949, '9.9 s'],
    [9950, '10 s'],
    [10_999, '10 s'],
    [59_999, '59 s'],
    [MINUTE, '1 min'],
    [72 * SECOND, '1 min 12 s'],
    [HOUR - 1, '59 min 59 s'],
    [HOUR, '1 h'],
    [4 * HOUR + 5 * MINUTE + 59 * SECOND, '4 h 5 min'],
    [DAY - 1, '23 h 59 min'],
    [3 * DAY + 2 * HOUR, '3 d 2 h'],
    [400 * DAY, '400 d'],
  ])('of %s ms is written as %s', (ms, expected) => {
    expect(durationText(ms)).toBe(expected);
  });
});

describe('a time', () => {
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['Date'], now: new Date(2026, 4, 1, 12) });
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  it('has milliseconds, and midnight is zero', () => {
    expect(timeText(new Date(2026, 4, 1, 0, 0, 5, 7).getTime())).toBe('00:00:05.007');
    expect(timeText(new Date(2026, 4, 1, 14, 31, 25).toISOString(), { withMs: false })).toBe('14:31:25');
  });

  it('has its day if that is another', () => {
    expect(dateTimeText(new Date(2026, 4, 1, 23, 59, 59, 1).getTime())).toBe('23:59:59.001');
    expect(dateTimeText(new Date(2026, 4, 2, 0, 0, 1, 1).getTime())).toBe('2 May, 00:00:01');
  });
});

describe('a text from a sender', () => {
  it.each([
    ['control characters', '\u0000\u001b[31m\u007f\u0085', '\\u0000\\u001b[31m\\u007f\\u0085'],
    ['a return of the carriage', 'a\r\nb', 'a\\u000d\nb'],
    ['a change of direction', '\u202eabc\u2066\u200f\u061c', '\\u202eabc\\u2066\\u200f\\u061c'],
    ['separators of lines', 'a\u2028b\u2029', 'a\\u2028b\\u2029'],
    ['a mark of byte order', '\ufeffa', '\\ufeffa'],
  ])('shows %s', (_, text, expected) => {
    expect(shownText(text)).toBe(expected);
  });

  it('keeps all other signs', () => {
    const text = '\tأ ü 🙂 <b>&amp;</b>\n\u200d';
    expect(shownText(text)).toBe(text);
  });

  it('is cut at its most', () => {
    expect(shownText('abcdef', 3)).toBe('abc…');
    expect(shownText('abc', 3)).toBe('abc');
    expect(shownText('x'.repeat(500))).toHaveLength(401);
  });
});

describe('a path', () => {
  it.each([
    ['orders', 'orders', 'orders'],
    ['a/b', 'b', 'a/b'],
    ['events/Subscriptions/eu', 'eu', 'events/eu'],
    ['events/subscriptions/eu/$deadletterqueue', '$deadletterqueue', 'events/eu (dead-letter)'],
    ['orders/$DeadLetterQueue', '$DeadLetterQueue', 'orders (dead-letter)'],
    ['orders/$Transfer/$DeadLetterQueue', '$DeadLetterQueue', 'orders (transfer dead-letter)'],
  ])('%s is %s for short, and %s in words', (path, short, spoken) => {
    expect([shortName(path), spokenPath(path)]).toEqual([short, spoken]);
  });
});

describe('a client', () => {
  it('is called by its label and identifier, with signs that would do harm shown', () => {
    expect(clientName({ name: 'x', label: 'a\u202e :5', identifier: 'worker-1' })).toBe(
      'a\\u202e :5, worker-1',
    );
    expect(clientName({ name: 'x', label: 'x'.repeat(200) })).toBe(`${'x'.repeat(80)}…`);
    expect(clientName(undefined)).toBe('nobody');
  });

  it('of a link has no identifier that its SDK made up', () => {
    const made = 'orders-3f2504e0-4f89-41d3-9a0c-0305e82c3301';
    expect([linkClientName('JavaScript 7.9.5 :5', made), linkClientName('a :5', 'b')]).toEqual([
      'JavaScript 7.9.5 :5',
      'a :5, b',
    ]);
  });
});
