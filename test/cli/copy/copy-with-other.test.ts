// `jitney copy` with a service that is no Jitney for it, as Azure is none: an emulator without its control interface, in strict mode, over TLS.

import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { temporaryDirectory } from '../../../compat-tests/support/temporary-directory.js';
import { askRunning } from '../../../src/cli/control/running-authority.js';
import type { CopyFlags } from '../../../src/cli/copy/copy-commands.js';
import { runCopy } from '../../../src/cli/copy/run-copy.js';
import { type Emulator, startEmulator } from '../../../src/emulator.js';
import { jitney } from '../messages/message-command.js';

const BOSS = { keyName: 'boss', rights: ['Manage', 'Send', 'Listen'], primaryKey: 'key of boss' } as const;
const LISTENER = { keyName: 'listener', rights: ['Listen'], primaryKey: 'key of listener' } as const;
const STRICT = { auth: 'strict', policies: [BOSS, LISTENER] } as const;
const QUEUES = ['orders', 'baskets?requiresSession=true'];
const DEAD = 'orders/$DeadLetterQueue';
const SEED = [
  { entity: 'orders', subject: 'a', state: 'active' },
  { entity: 'orders', subject: 'b', state: 'deferred', deliveryCount: 1 },
  { entity: 'orders', subject: 'c', state: 'scheduled', scheduledEnqueueTime: '2099-01-01T00:00:00Z' },
  { entity: 'orders', subject: 'd', state: 'active' },
  { entity: DEAD, subject: 'e', state: 'active', deadLetterReason: 'NoAddress', deliveryCount: 3 },
  ...['red', 'blue', 'red'].map((sessionId) => ({ entity: 'baskets', sessionId, state: 'active' })),
  { entity: 'events/Subscriptions/audit', subject: 'x', state: 'active' },
] as const;

let home: Awaited<ReturnType<typeof temporaryDirectory>>;
let own: Emulator;
let other: Emulator;

beforeEach(async () => {
  home = await temporaryDirectory();
});
afterEach(async () => {
  await Promise.all([own?.stop(), other?.stop()]);
  await home[Symbol.asyncDispose]();
});

function stringOf({ port }: Emulator, { keyName, primaryKey }: typeof BOSS | typeof LISTENER = BOSS): string {
  return `Endpoint=sb://localhost:${port};SharedAccessKeyName=${keyName};SharedAccessKey=${primaryKey}`;
}

async function copy(from: string, to: string, flags: CopyFlags = { messages: true }) {
  let stderr = '';
  const exitCode = await runCopy(
    { from, to, flags },
    {
      environment: { HOME: home.path },
      stdout: () => {},
      stderr: (text) => {
        stderr += text;
      },
      askRunning,
      interrupted: new AbortController().signal,
      now: Date.now,
      isTerminal: false,
      readAnswer: async () => '',
    },
  );
  return { exitCode, stderr };
}

async function contentsOf(emulator: Emulator) {
  const orders = emulator.queue('orders');
  const baskets = await emulator.queue('baskets').messages();
  return {
    orders: (await orders.messages()).map(({ subject, state }) => `${subject} ${state}`),
    dead: (await orders.deadLetters()).map(
      ({ subject, deadLetterReason }) => `${subject} ${deadLetterReason}`,
    ),
    baskets: baskets.map(({ sessionId }) => sessionId),
  };
}

/** `Promise.withResolvers`, which Node 20 lacks. */
function deferredPromise() {
  let resolve: (value: boolean) => void = () => {};
  const promise = new Promise<boolean>((done) => {
    resolve = done;
  });
  return { promise, resolve };
}

test('a move brings all states in their order, session by session, and leaves nothing behind', async () => {
  own = await startEmulator({ queues: QUEUES, topics: ['events/audit'] });
  other = await startEmulator({
    queues: QUEUES,
    topics: ['events/audit'],
    seed: SEED,
    control: false,
    ...STRICT,
  });
  const dead = await copy(stringOf(other), String(own.port), { messages: true, state: 'dead' });
  expect(dead.stderr).toContain('Copied 1 message from');
  expect(await contentsOf(own)).toEqual({ orders: [], dead: ['e NoAddress'], baskets: [] });
  await own.reset();
  const before = await contentsOf(other);
  const { exitCode, stderr } = await copy(stringOf(other), String(own.port), {
    messages: true,
    move: true,
    yes: true,
  });
  expect(stderr).toContain('Moved 9 messages from');
  expect(exitCode).toBe(0);
  expect(await contentsOf(own)).toEqual(before);
  expect(await contentsOf(other)).toEqual({ orders: [], dead: [], baskets: [] });
});

