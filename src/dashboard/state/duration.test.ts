import { expect, it } from 'vitest';
import { readDuration, spokenDuration } from './duration.js';

it.each([
  [30, '30 ms'],
  [1500, '1500 ms'],
  [30_000, '30 s'],
  [90_000, '90 s'],
  [300_000, '5 min'],
  [129_600_000, '36 h'],
  [1_209_600_000, '14 d'],
  [0, '0 s'],
])('%d ms are written as %s, and read again', (ms, text) => {
  expect(spokenDuration(ms)).toBe(text);
  expect(readDuration(text)).toBe(ms);
});

it('reads no number without a unit', () => {
  expect(readDuration('30')).toBeUndefined();
});
