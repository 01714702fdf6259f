import { expect, it } from 'vitest';
import { excludingText, parseFilter, reasonOf, withReason } from './message-filter.js';

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
  expect(parseFilter(text).problem).toBeUndefined();
  expect(withReason(text, undefined)).toBe('body:"a b"');
});
