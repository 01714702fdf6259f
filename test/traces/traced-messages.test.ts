// The messages whose span is known: by their path and number, and not too many.

import { expect, it } from 'vitest';
import { TracedMessages } from '../../src/traces/traced-messages.js';

const at = (sequenceNumber: number, path = 'orders') => ({ path, sequenceNumber });
const acceptance = () => ({ messageId: undefined, span: undefined });

it('the oldest message is forgotten when there are too many', () => {
  const messages = new TracedMessages(2);
  for (const number of [1, 2, 3]) messages.add(at(number), acceptance());
  expect([1, 2, 3].map((number) => messages.find(at(number)) !== undefined)).toEqual([false, true, true]);
  expect(messages.count).toBe(2);
});

it('a message is the same in its dead-letter queue', () => {
  const messages = new TracedMessages();
  const message = messages.add(at(1), acceptance());
  expect(messages.take(at(1, 'orders/$DeadLetterQueue'))).toBe(message);
  expect(messages.count).toBe(0);
});

it('all messages of an entity are forgotten, and none of another', () => {
  const messages = new TracedMessages();
  for (const path of ['orders', 'orders-2']) messages.add(at(1, path), acceptance());
  messages.forgetAll('orders');
  expect([messages.find(at(1)), messages.find(at(1, 'orders-2'))]).toEqual([undefined, expect.anything()]);
});
