// The filter of a list of messages: which messages it finds, and what it says about a word that cannot be read.

import { describe, expect, it } from 'vitest';
import { type FilteredMessage, matches, parseFilter } from '../../src/content/message-filter.js';

const NOW = Date.parse('2026-05-01T12:00:00.000Z');

const MESSAGE: FilteredMessage = {
  sequenceNumber: 7,
  enqueuedTime: '2026-05-01T11:50:00.000Z',
  deliveryCount: 3,
  sizeBytes: 400,
  deadLetterReason: 'TTLExpiredException',
  messageId: 'ord-1',
  subject: 'order.placed',
  sessionId: 'a',
  correlationId: 'x',
  applicationProperties: {
    color: { type: 'string', value: 'red' },
    total: { type: 'double', value: 18.9 },
    'my name': { type: 'string', value: 'Anna' },
  },
  body: { kind: 'json', value: { sku: 'TEA-1', note: 'two words' } },
};

function isFound(text: string): boolean {
  const filter = parseFilter(text);
  expect(filter.problem, text).toBeUndefined();
  return matches(filter, MESSAGE, NOW);
}

describe('the filter of messages', () => {
  it.each([
    ['', true],
    ['body:"two words"', true],
    ['body:tea-1', true],
    ['body:TEA-2', false],
    ['id:ord-1', true],
    ['id:ord', false],
    ['id:ord*', true],
    ['subject:order.*', true],
    ['subject:orderx*', false],
    ['session:a correlation:x', true],
    ['session:b correlation:x', false],
    ['reason:TTLExpiredException', true],
    ['reason:*', true],
    ['-reason:*', false],
  ])('%s finds it: %s', (text, expected) => {
    expect(isFound(text)).toBe(expected);
  });

  it.each([
    ['prop.color=red', true],
    ['prop.color=RED', true],
    ['prop.color!=red', false],
    ['prop.total>18', true],
    ['prop.total>=18.9', true],
    ['prop.total<18', false],
    ['prop.other=1', false],
    ['prop.other>1', false],
    ['prop."my name"=Anna', true],
    ['deliveries:>2 size:<500 number:7', true],
    ['age:>5m', true],
    ['age:>1h', false],
    ['age:<1d', true],
  ])('compares: %s is %s', (text, expected) => {
    expect(isFound(text)).toBe(expected);
  });

  it('finds a bare word in the id, the body, the properties and the number', () => {
    for (const word of ['ord-1', 'two', 'anna', '7', '"two words"', 'ttlexp']) {
      expect(isFound(word), word).toBe(true);
    }
    expect(isFound('nowhere')).toBe(false);
    expect(isFound('-nowhere')).toBe(true);
  });

  it('takes a star behind a backslash as itself', () => {
    expect(isFound('id:ord\\*')).toBe(false);
  });

  it.each([
    ['body:"open', /quotation mark is missing/],
    ['color:red', /'color' is none of id, subject/],
    ['prop.color', /prop\.color=red/],
    ['prop.color>red', /'red' is none/],
    ['age:5m', /such as >5m/],
    ['age:>5', /such as >5m/],
    ['size:big', /whole number/],
    ['id:', /value is missing/],
  ])('says what cannot be read in %s', (text, expected) => {
    const { problem } = parseFilter(`ord ${text}`);
    expect(problem).toMatch(expected);
    expect(problem?.startsWith(text)).toBe(true);
  });

  it.each([
    ['a*b*c', ['abc', 'a-b-c', 'abbc', 'ABxC'], ['ab', 'ac', 'xabc', 'abcx']],
    ['*b*', ['b', 'abc'], ['', 'ac']],
    ['ab*ba', ['abba', 'ab-ba'], ['aba', 'abb']],
    ['*ab*ab', ['abab', 'xab-ab'], ['ab', 'aba']],
    ['*', ['', 'a'], []],
    ['a\\*b', ['a*b'], ['axb']],
    ['a.c', ['a.c'], ['abc']],
  ])('the pattern %s stands for the whole text', (pattern, found, others) => {
    const { terms } = parseFilter(`id:${pattern}`);
    const isIn = (messageId: string) => terms[0]?.test({ ...MESSAGE, messageId }, NOW);
    expect(found.filter(isIn)).toEqual(found);
    expect(others.filter(isIn)).toEqual([]);
  });

  it('a pattern of many stars goes through a long text once', () => {
    const { terms } = parseFilter(`id:${'*a'.repeat(400)}*b`);
    expect(terms[0]?.test({ ...MESSAGE, messageId: 'a'.repeat(100_000) }, NOW)).toBe(false);
  });
});
