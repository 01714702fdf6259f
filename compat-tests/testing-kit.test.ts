// The kit for tests, from the built package: under fake timers, with the SDK's names, and in a suite of its own whose tests fail as they should.

import { join } from 'node:path';
import type { ServiceBusClient } from '@azure/service-bus';
import { afterEach, expect, vi } from 'vitest';
import { ReaderFolder } from './support/reader-folder.js';
import { LAST_LIMIT_MS, RunningProcess } from './support/running-process.js';

const VITEST_ENTRY = new URL('../dist/vitest.js', import.meta.url).href;
const { emulatorTest }: typeof import('../src/testing/vitest.js') = await import(
  /* @vite-ignore */ VITEST_ENTRY
);

const test = emulatorTest<ServiceBusClient>({
  queues: [{ name: 'orders', maxDeliveryCount: 2 }],
  topics: ['events/audit'],
});

afterEach(() => {
  vi.useRealTimers();
});

test('fake timers stop neither the emulator nor its matchers, and move no broker time', async ({
  emulator,
  clock,
}) => {
  vi.useFakeTimers({ toFake: FAKED });
  const orders = emulator.queue('orders');
  const [number] = await orders.send({ body: { id: 7 }, messageId: 'a-7', timeToLiveMs: 60_000 });
  expect(number).toBe(1);
  vi.advanceTimersByTime(3_600_000);
  await expect(orders).toHaveMessages(1);
  await expect(orders).toHaveMessages([{ body: { id: 7 }, messageId: 'a-7' }]);
  await expect(orders).not.toHaveDeadLetter(undefined, { timeoutMs: 500 });
  const failure = await (expect(orders).toBeEmpty({ timeoutMs: 1500 }) as Promise<void>).catch(String);
  expect(failure).toContain('Waited 1,500 ms; idle. 1 active.');
  await clock.advance('PT2M');
  await expect(orders).toBeEmpty();
});

/** All that vitest can fake in a process of its own. */
const FAKED = [
  ...([
    'setTimeout',
    'clearTimeout',
    'setInterval',
    'clearInterval',
    'setImmediate',
    'clearImmediate',
  ] as const),
  ...(['Date', 'performance', 'queueMicrotask'] as const),
];

