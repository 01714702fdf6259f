// Receiving over HTTP: under a lock or for good, at once or after a wait, and how a lock ends.

import { afterEach, beforeEach, expect, test } from 'vitest';
import { describeQueue } from '../../../src/broker/contract/entities/queue-description.js';
import { type HttpUnderTest, openHttp, placeOf } from './http-under-test.js';

let http: HttpUnderTest;

beforeEach(async () => {
  http = await openHttp({
    queues: ['orders', 'sessions?requiresSession=true', 'closed', 'x/messages', 'archive'],
    topics: [{ name: 'news', subscriptions: ['all', { name: 'sorted', requiresSession: true }] }],
  });
});
afterEach(async () => {
  expect(http.faults).toEqual([]);
  expect(http.timers.delays).toEqual([]);
  await http.stop();
});

const HEAD = 'orders/messages/head';
const NOBODY = '00000000-0000-4000-8000-000000000000';

function lock(entity = 'orders') {
  return http.ask('POST', `${entity}/messages/head?timeout=0`, { body: '' });
}

function take(entity = 'orders') {
  return http.ask('DELETE', `${entity}/messages/head?timeout=0`);
}

test('a message that is received and deleted is gone [RCV-02]', async () => {
  await http.send('orders', 'one');
  const { status, text, headers, brokerProperties } = await take();
  expect({ status, text }).toEqual({ status: 200, text: 'one' });
  expect(headers.has('location')).toBe(false);
  expect(brokerProperties).not.toHaveProperty('LockToken');
  expect(await take()).toMatchObject({ status: 204, text: '' });
});

test.each(['orders', 'sessions', 'news/Subscriptions/all'])(
  'the transfer dead-letter queue of %s is there, and empty [DLQ-02]',
  async (entity) => {
    await http.send('orders', 'one');
    for (const receive of [lock, take]) {
      expect(await receive(`${entity}/$Transfer/$DeadLetterQueue`)).toMatchObject({ status: 204, text: '' });
    }
  },
);

test('a message that is received under a lock names the address to settle it, and the end of the lock [RCV-03]', async () => {
  await http.send('orders', 'one', { BrokerProperties: '{"MessageId":"m1","Label":"M1"}' });
  const { status, text, headers, brokerProperties } = await lock();
  expect({ status, text }).toEqual({ status: 201, text: 'one' });
  const { LockToken } = brokerProperties;
  expect(brokerProperties).toEqual({
    MessageId: 'm1',
    Label: 'M1',
    DeliveryCount: 1,
    EnqueuedSequenceNumber: 0,
    EnqueuedTimeUtc: 'Thu, 01 Jan 2026 00:00:00 GMT',
    LockedUntil: 'Thu, 01 Jan 2026 00:01:00 GMT',
    LockedUntilUtc: 'Thu, 01 Jan 2026 00:01:00 GMT',
    LockToken: expect.stringMatching(/^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/),
    SequenceNumber: 1,
    State: 'Active',
    TimeToLive: 922337203685.4775,
  });
  expect(headers.get('location')).toBe(`http://jitney.test/orders/messages/1/${LockToken}`);
  expect((await take()).status).toBe(204);
});

test.each(['orders', 'news/Subscriptions/all'])(
  'a scheduled message has its scheduled time, from %s and under a lock or not, as over AMQP [MSG-09]',
  async (entity) => {
    const due = { BrokerProperties: '{"ScheduledEnqueueTimeUtc":"Thu, 01 Jan 2026 00:00:10 GMT"}' };
    const [sentTo = entity] = entity.split('/');
    for (const text of ['one', 'two']) await http.send(sentTo, text, due);
    await http.send(sentTo, 'three');
    http.clock.advance(10_000);
    const states = [];
    for (const receive of [take, take, lock]) states.push((await receive(entity)).brokerProperties.State);
    expect(states).toEqual(['Active', 'Scheduled', 'Scheduled']);
  },
);

test('a message that is completed is gone, and its lock cannot be used again [SET-01, SET-06]', async () => {
  await http.send('orders', 'one');
  const place = placeOf(await lock());
  expect(await http.ask('DELETE', place)).toMatchObject({ status: 200, text: '' });
  http.clock.advance(60_001);
  expect((await take()).status).toBe(204);
  expect(await http.ask('DELETE', place)).toMatchObject({
    status: 404,
    text: expect.stringContaining('The lock supplied is invalid'),
  });
});

