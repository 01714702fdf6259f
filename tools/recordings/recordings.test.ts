import { expect, it } from 'vitest';
import { startEmulator } from '../../src/emulator.js';
import { acceptedBy, differencesOf } from './compare.js';
import { playToClient } from './play-to-client.js';
import { type Exchange, readRecording } from './read-recording.js';
import { replay } from './replay.js';

const CONNECT = 'http://schemas.microsoft.com/netservices/2010/10/servicebus/connect';
const XML = 'application/xml; charset=utf-8';
const MISSING = '<Error><Code>404</Code><Detail>SubCode=40400. Not Found. TrackingId:1</Detail></Error>';

function entryOf(path: string, description: string): string {
  const url = `https://contoso.servicebus.windows.net${path}`;
  return `<entry xmlns="http://www.w3.org/2005/Atom"><id>${url}</id><content type="application/xml">${description}</content></entry>`;
}

const described = (inner: string) => `<QueueDescription xmlns="${CONNECT}">${inner}</QueueDescription>`;

function proxyEntry(method: string, path: string, status: number, rest: object = {}): object {
  const RequestUri = `https://contoso.servicebus.windows.net${path}`;
  return {
    RequestUri,
    RequestMethod: method,
    RequestHeaders: {},
    StatusCode: status,
    ResponseHeaders: {},
    ...rest,
  };
}

function recordingOf(...Entries: object[]): readonly Exchange[] {
  return readRecording('a.json', JSON.stringify({ Entries })) ?? [];
}

it("Python's YAML, Java's JSON and the test proxy's JSON are read alike", () => {
  const url = 'https://contoso.servicebus.windows.net/orders';
  const yaml = `
interactions:
- request: { method: PUT, uri: '${url}', headers: { If-Match: ['*'] }, body: !!binary aGk= }
  response: { status: { code: 404 }, headers: { content-type: ['${XML}'] }, body: { string: '${MISSING}' } }`;
  const java = {
    networkCallRecords: [
      {
        ...{ Method: 'PUT', Uri: url, Headers: { 'If-Match': '*' } },
        Response: { StatusCode: '404', 'Content-Type': XML, Body: MISSING },
      },
    ],
  };
  const proxy = {
    ...{
      RequestUri: url,
      RequestMethod: 'PUT',
      RequestHeaders: { 'If-Match': '*' },
      RequestBody: ['h', 'i'],
    },
    ...{ StatusCode: 404, ResponseHeaders: { 'Content-Type': XML } },
    ResponseBody: Buffer.from(MISSING).toString('base64'),
  };
  const all = [
    readRecording('a.yaml', yaml),
    readRecording('b.json', JSON.stringify(java)),
    readRecording('c.json', JSON.stringify({ Entries: [proxy] })),
  ];
  for (const exchanges of all) {
    expect(exchanges?.map(({ method, url: asked }) => [method, asked.href])).toEqual([['PUT', url]]);
    expect(exchanges?.[0]?.headers.get('if-match')).toBe('*');
    expect(exchanges?.[0]?.answer).toMatchObject({ status: 404, body: MISSING });
    expect(exchanges?.[0]?.answer.headers.get('content-type')).toBe(XML);
  }
  // Java's recordings do not have it.
  expect(all.map((exchanges) => exchanges?.[0]?.body?.toString())).toEqual(['hi', undefined, 'hi']);
  expect(readRecording('variables.json', '{ "variables": [] }')).toBeUndefined();
});

it('a recording is replayed on the entities that it presupposes, and each difference has its place and both values', async () => {
  await using emulator = await startEmulator({ port: 0 });
  const description = described(
    '<MaxDeliveryCount>7</MaxDeliveryCount><LockDuration>PT30S</LockDuration><Own>1</Own>',
  );
  const got = proxyEntry('GET', '/orders', 200, { ResponseBody: entryOf('/orders', description) });
  const gone = proxyEntry('DELETE', '/orders', 200, { ResponseHeaders: { 'x-own': 'yes' } });
  const [first, second] = await replay(recordingOf(got, gone), emulator.port);
  const differences = differencesOf(first?.service ?? [], first?.ours ?? []);
  const keys = differences.map(({ key }) => key);
  expect(keys).toContain('/entry/content/QueueDescription/RequiresSession');
  expect(keys).not.toContain('/entry/content/QueueDescription/MaxDeliveryCount');
  expect(keys).not.toContain('status');
  expect(differences.find(({ key }) => key === 'order')).toEqual({
    key: 'order',
    service: '/entry/content/QueueDescription/MaxDeliveryCount',
    ours: '/entry/content/QueueDescription/LockDuration',
  });
  expect(differencesOf(second?.service ?? [], second?.ours ?? [])).toContainEqual({
    key: 'header x-own',
    service: 'yes',
    ours: undefined,
  });
});

