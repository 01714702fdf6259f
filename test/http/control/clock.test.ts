// The clock over the control interface: its calls, what they answer, and what they refuse.

import { afterEach, beforeEach, expect, test } from 'vitest';
import { type Emulator, startEmulator } from '../../../src/emulator.js';

const HOUR = 3_600_000;

let emulator: Emulator;
beforeEach(async () => {
  emulator = await startEmulator({ queues: ['orders'], clock: 'virtual', tls: 'off' });
});
afterEach(() => emulator.stop());

async function call(name: string, body?: object) {
  const init = body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) };
  const answer = await fetch(`http://localhost:${emulator.port}/$jitney/v1/${name}`, {
    ...init,
    headers: {
      authorization: 'SharedAccessSignature sr=x&sig=x&se=9999999999&skn=x',
      'content-type': 'application/json',
    },
  });
  return { status: answer.status, json: (await answer.json()) as Record<string, unknown> };
}

test('an advance says how far time went, what fired and what time it is', async () => {
  const { json: frozen } = await call('clock');
  expect(frozen).toMatchObject({ mode: 'frozen', rate: 0 });
  await call('messages?entity=orders', { body: 'x', timeToLiveMs: HOUR });
  const { status, json } = await call('clock:advance', { by: 'PT2H' });
  expect(status).toBe(200);
  expect(Date.parse(`${json.to}`) - Date.parse(`${json.from}`)).toBe(2 * HOUR);
  expect(json).toMatchObject({ fired: [{ kind: 'expired', path: 'orders' }], clock: { mode: 'frozen' } });
});

test('time can be let go, made faster, and be that of the machine again', async () => {
  await call('clock:advance', { by: HOUR });
  expect((await call('clock:resume', {})).json).toMatchObject({ mode: 'offset', rate: 1 });
  expect((await call('clock:scale', { rate: 60 })).json).toMatchObject({ mode: 'scaled', rate: 60 });
  expect((await call('clock:freeze', {})).json).toMatchObject({ mode: 'frozen', rate: 0 });
  expect((await call('clock:reset', {})).json).toMatchObject({ mode: 'real', rate: 1, offsetMs: 0 });
});

test('without anything due, the next thing is nowhere, and time stays', async () => {
  const { json } = await call('clock:next', {});
  expect(json.from).toBe(json.to);
  expect(json.fired).toEqual([]);
});

test.each([
  ['clock:advance', { by: 'soon' }, /duration/],
  ['clock:advance', { by: -1 }, /: 'by' must be 0 ms or more, not -1\."/],
  ['clock:advance', { by: '-PT5M' }, /: 'by' must be a duration such as [^"]*, not ..-PT5M..\."/],
  [
    'clock:advance',
    { by: true },
    /'by' must be a duration such as PT1H, or a number of milliseconds, not true\./,
  ],
  ['clock:advance', { by: 'P10675199DT2H48M5.4775807S' }, /never/],
  [
    'clock:advance',
    { by: 8.64e15 },
    /must be at most P\d+D[^ ]*, because 9999-12-31T23:59:59.999Z is the latest possible time/,
  ],
  [
    'messages?entity=orders',
    { scheduledEnqueueTime: '9999-12-31T23:59:59-01:00' },
    /must not be after 9999-12-31T23:59:59.999Z/,
  ],
  ['clock:advance', {}, /'by' is missing: it must be a duration such as PT1H, or a number of milliseconds\./],
  ['clock:scale', { rate: 0 }, /'rate' must be from 0.001 to 1000000 \(clock:freeze stops time\), not 0\./],
  ['clock:freeze', { now: true }, /now/],
])('%s with %j is refused, with the reason', async (name, body, reason) => {
  const { status, json } = await call(name, body);
  expect(status).toBe(400);
  expect(JSON.stringify(json)).toMatch(reason);
});

test('an advance that a reset ends on the way is answered as a conflict', async () => {
  for (const inMs of [HOUR, 2 * HOUR]) {
    const scheduledEnqueueTime = new Date(Date.now() + inMs).toISOString();
    await call('messages?entity=orders', { scheduledEnqueueTime });
  }
  emulator.events.subscribe(({ kind }) => {
    if (kind === 'activated') void emulator.clock.reset();
  });
  const { status, json } = await call('clock:advance', { by: 'PT3H' });
  expect({ status, json }).toMatchObject({
    status: 409,
    json: {
      error: { code: 'conflict', message: expect.stringContaining('frozen or reset before the advance') },
    },
  });
  expect(emulator.events.since().filter(({ kind }) => kind === 'activated')).toHaveLength(1);
});

test('a call that needs no value takes an empty body', async () => {
  const post = (name: string) =>
    fetch(`http://localhost:${emulator.port}/$jitney/v1/${name}`, {
      ...{ method: 'POST', body: '', headers: { 'content-type': 'application/json' } },
    });
  expect((await post('clock:next')).status).toBe(200);
  expect(await (await post('clock:scale')).text()).toContain("'rate' is missing: it must be a number.");
  const sent = await post('messages?entity=orders');
  expect([sent.status, await sent.text()]).toEqual([400, expect.stringContaining('The body is empty; send')]);
});

test('a call takes no body larger than its values need: 1 KB for the clock and links, 16 KB for rules and faults', async () => {
  const large = (bytes: number) => ({ x: 'x'.repeat(bytes) });
  for (const [name, bytes] of [
    ['clock:advance', 1024],
    ['connections:end', 1024],
    ['links:end', 1024],
    ['rules?entity=orders', 16_384],
    ['faults', 16_384],
    ['faults:preset', 16_384],
  ] as const) {
    const { json } = await call(name, large(bytes));
    const message = expect.stringContaining(`larger than the ${bytes} bytes that one request may have`);
    expect(json, name).toEqual({ error: { code: 'message-size-exceeded', message } });
  }
});

test('health says when time is not that of the machine', async () => {
  const health = async () => (await fetch(`http://localhost:${emulator.port}/health`)).json();
  expect(await health()).toMatchObject({ status: 'healthy', clock: expect.stringMatching(/^frozen, at 20/) });
  await emulator.clock.reset();
  expect(await health()).toEqual({ status: 'healthy', message: 'Service is healthy.' });
});
