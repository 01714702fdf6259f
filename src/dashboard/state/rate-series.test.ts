import { describe, expect, it } from 'vitest';
import { gapsOf, linePath, rateOfNow } from './rate-series.js';

describe('the rate of now', () => {
  it('is the mean of the last five seconds', () => {
    expect(rateOfNow([100, 1, 2, 3, 4, 5], 1000)).toBe(3);
    expect(rateOfNow([7, 20], 10_000)).toBe(2);
  });

  it('leaves out what nobody counted, and is unknown when that is all', () => {
    expect(rateOfNow([null, null, 4, null, 6], 1000)).toBe(5);
    expect(rateOfNow([3, null, null, null, null, null], 1000)).toBeUndefined();
    expect(rateOfNow([], 1000)).toBeUndefined();
  });
});

describe('the line of a rate', () => {
  const BOX = { width: 4, height: 12, most: 10 };

  it('goes from the bottom to the top of its box', () => {
    expect(linePath([0, 10, 5], BOX)).toBe('M0.0 11.0h0.1L2.0 1.0L4.0 6.0');
  });

  it('breaks off in a gap, and a point between two gaps is drawn', () => {
    expect(linePath([null, 10, null, 0, 0], BOX)).toBe('M1.0 1.0h0.1M3.0 11.0h0.1L4.0 11.0');
    expect(linePath([null, null], BOX)).toBe('');
  });
});

it('the gaps of a rate are where nobody counted', () => {
  expect(gapsOf([null, null, 0, 1, null, 2, null])).toEqual([
    { from: 0, to: 2 },
    { from: 4, to: 5 },
    { from: 6, to: 7 },
  ]);
  expect(gapsOf([0, 1])).toEqual([]);
});
