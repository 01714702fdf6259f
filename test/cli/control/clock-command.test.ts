// `jitney clock`: what it asks the emulator, what it prints, and what it refuses before it asks.

import { expect, test } from 'vitest';
import { openFakeEmulator, runCommand } from './control-program.js';

const HOUR = 3_600_000;
const FROZEN = {
  ...{ mode: 'frozen', rate: 0, offsetMs: 48 * HOUR },
  ...{ time: '2026-05-03T12:00:00.000Z', realTime: '2026-05-01T12:00:00.000Z' },
  nextDue: '2026-05-04T12:00:00.000Z',
};
const ADVANCED = {
  ...{ from: FROZEN.realTime, to: FROZEN.time, clock: FROZEN },
  fired: [
    { kind: 'activated', path: 'orders' },
    { kind: 'expired', path: 'parcels' },
    { kind: 'activated', path: 'orders' },
  ],
};
const TIME = '2026-05-0\\d \\d\\d:\\d0:00.000';

test.each([
  ['', 'GET /$jitney/v1/clock', undefined],
  ['freeze', 'POST /$jitney/v1/clock:freeze', {}],
  ['resume', 'POST /$jitney/v1/clock:resume', {}],
  ['scale 60', 'POST /$jitney/v1/clock:scale', { rate: 60 }],
  ['reset', 'POST /$jitney/v1/clock:reset', {}],
])('clock %s asks for it and prints the time, and how it is kept', async (words, call, body) => {
  const fake = await openFakeEmulator({ [call]: JSON.stringify(FROZEN) });
  const { exitCode, stdout, stderr } = await runCommand([
    ...['clock', ...words.split(' ').filter(Boolean)],
    ...['--port', fake.port],
  ]);
  await fake.close();
  expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
  expect(stdout).toMatch(new RegExp(`^${TIME}  frozen, 2 days ahead; next due at ${TIME}\n$`));
  expect(fake.seen.map((seen) => seen.call)).toEqual([call]);
  expect(fake.seen[0]?.body || undefined).toBe(body && JSON.stringify(body));
});

test.each([
  ['advance P2D', 'advance', { by: 48 * HOUR }],
  ['advance 90', 'advance', { by: 90_000 }],
  ['next', 'next', {}],
])('clock %s prints what fell due, by kind and entity', async (words, name, body) => {
  const call = `POST /$jitney/v1/clock:${name}`;
  const fake = await openFakeEmulator({ [call]: JSON.stringify(ADVANCED) });
  const { stdout } = await runCommand(['clock', ...words.split(' '), '--port', fake.port]);
  await fake.close();
  expect(fake.seen).toMatchObject([{ call, body: JSON.stringify(body) }]);
  expect(stdout.split('\n').slice(0, 2)).toEqual(['     2  activated  orders', '     1  expired  parcels']);
});

test('with --json it prints the answer', async () => {
  const fake = await openFakeEmulator({ 'POST /$jitney/v1/clock:next': JSON.stringify(ADVANCED) });
  const { stdout } = await runCommand(['clock', 'next', '--json', '--port', fake.port]);
  await fake.close();
  expect(stdout).toBe(`${JSON.stringify(ADVANCED)}\n`);
});

test('an advance on which nothing fell due says so', async () => {
  const answer = JSON.stringify({ ...ADVANCED, fired: [] });
  const fake = await openFakeEmulator({ 'POST /$jitney/v1/clock:advance': answer });
  const { stdout } = await runCommand(['clock', 'advance', 'PT1S', '--port', fake.port]);
  await fake.close();
  expect(stdout).toMatch(/^Nothing fell due\.\n/);
});

test.each([
  ['advance', /needs a duration, such as PT5M/],
  ['advance soon', /"soon"/],
  ['advance P10675199DT2H48M5.4775807S', /never/],
  ['scale fast', /such as 60, not fast/],
  ['scale 0', /from 0.001 to 1000000, such as 60, not 0/],
  [
    'advance P99999999D',
    /The duration must not be longer than P10675199D.* \(never\), and "P99999999D" is\./,
  ],
  ['freeze now', /takes no value, and 'now' is one/],
  ['jump', /cannot be 'jump': it takes advance, next/],
])('clock %s is refused before anybody is asked', async (words, reason) => {
  const fake = await openFakeEmulator({});
  const { exitCode, stdout, stderr } = await runCommand(['clock', ...words.split(' '), '--port', fake.port]);
  await fake.close();
  expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: '' });
  expect(stderr).toMatch(reason);
  expect(fake.seen).toEqual([]);
});
