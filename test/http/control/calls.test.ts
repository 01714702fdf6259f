// Each call of the control interface, its answer checked by its schema.

import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  createdSchema,
  entitiesSchema,
  entitySchema,
  infoSchema,
  locksSchema,
  messagesSchema,
  rawMessageSchema,
  sentSchema,
  sessionsSchema,
  testedRulesSchema,
} from '../../../src/http/control/control-schemas.js';
import { receiveHead } from '../../../src/http/runtime/head-receiver.js';
import { sqlRule } from '../../support/topic-builders.js';
import { unlimitedShare } from '../../support/unlimited-share.js';
import { type ControlUnderTest, openControlUnderTest } from '../support/control-under-test.js';

const EU = sqlRule('eu', "region = 'EU'", "SET size = 'xl'; SET sys.Label = 'changed'; REMOVE region");

let control: ControlUnderTest;

beforeEach(async () => {
  control = await openControlUnderTest({
    queues: ['orders', 'jobs?requiresSession=true', 'full/path?lockDuration=PT5S'],
    topics: [
      {
        name: 'events',
        subscriptions: ['all', { name: 'eu', rules: [EU, sqlRule('odd', 'amount / 0 > 1')] }],
      },
    ],
  });
});
afterEach(async () => {
  expect(control.faults).toEqual([]);
  await control.stop();
});

const send = (entity: string, body: unknown) =>
  control.post(`messages?entity=${encodeURIComponent(entity)}`, body, sentSchema);

const list = async (query: string) => (await control.get(`messages?${query}`, messagesSchema)).messages;

function lockOne(entityPath: string) {
  const waiting = { waitMs: 0, startTimer: () => () => {}, signal: new AbortController().signal };
  return receiveHead(control.engine, {
    entityPath,
    receiveMode: 'peek-lock',
    share: unlimitedShare(),
    ...waiting,
  });
}

it('info names version, ports and settings', async () => {
  expect(await control.get('info', infoSchema)).toMatchObject({
    product: 'Jitney',
    version: '1.2.3',
    node: process.version,
    auth: 'any',
    tier: 'standard',
    ports: { port: 5672, httpPort: 5300 },
    ...{ settings: { tier: 'standard' }, settingOrigins: { tier: '--tier' } },
  });
});

describe('entities', () => {
  it('are listed by name with exact counts, subscriptions and rules', async () => {
    await send('events', { body: 'x', applicationProperties: { region: 'EU' } });
    const { entities } = await control.get('entities', entitiesSchema);
    expect(entities.map(({ path }) => path)).toEqual(['events', 'full/path', 'jobs', 'orders']);
    expect(entities[0]).toMatchObject({
      kind: 'topic',
      subscriptions: [
        { path: 'events/Subscriptions/all', topic: 'events', rules: ['$Default'], counts: { active: 1 } },
        { name: 'eu', rules: ['eu', 'odd'], counts: { active: 1, deadLetter: 0 } },
      ],
    });
    expect(entities[1]).toMatchObject({ lockDurationMs: 5000, maxDeliveryCount: 10, status: 'Active' });
    expect(entities[2]).toMatchObject({ requiresSession: true, sessions: { count: 0, held: 0 } });
  });

  it.each(['orders', 'full/path', 'events', 'events/Subscriptions/eu'])('%s is shown alone', async (path) => {
    expect(await control.get(`entity?entity=${encodeURIComponent(path)}`, entitySchema)).toMatchObject({
      path,
    });
  });

  it('are found by the encoded name of the interface as well', async () => {
    const response = await control.fetch('/%24Jitney/v1/entities');
    expect(entitiesSchema.parse(await response.json()).entities).toHaveLength(4);
  });
});

