// Topics, subscriptions and rules of a Config.json: what is taken from it, and where in the file each mistake is pointed out.

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { describeAuthorizationRule } from '../../src/broker/contract/entities/authorization-rule.js';
import { describeSubscription, describeTopic } from '../../src/broker/contract/entities/topic-description.js';
import { readConfigFile } from '../../src/config/config-text.js';
import type { JitneyError } from '../../src/jitney-error.js';

let directory: string;
let file: string;

beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), 'jitney-topics-'));
  file = join(directory, 'Config.json');
});
afterAll(() => rmSync(directory, { recursive: true }));

const TOPIC = 'UserConfig.Namespaces[0].Topics[0]';
const RULE = `${TOPIC}.Subscriptions[0].Rules[0]`;

function read(text: string) {
  writeFileSync(file, text);
  return readConfigFile(file);
}

/** A file with these topics, from line 2 on. */
function withTopics(topics: string, more = ''): string {
  return `{ "UserConfig": { "Namespaces": [{ ${more} "Topics": [\n${topics}\n] }] } }`;
}

/** A file with these rules of the subscription audit of the topic events, from line 2 on. */
function withRules(rules: string): string {
  return withTopics(`{ "Name": "events", "Subscriptions": [{ "Name": "audit", "Rules": [\n${rules}\n] }] }`);
}

async function mistakesOf(text: string): Promise<readonly string[]> {
  const error: JitneyError = await read(text).then(
    () => Promise.reject(new Error('The file was taken')),
    (reason) => reason,
  );
  expect(error).toMatchObject({ name: 'JitneyError', kind: 'config-file-invalid' });
  return error.problems.map((problem) => problem.replace(`${file}:`, ''));
}

async function rulesOf(rules: string) {
  const { topics, warnings } = await read(withRules(rules));
  expect(warnings).toEqual([]);
  return topics[0]?.subscriptions[0]?.rules;
}

test('a topic and a subscription that only have names get the defaults of the official emulator', async () => {
  const { topics, warnings } = await read(
    withTopics('{ "Name": "events", "Subscriptions": [{ "Name": "audit" }] }'),
  );
  const defaultMessageTimeToLiveMs = 3_600_000;
  expect(topics).toEqual([
    {
      description: describeTopic('events', {
        defaultMessageTimeToLiveMs,
        duplicateDetectionHistoryTimeWindowMs: 20_000,
      }),
      subscriptions: [
        {
          description: describeSubscription('audit', {
            defaultMessageTimeToLiveMs,
            lockDurationMs: 60_000,
            maxDeliveryCount: 3,
          }),
          rules: undefined,
        },
      ],
    },
  ]);
  expect(warnings).toEqual([]);
});

test('all properties of the schema and those it lacks are taken', async () => {
  const { topics, warnings } = await read(
    withTopics(`{ "Name": "events", "Properties": {
      "DefaultMessageTimeToLive": "PT30M",
      "DuplicateDetectionHistoryTimeWindow": "PT5S",
      "RequiresDuplicateDetection": true,
      "AutoDeleteOnIdle": "PT5M",
      "EnableBatchedOperations": false,
      "EnableExpress": true,
      "EnablePartitioning": true,
      "MaxMessageSizeInKilobytes": 100,
      "MaxSizeInMegabytes": 5120,
      "Status": "SendDisabled",
      "SupportOrdering": false,
      "UserMetadata": "mine",
      "AuthorizationRules": [{ "KeyName": "reader", "Rights": ["Listen"] }]
    }, "Subscriptions": [{ "Name": "audit", "Properties": {
      "AutoDeleteOnIdle": "PT6M",
      "DeadLetteringOnFilterEvaluationExceptions": false,
      "DeadLetteringOnMessageExpiration": true,
      "DefaultMessageTimeToLive": "PT10M",
      "EnableBatchedOperations": false,
      "ForwardDeadLetteredMessagesTo": "graveyard",
      "ForwardTo": "",
      "LockDuration": "PT5S",
      "MaxDeliveryCount": 7,
      "RequiresSession": true,
      "Status": "ReceiveDisabled",
      "UserMetadata": "yours"
    } }] }`),
  );
  expect(warnings).toEqual([]);
  expect(topics[0]?.description).toEqual({
    name: 'events',
    defaultMessageTimeToLiveMs: 1_800_000,
    duplicateDetectionHistoryTimeWindowMs: 5_000,
    requiresDuplicateDetection: true,
    autoDeleteOnIdleMs: 300_000,
    enableBatchedOperations: false,
    enableExpress: true,
    enablePartitioning: true,
    maxMessageSizeInKilobytes: 100,
    maxSizeInMegabytes: 5120,
    status: 'SendDisabled',
    supportOrdering: false,
    userMetadata: 'mine',
    authorizationRules: [describeAuthorizationRule('reader', { rights: ['Listen'] })],
    otherProperties: undefined,
  });
  expect(topics[0]?.subscriptions[0]?.description).toEqual({
    name: 'audit',
    autoDeleteOnIdleMs: 360_000,
    deadLetteringOnFilterEvaluationExceptions: false,
    deadLetteringOnMessageExpiration: true,
    defaultMessageTimeToLiveMs: 600_000,
    enableBatchedOperations: false,
    forwardDeadLetteredMessagesTo: 'graveyard',
    forwardTo: undefined,
    lockDurationMs: 5_000,
    maxDeliveryCount: 7,
    requiresSession: true,
    status: 'ReceiveDisabled',
    userMetadata: 'yours',
    otherProperties: undefined,
  });
});

