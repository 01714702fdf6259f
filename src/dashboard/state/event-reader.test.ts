import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { FakeInterface, settled } from '../testing/event-stream.js';
import { EventReader } from './event-reader.js';

const BATCH_MS = 50;
const RETRY_MS = 250;

let emulator: FakeInterface;
/** All that the reader has told its owner. */
let told: unknown[];
let reader: EventReader;
const stop = () => reader.end();

beforeEach(async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  emulator = new FakeInterface();
  told = [];
  reader = begin();
  await settled();
});
afterEach(() => {
  stop();
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

function begin(): EventReader {
  return new EventReader(
    {
      events: (events) => told.push(events.map(({ id }) => id)),
      counted: (count, time) => told.push(`${count} until ${time}`),
      opened: (isRestarted) => told.push(isRestarted ? 'restarted' : 'opened'),
      lost: (count) => told.push(`lost ${count}`),
      broken: (error) => told.push(String(error)),
    },
    'all',
  );
}

function event(id: number, text = 'x'): string {
  return `id: ${id}\ndata: ${JSON.stringify({ id, time: '2026-05-01T12:00:00.000Z', kind: 'refused', text })}\n\n`;
}

async function pass(ms: number): Promise<void> {
  await vi.advanceTimersByTimeAsync(ms);
  await settled();
}

describe('the reader of events', () => {
  it('begins with all that are kept', () => {
    expect(emulator.addresses).toEqual(['/$jitney/v1/events?since=0']);
    expect(told).toEqual(['opened']);
  });

  it('goes on at once with the events of another scope, behind the last, and with all from the first that is kept', async () => {
    await emulator.last.send(event(1) + event(2));
    await pass(BATCH_MS);
    reader.setScope('none');
    await settled();
    await emulator.last.send('id: 9\nevent: count\ndata: {"count":7,"time":"2026-05-01T12:00:00.000Z"}\n\n');
    reader.setScope({ entity: 'orders' });
    await settled();
    reader.setScope('all');
    await settled();
    expect(emulator.addresses.map((address) => address.replace(/^.*\?/, ''))).toEqual([
      'since=0',
      'since=2&count=all',
      'since=9&entity=orders&count=others',
      'since=0',
    ]);
    expect(told).toEqual([
      'opened',
      [1, 2],
      'opened',
      '7 until 2026-05-01T12:00:00.000Z',
      'opened',
      'opened',
    ]);
  });

  it.each([
    [{ entity: 'orders' }, [1], '?since=1&entity=orders&count=others'],
    ['all', undefined, '?since=0'],
  ] as const)(
    'hands on at once what waits when the scope becomes %j, unless it comes again',
    async (scope, given, query) => {
      reader.setScope('none');
      await settled();
      await emulator.last.send(event(1));
      reader.setScope(scope);
      expect(told).toEqual(['opened', 'opened', ...(given === undefined ? [] : [given])]);
      await pass(BATCH_MS);
      expect(emulator.addresses.at(-1)).toContain(query);
      expect(told.filter((one) => Array.isArray(one))).toEqual(given === undefined ? [] : [given]);
    },
  );

  it('drops what waits when it is stopped', async () => {
    await emulator.last.send(event(1));
    stop();
    await pass(BATCH_MS);
    expect(told).toEqual(['opened']);
  });

  it('hands on together what comes within a moment', async () => {
    await emulator.last.send(event(1) + event(2));
    await emulator.last.send(event(3));
    expect(told).toEqual(['opened']);
    await pass(BATCH_MS);
    await emulator.last.send(event(4));
    await pass(BATCH_MS);
    expect(told).toEqual(['opened', [1, 2, 3], [4]]);
  });

  it('puts events together again, wherever the pieces are cut, even within a letter', async () => {
    stop();
    const texts: (string | undefined)[] = [];
    const nothing = () => {};
    reader = new EventReader(
      {
        events: (events) => texts.push(...events.map(({ text }) => text)),
        counted: nothing,
        opened: nothing,
        lost: nothing,
        broken: nothing,
      },
      'all',
    );
    await settled();
    const bytes = new TextEncoder().encode(`: here\n\n${event(1, 'a🙂b')}${event(2, 'two\n\nlines')}`);
    for (const byte of bytes) await emulator.last.send(Uint8Array.of(byte));
    await pass(BATCH_MS);
    expect(texts).toEqual(['a🙂b', 'two\n\nlines']);
  });

  it('tells how many it has missed, but not those that were too old when it began', async () => {
    await emulator.last.send(`event: lost\ndata: {"count":7}\n\n${event(8)}`);
    await emulator.last.send(`event: lost\ndata: {"count":120}\n\n${event(129)}`);
    await pass(BATCH_MS);
    expect(told).toEqual(['opened', 'lost 120', [8, 129]]);
  });

  it.each(['end', 'breakOff'] as const)('goes on behind the last event after a break: %s', async (how) => {
    await emulator.last.send(event(1) + event(2));
    await pass(BATCH_MS);
    await emulator.last[how]();
    expect(told.slice(0, 2)).toEqual(['opened', [1, 2]]);
    expect(told).toHaveLength(3);
    await pass(RETRY_MS);
    expect(emulator.addresses.at(-1)).toBe('/$jitney/v1/events?since=2');
    expect(told.at(-1)).toBe('opened');
  });

  it('hands on what has come just before a break', async () => {
    await emulator.last.send(event(1));
    await emulator.last.end();
    expect(told.slice(0, 2)).toEqual(['opened', [1]]);
  });

  it('tries again ever more slowly, up to every two seconds, and soon again after a success', async () => {
    emulator.isRunning = false;
    await emulator.last.end();
    const attempts: number[] = [];
    for (let at = 0; at < 8000; at += 250) {
      const before = emulator.headers.length;
      await pass(250);
      if (emulator.headers.length > before) attempts.push(at + 250);
    }
    expect(attempts).toEqual([250, 750, 1750, 3750, 5750, 7750]);
    emulator.isRunning = true;
    await pass(2000);
    await emulator.last.end();
    const { length } = emulator.streams;
    await pass(RETRY_MS);
    expect(emulator.streams).toHaveLength(length + 1);
  });

  it('begins anew with an emulator that was started anew, whose ids may be past the last one already', async () => {
    await emulator.last.send(event(1) + event(2));
    await pass(BATCH_MS);
    await emulator.last.end();
    emulator.startedTime = '2026-05-01T13:00:00.000Z';
    await pass(RETRY_MS);
    expect(emulator.addresses.slice(-2)).toEqual([
      '/$jitney/v1/events?since=2',
      '/$jitney/v1/events?since=0',
    ]);
    await emulator.last.send(event(1) + event(2) + event(3));
    await pass(BATCH_MS);
    expect(told.slice(-2)).toEqual(['restarted', [1, 2, 3]]);
    await emulator.last.end();
    await pass(RETRY_MS);
    expect(emulator.addresses.at(-1)).toBe('/$jitney/v1/events?since=3');
    expect(told.at(-1)).toBe('opened');
  });

  it('goes on after an error of the interface', async () => {
    emulator.status = 503;
    await emulator.last.end();
    await pass(RETRY_MS);
    expect(told.at(-1)).toMatch(/answered 503/);
    emulator.status = 200;
    await pass(2 * RETRY_MS);
    expect(told.at(-1)).toBe('opened');
  });

  it('reads from the first event again when it is told that the ids begin anew', async () => {
    await emulator.last.send(`${event(9)}event: restarted\ndata: {"newestId":3}\n\n`);
    await emulator.last.end();
    await pass(RETRY_MS);
    expect(emulator.addresses.at(-1)).toBe('/$jitney/v1/events?since=0');
  });

  it('stops where its token is not taken', async () => {
    emulator.status = 401;
    await emulator.last.end();
    await pass(RETRY_MS);
    expect(told.at(-1)).toMatch(/answered 401/);
    const { length } = emulator.headers;
    await pass(60_000);
    expect(emulator.headers).toHaveLength(length);
  });

  it('tells nothing more once it is stopped', async () => {
    stop();
    await settled();
    await pass(60_000);
    expect(told).toEqual(['opened']);
    expect(emulator.streams).toHaveLength(1);
  });
});
