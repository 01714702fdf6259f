// Topics given as objects, by TypeScript or by JavaScript that knows no types.

import { expect, test } from 'vitest';
import { describeSubscription, describeTopic } from '../../src/broker/contract/entities/topic-description.js';
import { givenTopicOf } from '../../src/config/configured-topic.js';
import type { GivenFilter, GivenRule, GivenSubscription } from '../../src/config/given-entities.js';
import { completeTopic } from '../../src/config/given-topic.js';

test('a topic is completed with the defaults of Azure, and so are its subscriptions', () => {
  expect(completeTopic({ name: 'events' })).toEqual({
    description: describeTopic('events'),
    subscriptions: [],
  });
  const given = {
    name: 'events',
    defaultMessageTimeToLive: 60_000,
    userMetadata: undefined,
    subscriptions: ['audit', 'mail?lockDuration=PT5S', { name: 'eu', maxDeliveryCount: 3 }],
  };
  expect(completeTopic(given)).toEqual({
    description: describeTopic('events', { defaultMessageTimeToLiveMs: 60_000 }),
    subscriptions: [
      { description: describeSubscription('audit'), rules: undefined },
      { description: describeSubscription('mail', { lockDurationMs: 5_000 }), rules: undefined },
      { description: describeSubscription('eu', { maxDeliveryCount: 3 }), rules: undefined },
    ],
  });
});

function rulesOf(subscription: Omit<GivenSubscription, 'name'>) {
  return completeTopic({ name: 'events', subscriptions: [{ name: 'eu', ...subscription }] }).subscriptions[0]
    ?.rules;
}

const WHEN = new Date(Date.UTC(2026, 0, 1));

test.each<[object, GivenFilter]>([
  [{ kind: 'sql', expression: "region = 'EU'" }, "region = 'EU'"],
  [{ kind: 'true' }, true],
  [{ kind: 'false' }, false],
  [{ kind: 'sql', expression: '1 = 1' }, { sqlExpression: '1 = 1' }],
  [
    { kind: 'sql', expression: 'a = @a', parameters: { '@a': { type: 'int', value: '5' } } },
    { sqlExpression: 'a = @a', sqlParameters: { '@a': 5 } },
  ],
  [
    { kind: 'correlation', subject: 'x', to: 'y' },
    { subject: 'x', to: 'y' },
  ],
  [
    {
      kind: 'correlation',
      properties: {
        text: 'x',
        yes: true,
        whole: { type: 'int', value: '1' },
        part: { type: 'double', value: '0.5' },
        large: { type: 'long', value: '1152921504606846976' },
        when: { type: 'timestamp', value: WHEN.getTime() },
      },
    },
    { applicationProperties: { text: 'x', yes: true, whole: 1, part: 0.5, large: 2n ** 60n, when: WHEN } },
  ],
  [{ kind: 'true' }, { kind: 'true' }],
  [
    { kind: 'correlation', properties: { a: { type: 'uuid', value: '0'.repeat(32) } } },
    { kind: 'correlation', properties: { a: { type: 'uuid', value: '0'.repeat(32) } } },
  ],
])('a rule, and a subscription, can be given the filter %j', (expected, filter) => {
  expect(rulesOf({ rules: [{ name: 'r', filter }] })).toEqual([
    { name: 'r', filter: expected, action: undefined },
  ]);
  expect(rulesOf({ filter })).toEqual([{ name: '$Default', filter: expected, action: undefined }]);
});

test.each<[GivenRule['action'], object | undefined]>([
  ['SET x = 1', { kind: 'sql', expression: 'SET x = 1' }],
  [{ sqlExpression: 'SET x = 1' }, { kind: 'sql', expression: 'SET x = 1' }],
  [
    { kind: 'sql', expression: 'SET x = 1' },
    { kind: 'sql', expression: 'SET x = 1' },
  ],
  [undefined, undefined],
])('the action %j is %j; without a filter every message matches', (action, expected) => {
  expect(rulesOf({ rules: [{ name: 'r', action }] })).toEqual([
    { name: 'r', filter: { kind: 'true' }, action: expected },
  ]);
});

test('an empty list of rules is that everything matches', () => {
  expect(rulesOf({ rules: [] })).toEqual([{ name: '$Default', filter: { kind: 'true' }, action: undefined }]);
});

