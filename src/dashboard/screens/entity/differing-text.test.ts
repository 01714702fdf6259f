import { describe, expect, it } from 'vitest';
import { differingTexts } from './differing-text.js';

describe('the texts of a list', () => {
  it('are the fields that differ from those of the others, for JSON', () => {
    const order = (id: number, city: string) =>
      JSON.stringify({ orderId: id, customer: { name: 'Ada', address: { city } }, lines: [{ price: -1 }] });
    expect(differingTexts([order(1, 'Oslo'), order(2, 'Bergen'), order(3, 'Oslo')])).toEqual([
      'orderId: 1 … city: "Oslo"',
      'orderId: 2 … city: "Bergen"',
      'orderId: 3 … city: "Oslo"',
    ]);
  });

  it('are compared field by field, also where one is missing, comes twice, or the text is cut', () => {
    expect(differingTexts(['{"a":1,"b":"x","c":tr', '{"a":1,"b":"y\\"z","b":"x"}', '{"a":1}'])).toEqual([
      'b: "x" … c: tr',
      'b: "y\\"z" … b: "x"',
      '',
    ]);
  });

  it('begin with the word in which they first differ, for others that begin alike', () => {
    const text = (name: string) => `The order could not be shipped to ${name}, because the address is wrong.`;
    expect(differingTexts([text('Oslo'), text('Bergen'), 'something else'])).toEqual([
      '…Oslo, because the address is wrong.',
      '…Bergen, because the address is wrong.',
      'something else',
    ]);
    const long = 'x'.repeat(60);
    expect(differingTexts([`${long}a`, `${long}b`])).toEqual(['…a', '…b']);
  });

  it.each([
    [['{"orderId":1}', '{"orderId":2}'], 'differ in every field'],
    [['text 1', 'text 2'], 'differ at once'],
    [['the same text, all of it, here', 'the same text, all of it, here'], 'are equal'],
    [['only this one text, and no other beside it'], 'are alone'],
    [[], 'are none'],
  ])('%j are shown whole, because they %s', (texts) => {
    expect(differingTexts(texts)).toEqual(texts);
  });
});
