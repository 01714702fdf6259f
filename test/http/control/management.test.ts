// The calls that change by hand what is in an entity. The broker's tests show what becomes of messages; these show the calls.

import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  endedSchema,
  historySchema,
  importedSchema,
  managedSchema,
  messagesSchema,
  purgedSchema,
  sentSchema,
} from '../../../src/http/control/control-schemas.js';
import type { ControlContext } from '../../../src/http/http-context.js';
import { receiveHead } from '../../../src/http/runtime/head-receiver.js';
import { ActivityStream } from '../../../src/watch/activity-stream.js';
import { unlimitedShare } from '../../support/unlimited-share.js';
import {
  CONTROL,
  type ControlUnderTest,
  JSON_TYPE,
  openControlUnderTest,
} from '../support/control-under-test.js';

let control: ControlUnderTest;
let activity: ActivityStream;
let context: ControlContext;

beforeEach(async () => {
  context = { ...CONTROL };
  control = await openControlUnderTest({ queues: ['orders', 'other', 'jobs?requiresSession=true'] }, context);
  activity = new ActivityStream(control.engine, () => control.clock.now());
  activity.turnOn();
  Object.assign(context, { activity });
});
afterEach(async () => {
  expect(control.faults).toEqual([]);
  await control.stop();
});

const send = (entity: string, body: unknown) => control.post(`messages?entity=${entity}`, body, sentSchema);
const manage = (call: string, body: unknown, entity = 'orders') =>
  control.post(`${call}?entity=${encodeURIComponent(entity)}`, body, managedSchema);
const list = async (entity: string) =>
  (await control.get(`messages?entity=${encodeURIComponent(entity)}`, messagesSchema)).messages;
const numbersIn = async (entity: string) => (await list(entity)).map(({ sequenceNumber }) => sequenceNumber);

function lockOne(entityPath: string) {
  const waiting = { waitMs: 0, startTimer: () => () => {}, signal: new AbortController().signal };
  return receiveHead(control.engine, {
    entityPath,
    receiveMode: 'peek-lock',
    share: unlimitedShare(),
    ...waiting,
  });
}

describe('selected messages', () => {
  beforeEach(() => send('orders', [{ subject: 'a' }, { subject: 'b' }, { subject: 'a' }]));

  it('are worked on in pieces, if the call says of how many messages', async () => {
    for (let batch = 0; batch < 2; batch++)
      await send(
        'other',
        Array.from({ length: 1000 }, () => ({})),
      );
    const body = { state: ['active'], max: 1000 };
    let { count, next } = await manage('messages:delete', body, 'other');
    expect(count).toBeLessThan(2000);
    await send('other', [{ subject: 'later' }]);
    while (next !== undefined) {
      const piece = await manage('messages:delete', { ...body, next }, 'other');
      count += piece.count;
      next = piece.next;
    }
    expect(count).toBe(2000);
    expect(await list('other')).toMatchObject([{ subject: 'later' }]);
  });

  it('are deleted by number, and what was not there is said', async () => {
    expect(await manage('messages:delete', { sequenceNumbers: [2, 9] })).toEqual({
      count: 1,
      sequenceNumbers: [2],
      skippedCount: 1,
      skipped: [{ sequenceNumber: 9, code: 'message-not-found', message: "'orders' has no message 9." }],
    });
    expect(await numbersIn('orders')).toEqual([1, 3]);
  });

  it('are deleted by a filter', async () => {
    const managed = await manage('messages:delete', { filter: "sys.Label = 'a'" });
    expect(managed).toMatchObject({ count: 2, sequenceNumbers: [1, 3] });
  });

  it('are dead-lettered with a reason and resubmitted, and their history follows them', async () => {
    await manage('messages:dead-letter', { state: ['active'], reason: 'Poison', description: 'by hand' });
    expect((await list('orders/$DeadLetterQueue'))[0]).toMatchObject({
      sequenceNumber: 1,
      deadLetterReason: 'Poison',
      deadLetterErrorDescription: 'by hand',
    });
    const resubmitted = await manage(
      'messages:resubmit',
      { sequenceNumbers: [1] },
      'orders/$DeadLetterQueue',
    );
    expect(resubmitted).toMatchObject({ sequenceNumbers: [1], newSequenceNumbers: [4] });
    expect(await numbersIn('orders')).toEqual([4]);
    const { events } = await control.get('history?entity=orders&sequenceNumber=4', historySchema);
    expect(events.map(({ kind, sequenceNumber }) => [kind, sequenceNumber])).toEqual([
      ...[
        ['enqueued', 1],
        ['dead-lettered', 1],
        ['resubmitted', 1],
        ['enqueued', 4],
      ],
    ]);
    expect(events.at(-1)).toMatchObject({
      client: { connectionId: 0, name: 'http', product: 'an HTTP client' },
    });
  });

  it('are moved', async () => {
    expect(await manage('messages:move', { sequenceNumbers: [1, 3], to: 'other' })).toMatchObject({
      count: 2,
      newSequenceNumbers: [1, 2],
    });
    expect([await numbersIn('orders'), await numbersIn('other')]).toEqual([[2], [1, 2]]);
  });

  it('are activated before their time', async () => {
    const scheduledEnqueueTime = new Date(control.clock.now() + 60_000).toISOString();
    await send('orders', { scheduledEnqueueTime });
    expect(await manage('messages:activate', { state: ['scheduled'] })).toMatchObject({
      sequenceNumbers: [4],
    });
    expect(await numbersIn('orders')).toEqual([1, 2, 3, 5]);
  });

  it('lose their lock, which counts as a delivery', async () => {
    const token = (await lockOne('orders'))?.delivery.lockToken ?? '';
    expect(await manage('locks:end', { sequenceNumbers: [1, 2] })).toMatchObject({
      ...{ sequenceNumbers: [1], skipped: [{ sequenceNumber: 2, code: 'wrong-state' }] },
    });
    const settle = { kind: 'settle', entityPath: 'orders', lockToken: token } as const;
    expect(await control.engine.ask({ ...settle, outcome: { kind: 'complete' } })).toMatchObject({
      error: { reason: 'message-lock-lost' },
    });
    expect((await list('orders'))[0]).toMatchObject({ state: 'active', deliveryCount: 1 });
  });
});

