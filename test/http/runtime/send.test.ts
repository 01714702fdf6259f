// Sending over HTTP: what becomes of body, headers and BrokerProperties, and what is refused.

import { afterEach, beforeEach, expect, test } from 'vitest';
import { type HttpUnderTest, openHttp } from './http-under-test.js';

let http: HttpUnderTest;

beforeEach(async () => {
  http = await openHttp({
    queues: ['orders', 'sessions?requiresSession=true', 'parts?enablePartitioning=true'],
    topics: [{ name: 'news', subscriptions: ['all'] }],
  });
});
afterEach(async () => {
  expect(http.faults).toEqual([]);
  await http.stop();
});

const BATCH = { 'content-type': 'application/vnd.microsoft.servicebus.json' };

function refusedFor(json: string) {
  return http.ask('POST', 'orders/messages', { body: '', headers: { BrokerProperties: json } });
}

function batch(...messages: readonly unknown[]) {
  return http.ask('POST', 'orders/messages', { body: JSON.stringify(messages), headers: BATCH });
}

async function isEmpty(entity: string): Promise<boolean> {
  return (await http.ask('DELETE', `${entity}/messages/head?timeout=0`)).status === 204;
}

test('a message is taken with 201 and an empty body', async () => {
  const headers = { 'content-type': 'text/plain;charset=utf-8' };
  const {
    status,
    text,
    headers: answer,
  } = await http.ask('POST', 'Orders/Messages?timeout=60', {
    body: 'hello',
    headers,
  });
  expect({ status, text, type: answer.get('content-type') }).toEqual({
    status: 201,
    text: '',
    type: 'application/xml; charset=utf-8',
  });
  expect(await http.ask('DELETE', 'orders/messages/head')).toMatchObject({ status: 200, text: 'hello' });
});

test('BrokerProperties come back as they were sent', async () => {
  const sent = {
    MessageId: 'm1',
    CorrelationId: 'c1',
    SessionId: 's1',
    PartitionKey: 's1',
    ViaPartitionKey: 'v1',
    Label: 'żółw "quoted"',
    ReplyTo: 'answers',
    ReplyToSessionId: 's2',
    To: 'somewhere',
    TimeToLive: 90.5,
  };
  await http.send('orders', '', { BrokerProperties: Buffer.from(JSON.stringify(sent)).toString('latin1') });
  expect((await http.ask('DELETE', 'orders/messages/head')).brokerProperties).toMatchObject(sent);
});

test.each([
  [40, 40],
  ['40', 40],
  [5_000_000, 5_000_000],
  [300_000_000_000, 922337203685.4775],
  [922337203685.4775, 922337203685.4775],
])('a time to live of %j seconds is one of %j', async (TimeToLive, seconds) => {
  await http.send('orders', '', { BrokerProperties: JSON.stringify({ TimeToLive }) });
  const { brokerProperties } = await http.ask('DELETE', 'orders/messages/head');
  expect(brokerProperties.TimeToLive).toBe(seconds);
});

test.each([
  'Thu, 01 Jan 2026 00:01:00 GMT',
  '2026-01-01T00:01:00Z',
  '2026-01-01T00:01:00.0000000',
  '2026-01-01T01:01+01:00',
])('a message that is scheduled for %s arrives then and not before', async (ScheduledEnqueueTimeUtc) => {
  await http.send('orders', '', { BrokerProperties: JSON.stringify({ ScheduledEnqueueTimeUtc }) });
  http.clock.advance(59_000);
  expect(await isEmpty('orders')).toBe(true);
  http.clock.advance(1_000);
  const { status, brokerProperties } = await http.ask('DELETE', 'orders/messages/head?timeout=0');
  expect({ status, at: brokerProperties.ScheduledEnqueueTimeUtc }).toEqual({
    status: 200,
    at: 'Thu, 01 Jan 2026 00:01:00 GMT',
  });
});

test.each([
  ['{', /BrokerProperties must be JSON .*not "\{"/],
  ['[]', /BrokerProperties must be a JSON object, not \[\]/],
  ['{"MessageId":5}', /BrokerProperties\.MessageId must be a text, not 5/],
  ['{"Label":{"a":1}}', /BrokerProperties\.Label must be a text, not \{"a":1\}/],
  ['{"TimeToLive":"soon"}', /BrokerProperties\.TimeToLive must be a number of seconds above 0, not "soon"/],
  ['{"TimeToLive":0}', /TimeToLive must be a number of seconds above 0, not 0/],
  ['{"TimeToLive":-1}', /not -1/],
  ['{"TimeToLiveTimeSpan":5}', /BrokerProperties\.TimeToLiveTimeSpan must be a duration .*not 5/],
  ['{"TimeToLiveTimeSpan":"00:00:00"}', /TimeToLiveTimeSpan must be longer than 0/],
  ['{"ScheduledEnqueueTimeUtc":"noon"}', /ScheduledEnqueueTimeUtc must be a date .*not "noon"/],
  ['{"ContentType":"\\u0105"}', /ContentType must be ASCII/],
])('BrokerProperties of %s are refused with the reason', async (json, words) => {
  const { status, text } = await refusedFor(json);
  expect(status).toBe(400);
  expect(text.replaceAll('&quot;', '"')).toMatch(words);
  expect(await isEmpty('orders')).toBe(true);
});

