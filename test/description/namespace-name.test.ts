// Names of namespaces, alone and in the name of a key.

import { describe, expect, test } from 'vitest';
import { joinKeyName, readNamespaceName, splitKeyName } from '../../src/description/namespace-name.js';

describe('the name of a key', () => {
  test.each([
    ['sender', 'sender', undefined],
    ['sender@tests-1', 'sender', 'tests-1'],
    ['sender@Tests_1', 'sender', 'tests_1'],
    ['a@b@c', 'a@b', 'c'],
    // As the Python SDK has it in its tokens, which it encodes twice.
    ['sender%40tests-1', 'sender', 'tests-1'],
    ['me@example.com', 'me@example.com', undefined],
    ['@tests', '@tests', undefined],
    ['sender@', 'sender@', undefined],
    [`sender@${'x'.repeat(51)}`, `sender@${'x'.repeat(51)}`, undefined],
  ])('%s is the policy %s in the namespace %s', (keyName, policy, namespace) => {
    expect(splitKeyName(keyName)).toEqual({ policy, namespace });
  });

  test('is joined, without a namespace for default', () => {
    expect(joinKeyName('sender', 'tests-1')).toBe('sender@tests-1');
    expect(joinKeyName('sender', 'default')).toBe('sender');
  });
});

test.each(['', '-a', 'a b', 'a/b', '..', 'x'.repeat(51)])('"%s" is not the name of a namespace', (name) => {
  expect(() => readNamespaceName(name)).toThrow(/^must be the name of a namespace/);
});
