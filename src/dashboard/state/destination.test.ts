import { expect, it } from 'vitest';
import { destinationOf, storePathOf } from './destination.js';

it.each([
  ['active', 'orders'],
  ['scheduled', 'orders'],
  ['dead', 'orders/$DeadLetterQueue'],
  ['transfer-dead', 'orders/$Transfer/$DeadLetterQueue'],
] as const)('the tab %s shows %s', (tab, expected) => {
  expect(storePathOf('orders', tab)).toBe(expected);
});

it.each([
  ['orders/$DeadLetterQueue', 'orders'],
  ['orders/$Transfer/$DeadLetterQueue', 'orders'],
  ['events/Subscriptions/eu', 'events'],
  ['events/Subscriptions/eu/$DeadLetterQueue', 'events'],
  ['orders', 'orders'],
])('a copy of a message of %s goes to %s', (store, expected) => {
  expect(destinationOf(store)).toBe(expected);
});
