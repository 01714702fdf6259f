// A Config.json that is given as text, and those that other tools write.

import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { NEVER } from '../../src/broker/contract/instant.js';
import { readConfigText } from '../../src/config/config-text.js';
import { collectEntities, DEFAULT_CONFIG_FILE } from '../../src/config/configured-entities.js';

function readAspire() {
  const text = readFileSync(new URL('./aspire.Config.json', import.meta.url), 'utf8');
  return readConfigText({ name: 'Config.json', text });
}

test('what .NET Aspire writes is taken as it is, and the SQL that it leaves out is the one remark', () => {
  const { queues, topics, warnings } = readAspire();
  expect(queues.map(({ name }) => name)).toEqual(['orders', 'slow']);
  expect(queues[1]).toMatchObject({
    lockDurationMs: 500,
    defaultMessageTimeToLiveMs: NEVER,
    duplicateDetectionHistoryTimeWindowMs: 86_400_000,
    maxDeliveryCount: 20,
    forwardTo: undefined,
    forwardDeadLetteredMessagesTo: 'orders',
  });
  expect(topics.map(({ subscriptions }) => subscriptions.length)).toEqual([0, 2]);
  expect(topics[1]?.description.defaultMessageTimeToLiveMs).toBe((14 * 24 + 3) * 3_600_000);
  expect(warnings).toEqual([
    expect.stringMatching(/^Config\.json:\d+:\d+ {2}.*SqlFilter of rule "sql" is missing, as \.NET Aspire/),
  ]);
});

test('the rules that .NET Aspire writes mean what they say, and an empty list that everything matches', () => {
  const [audit, mail] = readAspire().topics[1]?.subscriptions ?? [];
  expect(audit?.rules?.map(({ filter }) => filter)).toEqual([{ kind: 'true' }]);
  expect(mail?.rules?.map(({ filter }) => filter)).toEqual([
    { kind: 'true' },
    {
      kind: 'correlation',
      contentType: 'application/json',
      subject: 'order',
      properties: { region: 'EU', level: { type: 'int', value: '5' }, urgent: true },
    },
  ]);
});

test("the official emulator's sample is taken with comments and a trailing comma in it, as it is shipped", () => {
  const sample = readFileSync(DEFAULT_CONFIG_FILE, 'utf8');
  const text = sample
    .replaceAll('"Rules": [', '// who gets what\n"Rules": [')
    .replace(/\}\s*\}\s*$/, '},\n}');
  const { queues, topics, warnings } = readConfigText({ name: 'Config.json', text });
  expect(warnings).toEqual([]);
  const plain = readConfigText({ name: 'Config.json', text: sample });
  expect({ queues, topics }).toEqual({ queues: plain.queues, topics: plain.topics });
});

const ORDERS = '{ "UserConfig": { "Namespaces": [{ "Queues": [{ "Name": "orders" }] }] } }';

test('the text may be an option of a program, beside what is named one by one', async () => {
  const { queues, fromFile } = await collectEntities({ configJson: ORDERS, queues: ['extra'] });
  expect(queues.map(({ name, maxDeliveryCount }) => `${name} ${maxDeliveryCount}`)).toEqual([
    'orders 3',
    'extra 10',
  ]);
  expect(fromFile.queues).toBe(1);
});

test.each([
  ['[]', 'configJson', 'configJson:1:1  configJson must be an object, not []'],
  [
    { name: 'CONFIG_JSON', text: '\n null' },
    'CONFIG_JSON',
    'CONFIG_JSON:2:2  CONFIG_JSON must be an object, not null',
  ],
  [
    { name: 'JITNEY_CONFIG_JSON', text: '['.repeat(101) },
    'JITNEY_CONFIG_JSON',
    'JITNEY_CONFIG_JSON:1:101  JITNEY_CONFIG_JSON is nested too deeply: a Config.json has at most 100 levels',
  ],
  [
    { name: 'CONFIG_JSON', text: '{ UserConfig }' },
    'CONFIG_JSON',
    'CONFIG_JSON:1:3  not JSON: invalid symbol, found UserConfig',
  ],
])('mistakes in %j are located by the name of whatever holds it', async (configJson, name, problem) => {
  await expect(collectEntities({ configJson })).rejects.toMatchObject({
    kind: 'config-file-invalid',
    message: `The config in ${name} has a problem`,
    problems: [problem],
  });
});

test.each([
  ['./Config.json', 'found .', 'configJson', 'A file is named by the option configFile'],
  ['C:\\tests\\Config.json', 'found C', 'CONFIG_JSON', 'A file is named by --config or JITNEY_CONFIG'],
  ['Config.json', 'found Config.json', 'JITNEY_CONFIG_JSON', 'A file is named by --config or JITNEY_CONFIG'],
])('to %j, which is no config but a path, is said where paths belong', async (text, found, name, hint) => {
  await expect(
    collectEntities({ configJson: name === 'configJson' ? text : { name, text } }),
  ).rejects.toMatchObject({
    message: `The config in ${name} has a problem`,
    problems: [`${name}:1:1  not JSON: invalid symbol, ${found}`, hint],
  });
});

test('a file and a text together are refused', async () => {
  await expect(
    collectEntities({ configJson: ORDERS, configFile: DEFAULT_CONFIG_FILE }),
  ).rejects.toMatchObject({
    kind: 'bad-option',
    message: 'configFile and configJson are both given: give one of them',
  });
});