it('a large selection is worked off while others are served; the answer names the first 250', async () => {
  for (let batch = 0; batch < 3; batch++)
    await send(
      'orders',
      Array.from({ length: 1000 }, () => ({})),
    );
  const counts = new Set<number>();
  const deleted = manage('messages:delete', { state: ['active'] });
  const look = async () => {
    const result = await control.engine.ask({ kind: 'get-entity', entityPath: 'orders' });
    return result.kind === 'entity-info' ? result.entity.counts.active : 0;
  };
  for (let count = await look(); count > 0; count = await look()) {
    counts.add(count);
    await new Promise((resolve) => setImmediate(resolve));
  }
  const { count, sequenceNumbers } = await deleted;
  expect([count, sequenceNumbers.length]).toEqual([3000, 250]);
  expect([...counts]).toEqual([3000, 2600, 2200, 1800, 1400, 1000, 600, 200]);
});

it('a move that fills its destination names the quota and how many went before', async () => {
  await control.stop();
  control = await openControlUnderTest({
    queues: ['orders', 'small?maxSizeInMegabytes=1024'],
    tier: 'premium',
  });
  await control.engine.ask({
    kind: 'put-entity',
    type: 'queue',
    description: { ...(await descriptionOf('small')), maxSizeInMegabytes: 1 },
  });
  await send(
    'orders',
    Array.from({ length: 8 }, () => ({ body: 'x'.repeat(120_000) })),
  );
  await send(
    'orders',
    Array.from({ length: 4 }, () => ({ body: 'x'.repeat(120_000) })),
  );
  const body = JSON.stringify({ state: ['active'], to: 'small' });
  const refused = await control.refused('messages:move?entity=orders', {
    method: 'POST',
    headers: JSON_TYPE,
    body,
  });
  expect(refused).toMatchObject({ status: 403, code: 'quota-exceeded' });
  expect(refused.message).toMatch(/Before that, 9 messages were changed/);
  expect(await numbersIn('orders')).toEqual([10, 11, 12]);
});

async function descriptionOf(name: string) {
  const result = await control.engine.ask({ kind: 'get-entity', entityPath: name });
  if (result.kind !== 'entity-info' || result.entity.type !== 'queue') throw new Error(`no queue ${name}`);
  return result.entity.description;
}

it('the lock of a session ends, once', async () => {
  await send('jobs', { sessionId: 's' });
  const linkId = control.engine.openLink({ ...SINK });
  const link = { linkId, connectionId: 1, entityPath: 'jobs', sessionId: 's' };
  await control.engine.ask({ kind: 'accept-session', ...link, receiveMode: 'peek-lock' });
  const end = (sessionId: string) => control.post('sessions:end?entity=jobs', { sessionId }, endedSchema);
  expect([await end('s'), await end('s'), await end('x')]).toEqual([
    ...[{ ended: true }, { ended: false }, { ended: false }],
  ]);
});

const SINK = {
  isReady: () => true,
  deliver() {},
  dropped() {},
  drained() {},
  sessionAccepted() {},
  detached() {},
};

