// Subscriptions over HTTP: within their topic, with the rule they are created with.

import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type HttpUnderTest, openHttpUnderTest } from '../support/http-under-test.js';

const KIND = 'SubscriptionDescription';
const PATH = '/News/Subscriptions/All';

let http: HttpUnderTest;

beforeEach(async () => {
  http = await openHttpUnderTest({ queues: ['orders'], topics: ['News', 'a/b'] });
});

afterEach(async () => {
  expect(http.faults).toEqual([]);
  await http.stop();
});

async function rulesOf(path: string): Promise<readonly string[]> {
  const { status, text } = await http.ask('GET', `${path}/Rules`);
  expect(status).toBe(200);
  return [...text.matchAll(/<title type="text">([^<]+)<\/title><published>/g)].map(([, name]) => name ?? '');
}

describe('a subscription', () => {
  it('can be created once, read, changed and deleted once', async () => {
    expect((await http.update(PATH, KIND, '')).status).toBe(404);
    expect((await http.put(PATH, KIND, '')).status).toBe(201);
    const again = await http.put(PATH, KIND, '');
    expect([again.status, again.valueOf('Detail')]).toEqual([
      409,
      expect.stringMatching(/^The messaging entity 'news\/Subscriptions\/All' already exists\. TrackingId:/),
    ]);
    expect((await http.update(PATH, KIND, '<MaxDeliveryCount>3</MaxDeliveryCount>')).status).toBe(200);
    expect((await http.ask('GET', PATH)).valueOf('MaxDeliveryCount')).toBe('3');
    expect((await http.ask('DELETE', PATH)).status).toBe(200);
    expect((await http.ask('DELETE', PATH)).status).toBe(404);
    expect((await http.ask('GET', PATH)).status).toBe(404);
  });

  it('keeps its name as created, and its address is the one requested [ENT-02]', async () => {
    await http.put(PATH, KIND, '');
    const answer = await http.ask('GET', '/nEWS/subSCRIPTIONS/aLL?api-version=2021-05');
    expect(answer.text).toContain(
      '<id>http://localhost:5300/nEWS/subSCRIPTIONS/aLL?api-version=2021-05</id>',
    );
    expect(answer.text).toContain('<title type="text">All</title>');
  });

  it('can belong to a topic with slashes in its name', async () => {
    expect((await http.put('/a/b/Subscriptions/s', KIND, '')).status).toBe(201);
    const answer = await http.ask('GET', '/a%2Fb/Subscriptions/s');
    expect(answer.text).toContain('<id>http://localhost:5300/a/b/Subscriptions/s</id>');
  });

  it.each([
    ['/none/Subscriptions/s', 404, 'The messaging entity'],
    ['/orders/Subscriptions/s', 404, 'The messaging entity'],
    [`/News/Subscriptions/${'s'.repeat(51)}`, 400, 'cannot be the name of a subscription'],
    ['/News/Subscriptions/...', 400, 'cannot be the name of a subscription'],
  ])('at %s is refused with %i', async (path, status, words) => {
    const answer = await http.put(path, KIND, '');
    expect([answer.status, answer.valueOf('Detail')]).toEqual([status, expect.stringContaining(words)]);
  });

  it.each([
    ['/News/Subscriptions/...', ''],
    [PATH, '<LockDuration>PT1H</LockDuration>'],
    [PATH, '<ForwardTo>nowhere</ForwardTo>'],
  ])('at %s with %j is refused with its path in the error', async (path, given) => {
    const answer = await http.put(path, KIND, given);
    expect(answer.status).toBe(400);
    const name = path.slice(path.lastIndexOf('/') + 1);
    expect(answer.valueOf('Detail')).toContain(`SystemTracker:localhost:5300:Topic:News|${name}, `);
  });

  it('counts active and dead-lettered messages, and no scheduled ones', async () => {
    await http.put(PATH, KIND, '');
    const { text } = await http.ask('GET', PATH);
    expect(text).toContain('<MessageCount>0</MessageCount>');
    expect(text).toContain('<d2p1:ScheduledMessageCount>0</d2p1:ScheduledMessageCount>');
  });

  it('keeps unknown parts of its description', async () => {
    const made = await http.put(PATH, KIND, '<Later>x</Later>');
    expect(made.text).toContain('</EntityAvailabilityStatus><Later>x</Later></SubscriptionDescription>');
  });
});

describe('the rules that a subscription begins with', () => {
  const rule = (name: string) =>
    `<DefaultRuleDescription><Filter i:type="SqlFilter"><SqlExpression>a = 1</SqlExpression></Filter>${name}</DefaultRuleDescription>`;

  it('are one that matches everything', async () => {
    await http.put(PATH, KIND, '');
    expect(await rulesOf(PATH)).toEqual(['$Default']);
    const { text } = await http.ask('GET', `${PATH}/Rules/$Default`);
    expect(text).toContain('<Filter i:type="TrueFilter">');
    // The JavaScript SDK takes the name from here, and decodes nothing.
    expect(text).toContain('<id>http://localhost:5300/News/Subscriptions/All/Rules/$Default</id>');
  });

  it('are the given one instead', async () => {
    const made = await http.put(PATH, KIND, rule('<Name>mine</Name>'));
    expect(made.text).not.toContain('DefaultRuleDescription');
    expect(await rulesOf(PATH)).toEqual(['mine']);
  });

  it('are called $Default without a name', async () => {
    await http.put(PATH, KIND, rule(''));
    expect(await rulesOf(PATH)).toEqual(['$Default']);
    expect((await http.ask('GET', `${PATH}/Rules/$Default`)).valueOf('SqlExpression')).toBe('a = 1');
  });

  it('stay when it is changed', async () => {
    await http.put(PATH, KIND, '');
    expect((await http.update(PATH, KIND, rule('<Name>mine</Name>'))).status).toBe(200);
    expect(await rulesOf(PATH)).toEqual(['$Default']);
  });

  it('do not exist where the subscription is refused for them', async () => {
    const answer = await http.put(
      PATH,
      KIND,
      '<DefaultRuleDescription><Filter i:type="Odd"/></DefaultRuleDescription>',
    );
    expect([answer.status, answer.valueOf('Detail')]).toEqual([
      400,
      expect.stringContaining('DefaultRuleDescription Filter must be of type SqlFilter, '),
    ]);
    const sql = rule('').replace('a = 1', 'a = = 1');
    expect((await http.put(PATH, KIND, sql)).status).toBe(400);
    expect((await http.ask('GET', PATH)).status).toBe(404);
  });
});
