// Faults over the control interface and in process: added, listed, removed, refused with the reason, and gone after a reset of all.

import { afterEach, beforeEach, expect, test } from 'vitest';
import { type Emulator, FaultError, startEmulator } from '../../../src/emulator.js';

const AUTHORIZATION = 'SharedAccessSignature sr=x&sig=x&se=9999999999&skn=x';
const PARCELS = `<entry xmlns="http://www.w3.org/2005/Atom"><content type="application/xml"><QueueDescription xmlns="http://schemas.microsoft.com/netservices/2010/10/servicebus/connect"/></content></entry>`;
const BUSY = { on: 'send', error: 'server-busy', times: 1 } as const;

let emulator: Emulator;
beforeEach(async () => {
  emulator = await startEmulator({ queues: ['orders'], tls: 'off' });
});
afterEach(() => emulator.stop());

function ask(path: string, body?: unknown): Promise<Response> {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  return fetch(`http://localhost:${emulator.port}/${path}`, {
    ...(body === undefined ? {} : { method: 'POST', body: text }),
    headers: { authorization: AUTHORIZATION, 'content-type': 'application/json' },
  });
}

async function call(name: string, body?: unknown) {
  const answer = await ask(`$jitney/v1/${name}`, body);
  return { status: answer.status, json: (await answer.json()) as Record<string, unknown> };
}

const listed = async () => (await call('faults')).json.faults;

test('a fault that is added happens, and the list says how often', async () => {
  const { status, json } = await call('faults', BUSY);
  const id = expect.any(Number);
  expect(status).toBe(200);
  expect(json).toEqual({ id, fault: BUSY, matchedCount: 0, firedCount: 0, isActive: true });
  for (const expected of [503, 201]) expect((await ask('orders/messages', 'x')).status).toBe(expected);
  expect(await listed()).toEqual([{ id, fault: BUSY, matchedCount: 2, firedCount: 1, isActive: false }]);
});

test('it is the same list as in process', async () => {
  const { id } = emulator.faults.add({ on: 'peek', delay: 'PT1S' });
  expect(await listed()).toMatchObject([{ id, fault: { on: 'peek', delay: 'PT1S' } }]);
  await call('faults', BUSY);
  expect(emulator.faults.list().map(({ fault }) => fault.on)).toEqual(['peek', 'send']);
});

test('a preset gives back the faults that it has added', async () => {
  const { json } = await call('faults:preset', { name: 'throttled', entity: 'orders', perSecond: 3 });
  expect(json).toMatchObject({ faults: [{ fault: { entity: 'orders', above: 3 }, isActive: true }] });
  expect(await listed()).toEqual(json.faults);
  expect((await call('faults:preset', { name: 'blip' })).json).toEqual({ faults: [] });
});

test.each([
  ['ordres', "There is no entity 'ordres' yet; the fault waits for it. Did you mean 'orders'?"],
  ['parcels', "There is no entity 'parcels' yet; the fault waits for it."],
  ['ordres/$DeadLetterQueue', expect.stringContaining("Did you mean 'orders'?")],
  ['orders', undefined],
  ['Orders/$deadletterqueue', undefined],
  ['ord*', undefined],
])('a fault for %s is added, with a note if there is no such entity yet', async (entity, note) => {
  const { status, json } = await call('faults', { ...BUSY, entity });
  expect(status).toBe(200);
  expect(json.note).toEqual(note);
  expect(await Promise.all(emulator.faults.list().map((each) => each.note))).toEqual([note]);
  expect(await listed()).toEqual([expect.not.objectContaining({ note: expect.anything() })]);
  const { json: preset } = await call('faults:preset', { name: 'slow', entity });
  expect((preset.faults as { note?: string }[]).map((each) => each.note)).toEqual([note]);
});