test('a message that is unlocked is available at once, with its delivery counted [SET-03]', async () => {
  await http.send('orders', 'one');
  expect((await http.ask('PUT', placeOf(await lock()), { body: '' })).status).toBe(200);
  expect(await take()).toMatchObject({ text: 'one', brokerProperties: { DeliveryCount: 2 } });
});

test('a lock that is renewed runs on from then [RCV-08]', async () => {
  await http.send('orders', 'one');
  const place = placeOf(await lock());
  http.clock.advance(59_000);
  expect((await http.ask('POST', place, { body: '' })).status).toBe(200);
  http.clock.advance(59_000);
  expect((await take()).status).toBe(204);
  http.clock.advance(1_001);
  expect((await take()).status).toBe(200);
});

test('a lock outlives the request that took it, also where locks end with their link [LNK-04]', async () => {
  const strict = await openHttp({ queues: ['orders'], releaseLocksOnDetach: true });
  await strict.send('orders', 'one');
  const place = placeOf(await strict.ask('POST', HEAD));
  expect((await strict.ask('DELETE', `${HEAD}?timeout=0`)).status).toBe(204);
  expect((await strict.ask('DELETE', place)).status).toBe(200);
  await strict.stop();
});

test.each(['DELETE', 'PUT', 'POST'])(
  '%s with a lock that has expired, or never was, is answered 404 [SET-06]',
  async (method) => {
    await http.send('orders', 'one');
    const place = placeOf(await lock());
    http.clock.advance(60_001);
    expect((await http.ask(method, place, {})).status).toBe(404);
    expect((await http.ask(method, `orders/messages/1/${NOBODY}`, {})).status).toBe(404);
  },
);

test.each(['PUT', 'POST'])('%s with an invalid token is answered 404 and says so', async (method) => {
  const { status, text } = await http.ask(method, 'orders/messages/1/banana', { body: '' });
  expect({ status, text }).toMatchObject({ status: 404, text: expect.stringContaining('banana') });
});

test.each(['DELETE', 'PUT', 'POST'])(
  '%s of a lock in an entity that is missing is answered 410',
  async (method) => {
    const { status, text } = await http.ask(method, `nowhere/messages/1/${NOBODY}`, {});
    expect({ status, text }).toMatchObject({ status: 410, text: expect.stringContaining('nowhere') });
  },
);

test('the token alone selects the message, whatever id stands before it and however it is written', async () => {
  await http.send('orders', 'one', { BrokerProperties: '{"MessageId":"a/b"}' });
  const token = String((await lock()).brokerProperties.LockToken);
  const plain = token.replaceAll('-', '').toUpperCase();
  expect((await http.ask('DELETE', `Orders/MESSAGES/a%2Fb/${plain}`)).status).toBe(200);
});

test('a waiting receiver gets the message that comes [RCV-04]', async () => {
  const waiting = http.ask('DELETE', `${HEAD}?timeout=30`);
  await http.waiting();
  await http.send('orders', 'late');
  expect(await waiting).toMatchObject({ status: 200, text: 'late' });
});

test.each([
  ['', 60_000],
  ['?timeout=', 60_000],
  ['?timeout=2.5', 2_500],
  ['?timeout=999999999', 600_000],
])('with %j a request waits for %i ms, and then learns that there is no message', async (query, delayMs) => {
  const waiting = http.ask('POST', HEAD + query, { body: '' });
  await http.waiting();
  expect(http.timers.delays).toEqual([delayMs]);
  http.timers.advance(delayMs);
  expect(await waiting).toMatchObject({ status: 204, text: '' });
  await http.send('orders', 'too late');
  expect((await take()).text).toBe('too late');
});

test.each(['-1', 'soon', '1e3', 'NaN'])('a wait of %s is refused', async (timeout) => {
  const { status, text } = await http.ask('DELETE', `${HEAD}?timeout=${timeout}`);
  expect(status).toBe(400);
  expect(text).toContain(`timeout must be a number of seconds, 0 or more, not &quot;${timeout}&quot;`);
  expect(text).toContain('SystemTracker:jitney:Queue:orders, ');
});

test('a client that has hung up is given no message, and the next one gets it', async () => {
  const gone = new AbortController();
  const waiting = http.ask('DELETE', HEAD, { signal: gone.signal });
  await http.waiting();
  gone.abort();
  await waiting;
  await http.send('orders', 'still here');
  expect((await take()).text).toBe('still here');
});