test('what another service cannot take is said first; states of sessions go there, and reasons of dead letters do not', async () => {
  own = await startEmulator({ queues: QUEUES, topics: ['events/audit'], seed: SEED });
  other = await startEmulator({ queues: QUEUES, topics: ['events/audit'], control: false, ...STRICT });
  await fetch(`http://localhost:${own.port}/$jitney/v1/messages:import?entity=baskets`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ sessionStates: [{ sessionId: 'red', stateBase64: 'AAH/' }] }),
  });
  const { exitCode, stderr } = await copy(String(own.port), stringOf(other));
  expect(exitCode).toBe(0);
  expect(stderr).toMatch(
    /^Deferred messages and dead letters arrive active.*\n1 message of subscriptions .*\n.*jitney move/,
  );
  expect(stderr).toContain(` --to <queue> --port ${own.port}\n`);
  expect(await contentsOf(other)).toMatchObject({
    orders: ['a active', 'b active', 'c scheduled', 'd active', 'e active'],
    baskets: ['red', 'blue', 'red'],
  });
  const [dead] = (await other.queue('orders').messages()).filter(({ subject }) => subject === 'e');
  expect(dead?.applicationProperties).toEqual({});
  await copy(stringOf(other), String(own.port));
  const url = `http://localhost:${own.port}/$jitney/v1/session?entity=baskets&sessionId=red`;
  expect(await (await fetch(url)).json()).toMatchObject({ stateBase64: 'AAH/' });
});

test('a move into a queue that detects duplicates is refused, and a copy warns', async () => {
  own = await startEmulator({ queues: ['dd'], seed: [{ entity: 'dd', messageId: 'known' }] });
  other = await startEmulator({ queues: ['dd?requiresDuplicateDetection=true'], control: false, ...STRICT });
  const [from, to] = [String(own.port), stringOf(other)];
  const move = { messages: true, move: true, yes: true };
  const refused = await copy(from, to, move);
  expect(refused).toMatchObject({ exitCode: 1, stderr: expect.stringContaining("'dd' detects duplicates") });
  const ids = async (emulator: Emulator) =>
    (await emulator.queue('dd').messages()).map(({ messageId }) => messageId);
  expect([await ids(own), await ids(other)]).toEqual([['known'], []]);
  const copied = await copy(from, to);
  expect(copied).toMatchObject({ exitCode: 0, stderr: expect.stringContaining("'dd' detects duplicates") });
  expect((await copy(from, to, { ...move, newMessageId: true })).exitCode).toBe(0);
  expect(await ids(own)).toEqual([]);
  expect(await ids(other)).toEqual(['known', expect.stringMatching(/^[0-9a-f-]{36}$/)]);
});

test('a name that is not there is refused before anything is created', async () => {
  own = await startEmulator({ queues: ['orders'] });
  other = await startEmulator({ control: false, ...STRICT });
  const [from, to] = [String(own.port), stringOf(other)];
  expect(await copy(from, to, { only: ['odrers'] })).toMatchObject({
    exitCode: 2,
    stderr: expect.stringContaining(
      "--only: there is no queue or topic 'odrers' to copy. Did you mean 'orders'?",
    ),
  });
  expect((await copy(from, to, { messages: true, map: ['odrers=x'] })).stderr).toContain(
    '--map: there is no',
  );
  expect((await copy(from, to, { entities: true, map: ['Orders=bin'] })).stderr).toMatch(/^Created 1 entity/);
});

test('a move stops before a message that another receiver holds, and says so', async () => {
  own = await startEmulator({ queues: QUEUES });
  other = await startEmulator({ queues: QUEUES, seed: SEED.slice(5, 8), control: false, ...STRICT });
  const held = deferredPromise();
  const released = deferredPromise();
  const words = ['receive', 'baskets', '--session', 'blue', '--keep', '--connection-string', stringOf(other)];
  const holder = jitney(words, {
    print: () => {
      held.resolve(true);
      return released.promise;
    },
  });
  await held.promise;
  const flags = { messages: true, move: true, yes: true };
  const { exitCode, stderr } = await copy(stringOf(other), String(own.port), flags);
  expect(exitCode).toBe(1);
  expect(stderr).toContain('Moved 1 message from');
  expect(stderr).toContain('other receivers hold messages');
  released.resolve(true);
  await holder;
  expect((await copy(stringOf(other), String(own.port), flags)).exitCode).toBe(0);
  expect((await contentsOf(own)).baskets).toEqual(['red', 'blue', 'red']);
});

