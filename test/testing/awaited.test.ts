// A matcher that nobody waits for fails its test, also when it would have passed.

import { expect, test } from 'vitest';
import { AwaitedMatchers } from '../../src/testing/awaited.js';

test('the end of a test names the matchers for which nobody has waited', async () => {
  const matchers = new AwaitedMatchers('expectEntity');
  await matchers.track('a', 'toBeEmpty', Promise.resolve(), {});
  matchers.track('a', 'toHaveMessages', Promise.reject(new Error('not there')), {
    stack: 'Error\n  at a test',
  });
  const late = matchers.track('b', 'toHaveDeadLetter', Promise.resolve(), {});
  await Promise.resolve();
  late.catch(() => {});
  expect(() => matchers.check('a')).toThrow(
    expect.objectContaining({
      stack: expect.stringMatching(
        /^Error: Not awaited: toHaveMessages\. Write `await expectEntity\(.*\n {2}at a test$/,
      ),
    }),
  );
  expect(() => matchers.check('a')).not.toThrow();
  expect(() => matchers.check('b')).not.toThrow();
});

test('a framework that calls `then` and `catch` before it hands on what they return does not count as the test', async () => {
  const matchers = new AwaitedMatchers();
  const handed = () =>
    matchers
      .track('a', 'toBeEmpty', Promise.resolve('1'), {})
      .then(Number)
      // As jest does; the type of `then` does not say that it has one.
      .then(undefined, () => {});
  handed();
  await Promise.resolve();
  expect(() => matchers.check('a')).toThrow('Not awaited: toBeEmpty');
  expect(await handed()).toBe(1);
  expect(() => matchers.check('a')).not.toThrow();
});
