// The stream of events over HTTP, and the history of a message.

import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { describeTopic } from '../../../src/broker/contract/entities/topic-description.js';
import { encodeMessage } from '../../../src/content/encode-message.js';
import { NO_PROPERTIES } from '../../../src/content/message-parts.js';
import { readMessage } from '../../../src/content/read-message.js';
import {
  causesSchema,
  eventSchema,
  historySchema,
  managedSchema,
  messagesSchema,
  ratesSchema,
  sentSchema,
} from '../../../src/http/control/control-schemas.js';
import { eventStream } from '../../../src/http/control/event-writer.js';
import { ActivityStream } from '../../../src/watch/activity-stream.js';
import { unlimitedShare } from '../../support/unlimited-share.js';
import { CONTROL, type ControlUnderTest, openControlUnderTest } from '../support/control-under-test.js';

const CAPACITY = 5;

let control: ControlUnderTest;
let activity: ActivityStream;

let useActivity: (stream: ActivityStream) => void;

beforeEach(async () => {
  const context = { ...CONTROL };
  useActivity = (stream) => Object.assign(context, { activity: stream });
  control = await openControlUnderTest({ queues: ['orders', 'others', 'orders/archive'] }, context);
  activity = new ActivityStream(control.engine, () => 0, { capacity: CAPACITY });
  useActivity(activity);
});
afterEach(async () => {
  expect(control.faults).toEqual([]);
  await control.stop();
});

const send = (entity: string, count = 1) =>
  control.post(`messages?entity=${entity}`, new Array(count).fill({ body: 'x' }), sentSchema);

/** An open stream of events, read one write at a time. */
async function open(query = '', headers: Record<string, string> = {}) {
  const response = await control.fetch(`events${query}`, { headers });
  expect(response.headers.get('content-type')).toBe('text/event-stream; charset=utf-8');
  const reader = response.body?.getReader();
  if (reader === undefined) throw new Error('the stream has no body');
  const next = async () => new TextDecoder().decode((await reader.read()).value);
  expect(await next()).toBe(': connected\n\n');
  return { next, close: () => reader.cancel() };
}

/** The events of a write, each checked by the schema. */
function eventsIn(written: string) {
  const blocks = written.split('\n\n').filter((block) => block !== '');
  return blocks.map((block) => {
    const [, id] = /^id: (\d+)$/m.exec(block) ?? [];
    const event = eventSchema.parse(JSON.parse(/^data: (.*)$/m.exec(block)?.[1] ?? ''));
    expect(event.id).toBe(Number(id));
    return event;
  });
}