describe('a sent message', () => {
  it('is stored with its properties, and shown with their types', async () => {
    const message = {
      body: { total: 3 },
      messageId: 'm1',
      subject: 'placed',
      contentType: 'application/json',
      correlationId: 'c1',
      timeToLiveMs: 60_000,
      applicationProperties: {
        region: 'EU',
        amount: 3,
        big: 5_000_000_000,
        price: 2.5,
        paid: true,
        none: null,
        id: { type: 'uuid', value: 'f81d4fae-7dec-11d0-a765-00a0c91e6bf6' },
        due: { type: 'timestamp', value: '2026-05-01T00:00:00.000Z' },
        huge: { type: 'ulong', value: '18446744073709551615' },
        small: { type: 'ubyte', value: 255 },
        odd: { type: 'double', value: 'NaN' },
      },
    };
    expect(await send('orders', message)).toEqual({ sequenceNumbers: [1] });
    const { applicationProperties: _, body, ...properties } = message;
    const [shown] = await list('entity=orders');
    expect(shown).toMatchObject({
      sequenceNumber: 1,
      state: 'active',
      deliveryCount: 0,
      ...properties,
      body: { section: 'data', kind: 'json', value: body },
      expiresAt: new Date(control.clock.now() + 60_000).toISOString(),
    });
    expect(shown?.applicationProperties).toEqual({
      region: { type: 'string', value: 'EU' },
      amount: { type: 'int', value: 3 },
      big: { type: 'long', value: 5_000_000_000 },
      price: { type: 'double', value: 2.5 },
      paid: { type: 'boolean', value: true },
      none: { type: 'null', value: null },
      id: message.applicationProperties.id,
      due: message.applicationProperties.due,
      huge: message.applicationProperties.huge,
      small: message.applicationProperties.small,
      odd: message.applicationProperties.odd,
    });
  });

  it.each([
    ['a text', { body: 'hello\n' }, { kind: 'text', text: 'hello\n' }],
    ['a number', { body: 7 }, { kind: 'text', text: '7' }],
    ['a list', { body: [1] }, { kind: 'json', value: [1] }],
    ['JSON that parsing would round', { body: '{"id":9007199254740993}' }, { kind: 'text' }],
    ['text that only looks like JSON', { body: '{no' }, { kind: 'text', text: '{no' }],
    ['bytes', { bodyBase64: '//8A' }, { kind: 'base64', base64: '//8A' }],
    ['markup', { body: '<script>' }, { kind: 'text', text: '<script>' }],
    ['nothing', {}, { kind: 'empty', sizeBytes: 0 }],
  ])('has %s as its body', async (_, message, body) => {
    await send('orders', message);
    expect((await list('entity=orders'))[0]?.body).toMatchObject(body);
  });

  it('is one of several in a list, which are all stored or none', async () => {
    expect(await send('orders', [{ body: 'a' }, { body: 'b' }])).toEqual({ sequenceNumbers: [1, 2] });
    const wrong = [{ body: 'c' }, { body: 'd', messageId: 'x'.repeat(200) }];
    await expect(send('orders', wrong)).rejects.toThrow('this one has 200');
    expect(await list('entity=orders')).toHaveLength(2);
  });

  it('is scheduled, and listed by that state', async () => {
    const scheduledEnqueueTime = new Date(control.clock.now() + 60_000).toISOString();
    await send('orders', [{ body: 'now' }, { body: 'later', scheduledEnqueueTime }]);
    expect(await list('entity=orders&state=scheduled')).toMatchObject([
      { sequenceNumber: 2, state: 'scheduled', scheduledTime: scheduledEnqueueTime },
    ]);
  });
});

describe('listed messages', () => {
  it('come in pages', async () => {
    await send('orders', [{ body: 'a' }, { body: 'b' }, { body: 'c' }]);
    const first = await control.get('messages?entity=orders&max=2', messagesSchema);
    expect(first.next).toBe(3);
    const second = await control.get(`messages?entity=orders&max=2&from=${first.next}`, messagesSchema);
    expect(second).toMatchObject({ messages: [{ sequenceNumber: 3 }] });
    expect(second.next).toBeUndefined();
  });

  it('come newest first, and say how many there are', async () => {
    await send('orders', [{ body: 'a' }, { body: 'b' }, { body: 'c' }]);
    const first = await control.get('messages?entity=orders&order=newest&limit=2', messagesSchema);
    expect(first).toMatchObject({
      messages: [{ sequenceNumber: 3 }, { sequenceNumber: 2 }],
      next: 1,
      scannedCount: 2,
      totalCount: 3,
    });
    const rest = await control.get('messages?entity=orders&order=newest&from=1', messagesSchema);
    expect(rest).toMatchObject({ messages: [{ sequenceNumber: 1 }], scannedCount: 1, totalCount: 3 });
    expect(rest.next).toBeUndefined();
  });

  it('are those that a filter allows', async () => {
    await send('orders', [
      { body: { city: 'Oslo' }, applicationProperties: { size: 3 } },
      { body: { city: 'Rome' }, applicationProperties: { size: 4 } },
      { body: { city: 'Oslo' }, applicationProperties: { size: 5 } },
    ]);
    const filter = encodeURIComponent('body:oslo prop.size>3');
    const page = await control.get(`messages?entity=orders&filter=${filter}`, messagesSchema);
    expect(page.messages.map(({ sequenceNumber }) => sequenceNumber)).toEqual([3]);
    expect(page).toMatchObject({ scannedCount: 3, totalCount: 3 });
  });

  it('are refused with the word of the filter that cannot be read', async () => {
    const filter = encodeURIComponent('body:oslo colour:red');
    const { status, message } = await control.refused(`messages?entity=orders&filter=${filter}`);
    expect(status).toBe(400);
    expect(message).toMatch(/^The filter cannot be read at colour:red: 'colour' is none of id, subject/);
  });

  it('are those of a dead-letter queue, with their reason', async () => {
    await send('orders', { body: 'poison' });
    for (let count = 0; count < 10; count++) {
      const lockToken = (await lockOne('orders'))?.delivery.lockToken ?? '';
      const outcome = { kind: 'abandon', changes: [] } as const;
      await control.engine.ask({ kind: 'settle', entityPath: 'orders', lockToken, outcome });
    }
    expect(await list('entity=orders/$DeadLetterQueue')).toMatchObject([
      { deadLetterReason: 'MaxDeliveryCountExceeded', deadLetterErrorDescription: expect.any(String) },
    ]);
  });

  it('show a lock by the start of its token only', async () => {
    await send('orders', { body: 'x' });
    const token = (await lockOne('orders'))?.delivery.lockToken ?? '';
    const [message] = await list('entity=orders&state=locked,deferred');
    expect(message?.lock).toMatchObject({ tokenStart: token.slice(0, 8), isInTransaction: false });
    expect(JSON.stringify(message)).not.toContain(token);
    const { locks } = await control.get('locks?entity=orders', locksSchema);
    expect(locks).toEqual([message?.lock]);
  });
});

