// What recordings of the real service taught: how it answers the same requests. `npm run recordings` replays them.

import { afterEach, beforeEach, expect, it } from 'vitest';
import { type HttpUnderTest, openHttpUnderTest } from '../support/http-under-test.js';

const QUEUE = 'QueueDescription';
const TOPIC = 'TopicDescription';
const SUBSCRIPTION = 'SubscriptionDescription';
const RULE = 'RuleDescription';
const FILTER = '<Filter i:type="SqlFilter"><SqlExpression>a = 1</SqlExpression></Filter>';

let http: HttpUnderTest;

beforeEach(async () => {
  http = await openHttpUnderTest({
    queues: ['orders'],
    topics: [{ name: 'news', subscriptions: ['all'] }],
  });
});

afterEach(async () => {
  expect(http.faults).toEqual([]);
  await http.stop();
});

it.each([
  ['/made', QUEUE],
  ['/made', TOPIC],
])('the answer to the PUT of %s, a %s, has no counts, and no time of use', async (path, kind) => {
  for (const { text } of [await http.put(path, kind, ''), await http.update(path, kind, '')]) {
    expect(text).not.toMatch(/AccessedAt|CountDetails|SubscriptionCount/);
  }
  expect((await http.ask('GET', path)).text).toMatch(/AccessedAt.*CountDetails/);
});

it('the answer to the PUT of a subscription has no counts, and a time of use without a zone', async () => {
  const path = '/news/subscriptions/made';
  for (const answer of [await http.put(path, SUBSCRIPTION, ''), await http.update(path, SUBSCRIPTION, '')]) {
    expect(answer.valueOf('AccessedAt')).toBe('0001-01-01T00:00:00');
    expect(answer.text).not.toContain('CountDetails');
  }
});

it('subscriptions and rules have no author; what was changed does not say when it was published', async () => {
  const subscription = await http.ask('GET', '/news/subscriptions/all');
  const rule = await http.ask('GET', '/news/subscriptions/all/rules/$Default');
  for (const { text } of [subscription, rule]) expect(text).not.toContain('<author>');
  const updated = await http.update('/orders', QUEUE, '');
  expect(updated.text).toContain('<author>');
  for (const { text } of [updated, await http.ask('GET', '/$namespaceinfo')]) {
    expect(text).not.toContain('<published>');
  }
});

it('a rule that was changed counts as created anew', async () => {
  const path = '/news/subscriptions/all/rules/red';
  const before = await http.put(path, RULE, FILTER);
  http.clock.advance(5000);
  const after = await http.update(path, RULE, FILTER);
  expect([before.valueOf('CreatedAt'), after.valueOf('CreatedAt')]).toEqual([
    '2026-01-01T00:00:00.0000000Z',
    '2026-01-01T00:00:05.0000000Z',
  ]);
});

it('the largest message and JMS sharing are told from the version of 2021-05 on', async () => {
  const told = async (path: string, version: string) => (await http.ask('GET', path + version)).text;
  for (const path of ['/orders', '/news']) {
    expect(await told(path, '?api-version=2017-04')).not.toContain('MaxMessageSizeInKilobytes');
    for (const version of ['', '?api-version=2021-05', '?api-version=2024-05']) {
      expect(await told(path, version)).toContain('<MaxMessageSizeInKilobytes>256<');
    }
  }
  const path = '/news/subscriptions/all';
  expect(await told(path, '?api-version=2017-04')).not.toContain('IsClientAffine');
  expect(await told(path, '?api-version=2021-05')).toContain('<IsClientAffine>false</IsClientAffine></Sub');
});

it('SupportOrdering is returned as it was sent; else it is false with partitions', async () => {
  const orderingOf = async (kind: string, inner: string) => {
    await http.put('/made', kind, inner);
    const made = await http.ask('GET', '/made');
    await http.ask('DELETE', '/made');
    return made.valueOf('SupportOrdering');
  };
  const partitioned = '<EnablePartitioning>true</EnablePartitioning>';
  for (const kind of [QUEUE, TOPIC]) {
    expect(await orderingOf(kind, '')).toBe('true');
    expect(await orderingOf(kind, partitioned)).toBe('false');
    expect(await orderingOf(kind, '<SupportOrdering>false</SupportOrdering>')).toBe('false');
    expect(await orderingOf(kind, `<SupportOrdering>true</SupportOrdering>${partitioned}`)).toBe('true');
  }
});

