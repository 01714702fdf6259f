// What an audience means, in the shapes in which clients write it, and what lies within what.

import { expect, test } from 'vitest';
import { entityNameOf, entityPathIn, isWithin, readResource } from '../../src/security/resource-path.js';

test.each([
  ['sb://localhost:5672/orders', 'localhost', 'orders'],
  ['sb://LocalHost/Orders/', 'localhost', 'orders'],
  ['amqps://h/news/Subscriptions/all', 'h', 'news/subscriptions/all'],
  ['http://h:5300/orders?api-version=2021-05', 'h', 'orders'],
  ['https://h/a%2fb', 'h', 'a/b'],
  ['h/orders', 'h', 'orders'],
  ['sb://h', 'h', ''],
  ['sb://[::1]:5672/q', '[::1]', 'q'],
  ['sb://h/100%', 'h', '100%'],
  ['', '', ''],
])('%s is for host "%s" and path "%s"', (audience, host, path) => {
  expect(readResource(audience)).toEqual({ host, path });
});

test.each([
  ['sb://localhost:5672/Orders/', 'Orders'],
  ['amqps://h/a%2fb/$management', 'a/b'],
  ['sb://h/orders/$DeadLetterQueue', 'orders'],
  ['sb://h/orders/$Transfer/$DeadLetterQueue/$management', 'orders'],
  ['sb://h/news/Subscriptions/all/$DeadLetterQueue', 'news/Subscriptions/all'],
  ['h/orders', 'orders'],
  ['sb://h/', ''],
  ['sb://h', ''],
  ['sb://h/$cbs', ''],
])('%s is for the entity "%s"', (audience, entityPath) => {
  expect(entityPathIn(audience)).toBe(entityPath);
});

test.each([
  ['orders', 'orders', true],
  ['orders', '', true],
  ['orders/$deadletterqueue', 'orders', true],
  ['orders2', 'orders', false],
  ['orders', 'orders/archive', false],
  ['', 'orders', false],
])('that "%s" lies within "%s" is %s', (path, outer, isTrue) => {
  expect(isWithin(path, outer)).toBe(isTrue);
});

test.each([
  ['orders', 'orders'],
  ['orders/$management', 'orders'],
  ['a/b/$Transfer/$DeadLetterQueue', 'a/b'],
  ['news/Subscriptions/all/$management', 'news'],
  ['news/subscriptions/all/rules/one', 'news'],
  ['subscriptions/x', 'subscriptions/x'],
  ['$Resources/queues', ''],
])('%s is in the entity "%s"', (path, name) => {
  expect(entityNameOf(path)).toBe(name);
});