test('subscriptions, properties and rules may be missing or null', async () => {
  const { topics } = await read(
    withTopics(`{ "Name": "a", "Subscriptions": null, "Properties": null },
      { "Name": "b", "Subscriptions": [{ "Name": "c", "Properties": null, "Rules": null }] }`),
  );
  expect(topics.map(({ subscriptions }) => subscriptions.map(({ rules }) => rules))).toEqual([
    [],
    [undefined],
  ]);
});

test('a list of no rules means that everything matches, as where it is left out at first', async () => {
  expect(await rulesOf('')).toEqual([{ name: '$Default', filter: { kind: 'true' }, action: undefined }]);
});

test('a correlation filter has all that the schema has, with properties of every type of JSON', async () => {
  const rules =
    await rulesOf(`{ "Name": "r", "Properties": { "FilterType": "Correlation", "CorrelationFilter": {
    "ContentType": "a", "CorrelationId": "b", "Label": "c", "MessageId": "d", "ReplyTo": "e",
    "ReplyToSessionId": "f", "SessionId": "g", "To": "h",
    "Properties": { "text": "1", "whole": 1, "part": 1.5, "yes": true } } } }`);
  expect(rules).toEqual([
    {
      name: 'r',
      filter: {
        kind: 'correlation',
        contentType: 'a',
        correlationId: 'b',
        subject: 'c',
        messageId: 'd',
        replyTo: 'e',
        replyToSessionId: 'f',
        sessionId: 'g',
        to: 'h',
        properties: {
          text: '1',
          whole: { type: 'int', value: '1' },
          part: { type: 'double', value: '1.5' },
          yes: true,
        },
      },
      action: undefined,
    },
  ]);
});

test('a SQL filter and an action are taken as they stand, the type of the filter in any case', async () => {
  const rules = await rulesOf(`{ "Name": "$Default", "Properties": { "FilterType": "sql",
    "SqlFilter": { "SqlExpression": "color = 'blue'" },
    "CorrelationFilter": null,
    "Action": { "SqlExpression": "SET sys.To = 'x'" } } }`);
  expect(rules).toEqual([
    {
      name: '$Default',
      filter: { kind: 'sql', expression: "color = 'blue'" },
      action: { kind: 'sql', expression: "SET sys.To = 'x'" },
    },
  ]);
});

test('beyond the official format, SQL has parameters, and values have types', async () => {
  const long = '{ "type": "long", "value": "9223372036854775807" }';
  const rules = await rulesOf(`{ "Name": "r", "Properties": { "FilterType": "Sql",
    "SqlFilter": { "SqlExpression": "n = @n AND t = @t", "Parameters": { "@n": ${long}, "@t": "x" } },
    "Action": { "SqlExpression": "SET a = @a", "Parameters": { "@a": 5 } } } },
    { "Name": "s", "Properties": { "FilterType": "Correlation", "CorrelationFilter": { "Properties": { "n": ${long} } } } }`);
  const value = { type: 'long', value: '9223372036854775807' };
  expect(rules).toEqual([
    {
      name: 'r',
      filter: { kind: 'sql', expression: 'n = @n AND t = @t', parameters: { '@n': value, '@t': 'x' } },
      action: { kind: 'sql', expression: 'SET a = @a', parameters: { '@a': { type: 'int', value: '5' } } },
    },
    { name: 's', filter: { kind: 'correlation', properties: { n: value } }, action: undefined },
  ]);
});