describe('a body', () => {
  const many = JSON.stringify({ sequenceNumbers: Array.from({ length: 251 }, (_, index) => index) });

  it.each([
    ['messages:delete', '{}', 400, 'must select messages'],
    ['messages:delete', '{"sequenceNumbers":[1],"filter":"1=1"}', 400, 'must select messages'],
    ['messages:delete', '{"sequenceNumbers":[]}', 400, "'sequenceNumbers'"],
    ['messages:delete', many, 400, '250'],
    ['messages:delete', `{"sequenceNumbers":[${'1,'.repeat(40_000)}1]}`, 403, 'larger than'],
    ['messages:delete', '{"sequenceNumbers":["1"]}', 400, "'sequenceNumbers.0'"],
    ['messages:delete', '{"sequenceNumbers":[-1]}', 400, "'sequenceNumbers.0'"],
    ['messages:delete', '{"sequenceNumbers":[1.5]}', 400, "'sequenceNumbers.0'"],
    ['messages:delete', '{"sequenceNumbers":[1e300]}', 400, "'sequenceNumbers.0'"],
    ['messages:delete', '{"sequenceNumbers":7}', 400, "'sequenceNumbers'"],
    ['messages:delete', '{"filter":"a = = 1"}', 400, 'column'],
    ['messages:delete', '{"filter":""}', 400, "'filter'"],
    ['messages:delete', `{"filter":"${'('.repeat(1025)}"}`, 400, "'filter'"],
    ['messages:delete', `{"filter":"${'('.repeat(1024)}"}`, 400, 'column'],
    ['messages:delete', '{"state":["asleep"]}', 400, "'state.0'"],
    ['messages:delete', '{"state":[]}', 400, "'state'"],
    ['messages:delete', '{"state":["active"],"max":9,"next":"x"}', 400, "'next'"],
    ['messages:delete', '{"sequenceNumbers":[1],"all":true}', 400, 'all'],
    ['messages:delete', '[1]', 400, 'must be an object, not'],
    ['messages:dead-letter', '{"state":["scheduled"]}', 400, 'not scheduled'],
    ['messages:dead-letter', `{"sequenceNumbers":[1],"reason":"${'x'.repeat(1001)}"}`, 400, "'reason'"],
    ['messages:move', '{"sequenceNumbers":[1]}', 400, "'to' is missing"],
    ['messages:move', '{"sequenceNumbers":[1],"to":"nowhere"}', 404, 'nowhere'],
    ['messages:move', '{"sequenceNumbers":[1],"to":"orders"}', 400, 'already'],
    ['messages:purge', '{"sequenceNumbers":[1]}', 400, 'sequenceNumbers'],
    ['locks:end', '{"filter":"1=1"}', 400, 'filter'],
    ['sessions:end', '{"sessionId":7}', 400, "'sessionId'"],
    ['sessions:end', '{"sessionId":"s"}', 400, 'session'],
  ])('of %s that is no selection is refused: %#', async (call, body, status, said) => {
    const refused = await control.refused(`${call}?entity=orders`, {
      method: 'POST',
      headers: JSON_TYPE,
      body,
    });
    expect(refused.message).toContain(said);
    expect(refused.status).toBe(status);
    expect(refused.message.length).toBeLessThan(900);
  });
});

describe('emptying', () => {
  it('purges an entity, and says in the log by whom', async () => {
    await send('orders', [{ body: 1 }, { body: 2 }]);
    await send('other', { body: 3 });
    expect(await control.post('messages:purge?entity=orders', {}, purgedSchema)).toEqual({ count: 2 });
    expect(await list('orders')).toEqual([]);
    expect(await numbersIn('other')).toEqual([1]);
    expect([...activity.since(0)].at(-1)).toMatchObject({ kind: 'purged', path: 'orders', messageCount: 2 });
  });

  it('resets everything, with the entities of the start if asked for', async () => {
    let resetCount = 0;
    Object.assign(context, { resetEntities: async () => void resetCount++ });
    await send('orders', { body: 1 });
    await send('other', { body: 2 });
    expect(await control.post('reset', {}, purgedSchema)).toEqual({ count: 2 });
    expect(resetCount).toBe(0);
    expect(await control.post('reset', { all: true }, purgedSchema)).toEqual({ count: 0 });
    expect(resetCount).toBe(1);
    const refused = await control.refused('reset', {
      method: 'POST',
      headers: JSON_TYPE,
      body: '{"all":"yes"}',
    });
    expect(refused).toMatchObject({ status: 400, message: expect.stringContaining("'all'") });
  });
});

