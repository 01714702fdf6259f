// Words and elements that clients of Azure look for in answers of the administration, word for word.

import { afterEach, expect, it } from 'vitest';
import type { UnderTestOptions } from '../../support/emulator-under-test.js';
import { type HttpUnderTest, openHttpUnderTest } from '../support/http-under-test.js';

const QUEUE = 'QueueDescription';
const TOPIC = 'TopicDescription';
const SUBSCRIPTION = 'SubscriptionDescription';
const RULE = 'RuleDescription';

let http: HttpUnderTest;

afterEach(async () => {
  expect(http.faults).toEqual([]);
  await http.stop();
});

async function open(options: Partial<UnderTestOptions> = {}): Promise<void> {
  http = await openHttpUnderTest({
    queues: ['orders'],
    topics: [{ name: 'news', subscriptions: ['all'] }],
    ...options,
  });
}

it('a queue or topic that was never used has the first time of the calendar as its access; a subscription, its creation [CNT-03]', async () => {
  await open();
  await http.put('/made', QUEUE, '');
  await http.update('/made', QUEUE, '<MaxDeliveryCount>3</MaxDeliveryCount>');
  expect((await http.ask('GET', '/made')).valueOf('AccessedAt')).toBe('0001-01-01T00:00:00Z');
  await http.put('/topic', TOPIC, '');
  expect((await http.ask('GET', '/topic')).valueOf('AccessedAt')).toBe('0001-01-01T00:00:00Z');
  await http.put('/topic/Subscriptions/s', SUBSCRIPTION, '');
  const subscription = await http.ask('GET', '/topic/Subscriptions/s');
  expect(subscription.valueOf('AccessedAt')).toBe(subscription.valueOf('CreatedAt'));
});

it('a topic counts the filters of all its subscriptions, for clients that ask in the version of 2024-05 or later', async () => {
  await open();
  await http.put('/news/Subscriptions/more', SUBSCRIPTION, '');
  const rule = '<Filter i:type="CorrelationFilter"><Label>x</Label></Filter>';
  await http.put('/news/Subscriptions/more/Rules/r', RULE, rule);
  for (const path of ['/news', '/$Resources/Topics']) {
    for (const version of ['2024-05', '2025-01']) {
      const answer = await http.ask('GET', `${path}?api-version=${version}`);
      expect(answer.text).toContain(
        '<SqlFilterCount>2</SqlFilterCount><CorrelationFilterCount>1</CorrelationFilterCount>',
      );
    }
    for (const query of ['', '?api-version=2021-05']) {
      expect((await http.ask('GET', path + query)).text).not.toContain('FilterCount');
    }
  }
});

it.each([
  [
    '/orders',
    QUEUE,
    'RequiresSession',
    'The value for the RequiresSession property of an existing Queue cannot be changed. ',
  ],
  ['/orders', QUEUE, 'EnablePartitioning', 'Partitioning cannot be changed for Queue. '],
  ['/news', TOPIC, 'EnablePartitioning', 'Partitioning cannot be changed for Topic. '],
  [
    '/news',
    TOPIC,
    'RequiresDuplicateDetection',
    'The value for the requires duplicate detection property of an existing Topic cannot be changed. ',
  ],
  [
    '/news/Subscriptions/all',
    SUBSCRIPTION,
    'RequiresSession',
    'The value for the RequiresSession property of an existing Subscription cannot be changed. ',
  ],
])('at %s, a %s, a change of %s is refused in the words of the service', async (path, kind, name, words) => {
  await open();
  const answer = await http.update(path, kind, `<${name}>true</${name}>`);
  expect(answer.status).toBe(400);
  expect(answer.valueOf('Detail')).toContain(`${kind === SUBSCRIPTION ? '' : 'SubCode=40000. '}${words}`);
});

const size = (kilobytes: number) => `<MaxMessageSizeInKilobytes>${kilobytes}</MaxMessageSizeInKilobytes>`;

it.each([QUEUE, TOPIC])('in Premium a message of a %s may have from 1 to 100 MB', async (kind) => {
  await open({ tier: 'premium' });
  for (const kilobytes of [1, 1023, 102_401, 10_000_000]) {
    const answer = await http.put('/made', kind, size(kilobytes));
    expect([answer.status, answer.valueOf('Detail')]).toEqual([
      400,
      expect.stringContaining("The value for 'MaxMessageSizeInKilobytes' must be between 1024 and 102400"),
    ]);
  }
  for (const kilobytes of [1024, 102_400]) {
    expect((await http.put(`/made-${kilobytes}`, kind, size(kilobytes))).status).toBe(201);
  }
});

it('in Premium a queue that was configured with less than Azure allows may be sent back as it was returned', async () => {
  await open({ tier: 'premium', queues: ['small?maxMessageSizeInKilobytes=1'] });
  const told = await http.ask('GET', '/small');
  expect((await http.update('/small', QUEUE, told.xmlOf(QUEUE) ?? '')).status).toBe(200);
});

it('in Standard the reported largest message size may be sent back, also for another entity, and no larger one', async () => {
  await open();
  const told = await http.ask('GET', '/orders');
  expect(told.valueOf('MaxMessageSizeInKilobytes')).toBe('256');
  expect((await http.update('/orders', QUEUE, told.xmlOf(QUEUE) ?? '')).status).toBe(200);
  expect((await http.put('/copy', QUEUE, told.xmlOf(QUEUE) ?? '')).status).toBe(201);
  expect((await http.put('/large', QUEUE, size(1024))).status).toBe(400);
});