test('a client that hung up before it could wait is given no message', async () => {
  await http.send('orders', 'still here');
  await http.ask('DELETE', HEAD, { signal: AbortSignal.abort() });
  expect((await take()).text).toBe('still here');
});

test('the messages of a subscription and of a dead-letter queue are received by their paths [DLQ-01]', async () => {
  await http.send('news', 'fresh');
  const locked = await lock('news/Subscriptions/all');
  expect(placeOf(locked)).toMatch(/^news\/Subscriptions\/all\/messages\/1\//);
  expect((await http.ask('DELETE', placeOf(locked))).status).toBe(200);
  await http.send('orders', 'dead');
  for (let count = 0; count < 10; count++) await http.ask('PUT', placeOf(await lock()), { body: '' });
  const dead = await lock('orders/$DeadLetterQueue');
  expect(dead.headers.get('deadletterreason')).toBe('"MaxDeliveryCountExceeded"');
  expect((await http.ask('DELETE', placeOf(dead))).status).toBe(200);
  expect((await take('orders/$deadletterqueue')).status).toBe(204);
});

test('an entity that requires sessions cannot be read over HTTP, and the error says how it can [RCV-10]', async () => {
  for (const entity of ['sessions', 'news/subscriptions/sorted']) {
    const { status, text } = await lock(entity);
    expect({ status, text }).toMatchObject({
      status: 400,
      text: expect.stringContaining('Over HTTP there are no sessions'),
    });
  }
  expect((await take('sessions/$DeadLetterQueue')).status).toBe(204);
});

test('a topic cannot be read, and the error says that its subscriptions can [RCV-12]', async () => {
  const { status, text } = await take('news');
  expect({ status, text }).toMatchObject({ status: 410, text: expect.stringContaining('subscriptions') });
  expect(text).not.toContain('sessions');
});

test('the error for a queue that requires sessions and forwards its messages is about the forwarding [RCV-11]', async () => {
  const given = { requiresSession: true, enablePartitioning: true, forwardTo: 'archive' };
  await http.engine.ask({ kind: 'put-entity', type: 'queue', description: describeQueue('onward', given) });
  const { status, text } = await take('onward');
  expect({ status, text }).toMatchObject({ status: 400, text: expect.stringContaining('auto-forwarding') });
  expect(text).not.toContain('sessions');
});

test('a missing or disabled entity is reported as such', async () => {
  expect((await take('nowhere')).status).toBe(410);
  await http.engine.ask({
    kind: 'put-entity',
    type: 'queue',
    description: describeQueue('closed', { status: 'ReceiveDisabled' }),
  });
  expect(await take('closed')).toMatchObject({ status: 400, text: expect.stringContaining('closed') });
});

test('a receiver that waits at a deleted entity gets an error [ENT-04]', async () => {
  const waiting = http.ask('DELETE', HEAD);
  await http.waiting();
  await http.engine.ask({ kind: 'delete-entity', entityPath: 'orders' });
  expect((await waiting).status).toBe(410);
});

test('the path of a queue may contain the words of this API', async () => {
  await http.send('x/messages', 'one');
  expect((await http.ask('DELETE', placeOf(await lock('x/messages')))).status).toBe(200);
  await http.send('x/messages', 'two');
  expect((await take('x/messages')).text).toBe('two');
});

test('a forwarded message keeps the number it had before [SEQ-05]', async () => {
  await http.engine.ask({
    kind: 'put-entity',
    type: 'queue',
    description: describeQueue('orders', { forwardTo: 'archive' }),
  });
  await http.send('archive', 'first');
  await http.send('orders', 'second');
  await take('archive');
  expect((await take('archive')).brokerProperties).toMatchObject({
    EnqueuedSequenceNumber: 1,
    SequenceNumber: 2,
  });
});

test('an answer without a message has the content type of the service', async () => {
  await http.send('orders', 'one');
  const place = placeOf(await lock());
  for (const answer of [
    await http.ask('POST', place, { body: '' }),
    await http.ask('PUT', place, { body: '' }),
    await http.ask('DELETE', placeOf(await lock())),
    await take(),
  ]) {
    expect(answer.headers.get('content-type')).toBe('application/xml; charset=utf-8');
  }
});
