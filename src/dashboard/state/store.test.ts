// What all screens share, read from an interface that a test plays.

import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import type { ClockAnswer } from '../../http/control/control-schemas.js';
import { FakeInterface, settled } from '../testing/event-stream.js';
import { Store } from './store.js';

const MANY = 300;

class FakeDocument extends EventTarget {
  visibilityState = 'hidden';

  show(): void {
    this.visibilityState = 'visible';
    this.dispatchEvent(new Event('visibilitychange'));
  }
}

let emulator: FakeInterface;
let shown: FakeDocument;
let store: Store;

beforeEach(async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval', 'performance'] });
  shown = new FakeDocument();
  vi.stubGlobal('document', shown);
  emulator = new FakeInterface();
  answerCount(0);
  store = new Store();
  store.start();
  await settled();
});
afterEach(() => {
  store.stop();
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

/** So many messages are in each of the many queues. */
function answerCount(active: number): void {
  const entities = Array.from({ length: MANY }, (_, index) => ({
    ...{ path: `q${index}`, kind: 'queue', counts: { active } },
  }));
  emulator.answers.set('entities', { entities });
}

function shownCount(): number | undefined {
  const entity = store.entityAt('q7');
  return entity !== undefined && 'counts' in entity ? entity.counts.active : undefined;
}

async function happen(id: number): Promise<void> {
  const data = { count: 1, time: new Date().toISOString() };
  await emulator.last.send(`id: ${id}\nevent: count\ndata: ${JSON.stringify(data)}\n\n`);
  await pass(50);
}

async function pass(ms: number): Promise<void> {
  await vi.advanceTimersByTimeAsync(ms);
  await settled();
}

test('the counts of many entities are read again when a hidden page is shown', async () => {
  answerCount(1);
  await happen(1);
  await pass(2000);
  expect(shownCount()).toBe(0);
  shown.show();
  await pass(2000);
  expect(shownCount()).toBe(1);
});

test('the events of an entity are read from the moment at which a screen wants them', async () => {
  await happen(1);
  store.onEvents(() => {}, 'orders');
  await settled();
  expect(emulator.last.address).toContain('since=1&entity=orders');
});

test('what was read is read again from memory while nobody answers, and not after a restart', async () => {
  const { signal } = new AbortController();
  emulator.answers.set('causes', { causes: [] });
  expect(await store.read('causes', signal)).toEqual({ causes: [] });
  const answering = fetch;
  vi.stubGlobal('fetch', async () => {
    throw new TypeError('fetch failed');
  });
  expect(await store.read('causes', signal)).toEqual({ causes: [] });
  await expect(store.read('connections', signal)).rejects.toThrow('Jitney does not answer.');
  store.stop();
  vi.stubGlobal('fetch', answering);
  store.start();
  vi.stubGlobal('fetch', async () => {
    throw new TypeError('fetch failed');
  });
  await expect(store.read('causes', signal)).rejects.toThrow('Jitney does not answer.');
});

test('the counts of many entities are read again when a pause ends', async () => {
  shown.show();
  await pass(2000);
  store.isPaused.value = true;
  answerCount(1);
  await happen(1);
  await pass(2000);
  expect(shownCount()).toBe(0);
  store.isPaused.value = false;
  await pass(2000);
  expect(shownCount()).toBe(1);
});

const scopes = () => emulator.addresses.map((address) => address.replace(/^.*since=\d+/, ''));

test('the stream has the events that screens want, and only the number of others', async () => {
  const ofOne = store.onEvents(() => {}, 'q7');
  await pass(1);
  const ofAll = store.onEvents(() => {});
  await pass(1);
  ofAll();
  const ofAllAgain = store.onEvents(() => {}); // the next screen: it goes on
  await pass(1);
  ofAllAgain();
  await pass(1);
  ofOne();
  await pass(1);
  const one = '&entity=q7&count=others';
  expect(scopes()).toEqual(['&count=all', one, '', one, '&count=all']);
});

test('the events that a second login reads again are there once', async () => {
  store.onEvents(() => {});
  await pass(1);
  const send = async () => {
    const event = { id: 1, time: new Date().toISOString(), kind: 'enqueued', path: 'q7' };
    await emulator.last.send(`id: 1\ndata: ${JSON.stringify(event)}\n\n`);
    await pass(50);
  };
  await send();
  let restartCount = 0;
  store.onRestart(() => {
    restartCount += 1;
  });
  store.start();
  await settled();
  expect(restartCount).toBe(1);
  await send();
  expect(store.recentEvents().map(({ id }) => id)).toEqual([1]);
});

test('what may have failed is to be read anew after a loss and after a restart, and not at the start', async () => {
  expect(store.openedCount.value).toBe(0);
  await emulator.last.breakOff();
  await pass(5000);
  expect(store.openedCount.value).toBe(1);
  await happen(1);
  emulator.startedTime = '2026-05-01T13:00:00.000Z';
  await emulator.last.breakOff();
  await pass(5000);
  expect(store.openedCount.value).toBe(2);
});

describe('the present of messages and events', () => {
  const NOON = Date.parse('2026-05-01T12:00:00.000Z');
  const HOUR_MS = 3_600_000;
  const iso = (ms: number) => new Date(ms).toISOString();

  /** What the emulator answers at that time, with a clock that is an hour ahead. */
  function clockAt(at: number, mode: ClockAnswer['mode'], time = at + HOUR_MS): ClockAnswer {
    return { mode, rate: mode === 'frozen' ? 0 : 1, offsetMs: time - at, time: iso(time), realTime: iso(at) };
  }

  test('is that of the machine while the clock is ahead: the emulator converts the times of its answers', () => {
    store.clock.value = clockAt(NOON, 'offset');
    store.now.value = NOON + 5000;
    expect(store.brokerNow.value).toBe(NOON + 5000);
    expect(store.dueNow(NOON)).toBe(NOON + 5000);
  });

  test('stands still from when the clock is frozen, and moves on with it', () => {
    store.clock.value = clockAt(NOON, 'offset');
    store.clock.value = clockAt(NOON + 1000, 'frozen');
    store.now.value = NOON + 60_000;
    expect(store.brokerNow.value).toBe(NOON + 1000);
    store.clock.value = clockAt(NOON + 60_000, 'frozen', NOON + 1000 + HOUR_MS);
    expect(store.brokerNow.value).toBe(NOON + 1000);
    store.clock.value = clockAt(NOON + 60_000, 'frozen', NOON + 2 * HOUR_MS);
    expect(store.brokerNow.value).toBe(NOON + 60_000);
  });

  test('is that of the last event when the page is opened on a frozen clock', async () => {
    emulator.answers.set('clock', clockAt(NOON + 60_000, 'frozen'));
    const fresh = new Store();
    fresh.start();
    await settled();
    await emulator.last.send(
      `id: 1\ndata: ${JSON.stringify({ id: 1, time: iso(NOON), kind: 'enqueued' })}\n\n`,
    );
    await pass(50);
    expect(fresh.brokerNow.value).toBe(NOON);
    fresh.stop();
  });

  test('follows a clock that is set elsewhere', async () => {
    shown.show();
    await pass(1000);
    emulator.answers.set('clock', clockAt(NOON, 'frozen'));
    await pass(1000);
    store.now.value = NOON + 60_000;
    expect(store.brokerNow.value).toBe(NOON);
  });

  test('of the end of a lock is that of its answer while the clock is frozen', () => {
    store.clock.value = clockAt(NOON, 'frozen');
    store.now.value = NOON + 60_000;
    expect(store.dueNow(NOON + 7000)).toBe(NOON + 7000);
  });

  test('is that of the last answer while nobody answers', () => {
    store.now.value = NOON + 60_000;
    store.lostSince.value = NOON;
    store.link.value = 'lost';
    expect(store.brokerNow.value).toBe(NOON);
  });
});
