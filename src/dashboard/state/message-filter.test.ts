import { expect, it } from 'vitest';
import { hasReason, withReason } from './message-filter.js';

it('puts a reason into the filter, and takes it out again', () => {
  const text = withReason('body:"a b" reason:old', 'Not "here"*');
  expect(text).toBe('body:"a b" reason:"Not \\"here\\"\\*"');
  expect(hasReason(text, 'Not "here"*')).toBe(true);
  expect(hasReason(text, 'old')).toBe(false);
  expect(withReason(text, undefined)).toBe('body:"a b"');
});

it('asks for all reasons that a masked one stands for', () => {
  const text = withReason('', 'Order … is late');
  expect(text).toBe('reason:"Order * is late"');
  expect(hasReason(text, 'Order … is late')).toBe(true);
});
