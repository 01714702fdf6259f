// What all screens share, read from an interface that a test plays.

import { afterEach, beforeEach, expect, test, vi } from 'vitest';
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
  const event = { id, time: new Date().toISOString(), kind: 'enqueued', path: 'q7' };
  await emulator.last.send(`id: ${id}\ndata: ${JSON.stringify(event)}\n\n`);
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

test('the events that a second login reads again are there once', async () => {
  await happen(1);
  let restartCount = 0;
  store.onRestart(() => {
    restartCount += 1;
  });
  store.start();
  await settled();
  expect(restartCount).toBe(1);
  await happen(1);
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