it('metadata come behind the times, and the idle time of a subscription behind what it forwards', async () => {
  const metadata = '<UserMetadata>x</UserMetadata>';
  for (const [path, kind] of [
    ['/made', QUEUE],
    ['/topic', TOPIC],
  ] as const) {
    await http.put(path, kind, metadata);
    expect((await http.ask('GET', path)).text).toContain(`</AccessedAt>${metadata}<SupportOrdering>`);
  }
  const target = '<ForwardDeadLetteredMessagesTo>sb://localhost:5300/orders</ForwardDeadLetteredMessagesTo>';
  const made = await http.put('/news/subscriptions/made', SUBSCRIPTION, target);
  expect(made.text).toContain(`${target}<AutoDeleteOnIdle>`);
});

it.each([
  '/none',
  '/none?enrich=False&api-version=2021-05',
  '/none/subscriptions/all',
  '/none/subscriptions',
  '/none/subscriptions/all/rules/$Default',
])(
  'GET of %s, which leads to no queue or topic, is answered with an empty list of public services',
  async (path) => {
    const answer = await http.ask('GET', path);
    expect(answer.status).toBe(200);
    expect(answer.headers.get('content-type')).toBe('application/atom+xml;type=feed;charset=utf-8');
    expect(answer.valueOf('title')).toBe('Publicly Listed Services');
    expect(answer.text).not.toContain('<entry');
  },
);

it('what is missing in a topic is not found', async () => {
  for (const path of ['/news/subscriptions/none', '/news/subscriptions/all/rules/none']) {
    expect((await http.ask('GET', path)).status).toBe(404);
  }
});

it.each([
  ['GET', '/orders/$DeadLetterQueue', 'orders'],
  ['GET', '/news/$DeadLetterQueue', 'news'],
  ['DELETE', '/orders/$Transfer/$DeadLetterQueue', 'orders'],
  ['GET', '/news/subscriptions/all/$DeadLetterQueue', 'news/subscriptions/all'],
])('%s of %s is refused: it is a part of an entity', async (method, path, owner) => {
  const answer = await http.ask(method, path);
  expect([answer.status, answer.valueOf('Detail')]).toEqual([
    400,
    expect.stringMatching(new RegExp(`^The specified HTTP verb \\(${method}\\) is not valid\\..*'${owner}'`)),
  ]);
});

it('an error for an existing queue or topic, and every answer but that to its making, has its last change as ETag', async () => {
  http.clock.advance(1500);
  expect((await http.put('/made', TOPIC, '')).headers.get('etag')).toBeNull();
  // 2026-01-01T00:00:01.5 in units of 100 ns since the year 1.
  const tag = '639028224015000000';
  for (const [method, path] of [
    ['GET', '/made'],
    ['GET', '/made/subscriptions'],
    ['GET', '/made/subscriptions/none'],
    ['GET', '/made/$DeadLetterQueue'],
    ['DELETE', '/made'],
  ] as const) {
    expect([path, (await http.ask(method, path)).headers.get('etag')]).toEqual([path, tag]);
  }
  for (const path of ['/made', '/$Resources/Topics', '/$namespaceinfo']) {
    expect((await http.ask('GET', path)).headers.get('etag')).toBeNull();
  }
});

it.each([
  ['an update of a missing queue', '/none', '<MaxDeliveryCount>2</MaxDeliveryCount>', 404],
  ['a forward to nowhere', '/orders', '<ForwardTo>sb://localhost:5300/nowhere</ForwardTo>', 400],
])('%s has the sub-code of what is missing', async (_, path, inner, status) => {
  const answer = await http.update(path, QUEUE, inner);
  expect([answer.status, answer.valueOf('Detail')]).toEqual([
    status,
    expect.stringMatching(/^SubCode=40400\. /),
  ]);
});

it('an error about a subscription or a rule has no sub-code', async () => {
  const invalid = '<LockDuration>P25D</LockDuration>';
  const forward = '<ForwardTo>sb://localhost:5300/nowhere</ForwardTo>';
  for (const answer of [
    await http.put('/news/subscriptions/all', SUBSCRIPTION, ''),
    await http.update('/news/subscriptions/all', SUBSCRIPTION, invalid),
    await http.update('/news/subscriptions/all', SUBSCRIPTION, forward),
    await http.update('/news/subscriptions/none', SUBSCRIPTION, ''),
    await http.put('/news/subscriptions/all/rules/r', RULE, '<Filter i:type="Odd"/>'),
  ]) {
    expect(answer.status).toBeGreaterThanOrEqual(400);
    expect(answer.text).not.toContain('SubCode');
  }
});