it('one message comes with its raw bytes and where its sections lie', async () => {
  await send('orders', { body: 'abc', subject: 's', applicationProperties: { a: 1 } });
  const { raw } = await control.get('messages/1?entity=orders', rawMessageSchema);
  const bytes = Buffer.from(raw.base64, 'base64');
  expect(raw.sections.map(({ name }) => name)).toEqual(['properties', 'applicationProperties', 'data']);
  expect(raw.sections.at(-1)?.end).toBe(bytes.length);
  const { start, end } = raw.sections[2] ?? { start: 0, end: 0 };
  expect(bytes.subarray(start, end).toString('latin1')).toMatch(/abc$/);
  expect(await control.refused('messages/2?entity=orders')).toMatchObject({
    status: 404,
    code: 'message-not-found',
  });
});

it('sessions have their messages and their state', async () => {
  await send('jobs', [{ sessionId: 'a' }, { sessionId: 'a' }, { sessionId: 'b' }]);
  expect(await control.get('sessions?entity=jobs&max=1', sessionsSchema)).toEqual({
    sessions: [{ sessionId: 'a', messageCount: 2, lockedCount: 0 }],
    next: 'b',
  });
  const last = await control.get('sessions?entity=jobs&from=b', sessionsSchema);
  expect(last).toEqual({ sessions: [{ sessionId: 'b', messageCount: 1, lockedCount: 0 }] });
});

it('rules are tried on a message, with the changes of their actions', async () => {
  const message = { subject: 'sent', applicationProperties: { region: 'EU', amount: 3 } };
  expect(await control.post('rules:test?entity=events', message, testedRulesSchema)).toEqual({
    rules: [
      {
        subscription: 'all',
        rule: '$Default',
        outcome: 'matched',
        filter: { text: '1=1', outcome: 'true', because: '', parts: [] },
      },
      {
        subscription: 'eu',
        rule: 'eu',
        outcome: 'matched',
        filter: { text: "region = 'EU'", outcome: 'true', because: "region is 'EU'", parts: [] },
        changes: {
          properties: { subject: 'changed' },
          applicationProperties: {
            size: { type: 'string', value: 'xl' },
            region: null,
            RuleName: { type: 'string', value: 'eu' },
          },
        },
      },
      {
        subscription: 'eu',
        rule: 'odd',
        outcome: 'error',
        filter: expect.objectContaining({ outcome: 'error', because: '3 cannot be divided by zero' }),
        error: { reason: 'FilterException', description: expect.stringContaining('odd') },
      },
    ],
  });
  expect(await list('entity=events/Subscriptions/all')).toEqual([]);
});

it('a rule of one’s own is tried first, and can be added then', async () => {
  const filter = "region = 'EU' AND amount > 2";
  const message = { applicationProperties: { region: 'US', amount: 3 } };
  const query = `entity=events&filter=${encodeURIComponent(filter)}`;
  const { rules } = await control.post(`rules:test?${query}`, message, testedRulesSchema);
  expect(rules[0]).toMatchObject({
    subscription: '',
    rule: 'yours',
    outcome: 'not-matched',
    filter: {
      outcome: 'false',
      parts: [
        { text: "region = 'EU'", outcome: 'false', because: "region is 'US'" },
        { text: 'amount > 2', outcome: 'skipped' },
      ],
    },
  });
  const wrong = await control.fetch(`rules:test?entity=events&filter=${encodeURIComponent("region = 'EU")}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: '{}',
  });
  expect(wrong.status).toBe(400);
  expect(await wrong.text()).toMatch(/line 1, column 10/);

  const path = 'events/Subscriptions/all';
  expect(await control.post(`rules?entity=${path}`, { name: 'mine', filter }, createdSchema)).toEqual({
    created: 'mine',
  });
  const tested = await control.post('rules:test?entity=events', message, testedRulesSchema);
  expect(tested.rules.map(({ rule }) => rule)).toContain('mine');
});
