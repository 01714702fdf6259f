import { describe, expect, it } from 'vitest';
import { differingStarts } from './differing-text.js';

const shown = (...texts: readonly string[]) =>
  differingStarts(texts).map((start, index) => texts[index]?.slice(start));

describe('texts in a list', () => {
  it('are shown from the field in which those that begin alike first differ', () => {
    const order = (city: string) => `{"kind":"order","currency":"EUR","address":{"city":"${city}"}}`;
    expect(shown(order('Oslo'), order('Bergen'), order('Oslo'))).toEqual([
      '"city":"Oslo"}}',
      '"city":"Bergen"}}',
      '"city":"Oslo"}}',
    ]);
  });

  it('do not depend on one that begins otherwise', () => {
    const order = (total: number) => `{"kind":"order","currency":"EUR","total":${total}}`;
    expect(shown(order(1), 'something else', order(2))).toEqual([
      '"total":1}',
      'something else',
      '"total":2}',
    ]);
  });

  it.each([
    [['{"orderId":1}', '{"orderId":2}'], 'differ at once'],
    [['the same text, all of it, here', 'the same text, all of it, here'], 'are equal'],
    [['only this one text, and no other beside it'], 'are alone'],
    [[], 'are none'],
  ])('%j are shown whole, because they %s', (texts) => {
    expect(shown(...texts)).toEqual(texts);
  });

  it('are shown from the place itself where no field begins near it', () => {
    const long = 'x'.repeat(60);
    expect(shown(`${long}a`, `${long}b`)).toEqual(['a', 'b']);
  });
});