test('unknown keys are ignored, and so are known keys in another case or with null', async () => {
  const json = '{"messageId":"no","Colour":1,"ForcePersistence":true,"Label":null,"__proto__":{"To":"x"}}';
  await http.send('orders', '', { BrokerProperties: json });
  const { brokerProperties } = await http.ask('DELETE', 'orders/messages/head');
  expect(brokerProperties).toMatchObject({ MessageId: expect.stringMatching(/^[0-9a-f]{32}$/) });
  expect(brokerProperties).not.toHaveProperty('Label');
  expect(brokerProperties).not.toHaveProperty('To');
});

test('the content type of the header wins over the one of BrokerProperties, which stands in for it', async () => {
  const BrokerProperties = '{"ContentType":"text/a"}';
  await http.send('orders', '', { BrokerProperties, 'content-type': 'text/b' });
  await http.send('orders', '', { BrokerProperties });
  const types = [];
  for (let count = 0; count < 2; count++) {
    types.push((await http.ask('DELETE', 'orders/messages/head')).headers.get('content-type'));
  }
  expect(types).toEqual(['text/b', 'text/a']);
});

test('a batch stores all its messages, each with its own properties and none of the headers [SND-11]', async () => {
  const { status } = await http.ask('POST', 'orders/messages', {
    headers: { ...BATCH, Colour: '"red"', BrokerProperties: '{"Label":"outer"}' },
    body: JSON.stringify([
      { Body: 'first', BrokerProperties: { Label: 'M1', TimeToLiveTimeSpan: '0.00:00:40' } },
      { Body: 'second', UserProperties: { Priority: 'Low', Count: 3, Ratio: 0.5, Done: true } },
      { Body: 'AAEC', IsBodyBase64: true, BrokerProperties: { ContentType: 'image/png' } },
    ]),
  });
  expect(status).toBe(201);
  const [first, second, third] = [
    await http.ask('DELETE', 'orders/messages/head'),
    await http.ask('DELETE', 'orders/messages/head'),
    await http.ask('DELETE', 'orders/messages/head'),
  ];
  expect(first).toMatchObject({ text: 'first', brokerProperties: { Label: 'M1', TimeToLive: 40 } });
  expect(first.headers.has('colour')).toBe(false);
  expect(second.brokerProperties).not.toHaveProperty('Label');
  expect(['priority', 'count', 'ratio', 'done'].map((name) => second.headers.get(name))).toEqual([
    ...['"Low"', '3', '0.5', 'true'],
  ]);
  expect(third.body).toEqual(Buffer.from([0, 1, 2]));
  expect(third.headers.get('content-type')).toBe('image/png');
});

test('a batch with one message that is wrong stores nothing [SND-11]', async () => {
  const { status, text } = await batch(
    { Body: 'good' },
    { Body: 'bad', BrokerProperties: { TimeToLive: 'x' } },
  );
  expect(status).toBe(400);
  expect(text).toContain('The body[1].BrokerProperties.TimeToLive must be a number of seconds');
  expect(await isEmpty('orders')).toBe(true);
});

test('a batch with two partition keys to a partitioned queue is refused with 400 [PRT-06]', async () => {
  const messages = ['a', 'b'].map((PartitionKey) => ({ Body: '', BrokerProperties: { PartitionKey } }));
  const { status, text } = await http.ask('POST', 'parts/messages', {
    body: JSON.stringify(messages),
    headers: BATCH,
  });
  expect({ status, text }).toMatchObject({ status: 400, text: expect.stringContaining('Batching brokered') });
});

test.each<[unknown, string]>([
  [5, 'The body[0] must be a JSON object, not 5'],
  [{ Body: { a: 1 } }, 'The body[0].Body must be a text'],
  [{ Body: '*', IsBodyBase64: true }, 'The body[0].Body must be Base64'],
  [{ Body: '', IsBodyBase64: 'yes' }, 'The body[0].IsBodyBase64 must be true or false'],
  [{ UserProperties: [] }, 'The body[0].UserProperties must be a JSON object'],
  [{ UserProperties: { Tags: ['a'] } }, 'The body[0].UserProperties.Tags must be a text, a number'],
])('a batch of %j is refused', async (message, words) => {
  const { status, text } = await batch(message);
  expect({ status, text }).toMatchObject({ status: 400, text: expect.stringContaining(words) });
});

test.each(['', '{}', '{"Body":"a"}', 'no JSON'])('a batch that is %j is refused', async (body) => {
  const { status, text } = await http.ask('POST', 'orders/messages', { body, headers: BATCH });
  expect({ status, text }).toMatchObject({
    status: 400,
    text: expect.stringContaining('must be a JSON array'),
  });
});

