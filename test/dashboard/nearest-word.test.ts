import { describe, expect, it } from 'vitest';
import { nearestWord } from '../../src/dashboard/state/nearest-word.js';

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
  ])('to %s is %s', (word, expected) => {
    expect(nearestWord(word, KNOWN)).toBe(expected);
  });

  it.each(['invoices', 'ord', 'x', ''])('to %j is none: more than a third of the letters differ', (word) => {
    expect(nearestWord(word, KNOWN)).toBeUndefined();
  });

  it('is the first of those that are equally near', () => {
    expect(nearestWord('queue-c', ['queue-a', 'queue-b'])).toBe('queue-a');
  });
});
