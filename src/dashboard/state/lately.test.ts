import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { FakeInterface, settled } from '../testing/event-stream.js';

const ENTITIES = [{ path: 'orders', kind: 'queue' }];

let emulator: FakeInterface;
let id = 0;

beforeAll(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval'] });
  vi.stubGlobal('document', { visibilityState: 'hidden', addEventListener: () => {} });
  emulator = new FakeInterface();
  emulator.answers.set('entities', { entities: [] });
  vi.resetModules(); // another file may have started the model already
});
afterAll(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

async function happen(kind: string): Promise<void> {
  id += 1;
  const client = { connectionId: 1, name: 'web' };
  const event = { id, time: new Date().toISOString(), kind, path: 'orders', reason: 'a', client };
  await emulator.last.send(`id: ${id}\ndata: ${JSON.stringify(event)}\n\n`);
  await vi.advanceTimersByTimeAsync(50);
}

describe('what was derived from the events', () => {
  it('covers those before the first look at it, and those after, until the emulator is started anew', async () => {
    const { page } = await import('./model.js');
    page.start();
    await settled();
    await happen('dead-lettered');
    await happen('enqueued');
    const { causes, traffic } = await import('./lately.js');
    expect(causes.list(ENTITIES)).toMatchObject([{ count: 1 }]);
    expect(traffic.sendersTo('orders', Date.now())).toMatchObject([{ name: 'web' }]);
    await happen('dead-lettered');
    expect(causes.list(ENTITIES)).toMatchObject([{ count: 2 }]);

    await emulator.last.end();
    emulator.startedTime = '2026-05-01T13:00:00.000Z';
    id = 0;
    await vi.advanceTimersByTimeAsync(250);
    await settled();
    expect(causes.list(ENTITIES)).toEqual([]);
    expect(traffic.sendersTo('orders', Date.now())).toEqual([]);
    await happen('dead-lettered');
    expect(causes.list(ENTITIES)).toMatchObject([{ count: 1 }]);
  });
});