test('JSON that is nested beyond measure is refused like any other', async () => {
  const deep = '['.repeat(60_000) + ']'.repeat(60_000);
  for (const body of [deep, `[{"Body":${deep}}]`, `[{"UserProperties":{"a":${deep}}}]`]) {
    expect((await http.ask('POST', 'orders/messages', { body, headers: BATCH })).status).toBe(400);
  }
  expect((await refusedFor(`{"MessageId":${deep}}`)).status).toBe(400);
});

test('a batch of more than 100,000 JSON values is refused before its messages are read', async () => {
  const body = `[${'{},'.repeat(60_000)}{}]`;
  const { status, text } = await http.ask('POST', 'orders/messages', { body, headers: BATCH });
  expect({ status, text }).toMatchObject({
    status: 400,
    text: expect.stringContaining('The body may have 100 levels of brackets and 100000 values, but has more'),
  });
});

test('an empty batch is taken and stores nothing [SND-13]', async () => {
  expect((await batch()).status).toBe(201);
  expect(await isEmpty('orders')).toBe(true);
});

test('with a charset behind it, the type of a batch is that of one message', async () => {
  const headers = { 'content-type': `${BATCH['content-type']}; charset=utf-8` };
  await http.send('orders', '[{"Body":"a"}]', headers);
  expect((await http.ask('DELETE', 'orders/messages/head')).text).toBe('[{"Body":"a"}]');
});

test('a missing entity is answered 410, in words that name it [SND-08]', async () => {
  const { status, text } = await http.ask('POST', 'nowhere/messages', { body: 'lost' });
  expect(status).toBe(410);
  expect(text).toContain('<Code>410</Code><Detail>The messaging entity');
  expect(text).toContain(`sb://jitney.test/nowhere`);
});

test('nothing can be sent to a subscription or a dead-letter queue [SND-09]', async () => {
  for (const path of ['news/Subscriptions/all', 'orders/$DeadLetterQueue']) {
    expect((await http.ask('POST', `${path}/messages`, { body: '' })).status).toBe(400);
  }
});

test('a queue that requires sessions takes a message with a session id, and none without [SND-06]', async () => {
  await http.send('sessions', '', { BrokerProperties: '{"SessionId":"s"}' });
  const { status, text } = await http.ask('POST', 'sessions/messages', { body: '' });
  expect({ status, text }).toMatchObject({
    status: 400,
    text: expect.stringContaining('The SessionId was not set'),
  });
});

test('a partition key that is not the session id is refused, in a batch too [PRT-03]', async () => {
  const differ = { SessionId: 's', PartitionKey: 'p' };
  const text = expect.stringMatching(
    /The partition key .*p.* and the session id .*s.* of a message must be equal/,
  );
  expect(await refusedFor(JSON.stringify(differ))).toMatchObject({ status: 400, text });
  expect(await batch({ Body: 'a', BrokerProperties: differ })).toMatchObject({ status: 400, text });
  expect(await isEmpty('orders')).toBe(true);
});

test('a property of more than 32 KB is answered 500, as a failure of the service [MSG-08]', async () => {
  const text = expect.stringContaining(
    'please retry the operation. A property of the message takes 33005 bytes',
  );
  const answer = await batch({ Body: 'a', UserProperties: { Stack: 'x'.repeat(33_000) } });
  expect(answer).toMatchObject({ status: 500, text });
});

test('a message that is too large is refused with 403, and so is a batch [SND-10]', async () => {
  const body = 'x'.repeat(256 * 1024);
  for (const answer of [
    await http.ask('POST', 'orders/messages', { body }),
    await http.ask('POST', 'orders/messages', { body: `${body}x` }),
    await http.ask('POST', 'orders/messages', { body: 'x', headers: { 'content-length': '100000000' } }),
    await batch({ Body: body }),
    await batch({ Body: body }, { Body: body }, { Body: body }),
  ]) {
    expect(answer).toMatchObject({ status: 403, text: expect.stringContaining('exceeds the limit') });
  }
  expect(await isEmpty('orders')).toBe(true);
});

test('an endless body is read only up to the largest message', async () => {
  let chunkCount = 0;
  const body = new ReadableStream({
    pull(controller) {
      chunkCount += 1;
      controller.enqueue(new Uint8Array(64 * 1024));
    },
  });
  expect((await http.ask('POST', 'orders/messages', { body })).status).toBe(403);
  expect(chunkCount).toBeLessThan(10);
});

test('a client that hangs up before its body is complete has sent nothing, and no fault is reported', async () => {
  const body = new ReadableStream({
    start(controller) {
      controller.enqueue(new Uint8Array(10));
      controller.error(new Error('socket hang up'));
    },
  });
  const { status, text } = await http.ask('POST', 'orders/messages', { body });
  expect({ status, text }).toMatchObject({ status: 400, text: expect.stringContaining('ended before') });
  expect(await isEmpty('orders')).toBe(true);
});

test.each(['orders', 'orders/messages/5', 'messages', 'messages/head', '$Resources/queues'])(
  'nothing can be posted to %s, and the error says where to post',
  async (path) => {
    const { status, text } = await http.ask('POST', path, { body: '' });
    expect({ status, text }).toMatchObject({
      status: 405,
      text: expect.stringContaining('/&lt;entity&gt;/messages'),
    });
  },
);
