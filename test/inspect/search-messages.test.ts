// The search finds messages in all entities, states and sub-queues, and works in slices with pauses between them.

import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { newMessage } from '../../src/http/control/message-answers.js';
import { type SearchEvent, type SearchHit, searchMessages } from '../../src/inspect/search-messages.js';
import { MOST_SEARCHES, Searches } from '../../src/inspect/searches.js';
import { LookUnderTest } from './look-under-test.js';

let look: LookUnderTest;
/** Milliseconds that pass at each look at the clock. */
let stepMs: number;
let nowMs: number;
/** How long each slice took, and the pause behind it. */
let pauses: { readonly startedAt: number; readonly delayMs: number }[];
let heldBytes: number;

beforeEach(async () => {
  look = await LookUnderTest.open({
    queues: ['orders', 'jobs?requiresSession=true', 'full?maxSizeInMegabytes=1'],
    topics: [{ name: 'events', subscriptions: ['audit'] }],
  });
  stepMs = 0;
  nowMs = 0;
  pauses = [];
  heldBytes = 0;
});
afterEach(() => look.emulator.stop());

/** A pause ends at once, and moves the clock. */
function searches(): Searches {
  return new Searches({
    elapsed: () => {
      nowMs += stepMs;
      return nowMs;
    },
    startTimer: (delayMs, ring) => {
      pauses.push({ startedAt: nowMs, delayMs });
      nowMs += delayMs;
      ring();
      return () => {};
    },
  });
}

type Wanted = { limit?: number; from?: string | undefined; entityPath?: string; isOver?: () => boolean };

function search(text: string, { limit = 50, from, entityPath, isOver = () => false }: Wanted = {}) {
  return searchMessages(look.context.engine, searches(), {
    text,
    limit,
    from,
    entityPath,
    room: (bytes) => {
      heldBytes += bytes;
      return undefined;
    },
    giveBack: (bytes) => {
      heldBytes -= bytes;
    },
    isOver,
  });
}

async function eventsOf(text: string, wanted?: Wanted): Promise<readonly SearchEvent[]> {
  const events: SearchEvent[] = [];
  for await (const event of search(text, wanted)) events.push(event);
  return events;
}

async function hitsOf(text: string, wanted?: Wanted): Promise<readonly SearchHit[]> {
  return (await eventsOf(text, wanted)).flatMap(({ kind, data }) => (kind === 'hit' ? [data] : []));
}

async function sendMany(count: number): Promise<void> {
  const ids = Array.from({ length: count }, (_, index) => ({ messageId: `m-${index + 1}` }));
  while (ids.length > 0) await look.send('orders', ...ids.splice(0, 1000));
}

async function deadLetterOne(entityPath: string): Promise<void> {
  const outcome = { kind: 'dead-letter', changes: [{ name: 'DeadLetterReason', value: 'Poison' }] } as const;
  await look.settle(entityPath, await look.lockOne(entityPath), outcome);
}

