// Lists over HTTP, page by page, and what is told of the namespace.

import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { readMessage } from '../../../src/content/read-message.js';
import { type Answer, type HttpUnderTest, openHttpUnderTest } from '../support/http-under-test.js';

let http: HttpUnderTest;

beforeEach(async () => {
  http = await openHttpUnderTest({
    queues: ['c', 'a/x', 'B'],
    topics: [{ name: 'News', subscriptions: ['two', 'One'] }, 'empty'],
  });
});

afterEach(async () => {
  expect(http.faults).toEqual([]);
  await http.stop();
});

function namesIn({ text }: Answer): readonly string[] {
  return [...text.matchAll(/<title type="text">([^<]*)<\/title><published>/g)].map(([, name]) => name ?? '');
}

function nextIn({ text }: Answer): string | undefined {
  return /<link rel="next" href="([^"]*)"\/>/.exec(text)?.[1]?.replaceAll('&amp;', '&');
}

describe('a list', () => {
  it.each([
    ['/$Resources/Queues', ['a/x', 'b', 'c'], 'Queues'],
    ['/$resources/queues/', ['a/x', 'b', 'c'], 'Queues'],
    ['/$Resources/topics', ['empty', 'news'], 'Topics'],
    ['/News/Subscriptions/', ['One', 'two'], 'Subscriptions'],
    ['/news/subscriptions', ['One', 'two'], 'Subscriptions'],
    ['/News/Subscriptions/two/Rules/', ['$Default'], 'Rules'],
    ['/empty/Subscriptions', [], 'Subscriptions'],
  ])('of %s is a feed of them by name', async (path, names, title) => {
    const answer = await http.ask('GET', `${path}?api-version=2021-05`);
    expect(answer.status).toBe(200);
    expect(answer.headers.get('content-type')).toBe('application/atom+xml;type=feed;charset=utf-8');
    expect(answer.text).toMatch(
      `<feed xmlns="http://www.w3.org/2005/Atom"><title type="text">${title}</title><id>http://`,
    );
    expect(namesIn(answer)).toEqual(names);
    expect(nextIn(answer)).toBeUndefined();
  });

  it('has the same entries as single answers', async () => {
    const listed = await http.ask('GET', '/$Resources/Queues?api-version=2021-05');
    const alone = await http.ask('GET', '/b?api-version=2021-05');
    const withoutAddress = (text: string) => text.replaceAll(/<entry [^>]*>|<link [^>]*>/g, '');
    expect(withoutAddress(listed.text)).toContain(withoutAddress(alone.text));
  });

  // What belongs to a topic has the spelling of the request, and only the version of its query. The link is relative to the list.
  it.each([
    ['/$Resources/Queues', '/a/x', '../a/x'],
    ['/$resources/topics/', '/news', '../../news'],
    ['/News/subscriptions', '/News/subscriptions/two', 'subscriptions/two'],
    ['/News/Subscriptions/', '/News/Subscriptions/two', 'two'],
    ['/news/SUBSCRIPTIONS/Two/rules', '/news/SUBSCRIPTIONS/Two/rules/$Default', 'rules/$Default'],
  ])('of %s has an entry with the address %s [ENT-02]', async (path, address, link) => {
    for (const version of ['', '?api-version=2017-04']) {
      const query = `${version || '?'}&$top=100`;
      const entries = (await http.ask('GET', path + query)).text.split('<entry ').slice(1);
      const base = `http://localhost:5300${path}${query}`.replaceAll('&', '&amp;');
      const begin = `xml:base="${base}"><id>http://localhost:5300${address}${version}</id>`;
      const found = entries.find((entry) => entry.startsWith(begin));
      expect(found).toContain(`<link rel="self" href="${link}${version}"/>`);
    }
  });

  it.each(['/c/Subscriptions', '/News/Subscriptions/none/Rules', '/c/Subscriptions/x/Rules'])(
    'of %s, which does not exist, is not found',
    async (path) => {
      const answer = await http.ask('GET', path);
      expect([answer.status, answer.valueOf('Detail')]).toEqual([
        404,
        expect.stringMatching(/^The messaging entity/),
      ]);
    },
  );

  it.each(['PUT', 'DELETE', 'PATCH'])('can only be read by GET, not by %s', async (method) => {
    const answer = await http.ask(method, '/$Resources/Queues');
    expect([answer.status, answer.headers.get('allow')]).toEqual([405, 'GET']);
  });
});