test('a topic that is complete can be given again and stays the same', () => {
  const topic = completeTopic({
    name: 'events',
    subscriptions: [
      'all',
      {
        name: 'eu',
        rules: [
          { name: 'a', filter: { subject: 'x', applicationProperties: { n: 1 } }, action: 'SET x = 1' },
          { name: 'b', filter: { sqlExpression: 'a = @a', sqlParameters: { '@a': 'x' } } },
        ],
      },
    ],
  });
  expect(completeTopic(givenTopicOf(topic))).toEqual(topic);
});

test.each<[unknown, string]>([
  [5, 'A topic must be a text or an object with a name, not 5'],
  [{}, 'Topic {}: its name must be a text, not undefined'],
  [{ name: 'e', lockDuration: 1 }, 'Topic "e": there is no property "lockDuration".'],
  [
    { name: 'e', defaultMessageTimeToLive: 'P1' },
    'Topic "e": defaultMessageTimeToLive must be a duration such as PT30S, P1DT12H or 00:05:00, not "P1"',
  ],
  [{ name: 'e', subscriptions: 'a' }, 'Topic "e": subscriptions must be an array, not "a"'],
  [
    { name: 'e', subscriptions: [5] },
    'Topic "e": a subscription must be a text or an object with a name, not 5',
  ],
  [{ name: 'e', subscriptions: ['a', { name: 'A' }] }, 'Topic "e": subscription "A" is given twice'],
  [
    { name: 'e', subscriptions: ['a?colour=red'] },
    'Topic "e": subscription "a": there is no property "colour".',
  ],
])('%j is refused, naming topic, subscription, property and value', (given, message) => {
  expect(() => completeTopic(given)).toThrow(
    expect.objectContaining({ name: 'JitneyError', kind: 'bad-topic', message }),
  );
});

test.each<[unknown, string]>([
  [{ lockDuration: 0 }, 'lockDuration must be more than PT0S, not 0'],
  [{ rule: [] }, `there is no property "rule".`],
  [{ rules: {} }, 'rules must be an array, not {}'],
  [{ rules: ['r'] }, 'a rule must be an object with a name, not "r"'],
  [{ rules: [{}] }, "a rule's name must be a text, not undefined"],
  [{ rules: [{ name: 'r' }, { name: 'R' }] }, 'rule "R" is given twice'],
  [{ rules: [], filter: true }, 'has both a filter and rules: give one of them'],
  [{ rules: [{ name: 'r', filters: true }] }, `rule "r": has no property "filters". Did you mean 'filter'?`],
  [
    { rules: [{ name: 'r', filter: 5 }] },
    'rule "r": the filter must be SQL, an object of properties, true or false, not 5',
  ],
  [{ rules: [{ name: 'r', action: 5 }] }, 'rule "r": the action must be SQL, not 5'],
  [{ rules: [{ name: 'r', action: { kind: 'sql' } }] }, 'rule "r": the action must be SQL, not undefined'],
  [{ filter: { sqlExpression: 5 } }, 'the filter must be SQL, not 5'],
  [{ filter: { label: 'x' } }, 'the filter has no property "label". It is called \'subject\' here.'],
  [
    { filter: { userProperties: { a: 1 } } },
    'the filter has no property "userProperties". It is called \'applicationProperties\' here.',
  ],
  [{ filter: { subject: 5 } }, 'the filter has a subject that is not a text: 5'],
  [{ filter: { applicationProperties: 5 } }, 'the filter has properties that are not an object: 5'],
  [
    { filter: { applicationProperties: { a: null } } },
    'the filter "a" must be a text, a number, true or false, or a date, not null',
  ],
  [
    { filter: {} },
    'the filter cannot be used: A correlation filter names at least one property the message has to have; this one names none',
  ],
])('the subscription %j is refused: %s', (subscription, message) => {
  const given = { name: 'e', subscriptions: [{ name: 's', ...(subscription as object) }] };
  expect(() => completeTopic(given)).toThrow(
    expect.objectContaining({ kind: 'bad-topic', message: `Topic "e": subscription "s": ${message}` }),
  );
});

test('a mistake in SQL is told with rule, line and column [SQL-23]', () => {
  const rules = (rule: object) => ({ name: 'e', subscriptions: [{ name: 's', rules: [rule] }] });
  expect(() => completeTopic(rules({ name: 'r', filter: 'a =' }))).toThrow(
    /^Topic "e": subscription "s": rule "r": the filter is invalid at line 1, column 4: /,
  );
  expect(() => completeTopic(rules({ name: 'r', action: 'SET\nx' }))).toThrow(
    /^Topic "e": subscription "s": rule "r": the action is invalid at line 2, column 2: /,
  );
});
