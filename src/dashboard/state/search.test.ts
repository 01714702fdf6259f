import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Route } from './route.js';
import type { Hit, Search } from './search.js';

type Module = typeof import('./search.js');
let searches: Module;
let source: ReadableStreamDefaultController<Uint8Array>;
let requests: string[];
let shown: Search[];

beforeEach(async () => {
  vi.stubGlobal('location', { hash: '' });
  vi.stubGlobal('addEventListener', () => {});
  vi.stubGlobal('sessionStorage', { getItem: () => null });
  [requests, shown] = [[], []];
  vi.stubGlobal('fetch', async (address: string, { signal }: RequestInit) => {
    requests.push(address);
    const body = new ReadableStream<Uint8Array>({
      start: (controller) => {
        source = controller;
        signal?.addEventListener('abort', () => controller.error(signal.reason));
      },
    });
    return new Response(body);
  });
  searches = await import('./search.js');
});
afterEach(() => {
  vi.unstubAllGlobals();
});

const HIT: Hit = {
  ...{ path: 'payments', state: 'active', sequenceNumber: 7, enqueuedTime: '2026-05-01T12:00:00.000Z' },
  ...{ field: 'messageId', value: 'ord-1014' },
};

async function send(...events: readonly (readonly [type: string, data: object])[]): Promise<void> {
  const text = events.map(([type, data]) => `event: ${type}\ndata: ${JSON.stringify(data)}\n\n`).join('');
  source.enqueue(new TextEncoder().encode(text));
  for (let turn = 0; turn < 20; turn++) await new Promise((resolve) => setImmediate(resolve));
}

function begin(signal = new AbortController().signal): Promise<void> {
  const begun = shown.at(-1) ?? searches.newSearch('ord-1014', true);
  return searches.searchMessages(begun, 50, (search) => shown.push(search), signal);
}

describe('a search', () => {
  it('shows what it finds and how far it is while it runs, and then that it has ended', async () => {
    const end = begin();
    await send();
    expect(requests[0]).toMatch(/search\?text=ord-1014&limit=50$/);
    expect(shown.at(-1)).toMatchObject({ hits: [], isRunning: true });
    await send(['progress', { scannedCount: 20_000, totalCount: 100_000, path: 'orders' }], ['hit', HIT]);
    expect(shown.at(-1)).toMatchObject({
      hits: [HIT],
      isRunning: true,
      scannedCount: 20_000,
      totalCount: 100_000,
    });
    await send(['end', { scannedCount: 100_000, totalCount: 100_000, isCut: false }]);
    source.close();
    await end;
    expect(shown.at(-1)).toMatchObject({
      hits: [HIT],
      isRunning: false,
      isCut: false,
      scannedCount: 100_000,
    });
  });

  it('goes on where it was cut, and adds what it finds', async () => {
    const first = begin();
    await send(
      ['hit', HIT],
      ['end', { scannedCount: 400, totalCount: 1000, isCut: true, next: 'orders 400' }],
    );
    source.close();
    await first;
    expect(shown.at(-1)).toMatchObject({ hits: [HIT], isRunning: false, isCut: true, next: 'orders 400' });
    const other = { ...HIT, sequenceNumber: 8 };
    const second = begin();
    await send();
    expect(requests[1]).toMatch(/search\?text=ord-1014&limit=50&from=orders(\+|%20)400$/);
    expect(shown.at(-1)).toMatchObject({ hits: [HIT], isRunning: true });
    await send(['progress', { scannedCount: 100, totalCount: 600 }]);
    expect(shown.at(-1)).toMatchObject({ scannedCount: 500, totalCount: 1000 });
    await send(['hit', other], ['end', { scannedCount: 600, totalCount: 600, isCut: false }]);
    source.close();
    await second;
    expect(shown.at(-1)).toMatchObject({
      hits: [HIT, other],
      isRunning: false,
      isCut: false,
      next: undefined,
      scannedCount: 1000,
    });
  });

  it('for a text shows no hits of the text before', () => {
    const old: Search = { ...searches.newSearch('ord-10', false), hits: [HIT] };
    expect(searches.searchFor('ord-10', old)).toBe(old);
    expect(searches.searchFor('ord-101', old)).toMatchObject({ text: 'ord-101', hits: [], isRunning: true });
    expect(searches.searchFor('', old)).toMatchObject({ hits: [], isRunning: false });
  });

  it('ends with the next key, and its answers change nothing any more', async () => {
    const ending = new AbortController();
    const end = begin(ending.signal);
    await send(['hit', HIT]);
    const { length } = shown;
    ending.abort();
    await end;
    expect(shown.length).toBe(length);
  });

  it('keeps what was found when the emulator breaks off, and says why', async () => {
    const end = begin();
    await send(['hit', HIT]);
    source.error(new TypeError('network error'));
    await end;
    expect(shown.at(-1)).toMatchObject({
      hits: [HIT],
      isRunning: false,
      isCut: true,
      error: { message: 'network error' },
    });
  });

  it.each<[Partial<Hit>, string]>([
    [{}, 'active'],
    [{ state: 'scheduled' }, 'scheduled'],
    [{ subQueue: 'deadletter' }, 'dead'],
    [{ subQueue: 'transfer' }, 'active'],
    [{ subQueue: 'transferDeadLetter' }, 'transfer-dead'],
  ])('leads from %j to the message in its tab %s', (change, tab) => {
    const path = change.subQueue === 'transfer' ? 'payments/$Transfer' : 'payments';
    const place = { screen: 'message', path, tab, sequenceNumber: 7 } as Route;
    expect(searches.placeOfHit({ ...HIT, ...change })).toEqual(place);
  });
});

it.each([
  ['#34118', '34118'],
  ['34,118', '34118'],
  ['#1,494', '1494'],
  ['34118', '34118'],
  ['a#1,494', 'a#1,494'],
  ['1,49', '1,49'],
])('searches %s as %s', (text, searched) => {
  expect(searches.searchedText(text)).toBe(searched);
});
