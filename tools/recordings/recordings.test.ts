import { expect, it } from 'vitest';
import { startEmulator } from '../../src/emulator.js';
import { acceptedBy, differencesOf } from './compare.js';
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