it('the sub-code of an error is compared apart from its words', async () => {
  await using emulator = await startEmulator({ port: 0 });
  const asked = proxyEntry('DELETE', '/missing', 404, { ResponseBody: MISSING });
  const [only] = await replay(recordingOf(asked), emulator.port);
  const differences = differencesOf(only?.service ?? [], only?.ours ?? []);
  expect(differences).toContainEqual({ key: '/Error/Detail/SubCode', service: '40400', ours: undefined });
});

it('what lies in an element that one answer lacks is no further difference', () => {
  const service = [
    ['/a', ''],
    ['/a/b', ''],
    ['/a/b/c', '1'],
  ] as const;
  expect(differencesOf(service, [['/a', '']])).toEqual([{ key: '/a/b', service: '', ours: undefined }]);
});

it('a difference is accepted by the first entry of the list that fits its request, place and values', () => {
  const list = [
    { request: /^PUT/, key: /a$/, reason: 'first' },
    { key: /a$/, service: /^1$/, reason: 'second' },
  ];
  const difference = { key: '/x/a', service: '1', ours: undefined };
  expect(acceptedBy(list, 'PUT /q', difference)?.reason).toBe('first');
  expect(acceptedBy(list, 'GET /q', difference)?.reason).toBe('second');
  expect(acceptedBy(list, 'GET /q', { ...difference, service: '2' })).toBeUndefined();
});

/** A page of a list, as the service writes it. */
function feedOf(names: readonly string[], next?: string): string {
  const link =
    next === undefined ? '' : `<link rel="next" href="https://contoso.servicebus.windows.net${next}"/>`;
  const entries = names.map(
    (name) =>
      `<entry><title type="text">${name}</title><content type="application/xml">${described('')}</content></entry>`,
  );
  return `<feed xmlns="http://www.w3.org/2005/Atom"><title type="text">Queues</title>${link}${entries.join('')}</feed>`;
}

const refusal = (code: number, detail: string) =>
  `<Error><Code>${code}</Code><Detail>${detail}. TrackingId:x_G9, SystemTracker:y</Detail></Error>`;

it('the administration client reads lists with all their pages, and entities, as the service answered', async () => {
  const queues = '/$Resources/queues?$top=2';
  const first = proxyEntry('GET', `${queues}&$skip=0`, 200, {
    ResponseBody: feedOf(['a', 'b'], '/$Resources/queues?api-version=2021-05&amp;$skip=2&amp;$top=2'),
  });
  const second = proxyEntry('GET', `${queues}&$skip=2`, 200, { ResponseBody: feedOf(['c']) });
  const entry = entryOf('/a', described('')).replace('<content', '<title type="text">a</title><content');
  const all = [
    first,
    second,
    proxyEntry('GET', '/a', 200, { ResponseBody: entry }),
    proxyEntry('GET', '/none', 200, { ResponseBody: feedOf([]) }),
    proxyEntry('GET', '/t/Subscriptions/none', 404, { ResponseBody: MISSING }),
  ];
  const played = await playToClient(recordingOf(...all));
  expect(played.map(({ kind, problem }) => [kind, problem])).toEqual([
    ['list of several pages', undefined],
    ['list of one page', undefined],
    ['entity or rule', undefined],
    ['nothing there', undefined],
    ['nothing there', undefined],
  ]);
});

it('the administration client says why it is refused, and gives up a service that stays busy', async () => {
  const answers: readonly (readonly [number, string])[] = [
    [401, refusal(401, 'claim is empty or token is invalid')],
    [401, refusal(401, 'Manage,EntityRead claims required for this operation')],
    [401, ''],
    [404, MISSING],
    [409, refusal(409, 'SubCode=40901. Another conflicting operation is in progress')],
    [429, refusal(429, 'SubCode=42901. The request was throttled')],
    [503, refusal(503, 'SubCode=50301. The server is busy')],
  ];
  const requests = answers.map(([status, ResponseBody]) =>
    proxyEntry('DELETE', '/orders', status, { ResponseBody, ResponseHeaders: { 'Retry-After': '3' } }),
  );
  const played = await playToClient(recordingOf(...requests));
  expect(played.map(({ problem }) => problem)).toEqual(answers.map(() => undefined));
  expect(played.map(({ said }) => said?.replace(/^\S+ /, ''))).toEqual([
    "refuses the token for 'orders': it is not accepted (claim is empty or token is invalid.)",
    "refuses the token for 'orders': it lacks the right Manage, which administration needs",
    "refuses the token for 'orders': it is not accepted (status 401)",
    expect.stringContaining("'orders'"),
    "refuses the request for 'orders': Another conflicting operation is in progress.",
    "is too busy for the request for 'orders': The request was throttled.",
    "is too busy for the request for 'orders': The server is busy.",
  ]);
});

it('an answer that the administration client reads otherwise is a problem', async () => {
  const other = entryOf('/a', '<Unknown/>').replace('<content', '<title type="text">a</title><content');
  const [played] = await playToClient(recordingOf(proxyEntry('GET', '/a', 200, { ResponseBody: other })));
  expect(played?.problem).toContain('the client fails');
});