describe('every changing call', () => {
  const CALLS = [
    ...['messages:delete', 'messages:dead-letter', 'messages:resubmit', 'messages:move'],
    ...['messages:activate', 'messages:purge', 'locks:end', 'sessions:end', 'reset'],
  ];

  it.each(CALLS)('%s refuses a page of another site, a form, and GET', async (call) => {
    const path = `${call}?entity=orders`;
    const post = (headers: Record<string, string>) =>
      control.refused(path, { method: 'POST', headers, body: '{"sequenceNumbers":[1]}' });
    expect((await post({ ...JSON_TYPE, 'sec-fetch-site': 'cross-site' })).status).toBe(403);
    expect((await post({ 'content-type': 'text/plain' })).status).toBe(415);
    expect((await control.refused(path)).status).toBe(405);
  });

  it.each(CALLS.slice(0, 7))('%s names an entity that is missing', async (call) => {
    const refused = await control.refused(`${call}?entity=nothing`, {
      method: 'POST',
      headers: JSON_TYPE,
      body: call.endsWith('purge')
        ? '{}'
        : JSON.stringify({ sequenceNumbers: [1], ...(call.endsWith('move') ? { to: 'orders' } : {}) }),
    });
    expect(refused).toMatchObject({ status: 404, code: 'entity-not-found' });
  });

  it.each([
    ['messages:purge?entity=ordres', {}],
    ['messages?entity=ordres', { body: 'x' }],
    ['messages:move?entity=orders', { sequenceNumbers: [1], to: 'ordres' }],
  ])('%s says which entity may be meant', async (call, body) => {
    const init = { method: 'POST', headers: JSON_TYPE, body: JSON.stringify(body) };
    expect(await control.refused(call, init)).toMatchObject({ status: 404, hint: "Did you mean 'orders'?" });
  });
});

describe('an import', () => {
  const DEAD = 'orders/$DeadLetterQueue';
  const listRaw = async (entity: string) =>
    (await control.get(`messages?raw=true&entity=${encodeURIComponent(entity)}`, messagesSchema)).messages;
  const put = (entity: string, body: unknown) =>
    control.post(`messages:import?entity=${encodeURIComponent(entity)}`, body, importedSchema);
  /** A message without what is new in the entity that it comes into. */
  const lasting = (messages: Awaited<ReturnType<typeof listRaw>>) =>
    messages.map(
      ({ sequenceNumber: _, enqueuedTime: __, deadLetteredTime: ___, expiresAt: ____, ...rest }) => rest,
    );

  beforeEach(async () => {
    const properties = { weight: { type: 'ulong', value: 3 } };
    const scheduledEnqueueTime = '2099-01-01T00:00:00.000Z';
    await send('orders', [
      { body: { id: 7 }, subject: 'a', applicationProperties: properties },
      { body: 'late', scheduledEnqueueTime, messageId: 'm' },
      { bodyBase64: '/w==' },
      { subject: 'dead' },
    ]);
    const dead = { sequenceNumbers: [4], reason: 'NoAddress', description: 'no street' };
    await manage('messages:dead-letter', dead);
  });

  it('takes back what a list gives, to the byte', async () => {
    const messages = await listRaw('orders');
    expect(await put('other', { messages })).toEqual({ count: 3, skippedCount: 0 });
    expect(lasting(await listRaw('other'))).toEqual(lasting(messages));
    const dead = await listRaw(DEAD);
    await put('other/$DeadLetterQueue', { messages: dead });
    expect(lasting(await listRaw('other/$DeadLetterQueue'))).toEqual(lasting(dead));
  });

  it('takes a list without bytes, whose bodies are as they are shown', async () => {
    const messages = await list('orders');
    await put('other', { messages });
    const read = await list('other');
    expect(read.map(({ body, applicationProperties }) => ({ body, applicationProperties }))).toEqual(
      messages.map(({ body, applicationProperties }) => ({ body, applicationProperties })),
    );
    expect(read[1]).toMatchObject({ state: 'scheduled', messageId: 'm' });
  });

  it('brings nothing twice that has the id of a copy', async () => {
    const importId = 'c'.repeat(64);
    const messages = await listRaw('orders');
    expect(await put('other', { messages, importId })).toMatchObject({ count: 3, marks: [3] });
    expect(await put('other', { messages, importId })).toEqual({ count: 0, skippedCount: 3, marks: [3] });
  });

  it('says which message cannot be read', async () => {
    const messages = [{}, { applicationProperties: { weight: { type: 'int', value: 'heavy' } } }];
    const answer = await control.fetch('messages:import?entity=other', {
      method: 'POST',
      headers: JSON_TYPE,
      body: JSON.stringify({ messages }),
    });
    expect(answer.status).toBe(400);
    expect(await answer.text()).toContain('Message 1 of the request cannot be read: its property');
  });
});