test('mistakes in SQL are shown with the rule, and with line and column in the file and in the expression [SQL-23]', async () => {
  const problems = await mistakesOf(
    withRules(`{ "Name": "blue", "Properties": { "FilterType": "Sql",
 "SqlFilter": { "SqlExpression": "color = " },
 "Action": { "SqlExpression": "SET\\n x == 1" } } }`),
  );
  expect(problems).toEqual([
    expect.stringMatching(
      /^4:17 {2}UserConfig.*\.Rules\[0\]\.Properties\.SqlFilter\.SqlExpression of rule "blue" is invalid at line 1, column 9: /,
    ),
    expect.stringMatching(
      /^5:14 {2}UserConfig.*\.Properties\.Action\.SqlExpression of rule "blue" is invalid at line 2, column 5: /,
    ),
  ]);
});

test.each([
  ['"FilterType": "Query"', 'FilterType must be one of Correlation, Sql, True, False, not "Query"'],
  ['"FilterType": 5', 'FilterType must be one of Correlation, Sql, True, False, not 5'],
  ['"Action": null', 'FilterType is missing: give one of Correlation, Sql, True, False'],
  [
    '"FilterType": "Sql"',
    'SqlFilter is missing from rule "r": give { "SqlExpression": "..." }, or the FilterType True, which takes every message',
  ],
  [
    '"FilterType": "Correlation", "SqlFilter": null',
    'CorrelationFilter is missing from rule "r": give what a message must have, such as { "Label": "order" }',
  ],
  [
    '"FilterType": "Sql", "SqlFilter": {}',
    'SqlFilter.SqlExpression is missing: give a text such as "color = \'blue\'"',
  ],
  ['"FilterType": "Sql", "SqlFilter": "a = 1"', 'SqlFilter must be an object, not "a = 1"'],
  [
    '"FilterType": "Sql", "SqlFilter": { "SqlExpression": 1 }',
    'SqlFilter.SqlExpression must be a string, not 1',
  ],
  [
    '"FilterType": "Correlation", "CorrelationFilter": {}',
    'CorrelationFilter of rule "r" cannot be used: A correlation filter names at least one property the message has to have; this one names none',
  ],
  [
    '"FilterType": "Correlation", "CorrelationFilter": { "Label": 5 }',
    'CorrelationFilter.Label must be a string, not 5',
  ],
  [
    '"FilterType": "Correlation", "CorrelationFilter": { "Properties": { "a": null } }',
    'CorrelationFilter.Properties.a must be a text, a number, true or false, or a date, not null',
  ],
  [
    '"FilterType": "Correlation", "CorrelationFilter": { "MessageID": "x" }',
    `CorrelationFilter.MessageID is not a property that a correlation filter can name. Did you mean 'MessageId'?`,
  ],
  [
    '"FilterType": "Correlation", "CorrelationFilter": { "Subject": "x" }',
    `CorrelationFilter.Subject is not a property that a correlation filter can name. It is called 'Label' here.`,
  ],
  [
    '"FilterType": "Correlation", "CorrelationFilter": { "applicationProperties": { "a": 1 } }',
    `CorrelationFilter.applicationProperties is not a property that a correlation filter can name. It is called 'Properties' here.`,
  ],
  [
    '"FilterType": "Correlation", "CorrelationFilter": { "Label": "x", "colour": "red" }',
    'CorrelationFilter.colour is not a property that a correlation filter can name. Application properties go under "Properties".',
  ],
])('the rule { %s } is refused, so that no filter is silently left out', async (properties, message) => {
  const problems = await mistakesOf(withRules(`{ "Name": "r", "Properties": { ${properties} } }`));
  expect(problems).toHaveLength(1);
  expect(problems[0]).toMatch(/^3:\d+ {2}/);
  expect(problems[0]).toContain(`  ${RULE}.Properties.${message}`);
});

test.each([
  ['True', 'true'],
  ['FALSE', 'false'],
  ['TrueFilter', 'true'],
  ['falsefilter', 'false'],
])('a rule of the type %s needs no filter', async (type, kind) => {
  expect(await rulesOf(`{ "Name": "r", "Properties": { "FilterType": "${type}" } }`)).toEqual([
    { name: 'r', filter: { kind }, action: undefined },
  ]);
});

test('a rule that takes every message may have an action', async () => {
  const rules = await rulesOf(
    `{ "Name": "r", "Properties": { "FilterType": "True", "Action": { "SqlExpression": "SET a = 1" } } }`,
  );
  expect(rules).toMatchObject([{ filter: { kind: 'true' }, action: { expression: 'SET a = 1' } }]);
});

