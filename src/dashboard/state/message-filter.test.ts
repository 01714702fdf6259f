import { describe, expect, it } from 'vitest';
import type { MessageAnswer } from '../../http/control/control-schemas.js';
import { excludingText, matches, parseFilter, reasonOf, withReason } from './message-filter.js';

const NOW = Date.parse('2026-05-01T12:00:00.000Z');

const MESSAGE: MessageAnswer = {
  sequenceNumber: 7,
  state: 'active',
  enqueuedTime: '2026-05-01T11:50:00.000Z',
  deliveryCount: 3,
  sizeBytes: 400,
  hopCount: 0,
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
  annotations: {},
  body: { kind: 'json', section: 'data', sizeBytes: 20, value: { sku: 'TEA-1', note: 'two words' } },
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

  it('leaves out the words of one key', () => {
    const filter = parseFilter('id:ord-1 reason:other');
    expect(matches(filter, MESSAGE, NOW)).toBe(false);
    expect(matches(filter, MESSAGE, NOW, 'reason')).toBe(true);
  });

  it('says which word excludes all messages', () => {
    const filter = parseFilter('id:a body:b c');
    expect(excludingText(filter, [2, 0, 1])).toBe("'body:b' excludes all messages.");
    expect(excludingText(filter, [0, 0, 1])).toBe("Each of 'id:a' and 'body:b' excludes all messages.");
    expect(excludingText(filter, [1, 1, 1])).toMatch(/together/);
  });

  it('puts a reason into the filter, and takes it out again', () => {
    const text = withReason('body:"a b" reason:old', 'Not "here"*');
    expect(text).toBe('body:"a b" reason:"Not \\"here\\"\\*"');
    expect(reasonOf(text)).toBe('Not "here"*');
    const { problem, terms } = parseFilter(text);
    expect(problem).toBeUndefined();
    const message = { ...MESSAGE, deadLetterReason: 'Not "here"*' };
    expect(terms.find(({ key }) => key === 'reason')?.test(message, NOW)).toBe(true);
    expect(withReason(text, undefined)).toBe('body:"a b"');
  });
});
