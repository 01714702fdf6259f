// Topic specs: a topic, its subscriptions and their properties in one line, and the one message each mistake gets.

import { expect, test } from 'vitest';
import { describeSubscription, describeTopic } from '../../src/broker/contract/entities/topic-description.js';
import { parseTopicSpec } from '../../src/config/given-topic.js';
import { SUBSCRIPTION_PROPERTIES, TOPIC_PROPERTIES } from '../../src/description/entity-properties.js';

function subscription(name: string, given: Parameters<typeof describeSubscription>[1] = {}) {
  return { description: describeSubscription(name, given), rules: undefined };
}

test.each([
  ['events', 'events', []],
  ['events/audit', 'events', ['audit']],
  ['events/audit+mail+eu-1', 'events', ['audit', 'mail', 'eu-1']],
  ['sales/events/audit', 'sales/events', ['audit']],
  ['sales/events/', 'sales/events', []],
])(
  '%s is the topic %s with the subscriptions %j, with the defaults of Azure',
  (spec, name, subscriptions) => {
    expect(parseTopicSpec(spec)).toEqual({
      description: describeTopic(name),
      subscriptions: subscriptions.map((one) => subscription(one)),
    });
  },
);

test('every property of a topic but a list can be given in its spec', () => {
  const spec = [
    'maxSizeInMegabytes=2048',
    'maxMessageSizeInKilobytes=512',
    'requiresDuplicateDetection=true',
    'duplicateDetectionHistoryTimeWindow=PT1M',
    'defaultMessageTimeToLive=P1D',
    'enableBatchedOperations=false',
    'enablePartitioning=true',
    'enableExpress=true',
    'supportOrdering=false',
    'status=SendDisabled',
    'autoDeleteOnIdle=PT10M',
    'userMetadata=mine',
  ];
  expect(parseTopicSpec(`events/audit?${spec.join('&')}`)).toEqual({
    description: {
      name: 'events',
      maxSizeInMegabytes: 2048,
      maxMessageSizeInKilobytes: 512,
      requiresDuplicateDetection: true,
      duplicateDetectionHistoryTimeWindowMs: 60_000,
      defaultMessageTimeToLiveMs: 86_400_000,
      enableBatchedOperations: false,
      enablePartitioning: true,
      enableExpress: true,
      supportOrdering: false,
      status: 'SendDisabled',
      autoDeleteOnIdleMs: 600_000,
      userMetadata: 'mine',
      authorizationRules: [],
      otherProperties: undefined,
    },
    subscriptions: [subscription('audit')],
  });
});

test('what only subscriptions have goes to each that is named, and what topics have too does not', () => {
  const given = {
    lockDurationMs: 5_000,
    maxDeliveryCount: 3,
    requiresSession: true,
    deadLetteringOnMessageExpiration: true,
    deadLetteringOnFilterEvaluationExceptions: false,
    forwardTo: 'archive',
    forwardDeadLetteredMessagesTo: 'graveyard',
  };
  const spec =
    'events/audit+mail?lockDuration=PT5S&MaxDeliveryCount=3&requiresSession=true&deadLetteringOnMessageExpiration=true' +
    '&deadLetteringOnFilterEvaluationExceptions=false&forwardTo=archive&forwardDeadLetteredMessagesTo=graveyard' +
    '&defaultMessageTimeToLive=PT1H';
  expect(parseTopicSpec(spec)).toEqual({
    description: describeTopic('events', { defaultMessageTimeToLiveMs: 3_600_000 }),
    subscriptions: [subscription('audit', given), subscription('mail', given)],
  });
});

test('the tables of properties know every field of a topic and of a subscription', () => {
  const fieldsOf = (description: object) =>
    Object.keys(description).filter((field) => !['name', 'otherProperties'].includes(field));
  expect(TOPIC_PROPERTIES.map(({ field }) => field).sort()).toEqual(fieldsOf(describeTopic('a')).sort());
  expect(SUBSCRIPTION_PROPERTIES.map(({ field }) => field).sort()).toEqual(
    fieldsOf(describeSubscription('a')).sort(),
  );
});

const INNER_NAME = 'must hold only A-Z, a-z, 0-9, "-", "_", "." and "~"';

test.each([
  ['', 'its name must hold only A-Z'],
  ['/audit', 'its name must hold only A-Z'],
  ['a b/c', 'its name must hold only A-Z'],
  ['events/a b', `a subscription ${INNER_NAME}`],
  ['events/a+', `a subscription ${INNER_NAME}`],
  [`events/${'x'.repeat(51)}`, 'a subscription must have at most 50 characters, but it has 51'],
  ['events/a+b+A', 'subscription "A" is given twice'],
  ['events/a?lockDuration=soon', 'lockDuration must be a duration'],
  ['events?lockDuration=PT5S', 'lockDuration is a property of subscriptions, but none is named'],
  ['events?maxSizeInMegabytes=0', 'maxSizeInMegabytes must be a whole number from 1 to 81920, not 0'],
  ['events?status=ReceiveDisabled', 'status must be one of Active, Disabled, SendDisabled'],
  ['events/a?enableExpress=true&enableexpress=false', 'enableExpress is given twice'],
  ['events/a?lockDurtion=PT5S', `there is no property "lockDurtion". Did you mean 'lockDuration'?`],
  [
    'events/a?filter=x',
    '"filter" is of a rule. Rules are given under "Rules" of a subscription in a Config.json',
  ],
  ['events/a?sqlFilter=x', '"sqlFilter" is of a rule.'],
  ['events?defaultMessageTimeToLiv=PT5S', `Did you mean 'defaultMessageTimeToLive'?`],
])('the spec %s is refused: %s', (spec, message) => {
  expect(() => parseTopicSpec(spec)).toThrow(
    expect.objectContaining({ kind: 'bad-topic', message: expect.stringContaining(message), problems: [] }),
  );
  expect(() => parseTopicSpec(spec)).toThrow(`Topic ${JSON.stringify(spec)}: `);
});

test.each(['events/a,b', 'events,news'])(
  'commas in place of plus signs are refused with a hint: %s',
  (spec) => {
    expect(() => parseTopicSpec(spec)).toThrow(
      expect.objectContaining({
        problems: [
          "Subscriptions are joined by +, and each topic has its own --topic:  --topic 'a/x+y' --topic b",
        ],
      }),
    );
  },
);
