// What a format cannot hold is written as near as can be, and said.

import { expect, test } from 'vitest';
import { describeAuthorizationRule } from '../../src/broker/contract/entities/authorization-rule.js';
import { describeQueue } from '../../src/broker/contract/entities/queue-description.js';
import { describeSubscription, describeTopic } from '../../src/broker/contract/entities/topic-description.js';
import { DEFAULT_RULE, type RuleDescription } from '../../src/broker/contract/rule-description.js';
import type { Entities } from '../../src/config/configured-entities.js';
import { readDefinitions } from '../../src/definitions/read-definitions.js';
import { writeDefinitions } from '../../src/definitions/write-definitions.js';

function withRules(rules: readonly RuleDescription[] | undefined): Entities {
  return {
    queues: [],
    topics: [
      { description: describeTopic('t'), subscriptions: [{ description: describeSubscription('s'), rules }] },
    ],
  };
}

/** The rules after a round through a format, and what was said. */
function through(format: 'arm' | 'config', rules: readonly RuleDescription[] | undefined) {
  const { text, notes } = writeDefinitions(withRules(rules), format);
  const { topics } = readDefinitions({ name: 'x.json', text });
  return { rules: topics[0]?.subscriptions[0]?.rules, notes };
}

const rule = (filter: RuleDescription['filter']): RuleDescription => ({
  name: 'r',
  filter,
  action: undefined,
});

test('parameters of SQL stand in the SQL of a template, outside of texts and quoted names', () => {
  const parameters = { '@c': "it's", '@N': { type: 'int', value: '5' } } as const;
  const expression = 'color = @c AND n > @n AND note <> \'@c\' AND [@c] = "@c"';
  expect(through('arm', [rule({ kind: 'sql', expression, parameters })])).toEqual({
    rules: [
      rule({ kind: 'sql', expression: "color = 'it''s' AND n > 5 AND note <> '@c' AND [@c] = \"@c\"" }),
    ],
    notes: ['the filter of rule t/s/r has parameters, which templates lack: their values stand in the SQL'],
  });
});

test('a correlation filter with a number becomes SQL in a template', () => {
  const properties = { n: { type: 'long', value: '7' }, ok: true } as const;
  expect(through('arm', [rule({ kind: 'correlation', subject: 'x', properties })])).toEqual({
    rules: [rule({ kind: 'sql', expression: "sys.Label = 'x' AND n = 7 AND ok = TRUE" })],
    notes: ['rule t/s/r compares with values that are not texts: it is written as SQL'],
  });
});

test('a filter that no template can hold matches nothing there, rather than more than it should', () => {
  const time = { type: 'timestamp', value: 0 } as const;
  for (const filter of [
    { kind: 'correlation', properties: { time } },
    { kind: 'sql', expression: 't > @t', parameters: { '@t': time } },
  ] as const) {
    const { rules, notes } = through('arm', [rule(filter)]);
    expect(rules).toEqual([rule({ kind: 'false' })]);
    expect(notes.at(-1)).toMatch(/^rule t\/s\/r .*: it is written as a filter that matches nothing$/);
  }
});

test.each(['arm', 'config'] as const)(
  'in %s, a subscription without a rule has one that matches nothing',
  (format) => {
    expect(through(format, [])).toEqual({
      rules: [{ ...DEFAULT_RULE, filter: { kind: 'false' } }],
      notes: ['subscription t/s has no rule: it is written with the rule $Default, which matches nothing'],
    });
    expect(through(format, [DEFAULT_RULE])).toEqual({ rules: undefined, notes: [] });
  },
);

test('a value that Azure refuses is said', () => {
  const queue = describeQueue('a~b', {
    lockDurationMs: 1000,
    duplicateDetectionHistoryTimeWindowMs: 5000,
    maxSizeInMegabytes: 1,
    otherProperties: '<X/>',
  });
  expect(writeDefinitions({ queues: [queue], topics: [] }, 'arm').notes).toEqual([
    "queue a~b has a ~ in its name, which Azure's templates read as a slash",
    'queue a~b has the lockDuration PT1S, and Azure takes PT5S and more',
    'queue a~b has the duplicateDetectionHistoryTimeWindow PT5S, and Azure takes PT20S and more',
    'queue a~b has the maxSizeInMegabytes 1, and Azure takes multiples of 1024',
    'queue a~b has properties that Jitney does not know: they are left out',
  ]);
});

test.each(['arm', 'bicep'] as const)(
  '%s says when there are more resources than Azure deploys at once',
  (format) => {
    const queues = Array.from({ length: 800 }, (_, index) => describeQueue(`q${index}`));
    const note = 'the template has 801 resources, and Azure deploys 800 at once: divide it into modules';
    expect(writeDefinitions({ queues, topics: [] }, format).notes).toEqual([note]);
    expect(writeDefinitions({ queues: queues.slice(1), topics: [] }, format).notes).toEqual([]);
  },
);

test.each(['arm', 'config', 'bicep', 'terraform'] as const)('%s never has a key', (format) => {
  const authorizationRules = [
    describeAuthorizationRule('worker', {
      rights: ['Listen'],
      primaryKey: 'secret-1',
      secondaryKey: 'secret-2',
    }),
  ];
  const entities = {
    queues: [describeQueue('q', { authorizationRules })],
    topics: [{ description: describeTopic('t', { authorizationRules }), subscriptions: [] }],
  };
  const { text, notes } = writeDefinitions(entities, format);
  expect(text).toContain('worker');
  expect(text).not.toContain('secret');
  expect(notes).toEqual(['the keys of 2 authorization rules are secrets, and are not written']);
});

test('Terraform has neither every status nor a $Default that it makes', () => {
  const topics = [
    {
      description: describeTopic('t', { status: 'SendDisabled' }),
      subscriptions: [
        {
          description: describeSubscription('s'),
          rules: [{ ...DEFAULT_RULE, filter: { kind: 'false' } as const }],
        },
      ],
    },
  ];
  expect(writeDefinitions({ queues: [], topics }, 'terraform').notes).toEqual([
    'topic t has the status SendDisabled, and Terraform takes only Active and Disabled',
    'rule t/s/$Default exists with each new subscription: run terraform import for it, if Terraform says so',
  ]);
});