describe('a search finds', () => {
  it.each([
    ['WANTED', { messageId: 'is-wanted-here' }, 'messageId', 'is-wanted-here'],
    ['want', { correlationId: 'wanted' }, 'correlationId', 'wanted'],
    ['anted', { subject: 'Wanted' }, 'subject', 'Wanted'],
    ['eu-w', { applicationProperties: { region: 'EU-West' } }, 'prop.region', 'EU-West'],
    ['418', { applicationProperties: { total: 14180 } }, 'prop.total', '14180'],
  ])('%s in %o', async (text, message, field, value) => {
    await look.send('orders', { messageId: 'other' }, message, { messageId: 'another' });
    expect(await hitsOf(text)).toMatchObject([{ path: 'orders', sequenceNumber: 2, field, value }]);
  });

  it('nothing in a body', async () => {
    await look.send('orders', { messageId: 'a', body: 'wanted' });
    expect(await hitsOf('wanted')).toEqual([]);
  });

  it('a session, by its id', async () => {
    await look.send('jobs', { messageId: 'a', sessionId: 'basket-7' });
    expect(await hitsOf('basket')).toMatchObject([
      { path: 'jobs', field: 'sessionId', sessionId: 'basket-7' },
    ]);
  });

  it('messages in all states and sub-queues of all entities, the newest first in each', async () => {
    const scheduledEnqueueTime = new Date(look.emulator.clock.now() + 60_000).toISOString();
    await look.send('events', { messageId: 'x-copy' }, { messageId: 'x-later', scheduledEnqueueTime });
    const ids = ['x-dead', 'x-deferred', 'x-locked', 'x-active'];
    await look.send('orders', ...ids.map((messageId) => ({ messageId })));
    await deadLetterOne('orders');
    await look.settle('orders', await look.lockOne('orders'), { kind: 'defer', changes: [] });
    await look.lockOne('orders');
    const hits = await hitsOf('x-');
    expect(hits.map(({ path, subQueue, state, messageId }) => [path, subQueue, state, messageId])).toEqual([
      ['events', undefined, 'scheduled', 'x-later'],
      ['events/Subscriptions/audit', undefined, 'active', 'x-copy'],
      ['orders', undefined, 'active', 'x-active'],
      ['orders', undefined, 'locked', 'x-locked'],
      ['orders', undefined, 'deferred', 'x-deferred'],
      ['orders', 'deadletter', 'active', 'x-dead'],
    ]);
    expect(await hitsOf('poison')).toMatchObject([
      { subQueue: 'deadletter', field: 'prop.DeadLetterReason' },
    ]);
  });

  it('messages that wait for another entity', async () => {
    const body = 'x'.repeat(2 ** 18 - 100);
    for (let count = 0; count < 5; count++) await look.send('full', { messageId: 'a', body });
    const messages = [newMessage({ messageId: 'x-waiting' }, look.emulator.clock.now())];
    const transfer = {
      kind: 'transfer',
      entityPath: 'orders',
      destination: 'full',
      isChecked: false,
    } as const;
    await look.execute({ ...transfer, messages });
    expect(await hitsOf('x-')).toMatchObject([
      { path: 'orders', subQueue: 'transfer', messageId: 'x-waiting' },
    ]);
  });

  it('the messages of a sequence number before all others, each once', async () => {
    await look.send('orders', { messageId: 'a' }, { messageId: 'b' }, { messageId: 'order-2' });
    await look.send('events', { messageId: '2' }, { messageId: 'e' });
    const hits = await hitsOf('2');
    expect(hits.map(({ path, sequenceNumber, field }) => [path, sequenceNumber, field])).toEqual([
      ['events/Subscriptions/audit', 2, 'sequenceNumber'],
      ['orders', 2, 'sequenceNumber'],
      ['events/Subscriptions/audit', 1, 'messageId'],
      ['orders', 3, 'messageId'],
    ]);
  });

  it('a long text by the 200 characters around the match', async () => {
    const text = `${'a'.repeat(500)}WANTED${'b'.repeat(500)}`;
    await look.send('orders', { messageId: 'm', correlationId: text, applicationProperties: { text } });
    const [hit] = await hitsOf('wanted');
    expect(hit?.field).toBe('correlationId');
    expect(hit?.value).toMatch(/^…a{50,}WANTEDb{50,}…$/);
    expect(hit?.value).toHaveLength(200);
    expect(hit?.correlationId).toHaveLength(200);
  });

  it('only messages of the entity that is named', async () => {
    await look.send('orders', { messageId: 'x' });
    await look.send('events', { messageId: 'x' });
    expect(await hitsOf('x', { entityPath: 'events' })).toMatchObject([
      { path: 'events/Subscriptions/audit' },
    ]);
    await expect(hitsOf('x', { entityPath: 'missing' })).rejects.toMatchObject({
      reason: 'entity-not-found',
    });
  });
});

describe('a search that was cut', () => {
  /** All hits, by searches of which each goes on where the one before it was cut. */
  async function hitsInParts(text: string, limit: number, between = async () => {}) {
    const hits: SearchHit[] = [];
    let from: string | undefined;
    do {
      const events = await eventsOf(text, { limit, from });
      const end = events.at(-1);
      if (end?.kind !== 'end') throw new Error('a search without an end');
      expect(end.data.isCut).toBe(end.data.next !== undefined);
      hits.push(...events.flatMap(({ kind, data }) => (kind === 'hit' ? [data] : [])));
      from = end.data.next;
      await between();
    } while (from !== undefined);
    return hits;
  }

  it.each([1, 3, 7, 250])('goes on with %d hits each, and finds each message once', async (limit) => {
    await sendMany(22);
    for (let count = 0; count < 5; count++) await deadLetterOne('orders');
    await look.send('events', { messageId: 'm-2' }, { messageId: 'm-e' });
    expect(await hitsInParts('M-', limit)).toEqual(await hitsOf('m-'));
    const found = await hitsInParts('2', limit);
    expect(found).toEqual(await hitsOf('2'));
    expect(found.filter(({ field }) => field === 'sequenceNumber')).toHaveLength(2);
  });

  it('goes on with the entity that follows if its own was deleted', async () => {
    await look.send('events', { messageId: 'x' });
    await look.send('jobs', ...['x-1', 'x-2'].map((messageId) => ({ messageId, sessionId: 's' })));
    await look.send('orders', { messageId: 'x' });
    const [, , end] = await eventsOf('x', { limit: 2 });
    await look.execute({ kind: 'delete-entity', entityPath: 'jobs' });
    const from = end?.kind === 'end' ? end.data.next : undefined;
    expect(from).toBe('1@jobs');
    expect(await hitsOf('x', { from })).toMatchObject([{ path: 'orders' }]);
  });
});

