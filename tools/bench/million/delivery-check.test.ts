// The check itself: a benchmark whose check notices nothing proves nothing.

import { expect, test } from 'vitest';
import { DeliveryCheck } from './delivery-check.js';

function check(): DeliveryCheck {
  return new DeliveryCheck({ messageCount: 10, receiverCount: 2, receiverCredit: 2 });
}

test('receivers that overtake each other within their credit are in order', () => {
  const checked = check();
  checked.delivered(1, 3);
  checked.delivered(0, 1);
  checked.delivered(1, 4);
  checked.delivered(0, 2);
  expect(checked.count).toBe(4);
});

test('a message that comes twice is noticed, whoever receives it', () => {
  const checked = check();
  checked.delivered(0, 1);
  expect(() => checked.delivered(1, 1)).toThrow('number 1 came twice');
});

test('a receiver that gets an earlier message after a later one is noticed', () => {
  const checked = check();
  checked.delivered(0, 2);
  expect(() => checked.delivered(0, 1)).toThrow('number 1 came to receiver 0 after number 2');
});

test('messages that are passed over, and cannot be on the way to anybody, are noticed', () => {
  const checked = check();
  checked.delivered(0, 3);
  expect(() => checked.delivered(0, 5)).toThrow('at number 5, 3 earlier ones had been passed over');
});

test.each([0, 11])('the sequence number %i of a message that was never sent is noticed', (number) => {
  expect(() => check().delivered(0, number)).toThrow(`number ${number} was never given`);
});
