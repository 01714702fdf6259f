// GET search: its events, its refusals, and what its client ends.

import { afterEach, beforeEach, expect, it } from 'vitest';
import {
  searchEndSchema,
  searchHitSchema,
  searchProgressSchema,
  sentSchema,
} from '../../../src/http/control/control-schemas.js';
import { MOST_SEARCHES, Searches } from '../../../src/inspect/searches.js';
import { VirtualTimers } from '../../support/virtual-timers.js';
import { CONTROL, type ControlUnderTest, openControlUnderTest } from '../support/control-under-test.js';

const SCHEMAS = { hit: searchHitSchema, progress: searchProgressSchema, end: searchEndSchema } as const;

let control: ControlUnderTest;
let timers: VirtualTimers;

beforeEach(async () => {
  timers = new VirtualTimers();
  const searches = new Searches({ startTimer: timers.startTimer, elapsed: () => timers.nowMs });
  control = await openControlUnderTest({ queues: ['orders', 'other'] }, { ...CONTROL, searches });
  await control.post('messages?entity=orders', [{ messageId: 'a-1' }, { messageId: 'b' }], sentSchema);
  await control.post('messages?entity=other', { messageId: 'a-2' }, sentSchema);
});
afterEach(async () => {
  expect(control.faults).toEqual([]);
  await control.stop();
});

/** The events of a search that finds time at once, checked by their schemas. */
async function search(query: string) {
  timers.advance(100); // past the pause behind the search before
  const response = await control.fetch(`search?${query}`);
  expect(response.headers.get('content-type')).toBe('text/event-stream; charset=utf-8');
  const [connected, ...events] = (await response.text()).split('\n\n').slice(0, -1);
  expect(connected).toBe(': connected');
  return events.map((text) => {
    const [, kind, json = ''] = /^event: (\w+)\ndata: (.*)$/.exec(text) ?? [];
    const data: unknown = JSON.parse(json);
    return { kind, ...SCHEMAS[kind as keyof typeof SCHEMAS].parse(data) };
  });
}

it('answers each message that is found, and then how many were searched', async () => {
  expect(await search('text=A-')).toMatchObject([
    { kind: 'hit', path: 'orders', sequenceNumber: 1, field: 'messageId', value: 'a-1', state: 'active' },
    { kind: 'hit', path: 'other', sequenceNumber: 1, field: 'messageId', value: 'a-2' },
    { kind: 'end', scannedCount: 3, totalCount: 3, isCut: false },
  ]);
  expect(await search('text=a-&limit=1')).toMatchObject([
    { kind: 'hit', path: 'orders' },
    { kind: 'end', isCut: true, next: '1@other' },
  ]);
  expect(await search('text=a-&limit=1&from=1%40other')).toMatchObject([
    { kind: 'hit', path: 'other' },
    { kind: 'end', isCut: false },
  ]);
  expect(await search('text=a-&entity=other')).toMatchObject([
    { kind: 'hit', path: 'other' },
    { kind: 'end', scannedCount: 1, totalCount: 1 },
  ]);
});

it.each([
  ['', 400, /text/],
  ['text=', 400, /text/],
  ['text=%20%20', 400, /text/],
  ['text=a&limit=0', 400, /number from 1 to 250/],
  ['text=a&from=7', 400, /'from' must be the `next`/],
  ['text=a&entity=missing', 404, /missing/],
])('?%s is refused', async (query, expected, text) => {
  const { status, message } = await control.refused(`search?${query}`);
  expect([status, message]).toEqual([expected, expect.stringMatching(text)]);
});

it('a client that goes ends its search, and more than four are refused', async () => {
  await control.post(
    'messages?entity=orders',
    Array.from({ length: 1000 }, () => ({ messageId: 'b' })),
    sentSchema,
  );
  const open = async () => {
    const { status, body } = await control.fetch('search?text=nothing');
    return { status, reader: body?.getReader() };
  };
  const opened = [];
  for (let count = 0; count < MOST_SEARCHES; count++) opened.push(await open());
  const { status, message } = await control.refused('search?text=nothing');
  expect([status, message]).toEqual([429, expect.stringContaining('Wait until one has ended')]);
  await opened[0]?.reader?.cancel();
  const another = await open();
  expect(another.status).toBe(200);
  for (const { reader } of [...opened, another]) await reader?.cancel();
});

it('a client that takes nothing for 30 seconds loses its search', async () => {
  const opened = [];
  for (let count = 0; count < MOST_SEARCHES; count++) opened.push(await control.fetch('search?text=a-'));
  timers.advance(29_999);
  expect((await control.refused('search?text=a-')).status).toBe(429);
  timers.advance(1);
  expect(await search('text=a-')).toHaveLength(3);
  for (const { body } of opened) expect(await new Response(body).text()).not.toContain('event: end');
});