describe('a page', () => {
  it('links to the next one, until there is none', async () => {
    const first = await http.ask('GET', '/$Resources/Queues?%24skip=0&%24top=2&api-version=2021-05');
    expect(namesIn(first)).toEqual(['a/x', 'b']);
    // Two links of the feed itself: that is what the JavaScript SDK needs.
    expect(first.text.split('<entry ')[0]?.match(/<link /g)).toHaveLength(2);
    const next = new URL(nextIn(first) ?? '');
    expect(next.searchParams.get('$skip')).toBe('2');
    expect(next.searchParams.get('api-version')).toBe('2021-05');
    const second = await http.ask('GET', `${next.pathname}${next.search}`);
    expect(namesIn(second)).toEqual(['c']);
    expect(nextIn(second)).toBeUndefined();
  });

  it('that is full and the last has no link', async () => {
    expect(nextIn(await http.ask('GET', '/$Resources/Queues?$top=3'))).toBeUndefined();
    expect(namesIn(await http.ask('GET', '/$Resources/Queues?$skip=3'))).toEqual([]);
  });

  it('has at most 100 entries, also when more are requested', async () => {
    for (let at = 0; at < 101; at++) await http.put(`/many-${at}`, 'TopicDescription', '');
    for (const query of ['', '?$top=1000']) {
      const answer = await http.ask('GET', `/$Resources/Topics${query}`);
      expect(namesIn(answer)).toHaveLength(100);
      expect(new URL(nextIn(answer) ?? '').searchParams.get('$skip')).toBe('100');
    }
  });

  it.each(['$skip=-1', '$skip=x', '$skip=', '$top=0', '$top=1.5', '$top=-5', '$SKIP=99999999999'])(
    'cannot be requested by %s',
    async (query) => {
      const answer = await http.ask('GET', `/$Resources/Queues?${query}`);
      expect(answer.status).toBe(400);
      expect(answer.valueOf('Detail')).toMatch(/^SubCode=40000\. \$(?:skip|top) must be a whole number from/);
    },
  );

  it('may be requested with unknown parameters', async () => {
    const answer = await http.ask('GET', '/$Resources/Queues?api-version=1999-99&enrich=False&more=x&more=y');
    expect(answer.status).toBe(200);
  });
});

describe('the namespace', () => {
  it.each([
    ['basic', 'Basic', undefined],
    ['standard', 'Standard', undefined],
    ['premium', 'Premium', '1'],
  ] as const)('of the tier %s tells its name and tier', async (tier, sku, units) => {
    const other = await openHttpUnderTest({ tier });
    const answer = await other.ask('GET', '/$NamespaceInfo', { origin: 'http://jitney.example:80' });
    expect(answer.status).toBe(200);
    expect(answer.valueOf('MessagingSKU')).toBe(sku);
    expect(answer.valueOf('MessagingUnits')).toBe(units);
    expect(answer.valueOf('Name')).toBe('jitney');
    expect(answer.valueOf('NamespaceType')).toBe('Messaging');
    expect(answer.valueOf('CreatedTime')).toBe('2025-12-31T00:00:00.0000000Z');
    expect(answer.valueOf('ModifiedTime')).toBe('2025-12-31T00:00:00.0000000Z');
    expect(answer.text).toContain(
      '<NamespaceInfo xmlns="http://schemas.microsoft.com/netservices/2010/10/servicebus/connect"',
    );
    await other.stop();
  });

  it('has the whole address for its name where it has no name', async () => {
    expect(
      (await http.ask('GET', '/$namespaceinfo', { origin: 'http://127.0.0.1:5300' })).valueOf('Name'),
    ).toBe('127.0.0.1');
  });

  it('can only be got', async () => {
    expect((await http.ask('PUT', '/$namespaceinfo', { body: '<x/>' })).status).toBe(405);
  });
});

describe('a filter', () => {
  const listed = async (filter: string, query = '') => {
    const path = `/$Resources/Queues?$filter=${encodeURIComponent(filter)}${query}`;
    const answer = await http.ask('GET', path);
    return answer.status === 200 ? namesIn(answer) : answer.status;
  };

  beforeEach(async () => {
    http.clock.advance(86_400_000);
    await http.put('/late', 'QueueDescription', '');
    await http.engine.ask({ kind: 'send', entityPath: 'c', messages: [readMessage(Buffer.alloc(0))] });
  });

  it.each([
    ["startswith(path, 'a/') eq true", ['a/x']],
    ["Startswith(Path, 'B') Eq true", ['b']],
    ["path eq 'c'", ['c']],
    ["path gt 'b'", ['c', 'late']],
    ['messageCount Gt 0', ['c']],
    ["messageCount le 0 and path ne 'B'", ['a/x', 'late']],
    ["createdAt ge '2026-01-02'", ['late']],
    ["createdAt lt '2026-01-01 12:00:00'", ['a/x', 'b', 'c']],
    ["UpdatedAt Gt '1/1/2026 11:00:00 PM' And StartsWith(Path,'l') Eq true", ['late']],
    ["accessedAt gt datetime'2026-01-01T00:00:00Z'", ['c']],
    ["startswith(path, 'none') eq true", []],
  ])('%s chooses among the queues', async (filter, names) => {
    expect(await listed(filter)).toEqual(names);
  });

  it.each([
    "endswith(path, 'x') eq true",
    "name eq 'c'",
    'messageCount gt many',
    "createdAt gt 'soon'",
    "path eq 'c' or path eq 'B'",
    '',
  ])('%s is refused', async (filter) => {
    expect(await listed(filter)).toBe(400);
  });

  it('applies before the pages', async () => {
    const all = "createdAt lt '2026-01-02'";
    expect(await listed(all, '&$skip=1&$top=1')).toEqual(['b']);
    const first = await http.ask('GET', `/$Resources/Queues?$top=2&$filter=${encodeURIComponent(all)}`);
    const next = new URL(nextIn(first) ?? '');
    expect(namesIn(await http.ask('GET', next.pathname + next.search))).toEqual(['c']);
  });

  it('of topics is the same, and subscriptions and rules have none', async () => {
    const filter = `?$filter=${encodeURIComponent("startswith(path, 'n') eq true")}`;
    expect(namesIn(await http.ask('GET', `/$Resources/topics${filter}`))).toEqual(['news']);
    for (const path of ['/news/subscriptions', '/news/subscriptions/one/rules']) {
      expect((await http.ask('GET', path + filter)).status).toBe(400);
    }
  });
});