test("the SDK's messages, and who had them", async ({ emulator, client }) => {
  const sender = client.createSender('events', { identifier: 'shop' });
  await sender.sendMessages({ body: { total: 12 }, messageId: 'e-1', subject: 'paid' });
  const events = emulator.topic('events');
  await expect(events).toHaveBeenRoutedTo('audit', { subject: 'paid' });
  const audit = emulator.subscription('events', 'audit');
  const receiver = client.createReceiver('events', 'audit', { identifier: 'auditor' });
  const [message] = await receiver.receiveMessages(1);
  if (message === undefined) throw new Error('nothing received');
  await expect(audit).not.toHaveNothingUnsettled();
  await receiver.completeMessage(message);
  await expect(audit).toHaveBeenCompleted({ body: { total: 12 } });
  await expect(audit).toBeEmpty();
  const failure = await (
    expect(audit).toHaveBeenCompleted(
      { subject: 'paid', body: { total: 120 } },
      { timeoutMs: 0 },
    ) as Promise<void>
  ).catch(({ message }: Error) => message);
  expect(failure).toMatch(/^ {2}- body\.total {2}120 {2}expected\n {2}\+ body\.total {2}12 {3}there$/m);
  expect(failure).toMatch(/^ +\+\d+ ms {2}#1 locked by auditor, delivery 1$/m);
});

test('a message is sent and received without a client', async ({ emulator }) => {
  const orders = emulator.queue('orders');
  expect(await orders.receive()).toBeUndefined();
  await orders.send([
    { body: 'a', subject: 's' },
    { body: Uint8Array.of(1), applicationProperties: { n: 1 } },
  ]);
  expect(await orders.receive()).toMatchObject({ sequenceNumber: 1, body: 'a', subject: 's' });
  expect(await orders.receive({ timeoutMs: 5 })).toMatchObject({ body: Uint8Array.of(1) });
  await expect(orders).toHaveBeenCompleted({ body: 'a' });
  await expect(orders.send({ body: 'a', sesionId: 'x' })).rejects.toThrow(/sesionId/);
  await expect(emulator.queue('order').send({ body: 'a' })).rejects.toThrow("Did you mean 'orders'?");
});

test('an error is known by its symbol, whichever copy of the package made it', async ({ emulator }) => {
  const error: unknown = await emulator
    .queue('order')
    .counts()
    .catch((cause: unknown) => cause);
  expect((error as Record<symbol, unknown>)[Symbol.for('jitney.error')]).toBe(true);
});

test('`trust` makes this process trust the emulator, or says how', async ({ emulator }) => {
  const refusal: unknown = await emulator.trust().catch((error: unknown) => error);
  if (refusal !== undefined) {
    expect(refusal).toMatchObject({
      code: 'JIT7007',
      message: expect.stringContaining('NODE_EXTRA_CA_CERTS='),
    });
  } else expect((await fetch(`https://localhost:${emulator.port}/health`)).status).toBe(200);
});

const SHARED = `import { sharedEmulator } from 'jitney/global-setup';
export const { setup, teardown } = sharedEmulator({ queues: ['shared'] });
`;
/** A matcher of the same name, as jest-extended has it. */
const OTHERS = `import { expect } from 'vitest';
expect.extend({ toBeEmpty: (received) => ({ pass: received.length === 0, message: () => 'not empty' }) });
`;
const CONFIG = "export default { test: { globalSetup: './shared.mjs', setupFiles: './others.mjs' } };";
const SUITE = `import { ServiceBusClient } from '@azure/service-bus';
import { emulatorTest } from 'jitney/vitest';
import { expect } from 'vitest';

const test = emulatorTest({ queues: ['orders'], tls: 'off' });

test('passes', async ({ emulator }) => {
  await emulator.queue('orders').send({ body: 1 });
  await expect(emulator.queue('orders')).toHaveMessages(1);
});
test('is not awaited', async ({ emulator }) => {
  expect(emulator.queue('orders')).toBeEmpty();
});
test('is not awaited, and has ended before the test', async ({ emulator }) => {
  expect(emulator.queue('orders')).toBeEmpty();
  await expect(emulator.queue('orders')).toHaveMessages(0);
});
test('is awaited late', async ({ emulator }) => {
  const seen = expect(emulator.queue('orders')).toHaveMessages([{ body: 1 }]);
  await emulator.queue('orders').send({ body: 1 });
  await seen;
});
test('fails', async ({ emulator }) => {
  await emulator.queue('orders').send({ body: 1, messageId: 'a-1' });
  await expect(emulator.queue('orders')).toBeEmpty({ timeoutMs: 1500 });
});
test('finds the emulator that all files share', async () => {
  const client = new ServiceBusClient(process.env.SERVICEBUS_CONNECTION_STRING);
  await client.createSender('shared').sendMessages({ body: 1 });
  await client.close();
});
test('leaves other values to others', () => {
  expect([]).toBeEmpty();
  expect('a').not.toBeEmpty();
});
test.concurrent('is not awaited beside others', async ({ emulator }) => {
  expect(emulator.queue('orders')).toBeEmpty();
});
test('fails without a matcher', async ({ emulator, client }) => {
  await emulator.queue('orders').send({ body: 1 });
  await client.createSender('ordres').sendMessages({ body: 1 });
});

import { startEmulator } from 'jitney';
import { afterAll, test as plainTest } from 'vitest';

const shared = await startEmulator({ queues: ['orders'], tls: 'off', port: 0 });
afterAll(() => shared.stop());
plainTest('is tried again', { retry: 1 }, async ({ task }) => {
  const orders = shared.queue('orders');
  if (task.result.retryCount === 0) {
    await orders.send({ body: 1 });
    await orders.receive();
    throw new Error('the first attempt');
  }
  await expect(orders).not.toHaveBeenCompleted();
});
`;

test('a matcher that is not awaited fails its own test, and a test that fails prints its timeline', async () => {
  await using folder = await ReaderFolder.create();
  await folder.write('kit.test.mjs', SUITE);
  await folder.write('shared.mjs', SHARED);
  await folder.write('others.mjs', OTHERS);
  await folder.write('vitest.config.mjs', CONFIG);
  const words = [
    'node_modules/vitest/vitest.mjs',
    'run',
    '--no-isolate',
    '--reporter',
    'json',
    '--outputFile',
    'results.json',
  ];
  const vitest = new RunningProcess([...words, '--reporter', 'default'], {
    env: { ...folder.environment(), NO_COLOR: '1' },
    workingDirectory: folder.path,
  });
  const exit = await vitest.endedWithin(LAST_LIMIT_MS);
  expect(exit?.code, vitest.output).toBe(1);
  const { default: results } = await import(join(folder.path, 'results.json'), { with: { type: 'json' } });
  const failures = Object.fromEntries(
    results.testResults[0].assertionResults.map(
      ({ title, failureMessages }: { title: string; failureMessages: string[] }) => [
        title,
        failureMessages.join(''),
      ],
    ),
  );
  expect(failures).toEqual({
    passes: '',
    'is not awaited': expect.stringContaining('Not awaited: toBeEmpty'),
    'is not awaited, and has ended before the test': expect.stringContaining('Not awaited: toBeEmpty'),
    'is awaited late': '',
    fails: expect.stringMatching(
      /Waited 1,500 ms; idle\. 1 active\.[\s\S]*#1 active, id 'a-1'[^\n]*\n(?: *[^ ].*\n){3} +at \S*kit\.test\.mjs:25/,
    ),
    'finds the emulator that all files share': '',
    'leaves other values to others': '',
    'is tried again': expect.not.stringContaining('toHaveBeenCompleted'),
    'is not awaited beside others': expect.stringContaining('Not awaited: toBeEmpty'),
    'fails without a matcher': expect.stringContaining('could not be found'),
  });
  // Once: the failure of a matcher has shown its own.
  expect(vitest.output.match(/ in (this|the rest of this) emulator:$/gm)).toEqual([' in this emulator:']);
  expect(vitest.output).toMatch(
    /^There is no 'ordres'\. Did you mean 'orders'\?\nLast .*(?:\n .*)*ms {2}'orders' #1 accepted from test$/m,
  );
});

const OF_NODE = `import { test } from 'node:test';
import { emulatorForEachTest, expectEntity } from 'jitney/testing';

const bus = emulatorForEachTest({ queues: ['orders'], ServiceBusClient: class { close() {} } });

test('is not awaited', () => {
  expectEntity(bus.emulator.queue('orders')).toBeEmpty();
});
test('fails', async () => {
  await bus.emulator.queue('orders').send({ body: 1 });
  throw new Error('as it should');
});
`;

test('with node:test, what is printed names the test, and a matcher that is not awaited points to its line', async () => {
  await using folder = await ReaderFolder.create();
  await folder.write('kit.test.mjs', OF_NODE);
  const node = new RunningProcess(['--test', '--test-reporter', 'tap', 'kit.test.mjs'], {
    env: { ...folder.environment(), NODE_OPTIONS: '' },
    workingDirectory: folder.path,
  });
  await node.endedWithin(LAST_LIMIT_MS);
  expect(node.output).toMatch(
    /Not awaited: toBeEmpty\. Write `await expectEntity\(…\)`.*\n.*\n +stack: .*\n.*kit\.test\.mjs:7/,
  );
  expect(node.output).toMatch(
    /^# Failed: fails\n# Last 1 of 1 in this emulator:\n# +\+\d+ ms {2}'orders' \\?#1 accepted from test$/m,
  );
});