describe('the stream', () => {
  it('begins with what happens next, in order', async () => {
    activity.turnOn();
    await send('orders');
    const stream = await open();
    await send('orders', 2);
    expect(eventsIn(await stream.next())).toMatchObject([
      { id: 2, kind: 'enqueued', path: 'orders', sequenceNumber: 2 },
      { id: 3, kind: 'enqueued', sequenceNumber: 3 },
    ]);
    await stream.close();
  });

  it('gathers what comes soon after a write into the next one', async () => {
    const stream = await open();
    await send('orders');
    expect(eventsIn(await stream.next())).toHaveLength(1);
    const next = stream.next();
    for (let count = 0; count < 3; count++) await send('orders');
    expect(eventsIn(await next)).toHaveLength(3);
    await stream.close();
  });

  it('pauses longer after a write of many events', async () => {
    const many = new ActivityStream(control.engine, () => 0);
    const share = unlimitedShare();
    const forEver = { expiresAtMs: Number.POSITIVE_INFINITY, endsWith: () => false, clock: {}, share };
    const written = eventStream(many, { from: 1, grantedAt: 1, isWanted: () => true, ...forEver });
    const reader = written.getReader();
    await reader.read();
    const startedAt = performance.now();
    await send('orders', 60);
    await reader.read();
    await send('orders');
    await reader.read();
    expect(performance.now() - startedAt).toBeGreaterThan(190);
    await reader.cancel();
  });

  it('has only the events of an entity and of some kinds, if they are named', async () => {
    const stream = await open('?entity=Orders&kind=enqueued,completed');
    await send('others');
    await send('orders/archive'); // a queue of its own, with its own keys
    await send('orders');
    expect(eventsIn(await stream.next())).toMatchObject([{ kind: 'enqueued', path: 'orders' }]);
    await stream.close();
  });

  it.each([
    ['?count=all', /^id: 2\nevent: count\ndata: \{"count":2,"time":"[^"]+"\}\n\n$/],
    [
      '?entity=orders&count=others',
      /^id: 1\ndata: .*\n\nid: 2\nevent: count\ndata: \{"count":1,"time":"[^"]+"\}\n\n$/,
    ],
  ])('says the number of the events that it does not have: %s', async (query, expected) => {
    activity.turnOn();
    await send('orders');
    await send('others');
    const stream = await open(`${query}&since=0`);
    expect(await stream.next()).toMatch(expected);
    await stream.close();
  });

  it.each([
    ['since', '?since=1', {}],
    ['Last-Event-ID', '', { 'last-event-id': '1' }],
  ])('goes on behind the event that %s names', async (_name, query, headers) => {
    activity.turnOn();
    await send('orders', 3);
    const stream = await open(query, headers);
    expect(eventsIn(await stream.next()).map(({ id }) => id)).toEqual([2, 3]);
    await stream.close();
  });

  it('says how many events a reader has missed that was away too long', async () => {
    activity.turnOn();
    await send('orders', CAPACITY + 3);
    const stream = await open('?since=1');
    expect(await stream.next()).toMatch(/^event: lost\ndata: \{"count":2\}\n\nid: 4\n/);
    await stream.close();
  });

  it('begins anew for a reader of an earlier start, and says so', async () => {
    activity.turnOn();
    await send('orders', 2);
    const last = await open('?since=2');
    const reader = await open('', { 'last-event-id': '3' });
    expect(await reader.next()).toMatch(/^event: restarted\ndata: \{"newestId":2\}\n\nid: 1\n/);
    await send('orders');
    expect(eventsIn(await reader.next()).map(({ id }) => id)).toEqual([3]);
    expect(eventsIn(await last.next()).map(({ id }) => id)).toEqual([3]);
    await Promise.all([last.close(), reader.close()]);
  });

  it('ends with the record that ended the right, also if that came while the right was checked', async () => {
    activity.turnOn();
    const grantedAt = activity.nextId;
    await send('orders', 2);
    const written = eventStream(activity, {
      ...{ from: grantedAt, grantedAt, expiresAtMs: Number.POSITIVE_INFINITY, clock: {} },
      isWanted: () => true,
      endsWith: ({ kind }) => kind === 'enqueued',
      share: unlimitedShare(),
    });
    expect(await new Response(written).text()).toMatch(/id: 1\ndata: .*\n\nid: 1\nevent: ended\n.*\n\n$/);
  });

  it('is no longer observed once the reader has gone', async () => {
    const stream = await open();
    await stream.close();
    await send('orders');
    expect(activity.nextId).toBe(2);
  });

  it.each([
    ['events?kind=eaten', /kind/],
    ['events?since=soon', /since/],
  ])('%s is refused with the value seen', async (path, message) => {
    expect(await control.refused(path)).toMatchObject({
      status: 400,
      message: expect.stringMatching(message),
    });
  });

  it('a Last-Event-ID that is no number is refused', async () => {
    const headers = { 'last-event-id': 'x1' };
    expect(await control.refused('events', { headers })).toMatchObject({ status: 400 });
  });
});

it('a message that is scheduled for a time after the last date of JavaScript has no such time anywhere', async () => {
  activity.turnOn();
  for (const scheduledEnqueueTime of [9e15, 8.64e15]) {
    const properties = { ...NO_PROPERTIES, scheduledEnqueueTime };
    const parts = { properties, applicationProperties: [], body: new Uint8Array() };
    const message = readMessage(encodeMessage(parts, control.clock.now()));
    await control.engine.ask({ kind: 'send', entityPath: 'orders', messages: [message] });
  }
  const stream = await open('?since=0');
  const last = '+275760-09-13T00:00:00.000Z';
  expect(eventsIn(await stream.next()).map(({ enqueueAt }) => enqueueAt)).toEqual([undefined, last]);
  await stream.close();
  const { messages } = await control.get('messages?entity=orders', messagesSchema);
  expect(messages.map(({ state, scheduledTime }) => [state, scheduledTime])).toEqual([
    ['scheduled', undefined],
    ['scheduled', last],
  ]);
});

describe('the history of a message', () => {
  it('has its records and says whether they reach back to its arrival', async () => {
    await send('others');
    activity.turnOn();
    const early = await control.get('history?entity=others&sequenceNumber=1', historySchema);
    const since = new Date(0).toISOString();
    expect(early).toEqual({ events: [], isComplete: false, since, omittedDeliveries: 0 });
    await send('others');
    await send('orders');
    const path = 'history?entity=orders&sequenceNumber=1';
    expect(await control.get(path, historySchema)).toMatchObject({
      events: [{ kind: 'enqueued', path: 'orders', time: expect.stringMatching(/^\d{4}-.*Z$/) }],
      isComplete: true,
    });
    await send('others', CAPACITY);
    expect(await control.get(path, historySchema)).toMatchObject({
      events: [{ kind: 'enqueued' }],
      isComplete: true,
    });
  });

  it('of a message that is gone has the records that are still kept', async () => {
    activity.turnOn();
    await send('orders');
    await control.post('messages:delete?entity=orders', { sequenceNumbers: [1] }, managedSchema);
    const path = 'history?entity=orders&sequenceNumber=1';
    expect(await control.get(path, historySchema)).toMatchObject({
      events: [{ kind: 'enqueued' }, { kind: 'deleted' }],
    });
    await send('others', CAPACITY);
    expect(await control.get(path, historySchema)).toMatchObject({ events: [], isComplete: false });
  });

  it('of a deleted entity is answered while it is kept, and of a missing one refused with what was probably meant', async () => {
    activity.turnOn();
    await send('others');
    await control.engine.ask({ kind: 'delete-entity', entityPath: 'others' });
    expect(await control.get('history?entity=others&sequenceNumber=1', historySchema)).toMatchObject({
      events: [{ kind: 'enqueued' }],
    });
    expect(await control.refused('history?entity=others&sequenceNumber=2')).toMatchObject({ status: 404 });
    expect(await control.refused('history?entity=order/$DeadLetterQueue&sequenceNumber=1')).toEqual({
      status: 404,
      code: 'entity-not-found',
      message: "The messaging entity 'order/$DeadLetterQueue' could not be found.",
      hint: "Did you mean 'orders'?",
    });
  });
});

it('a path that HTTP looks up to tell a name from a call is no refused operation', async () => {
  activity.turnOn();
  expect((await control.fetch('/metrics')).status).toBe(200);
  const headers = { authorization: 'SharedAccessSignature any' };
  await control.fetch('/orders/messages/head?timeout=0', { method: 'DELETE', headers });
  expect([...activity.since(0)]).toEqual([]);
});

it('getting and deleting a queue or a topic are no refused operations of the other kind', async () => {
  await control.engine.ask({
    kind: 'put-entity',
    type: 'topic',
    description: describeTopic('news'),
    expected: 'absent',
  });
  activity.turnOn();
  const headers = { authorization: 'SharedAccessSignature any' };
  for (const method of ['GET', 'DELETE']) {
    for (const path of ['/orders', '/news']) {
      expect((await control.fetch(path, { method, headers })).status).toBe(200);
    }
  }
  expect([...activity.since(0)].map(({ kind }) => kind)).toEqual(['entity-deleted', 'entity-deleted']);
});

it('without a stream both are answered 404', async () => {
  await control.stop();
  control = await openControlUnderTest({ queues: ['orders'] });
  expect(await control.refused('events')).toMatchObject({ status: 404 });
  expect(await control.refused('history?entity=orders&sequenceNumber=1')).toMatchObject({ status: 404 });
});

describe('the causes', () => {
  it('are what is wrong now, with the entity that was probably meant', async () => {
    activity.turnOn();
    await send('orders', 3);
    await control.post(
      'messages:dead-letter?entity=orders',
      { sequenceNumbers: [1, 2], reason: 'address' },
      managedSchema,
    );
    activity.add({
      kind: 'link-refused',
      role: 'receiver',
      path: 'order',
      condition: 'amqp:not-found',
      text: 'not found',
    });
    const { causes } = await control.get('causes', causesSchema);
    expect(causes).toMatchObject([
      {
        kind: 'dead-letters',
        path: 'orders',
        subQueue: 'deadletter',
        reason: 'address',
        count: 2,
        sequenceNumber: 2,
      },
      { kind: 'missing-entity', path: 'order', suggestion: 'orders', count: 1 },
    ]);
    await control.post(
      'messages:delete?entity=orders/$DeadLetterQueue',
      { state: ['active'] },
      managedSchema,
    );
    expect(await control.get('causes', causesSchema)).toMatchObject({ causes: [{ kind: 'missing-entity' }] });
  });
});

describe('the rates', () => {
  it('are of one entity, of the namespace, or of all with a message', async () => {
    let ring = () => {};
    let now = 0;
    const startTimer = (_delayMs: number, alarm: () => void) => {
      ring = alarm;
      return () => {};
    };
    useActivity(new ActivityStream(control.engine, () => now, { startTimer }));
    expect((await control.get('rates', ratesSchema)).entities).toMatchObject([{ path: '' }]);
    await send('orders', 3);
    for (let second = 0; second < 10; second++) {
      now += 1000;
      ring();
    }
    const paths = async (query: string) =>
      (await control.get(query, ratesSchema)).entities.map(({ path }) => path);
    expect(await paths('rates')).toEqual(['', 'orders']);
    expect(await paths('rates?entity=')).toEqual(['']);
    expect(await paths('rates?entity=others')).toEqual(['others']);
    const { entities, stepMs } = await control.get('rates?entity=orders&stepMs=10000', ratesSchema);
    expect([stepMs, entities[0]?.in.length, entities[0]?.in.at(-1)]).toEqual([10_000, 30, 3]);
    expect((await control.fetch('rates?stepMs=7')).status).toBe(400);
  });

  it('are missing where nothing samples', async () => {
    expect((await control.fetch('rates')).status).toBe(404);
  });
});
