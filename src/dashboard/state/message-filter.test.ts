import { expect, it } from 'vitest';
import { reasonOf, withReason } from './message-filter.js';

it('puts a reason into the filter, and takes it out again', () => {
  const text = withReason('body:"a b" reason:old', 'Not "here"*');
  expect(text).toBe('body:"a b" reason:"Not \\"here\\"\\*"');
  expect(reasonOf(text)).toBe('Not "here"*');
  expect(withReason(text, undefined)).toBe('body:"a b"');
});