test('the types may be called as the SDKs call them, without a remark', async () => {
  const rules = await rulesOf(`
    { "Name": "a", "Properties": { "FilterType": "SqlFilter", "SqlFilter": { "SqlExpression": "1 = 1" } } },
    { "Name": "b", "Properties": { "FilterType": "correlationFilter", "CorrelationFilter": { "Label": "x" } } }`);
  expect(rules?.map(({ filter }) => filter.kind)).toEqual(['sql', 'correlation']);
});

test.each(['SqlFilter', 'CorrelationFilter'])('a %s beside the type True is not used', async (key) => {
  const filter = key === 'SqlFilter' ? '{ "SqlExpression": "1 = 1" }' : '{ "Label": "x" }';
  const { warnings } = await read(
    withRules(`{ "Name": "r", "Properties": { "FilterType": "True", "${key}": ${filter} } }`),
  );
  expect(warnings).toEqual([
    `${file}:3:54  ${RULE}.Properties.${key} of rule "r" is not used, because its FilterType is True`,
  ]);
});

test('SQL that .NET Aspire has left out matches everything, and that is told', async () => {
  const { topics, warnings } = await read(
    withRules(`{ "Name": "r", "Properties": { "FilterType": "Sql",
 "CorrelationFilter": { "Properties": {}, "RequiresPreprocessing": false } } }`),
  );
  expect(topics[0]?.subscriptions[0]?.rules).toEqual([
    { name: 'r', filter: { kind: 'true' }, action: undefined },
  ]);
  expect(warnings).toEqual([
    `${file}:3:16  ${RULE}.Properties.SqlFilter of rule "r" is missing, as .NET Aspire leaves it out: the rule matches every message`,
  ]);
});

test('a correlation filter alone is meant whatever .NET Aspire says the type is, and that is told', async () => {
  const { topics, warnings } = await read(
    withRules(`{ "Name": "r", "Properties": { "FilterType": "Sql",
 "CorrelationFilter": { "Label": "x" } } }`),
  );
  expect(topics[0]?.subscriptions[0]?.rules).toEqual([
    { name: 'r', filter: { kind: 'correlation', subject: 'x' }, action: undefined },
  ]);
  expect(warnings).toEqual([
    `${file}:3:32  ${RULE}.Properties.FilterType of rule "r" is Sql, but the rule has only a CorrelationFilter, which is used`,
  ]);
});

test('a rule without properties is pointed out', async () => {
  expect(await mistakesOf(withRules('{ "Name": "r" }'))).toEqual([
    `3:1  ${RULE}.Properties is missing: give at least { "FilterType": "True" }`,
  ]);
});

test('a filter of the other kind is not used, and its place is told', async () => {
  const { warnings } = await read(
    withRules(`{ "Name": "r", "Properties": { "FilterType": "Sql",
 "CorrelationFilter": { "Label": "x" }, "SqlFilter": { "SqlExpression": "1 = 1" } } }`),
  );
  expect(warnings).toEqual([
    `${file}:4:2  ${RULE}.Properties.CorrelationFilter of rule "r" is not used, because its FilterType is Sql`,
  ]);
});

test('unknown keys of topics, subscriptions and rules are warned about at their place', async () => {
  const { topics, warnings } = await read(
    withTopics(`{ "Name": "events", "Subscription": [], "Properties": { "LockDuration": "PT5S" },
 "Subscriptions": [{ "Name": "audit", "Rule": [], "Properties": { "RequiresDuplicateDetection": true } }] }`),
  );
  expect(topics).toHaveLength(1);
  expect([...warnings].sort()).toEqual(
    [
      `${file}:2:21  ${TOPIC}.Subscription is not known and was ignored. Did you mean 'Subscriptions'?`,
      `${file}:2:57  ${TOPIC}.Properties.LockDuration means nothing here and was ignored.`,
      `${file}:3:39  ${TOPIC}.Subscriptions[0].Rule is not known and was ignored. Did you mean 'Rules'?`,
      `${file}:3:67  ${TOPIC}.Subscriptions[0].Properties.RequiresDuplicateDetection means nothing here and was ignored.`,
    ].sort(),
  );
});

