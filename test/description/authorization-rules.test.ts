// Authorization rules as they are given: in a Config.json, by a program in the SDK's form, or as the broker describes them.

import { expect, test } from 'vitest';
import {
  ACCESS_RIGHTS,
  type AuthorizationRule,
  describeAuthorizationRule,
  problemOfAuthorizationRules,
} from '../../src/broker/contract/entities/authorization-rule.js';
import { readAuthorizationRules } from '../../src/description/authorization-rules.js';
import { named } from '../../src/description/value-error.js';

const SENDER = describeAuthorizationRule('sender', { rights: ['Send'], primaryKey: 'one' });

test.each<[string, unknown, AuthorizationRule]>([
  ['a Config.json', { KeyName: 'sender', Rights: ['Send'], PrimaryKey: 'one' }, SENDER],
  [
    'the SDK',
    {
      claimType: 'SharedAccessKey',
      accessRights: ['Send'],
      keyName: 'sender',
      primaryKey: 'one',
      createdTime: '2030-01-01T00:00:00Z',
      modifiedTime: undefined,
    },
    { ...SENDER, createdTime: '2030-01-01T00:00:00Z' },
  ],
  ['the broker', SENDER, SENDER],
  [
    '.NET, with nulls',
    { KeyName: 'sender', Rights: ['send'], PrimaryKey: 'one', SecondaryKey: null },
    SENDER,
  ],
])('a rule in the form of %s is read', (_, given, expected) => {
  expect(readAuthorizationRules([given])).toEqual([expected]);
});

test('rights are in one order and there once, however they are given', () => {
  const [rule] = readAuthorizationRules([{ KeyName: 'all', Rights: ['Listen', 'Manage', 'Send', 'listen'] }]);
  expect(rule?.rights).toEqual(ACCESS_RIGHTS);
});

test('what is taken here the broker takes, too', () => {
  const longest = 'x'.repeat(256);
  const rules = readAuthorizationRules([
    { KeyName: longest, Rights: ['Manage', 'Send', 'Listen'], PrimaryKey: longest, SecondaryKey: '' },
    { KeyName: 'b', Rights: ['Listen'], ClaimType: 'SharedAccessKey', ClaimValue: 'None' },
  ]);
  expect(problemOfAuthorizationRules(rules)).toBeUndefined();
});

test.each<[unknown, string]>([
  [{}, 'rules must be a list of rules such as {"KeyName":"sender","Rights":["Send"]}, not {}'],
  [[7], 'rules[0] must be a rule such as {"KeyName":"sender","Rights":["Send"]}, not 7'],
  [[[]], 'rules[0] must be a rule such as {"KeyName":"sender","Rights":["Send"]}, not []'],
  [[{ Rights: ['Send'] }], 'rules[0] must have a KeyName'],
  [[{ keyName: '', rights: ['Send'] }], 'rules[0].keyName must be a text of 1 to 256 characters, not ""'],
  [[{ KeyName: 5, Rights: ['Send'] }], 'rules[0].KeyName must be a text of 1 to 256 characters, not 5'],
  [
    [{ KeyName: 'x'.repeat(257), Rights: ['Send'] }],
    `rules[0].KeyName must be a text of 1 to 256 characters, not "${'x'.repeat(56)}...`,
  ],
  [[{ KeyName: 'a' }], 'rules[0] must have Rights, a list of Manage, Send, Listen'],
  [[{ KeyName: 'a', Rights: [] }], 'rules[0].Rights must be a list of Manage, Send, Listen, not []'],
  [[{ KeyName: 'a', Rights: 'Send' }], 'rules[0].Rights must be a list of Manage, Send, Listen, not "Send"'],
  [
    [{ KeyName: 'a', Rights: ['Send', 'Read'] }],
    'rules[0].Rights[1] must be one of Manage, Send, Listen, not "Read"',
  ],
  [
    [{ KeyName: 'a', Rights: ['Manage', 'Manage', 'Send'] }],
    'rules[0].Rights must have Send and Listen together with Manage, as Azure requires, not ["Manage","Manage","Send"]',
  ],
  [[{ KeyName: 'a', Rights: ['Send'], PrimaryKey: 1 }], 'rules[0].PrimaryKey must be a text, not 1'],
  [
    [{ KeyName: 'a', Rights: ['Send'], SecondaryKey: 'x'.repeat(257) }],
    'rules[0].SecondaryKey must be at most 256 characters long, but it has 257',
  ],
  [
    [{ KeyName: 'a', Rights: ['Send'], PrimaryKye: 'x' }],
    "rules[0].PrimaryKye is not known. Did you mean 'primaryKey'?",
  ],
  [
    [
      { KeyName: 'a', Rights: ['Send'] },
      { KeyName: 'A', Rights: ['Send'] },
    ],
    'rules[1] repeats the name "A" of [0]: give it another name (case does not count)',
  ],
  [
    [{ Rights: ['Read'], ClaimType: 1 }, { KeyName: 'b' }],
    'rules[0] must have a KeyName; rules[0].Rights[0] must be one of Manage, Send, Listen, not "Read"; ' +
      'rules[0].ClaimType must be a text, not 1; rules[1] must have Rights, a list of Manage, Send, Listen',
  ],
])('%j is refused with everything that is wrong with it', (given, message) => {
  expect(() => named('rules', () => readAuthorizationRules(given))).toThrow(
    expect.objectContaining({ name: 'ValueError', message }),
  );
});
