// When an emulator records what happens: while somebody can ask.

import { afterAll, beforeAll, expect, test } from 'vitest';
import type { EmulatorOptions } from '../../src/config/options/emulator-options.js';
import { type Emulator, startEmulator } from '../../src/emulator.js';

/** Set by the matchers of another file of this process: with them, every emulator records. */
const MATCHERS = Symbol.for('jitney.matchers');
const hadMatchers = MATCHERS in globalThis;

beforeAll(() => {
  Reflect.deleteProperty(globalThis, MATCHERS);
});
afterAll(() => {
  if (hadMatchers) Object.defineProperty(globalThis, MATCHERS, { value: true, configurable: true });
});

async function call({ port }: Emulator, path: string): Promise<string> {
  const response = await fetch(`http://127.0.0.1:${port}${path}`);
  expect(response.status).toBe(200);
  return response.text();
}

async function send({ port }: Emulator): Promise<void> {
  const headers = { authorization: 'SharedAccessSignature any' };
  await fetch(`http://127.0.0.1:${port}/orders/messages`, { method: 'POST', headers, body: 'x' });
}

/** The messages that have come, as `/metrics` counts them while something is recorded. */
async function recorded(emulator: Emulator): Promise<string | undefined> {
  return /^servicebus_messages_incoming_total\{entity="orders"\} (\d+)$/m.exec(
    await call(emulator, '/metrics'),
  )?.[1];
}

const QUIET: EmulatorOptions = { queues: ['orders'], tls: 'off' };

test.each<[string, EmulatorOptions]>([
  ['without a page', { ...QUIET, ui: 'off', log: () => {}, logLevel: 'error' }],
  ['without a page and a log', { ...QUIET, ui: 'off' }],
  ['in a test that asks for neither', QUIET],
])('nothing is recorded %s, before the first call that asks', async (_when, options) => {
  await using emulator = await startEmulator(options);
  await send(emulator);
  expect(await recorded(emulator)).toBeUndefined();
  expect(
    JSON.parse(await call(emulator, '/$jitney/v1/history?entity=orders&sequenceNumber=1')),
  ).toMatchObject({
    events: [],
    isComplete: false,
  });
  await send(emulator);
  expect(await recorded(emulator)).toBe('1');
});

test.each<[string, EmulatorOptions]>([
  ['with a page', { ...QUIET, ui: 'on' }],
  ['with a page and a log of errors', { ...QUIET, log: () => {}, logLevel: 'error' }],
  ['with a log', { ...QUIET, ui: 'off', log: () => {} }],
])('all is recorded from the start %s', async (_when, options) => {
  await using emulator = await startEmulator(options);
  await send(emulator);
  expect(await recorded(emulator)).toBe('1');
  expect(JSON.parse(await call(emulator, '/$jitney/v1/rates'))).toMatchObject({
    entities: expect.arrayContaining([expect.objectContaining({ path: '' })]),
  });
  expect(
    JSON.parse(await call(emulator, '/$jitney/v1/history?entity=orders&sequenceNumber=1')),
  ).toMatchObject({
    events: [{ kind: 'enqueued' }],
    isComplete: true,
  });
});