describe('a search ends', () => {
  it('when everything is searched, and gives back all memory', async () => {
    await sendMany(250);
    expect((await eventsOf('M-25')).at(-1)).toEqual({
      kind: 'end',
      data: { scannedCount: 250, totalCount: 250, isCut: false },
    });
    expect(heldBytes).toBe(0);
  });

  it('after as many hits as were asked for', async () => {
    await sendMany(1000);
    const events = await eventsOf('m-', { limit: 3 });
    expect(events.filter(({ kind }) => kind === 'hit')).toHaveLength(3);
    expect(events.at(-1)).toMatchObject({
      kind: 'end',
      data: { totalCount: 1000, isCut: true, next: '997@orders' },
    });
  });

  it('when its client has gone', async () => {
    await sendMany(1000);
    stepMs = 10; // a slice for each piece
    let sliceCount = 0;
    const events = await eventsOf('nothing', { isOver: () => ++sliceCount > 2 });
    expect(events.at(-1)).toEqual({
      kind: 'end',
      data: { scannedCount: 200, totalCount: 1000, isCut: true, next: '800@orders' },
    });
  });

  it('though an entity is deleted meanwhile', async () => {
    await sendMany(300);
    stepMs = 10;
    const events = search('nothing');
    await events.next();
    await look.execute({ kind: 'delete-entity', entityPath: 'orders' });
    const rest: SearchEvent[] = [];
    for await (const event of events) rest.push(event);
    expect(rest.at(-1)).toMatchObject({ kind: 'end', data: { totalCount: 300 } });
  });
});

it('works a fifth of the time: each pause is four times as long as the slice before it', async () => {
  await sendMany(3000);
  stepMs = 1;
  await eventsOf('nothing');
  expect(pauses.length).toBeGreaterThan(3);
  let [restedAt, workMs, pausedMs] = [0, 0, 0];
  for (const { startedAt, delayMs } of pauses) {
    expect(startedAt - restedAt).toBeLessThan(12);
    workMs += startedAt - restedAt;
    pausedMs += delayMs;
    restedAt = startedAt + delayMs;
  }
  // The looks at the clock between slices count as work here.
  expect(pausedMs).toBeGreaterThan(2 * workMs);
});

it('the look for a number has pauses, too', async () => {
  await look.send('orders', { messageId: 'a' });
  await look.send('events', { messageId: 'b' });
  stepMs = 10; // a slice for each store
  await eventsOf('1');
  const [byNumber, byText] = [2, 2];
  expect(pauses).toHaveLength(byNumber + byText);
});

it('several searches share the fifth: a slice waits for the pause behind the slice of another', async () => {
  const { timers } = look;
  const shared = new Searches({ startTimer: timers.startTimer, elapsed: () => timers.nowMs });
  const begun: string[] = [];
  const slice = (name: string) =>
    shared.slice(async () => {
      begun.push(name);
      timers.advance(5);
    });
  const both = Promise.all([slice('one'), slice('other')]);
  await look.settled();
  expect([begun, timers.delays]).toEqual([['one'], [20]]);
  timers.advance(19);
  await look.settled();
  expect(begun).toEqual(['one']);
  timers.advance(1);
  await both;
  expect(begun).toEqual(['one', 'other']);
});

it('reports its progress four times a second', async () => {
  await sendMany(3000);
  stepMs = 10;
  const events = await eventsOf('nothing');
  const progress = events.filter(({ kind }) => kind === 'progress');
  expect(progress.length).toBeGreaterThan(3);
  expect(progress.length).toBeLessThan(nowMs / 250 + 1);
  expect(progress[0]).toMatchObject({ data: { path: 'orders', totalCount: 3000 } });
});

it('at most four searches run at the same time', () => {
  const all = searches();
  const ends = Array.from({ length: MOST_SEARCHES }, () => all.begin());
  expect(all.begin()).toBeUndefined();
  ends[0]?.();
  ends[0]?.();
  expect(all.begin()).toBeDefined();
  expect(all.begin()).toBeUndefined();
});
