// The entities of specs and files together, and the warnings that a file brings.

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { describeQueue } from '../../src/broker/contract/entities/queue-description.js';
import { describeSubscription, describeTopic } from '../../src/broker/contract/entities/topic-description.js';
import { readConfigFile } from '../../src/config/config-text.js';
import { collectEntities, DEFAULT_CONFIG_FILE } from '../../src/config/configured-entities.js';

let directory: string;
let file: string;

beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), 'jitney-entities-'));
  file = join(directory, 'Config.json');
  const queues = [{ Name: 'orders' }, { Name: 'billing' }];
  const topics = [{ Name: 'events', Subscriptions: [{ Name: 'audit' }] }, { Name: 'news' }];
  writeFileSync(file, JSON.stringify({ UserConfig: { Namespaces: [{ Queues: queues, Topics: topics }] } }));
});
afterAll(() => rmSync(directory, { recursive: true }));

test('nothing asked for is nothing configured', async () => {
  expect(await collectEntities({})).toMatchObject({
    queues: [],
    topics: [],
    warnings: [],
    named: { queues: 0, topics: 0 },
    fromFile: { queues: 0, topics: 0 },
  });
});

test('specs and objects can be mixed, and have the defaults of Azure', async () => {
  const { queues, topics, named, fromFile } = await collectEntities({
    queues: ['orders?lockDuration=PT5S', { name: 'billing', maxDeliveryCount: 5 }],
    topics: ['events/audit', { name: 'news', subscriptions: ['all'] }],
  });
  expect(queues).toEqual([
    describeQueue('orders', { lockDurationMs: 5_000 }),
    describeQueue('billing', { maxDeliveryCount: 5 }),
  ]);
  const subscription = (name: string) => ({ description: describeSubscription(name), rules: undefined });
  expect(topics).toEqual([
    { description: describeTopic('events'), subscriptions: [subscription('audit')] },
    { description: describeTopic('news'), subscriptions: [subscription('all')] },
  ]);
  expect({ named, fromFile }).toEqual({
    named: { queues: 2, topics: 2 },
    fromFile: { queues: 0, topics: 0 },
  });
});

test('an object needs no more than a name', async () => {
  const { queues } = await collectEntities({ queues: [{ name: 'orders' }] });
  expect(queues).toEqual([describeQueue('orders')]);
});

test('a queue named one by one wins over one of that name in the file', async () => {
  const { queues, named, fromFile } = await collectEntities({ queues: ['ORDERS'], configFile: file });
  expect(queues.map(({ name, maxDeliveryCount }) => `${name} ${maxDeliveryCount}`)).toEqual([
    'billing 3',
    'orders 10',
  ]);
  expect({ named, fromFile }).toEqual({
    named: { queues: 1, topics: 0 },
    fromFile: { queues: 1, topics: 2 },
  });
});

test('so does a topic, with its subscriptions', async () => {
  const { topics, named, fromFile } = await collectEntities({ topics: ['EVENTS/mail'], configFile: file });
  expect(
    topics.map(({ description, subscriptions }) => [
      description.name,
      description.defaultMessageTimeToLiveMs,
      subscriptions.map(({ description }) => description.name),
    ]),
  ).toEqual([
    ['news', 3_600_000, []],
    ['events', Number.POSITIVE_INFINITY, ['mail']],
  ]);
  expect({ named, fromFile }).toEqual({
    named: { queues: 0, topics: 1 },
    fromFile: { queues: 2, topics: 1 },
  });
});

test.each([
  { queues: ['events'], configured: true },
  { topics: ['Orders/a'], configured: true },
  { queues: ['a'], topics: ['A/b'], configured: false },
])('a queue and a topic cannot have the same name: %j [ENT-03]', async ({ configured, ...given }) => {
  const options = configured ? { ...given, configFile: file } : given;
  await expect(collectEntities(options)).rejects.toThrow(
    /^'\w+' is given both as a queue and as a topic: a name can be only one of them$/,
  );
});

test('only an entity that the file decides on has a place in it', async () => {
  const { locationOf } = await collectEntities({ queues: ['ORDERS'], topics: ['News'], configFile: file });
  const property = 'requiresSession';
  expect(locationOf({ entity: { name: 'billing' }, property })).toContain(`${file}:1:`);
  expect(locationOf({ entity: { name: 'orders' }, property })).toBeUndefined();
  const audit = { topicName: 'Events', name: 'Audit' };
  expect(locationOf({ entity: audit, property })).toContain('Topics[0].Subscriptions[0]');
  expect(locationOf({ entity: { topicName: 'news', name: 'all' }, property })).toBeUndefined();
  const ofDefault = await collectEntities({ configFile: DEFAULT_CONFIG_FILE });
  expect(ofDefault.locationOf({ entity: { name: 'queue.1' }, property })).toBe(DEFAULT_CONFIG_FILE);
});