test('a message that is refused stops the copy, and those that were taken do not come again', async () => {
  own = await startEmulator({
    queues: [{ name: 'orders', maxMessageSizeInKilobytes: 2048 }],
    tier: 'premium',
    seed: ['a', 'b', 'c', 'd'].map((subject) => ({
      entity: 'orders',
      state: 'active',
      subject,
      body: subject === 'b' ? 'x'.repeat(300_000) : subject,
    })),
  });
  other = await startEmulator({ queues: ['orders', 'moved'], control: false, ...STRICT });
  const subjects = async (emulator: Emulator, queue: string) =>
    (await emulator.queue(queue).messages()).map(({ subject }) => subject);
  const first = await copy(String(own.port), stringOf(other));
  expect(first.exitCode).toBe(1);
  expect(first.stderr).toMatch(/Copied 3 messages from .*\nIt is not done: .*\n.* is too large/);
  await copy(String(own.port), stringOf(other));
  expect(await subjects(other, 'orders')).toEqual(['a', 'c', 'd']);
  const flags = { messages: true, move: true, yes: true, map: ['orders=moved'] };
  await copy(String(own.port), stringOf(other), flags);
  expect((await copy(String(own.port), stringOf(other), flags)).exitCode).toBe(1);
  expect(await subjects(other, 'moved')).toEqual(['a', 'c', 'd']);
  expect(await subjects(own, 'orders')).toEqual(['b']);
});

test('a source that goes on in its data directory is not copied twice, and one that begins anew is copied from its start', async () => {
  const begin = async (options: { dataDirectory?: string; port?: number }, subjects: readonly string[]) => {
    own = await startEmulator({
      queues: [{ name: 'orders', maxMessageSizeInKilobytes: 2048 }],
      tier: 'premium',
      ...options,
    });
    const lines = subjects.map((subject) => ({ subject, body: 'x'.repeat(subject === 'b' ? 300_000 : 1) }));
    if (lines.length > 0) await own.queue('orders').send(lines);
    return own.port;
  };
  other = await startEmulator({ queues: ['orders'], control: false, ...STRICT });
  const subjects = async () => (await other.queue('orders').messages()).map(({ subject }) => subject);
  const dataDirectory = join(home.path, 'data');
  const port = await begin({ dataDirectory }, ['a', 'b', 'c']);
  await copy(String(port), stringOf(other));
  await own.stop();
  await begin({ dataDirectory, port }, []);
  await copy(String(port), stringOf(other));
  expect(await subjects()).toEqual(['a', 'c']);
  await own.stop();
  await begin({ port }, ['d', 'e', 'f']);
  await copy(String(port), stringOf(other));
  expect(await subjects()).toEqual(['a', 'c', 'd', 'e', 'f']);
});

test.each([
  { from: 'TopSecretKey123', to: '5672', map: [] },
  { from: '5672', to: 'Endpointsb;SharedAccessKey=TopSecretKey123', map: [] },
  {
    from: '5672',
    to: '5673',
    map: ['Endpoint=sb://x;SharedAccessKeyName=a;SharedAccessKey=TopSecretKey123'],
  },
])('a mistake in $from, $to or $map is told without the text, which could hold a key', async (given) => {
  const { exitCode, stderr } = await copy(given.from, given.to, { messages: true, map: given.map });
  expect(exitCode).toBe(2);
  expect(stderr).toMatch(/must be/);
  expect(stderr).not.toContain('TopSecretKey123');
});

test('a namespace is not copied onto itself', async () => {
  other = await startEmulator({ queues: QUEUES, seed: SEED.slice(0, 1), control: false, ...STRICT });
  const { exitCode, stderr } = await copy(stringOf(other), stringOf(other).replace('localhost', '127.0.0.1'));
  expect(exitCode).toBe(2);
  expect(stderr).toMatch(/would be copied onto itself.*--map/);
  const renamed = { messages: true, only: ['orders'], map: ['orders=baskets'] };
  expect((await copy(stringOf(other), stringOf(other), renamed)).stderr).not.toContain('onto itself');
});

test('--from-namespace and --to-namespace choose namespaces of a Jitney', async () => {
  own = await startEmulator({ queues: ['orders'], namespaces: ['a', 'b'] });
  await (await own.namespace('a')).queue('orders').send([{ body: 1 }]);
  const port = String(own.port);
  expect((await copy(port, port, { messages: true, fromNamespace: 'A', toNamespace: 'b' })).exitCode).toBe(0);
  expect((await (await own.namespace('b')).queue('orders').counts()).active).toBe(1);
  expect((await own.queue('orders').counts()).active).toBe(0);
  const { exitCode, stderr } = await copy(port, port, { messages: true, toNamespace: 'a b' });
  expect({ exitCode, stderr }).toEqual({
    exitCode: 2,
    stderr: expect.stringMatching(/--to-namespace must be/),
  });
});

test('a Jitney that refuses a key without Manage is not taken for another service', async () => {
  own = await startEmulator({ queues: QUEUES });
  other = await startEmulator({ queues: QUEUES, ...STRICT });
  const { exitCode, stderr } = await copy(stringOf(other, LISTENER), String(own.port));
  expect(exitCode).toBe(1);
  expect(stderr).toContain("The key 'listener' lacks the right Manage");
  expect((await copy('5672', '5673', { entities: true, move: true })).stderr).toContain(
    '--move deletes messages',
  );
});
