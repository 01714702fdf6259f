// A policy in one line: its name, its rights and its key.

import { expect, test } from 'vitest';
import { formatConnectionString } from '../../src/config/connection-string.js';
import { parsePolicySpec } from '../../src/config/policy-spec.js';
import { readSettings } from '../../src/config/settings.js';

test.each([
  ['sender=Send:abc', { keyName: 'sender', rights: ['Send'], primaryKey: 'abc' }],
  ['both=listen+SEND:a+b/c==', { keyName: 'both', rights: ['Send', 'Listen'], primaryKey: 'a+b/c==' }],
  ['boss=Manage:k:1', { keyName: 'boss', rights: ['Manage', 'Send', 'Listen'], primaryKey: 'k:1' }],
])('%s is a policy', (spec, policy) => {
  expect(parsePolicySpec(spec)).toEqual(policy);
});

test.each(['sender', 'sender=Send', 'sender=:secret', '=Send:secret', 'sender=Send:'])(
  '%s is none, and its key is not shown',
  (spec) => {
    expect(() => parsePolicySpec(spec)).toThrow(
      'must be a name, rights and a key, such as "sender=Send+Listen:its key"',
    );
  },
);

test('a right that there is not is named', () => {
  expect(() => parsePolicySpec('sender=Post:secret')).toThrow(
    'must be one of Manage, Send, Listen, not "Post"',
  );
});

test('flags win over the variable, and without both there is the policy that everybody knows', () => {
  const environment = { JITNEY_POLICIES: 'a=Send:1,b=Manage:2' };
  expect(readSettings({}, environment).policies?.map(({ keyName }) => keyName)).toEqual(['a', 'b']);
  const { policies } = readSettings({ policy: ['c=Listen:3'] }, environment);
  expect(policies?.map(({ keyName }) => keyName)).toEqual(['c']);
  expect(readSettings({}, {}).policies).toBeUndefined();
  expect(() => readSettings({ policy: ['c=Listen'] }, {})).toThrow(
    '--policy must be a name, rights and a key',
  );
});

test('the connection string has the first policy that may do everything', () => {
  const { policies } = readSettings({ policy: ['a=Send:1', 'b=Manage:2'] }, {});
  expect(formatConnectionString('localhost', 1, policies)).toContain(
    'SharedAccessKeyName=b;SharedAccessKey=2;',
  );
});
