// The queues of specs and files together, and the warnings that a file brings.

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { describeQueue } from '../../src/broker/entity/queue-description.js';
import { readConfigFile } from '../../src/config/config-file.js';
import { collectQueues, DEFAULT_CONFIG_FILE } from '../../src/config/configured-queues.js';

let directory: string;
let file: string;

beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), 'jitney-queues-'));
  file = join(directory, 'Config.json');
  const queues = [{ Name: 'orders' }, { Name: 'billing' }];
  writeFileSync(file, JSON.stringify({ UserConfig: { Namespaces: [{ Queues: queues, Topics: [] }] } }));
});
afterAll(() => rmSync(directory, { recursive: true }));

test('nothing asked for is nothing configured', async () => {
  expect(await collectQueues({})).toMatchObject({
    queues: [],
    warnings: [],
    namedCount: 0,
    fromFileCount: 0,
  });
});

test('specs and descriptions can be mixed, and have the defaults of Azure', async () => {
  const billing = describeQueue('billing', { maxDeliveryCount: 5 });
  const { queues, namedCount, fromFileCount } = await collectQueues({
    queues: ['orders?lockDuration=PT5S', billing],
  });
  expect(queues).toEqual([describeQueue('orders', { lockDurationMs: 5_000 }), billing]);
  expect({ namedCount, fromFileCount }).toEqual({ namedCount: 2, fromFileCount: 0 });
});

test('an object needs no more than a name', async () => {
  const { queues } = await collectQueues({ queues: [{ name: 'orders' }] });
  expect(queues).toEqual([describeQueue('orders')]);
});

test('a queue named one by one wins over one of that name in the file', async () => {
  const { queues, namedCount, fromFileCount } = await collectQueues({ queues: ['ORDERS'], configFile: file });
  expect(queues.map(({ name, maxDeliveryCount }) => `${name} ${maxDeliveryCount}`)).toEqual([
    'billing 3',
    'ORDERS 10',
  ]);
  expect({ namedCount, fromFileCount }).toEqual({ namedCount: 1, fromFileCount: 1 });
});

test('only a queue that the file decides on has a place in it', async () => {
  const { placeOf } = await collectQueues({ queues: ['ORDERS'], configFile: file });
  const property = 'requiresSession';
  expect(placeOf({ queueName: 'billing', property })).toContain(`${file}:1:`);
  expect(placeOf({ queueName: 'orders', property })).toBeUndefined();
  const ofDefault = await collectQueues({ configFile: DEFAULT_CONFIG_FILE });
  expect(ofDefault.placeOf({ queueName: 'queue.1', property })).toBe(DEFAULT_CONFIG_FILE);
});

test('a queue that is named twice is refused [ENT-02]', async () => {
  await expect(collectQueues({ queues: ['orders', 'Orders'] })).rejects.toThrow(
    "Queue 'Orders' is given twice",
  );
});

test('the default file holds queue.1, and the full reader finds the same in it without a remark', async () => {
  const { queues } = await collectQueues({ configFile: DEFAULT_CONFIG_FILE });
  expect(queues.map(({ name, maxDeliveryCount }) => `${name} ${maxDeliveryCount}`)).toEqual(['queue.1 3']);
  expect(await readConfigFile(DEFAULT_CONFIG_FILE)).toMatchObject({ queues, warnings: [] });
});

test('what a file brings by default needs no warning, and what it asks for in vain has one', async () => {
  expect((await collectQueues({ configFile: file })).warnings).toEqual([]);
  const withTopic = join(directory, 'Topic.json');
  writeFileSync(withTopic, JSON.stringify({ UserConfig: { Namespaces: [{ Topics: [{ Name: 'news' }] }] } }));
  expect((await collectQueues({ configFile: withTopic })).warnings).toEqual([
    expect.stringMatching(/Topic\.json:.* are not served yet, so these do not exist: news$/),
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
  expect((await collectQueues({ queues: [`orders?${query}`] })).warnings).toEqual([]);
});