test('in process a fault has the same note, as long as its entity is not there', async () => {
  const text = "There is no entity 'ordres' yet; the fault waits for it. Did you mean 'orders'?";
  expect(await emulator.faults.add({ ...BUSY, entity: 'ordres' }).note).toBe(text);
  const [preset] = emulator.faults.addPreset('flaky', { entity: 'parcels' });
  expect(await preset?.note).toBe("There is no entity 'parcels' yet; the fault waits for it.");
  const put = { method: 'PUT', headers: { authorization: AUTHORIZATION }, body: PARCELS };
  const created = await fetch(`http://localhost:${emulator.port}/parcels?api-version=2021-05`, put);
  expect([created.status, await preset?.note]).toEqual([201, undefined]);
  expect(await emulator.faults.add(BUSY).note).toBeUndefined();
});

test('a fault of an emulator that has been stopped has no note', async () => {
  const fault = emulator.faults.add({ ...BUSY, entity: 'ordres' });
  await emulator.stop();
  expect(await fault.note).toBeUndefined();
});

test('a fault is removed by its number, and all at once', async () => {
  const { json } = await call('faults', BUSY);
  for (const ended of [true, false]) {
    expect((await call('faults:remove', { id: json.id })).json).toEqual({ ended });
  }
  for (let count = 0; count < 2; count++) await call('faults', BUSY);
  for (const count of [2, 0]) expect((await call('faults:clear', {})).json).toEqual({ count });
  expect(await listed()).toEqual([]);
});

test.each([
  ['faults', { on: 'send', error: 'server-bussy' }, "Did you mean 'server-busy'?"],
  ['faults', { on: 'sent', error: 'server-busy' }, 'which is not an operation'],
  ['faults', { ...BUSY, tims: 3 }, "A fault has no 'tims'"],
  ['faults', 7, 'A fault is an object such as'],
  ['faults', [], 'A fault is an object such as'],
  ['faults', '{', 'JSON'],
  [
    'faults:preset',
    { name: 'flakey' },
    "'name' must be one of flaky, slow, blip, failover, throttled, not \"flakey\". Did you mean 'flaky'?",
  ],
  ['faults:preset', {}, "'name' is missing: it must be one of flaky, slow, blip, failover, throttled."],
  ['faults:preset', { name: 'blip', entity: 'orders' }, "Leave 'entity' out."],
  ['faults:preset', { name: 'flaky', perSecond: 0 }, 'perSecond'],
  ['faults:preset', { name: 'flaky', times: 3 }, 'times'],
  ['faults:remove', { id: 'first' }, 'id'],
  ['faults:clear', { id: 1 }, 'id'],
  ['faults?entity=orders', undefined, 'entity'],
])('%s with %j is refused, with the reason', async (name, body, reason) => {
  const { status, json } = await call(name, body);
  expect(status).toBe(400);
  expect(json).toMatchObject({ error: { message: expect.stringContaining(reason) } });
  expect(emulator.faults.list()).toEqual([]);
});

test('a reset of messages leaves the faults; a reset of all ends them, over HTTP and in process', async () => {
  const resets = [
    async () => expect((await call('reset', { all: true })).status).toBe(200),
    () => emulator.reset({ all: true }),
  ];
  for (const resetAll of resets) {
    const fault = emulator.faults.add(BUSY);
    await emulator.reset();
    await call('reset', {});
    expect(emulator.faults.list()).toHaveLength(1);
    await resetAll();
    expect([emulator.faults.list(), fault.isActive]).toEqual([[], false]);
  }
});

test('a stopped emulator takes no fault', async () => {
  await emulator.stop();
  const text = 'The emulator is no longer running, so no fault can be added.';
  expect(() => emulator.faults.add(BUSY)).toThrow(new FaultError(text));
  expect(() => emulator.faults.addPreset('blip')).toThrow(new FaultError(text));
});

test('a fault is 16 KiB at most', async () => {
  expect((await call('faults', { ...BUSY, text: 'x'.repeat(17_000) })).status).toBe(403);
  expect((await call('faults', { ...BUSY, text: 'x'.repeat(16_000) })).status).toBe(200);
});