test('no name is there twice, and no queue and topic share one [ENT-02, ENT-03]', async () => {
  const rule = (name: string) =>
    `{ "Name": "${name}", "Properties": { "FilterType": "Sql", "SqlFilter": { "SqlExpression": "1 = 1" } } }`;
  const problems = await mistakesOf(
    withTopics(
      `{ "Name": "events", "Subscriptions": [
 { "Name": "a", "Rules": [${rule('r')},
${rule('R')}] },
 { "Name": "A" }] },
{ "Name": "Events" },
{ "Name": "ORDERS" }`,
      '"Queues": [{ "Name": "orders" }],',
    ),
  );
  expect([...problems].sort()).toEqual([
    `4:3  ${TOPIC}.Subscriptions[0].Rules[1].Name repeats the name "R" of Rules[0]: give it another name (case does not count)`,
    `5:4  ${TOPIC}.Subscriptions[1].Name repeats the name "A" of Subscriptions[0]: give it another name (case does not count)`,
    '6:3  UserConfig.Namespaces[0].Topics[1].Name repeats the name "Events" of Topics[0]: give it another name (case does not count)',
    '7:3  UserConfig.Namespaces[0].Topics[2].Name is "ORDERS", which is also the name of Queues[0]: a queue and a topic cannot have the same name',
  ]);
});

test('names that repeat are refused even beside keys that are not known, which are told too [ENT-02]', async () => {
  expect(await mistakesOf(withTopics('{ "Name": "a", "Colour": 1 },\n{ "Name": "a" }'))).toEqual([
    '2:16  UserConfig.Namespaces[0].Topics[0].Colour is not known (a warning).',
    '3:3  UserConfig.Namespaces[0].Topics[1].Name repeats the name "a" of Topics[0]: give it another name (case does not count)',
  ]);
});

test('names of subscriptions and rules are shorter and have no slash [ENT-01]', async () => {
  const problems = await mistakesOf(
    withTopics(`{ "Name": "events", "Subscriptions": [
{ "Name": "a/b" },
{ "Name": "${'x'.repeat(51)}" },
{ "Name": "c", "Rules": [
{ "Name": "${'x'.repeat(51)}", "Properties": { "FilterType": "Sql", "SqlFilter": { "SqlExpression": "1 = 1" } } },
{ "Name": "$Other", "Properties": { "FilterType": "Sql", "SqlFilter": { "SqlExpression": "1 = 1" } } }] }] }`),
  );
  const rule = 'must hold only A-Z, a-z, 0-9, "-", "_", "." and "~", and not only dots';
  expect([...problems].sort()).toEqual([
    `3:3  ${TOPIC}.Subscriptions[0].Name ${rule}, not "a/b"`,
    `4:3  ${TOPIC}.Subscriptions[1].Name must have at most 50 characters, but it has 51`,
    `6:3  ${TOPIC}.Subscriptions[2].Rules[0].Name must have at most 50 characters, but it has 51`,
    `7:3  ${TOPIC}.Subscriptions[2].Rules[1].Name ${rule}, or $Default, not "$Other"`,
  ]);
});

test('a status that only the other side has is refused [ENT-06]', async () => {
  const topic =
    '{ "Name": "events", "Properties": { "Status": "ReceiveDisabled" }, "Subscriptions": [\n' +
    '{ "Name": "a", "Properties": { "Status": "SendDisabled" } }] }';
  expect(await mistakesOf(withTopics(topic))).toEqual([
    `2:37  ${TOPIC}.Properties.Status must be one of Active, Disabled, SendDisabled, not "ReceiveDisabled"`,
    `3:32  ${TOPIC}.Subscriptions[0].Properties.Status must be one of Active, Disabled, ReceiveDisabled, not "SendDisabled"`,
  ]);
});

test('where a property of a topic or a subscription stands can be asked for [ENT-02]', async () => {
  const { locations } = await read(
    withTopics(`{ "Name": "events", "Properties": { "EnablePartitioning": true }, "Subscriptions": [
 { "Name": "audit", "Properties": {
  "RequiresSession": true } }] }`),
  );
  const audit = { topicName: 'EVENTS', name: 'Audit' };
  expect(locations.locationOf({ entity: audit, property: 'requiresSession' })).toBe(
    `${file}:4:3  ${TOPIC}.Subscriptions[0].Properties.RequiresSession`,
  );
  expect(locations.locationOf({ entity: audit, property: undefined })).toBe(
    `${file}:3:2  ${TOPIC}.Subscriptions[0]`,
  );
  expect(locations.locationOf({ entity: { name: 'Events' }, property: 'enablePartitioning' })).toBe(
    `${file}:2:37  ${TOPIC}.Properties.EnablePartitioning`,
  );
  expect(
    locations.locationOf({ entity: { topicName: 'events', name: 'x' }, property: undefined }),
  ).toBeUndefined();
  expect(
    locations.locationOf({ entity: { topicName: 'x', name: 'audit' }, property: undefined }),
  ).toBeUndefined();
});
