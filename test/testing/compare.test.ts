// What counts as the expected message, and how its text is written.

import { expect, test } from 'vitest';
import { compare, isMatch } from '../../src/testing/compare.js';
import { fitted, shownValue } from '../../src/testing/shown-value.js';

const MESSAGE = {
  sequenceNumber: 7,
  messageId: 'a',
  body: { total: 12, items: [{ name: 'pen' }], at: new Date(0) },
  applicationProperties: { weight: 3, half: 5.5, raw: Buffer.of(1, 2) },
};

test.each([
  [{}, true],
  [{ body: { total: 12 } }, true],
  [{ body: { items: [{ name: 'pen' }] } }, true],
  [{ body: { items: [] } }, false],
  [{ body: { items: [{ name: /^p/ }] } }, true],
  [{ body: { at: new Date(0) } }, true],
  [{ body: { at: new Date(1) } }, false],
  [{ applicationProperties: { weight: 3n } }, true],
  [{ applicationProperties: { half: 5n } }, false],
  [{ applicationProperties: { raw: Uint8Array.of(1, 2) } }, true],
  [{ messageId: expect.stringContaining('a'), body: expect.any(Object) }, true],
  [{ messageId: undefined }, false],
  [{ sessionId: undefined }, true],
  [({ sequenceNumber }: { readonly sequenceNumber: number }) => sequenceNumber === 7, true],
])('match %# is one or is none', (expected, isExpected) => {
  expect(isMatch(expected as Parameters<typeof isMatch>[0], MESSAGE)).toBe(isExpected);
});

test('each leaf is compared by itself, and a list of another length as a whole', () => {
  expect(compare({ body: { total: 120, items: [] } }, MESSAGE)).toEqual([
    { name: 'body.total', expected: 120, there: 12, isSame: false },
    { name: 'body.items', expected: [], there: [{ name: 'pen' }], isSame: false },
  ]);
});

test('a function that returns a promise is refused', () => {
  expect(() => isMatch(async () => false, MESSAGE)).toThrow('returned a promise');
});

test.each([
  ["it's\n\u001b[31m", "'it\\'s\\n\\u001b[31m'"],
  [{ a: [1, 'b'], 'c-d': undefined }, "{ a: [1, 'b'], 'c-d': undefined }"],
  [Buffer.of(1, 2), '2 bytes'],
  [new Date(0), '1970-01-01T00:00:00.000Z'],
  [5n, '5n'],
  [() => {}, 'a function'],
  [[[[[[[1]]]]]], '[[[[[[…]]]]]]'],
])('value %# is shown as it would be written', (value, text) => {
  expect(shownValue(value)).toBe(text);
});

test('a text that is cut says so', () => {
  expect(fitted('abcdef', 4)).toBe('abc…');
  expect(fitted('abcd', 4)).toBe('abcd');
});
