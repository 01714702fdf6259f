// `jitney clock` against an emulator in this process: what it does to the clock, what it prints, and what it refuses.

import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Emulator, startEmulator } from '../../../src/emulator.js';
import { runCommand } from './control-program.js';

const DAY = 24 * 3_600_000;
const TIME = '\\d{4}-\\d\\d-\\d\\d \\d\\d:\\d\\d:\\d\\d\\.\\d{3}';

let emulator: Emulator;
beforeAll(async () => {
  emulator = await startEmulator({ queues: ['orders', 'parcels'], tls: 'off' });
});
afterAll(() => emulator.stop());

async function clock(words: string): Promise<string> {
  const { exitCode, stdout, stderr } = await runCommand([
    ...['clock', ...words.split(' ').filter(Boolean)],
    ...['--port', String(emulator.port)],
  ]);
  expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
  return stdout;
}

/** Sends a message that becomes active after so many days. */
async function schedule(entity: string, days: number): Promise<void> {
  const scheduledEnqueueTime = new Date(emulator.clock.state.time.getTime() + days * DAY);
  const address = `http://localhost:${emulator.port}/$jitney/v1/messages?entity=${entity}`;
  const headers = { 'content-type': 'application/json' };
  const body = JSON.stringify({ body: 'x', scheduledEnqueueTime });
  expect((await fetch(address, { method: 'POST', headers, body })).status).toBe(200);
}

test('the clock is set word by word, and each prints the time and how it goes', async () => {
  expect(await clock('')).toMatch(new RegExp(`^${TIME}  the time of the machine; nothing is due\n$`));
  expect(await clock('freeze')).toMatch(new RegExp(`^${TIME}  frozen, .*; nothing is due\n$`));
  expect(emulator.clock.state.mode).toBe('frozen');
  await clock('resume');
  expect(emulator.clock.state.mode).not.toBe('frozen');
  expect(await clock('scale 60')).toMatch(/ {2}60 times as fast, /);
  expect(emulator.clock.state).toMatchObject({ mode: 'scaled', rate: 60 });
  await clock('reset');
  expect(emulator.clock.state).toMatchObject({ mode: 'real', offsetMs: 0 });
});

test('an advance prints what fell due, by kind and entity, and what comes next', async () => {
  for (const days of [1, 1, 5]) await schedule('orders', days);
  await schedule('parcels', 1);
  await clock('freeze');
  const [first, second, time] = (await clock('advance P3D')).split('\n');
  expect([first, second].sort()).toEqual(['     1  activated  parcels', '     2  activated  orders']);
  expect(time).toMatch(new RegExp(`^${TIME}  frozen, 3 days ahead; next due at ${TIME}$`));
  expect(await clock('advance 90')).toMatch(/^Nothing fell due\.\n/);
  expect(await clock('next')).toMatch(/^ {5}1 {2}activated {2}orders\n.*; nothing is due\n$/);
});

test('with --json it prints the answer', async () => {
  expect(JSON.parse(await clock('advance PT1S --json'))).toMatchObject({
    fired: [],
    clock: { mode: 'frozen' },
  });
});

test.each([
  ['advance', /needs a duration, such as PT5M/],
  ['advance soon', /"soon"/],
  ['advance P10675199DT2H48M5.4775807S', /never/],
  ['scale fast', /such as 60, not fast/],
  ['scale 0', /from 0.001 to 1000000, such as 60, not 0/],
  [
    'advance P99999999D',
    /The duration must not be longer than P10675199D.* \(never\), but "P99999999D" is\./,
  ],
  ['freeze now', /takes no value: leave out 'now'/],
  ['jump', /'clock jump' is not known: give one of advance, next/],
])('clock %s is refused before an emulator is asked', async (words, reason) => {
  const { exitCode, stdout, stderr } = await runCommand(['clock', ...words.split(' '), '--port', '1']);
  expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: '' });
  expect(stderr).toMatch(reason);
});