test('a queue that is named twice, in whatever case, is refused [ENT-02]', async () => {
  await expect(collectEntities({ queues: ['orders', 'Orders'] })).rejects.toThrow(
    "Queue 'orders' is given twice",
  );
});

test('a topic that is named twice, in whatever case, is refused [ENT-02]', async () => {
  await expect(collectEntities({ topics: ['events/a', 'Events/b'] })).rejects.toThrow(
    "Topic 'events' is given twice",
  );
});

test("the default file holds the official emulator's entities, and the full reader finds the same in it without a remark", async () => {
  const { queues, topics } = await collectEntities({ configFile: DEFAULT_CONFIG_FILE });
  expect(queues.map(({ name, maxDeliveryCount }) => `${name} ${maxDeliveryCount}`)).toEqual(['queue.1 3']);
  expect(topics.map(({ description }) => description.name)).toEqual(['topic.1']);
  const rules = topics[0]?.subscriptions.map(({ description, rules }) => [
    description.name,
    rules?.map(({ name, filter, action }) => [name, filter.kind, action?.expression]),
  ]);
  expect(rules).toEqual([
    ['subscription.1', [['app-prop-filter-1', 'correlation', undefined]]],
    ['subscription.2', [['user-prop-filter-1', 'correlation', undefined]]],
    ['subscription.3', undefined],
    ['subscription.4', [['sql-filter-1', 'sql', "SET sys.To = 'Entity'"]]],
  ]);
  expect(await readConfigFile(DEFAULT_CONFIG_FILE)).toMatchObject({ queues, topics, warnings: [] });
});

test('where the tier has no topics, the default file has none; what a user asks for stays', async () => {
  const byDefault = await collectEntities({ configFile: DEFAULT_CONFIG_FILE, tier: 'basic' });
  expect(byDefault).toMatchObject({ topics: [], fromFile: { queues: 1, topics: 0 } });
  const asked = await collectEntities({ configFile: file, tier: 'basic' });
  expect(asked.fromFile).toEqual({ queues: 2, topics: 2 });
});

test('a larger message than the tier has is ignored in a file, with a warning', async () => {
  const large = join(directory, 'Large.json');
  const Queues = [
    { Name: 'large', Properties: { MaxMessageSizeInKilobytes: 1024 } },
    { Name: 'fits', Properties: { MaxMessageSizeInKilobytes: 256 } },
  ];
  const Topics = [{ Name: 'news', Properties: { MaxMessageSizeInKilobytes: 102_400 } }];
  writeFileSync(large, JSON.stringify({ UserConfig: { Namespaces: [{ Queues, Topics }] } }));
  const sizes = async (options: Parameters<typeof collectEntities>[0]) => {
    const { queues, topics, warnings } = await collectEntities({ configFile: large, ...options });
    const all = [...queues, ...topics.map(({ description }) => description)];
    return [all.map(({ maxMessageSizeInKilobytes }) => maxMessageSizeInKilobytes), warnings];
  };
  expect(await sizes({})).toEqual([
    [undefined, 256, undefined],
    [
      expect.stringMatching(
        /Large\.json:1:\d+ {2}.*Queues\[0\]\.Properties\.MaxMessageSizeInKilobytes is 1024 and was ignored: the tier standard allows messages of up to 256 KB\.$/,
      ),
      expect.stringMatching(/Topics\[0\]\.Properties\.MaxMessageSizeInKilobytes is 102400 and was ignored/),
    ],
  ]);
  expect(await sizes({ tier: 'premium' })).toEqual([[1024, 256, 102_400], []]);
  expect(await sizes({ limits: 'none' })).toEqual([[1024, 256, 102_400], []]);
});

test('what a file brings by default needs no warning, and what it asks for in vain has one', async () => {
  expect((await collectEntities({ configFile: file })).warnings).toEqual([]);
  const odd = join(directory, 'Odd.json');
  writeFileSync(odd, JSON.stringify({ UserConfig: { Namespaces: [{ Topic: [{ Name: 'news' }] }] } }));
  expect((await collectEntities({ configFile: odd })).warnings).toEqual([
    expect.stringMatching(/Odd\.json:.*Topic is not known and was ignored\. Did you mean 'Topics'\?$/),
  ]);
});

test.each([
  'lockDuration=PT5S',
  'maxDeliveryCount=3',
  'requiresSession=true',
  'status=Disabled',
  'maxMessageSizeInKilobytes=10',
  'maxSizeInMegabytes=2048',
  'userMetadata=mine',
  'enableBatchedOperations=false',
  'enableExpress=true',
  'requiresDuplicateDetection=true',
  'duplicateDetectionHistoryTimeWindow=PT20S',
  'defaultMessageTimeToLive=PT1M',
  'deadLetteringOnMessageExpiration=true',
  'autoDeleteOnIdle=PT5M',
  'enablePartitioning=true',
])('orders?%s needs no warning', async (query) => {
  expect((await collectEntities({ queues: [`orders?${query}`] })).warnings).toEqual([]);
});
