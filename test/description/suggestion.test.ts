// Which known word a misspelt one may mean.

import { describe, expect, it } from 'vitest';
import { nearestWord } from '../../src/description/suggestion.js';

const KNOWN = ['orders', 'Payments', 'order-archive', 'q1'];

describe('the nearest word', () => {
  it.each([
    ['order', 'orders'],
    ['ordres', 'orders'],
    ['ORDERS', 'orders'],
    ['payment', 'Payments'],
    ['paymnets', 'Payments'],
    ['order-archiv', 'order-archive'],
    ['q2', 'q1'],
    ['ordesr-archvie', 'order-archive'],
  ])('to %s is %s', (word, expected) => {
    expect(nearestWord(word, KNOWN)).toBe(expected);
  });

  it.each(['invoices', 'ord', 'x', ''])('to %j is none: more than a third of the letters differ', (word) => {
    expect(nearestWord(word, KNOWN)).toBeUndefined();
  });

  it('is the first of those that are equally near', () => {
    expect(nearestWord('queue-c', ['queue-a', 'queue-b'])).toBe('queue-a');
  });

  it('has at most six mistakes, however long it is', () => {
    const name = 'payments-of-the-european-subsidiaries';
    expect(nearestWord(`${name}-befor`, [name])).toBe(name);
    expect(nearestWord(`${name}-before`, [name])).toBeUndefined();
  });

  it('is none for a text that is longer than any name, among 10,000 long names', () => {
    const names = Array.from({ length: 10_000 }, (_, index) => `${'x'.repeat(250)}${index}`);
    expect(nearestWord('x'.repeat(60_000), names)).toBeUndefined();
  });

  it('is found for 1,000 misspelt names among 1,000', () => {
    const names = Array.from({ length: 1000 }, (_, index) => `orders-of-the-region-${index}-to-be-shipped`);
    for (const name of names) expect(nearestWord(name.replace('-to-', '_to_'), names)).toBe(name);
  });
});
