// Messages with which a start begins: from a file or an array, in which states, and what refuses the start.

import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { type Emulator, type EmulatorOptions, type JitneyError, startEmulator } from '../src/emulator.js';

const QUEUES = ['orders', 'jobs?requiresSession=true'];
const TOPICS = [{ name: 'events', subscriptions: ['all', { name: 'red', filter: "color = 'red'" }] }];
const SOON = new Date(Date.now() + 3_600_000);

async function start(options: EmulatorOptions): Promise<Emulator> {
  const emulator = await startEmulator({ queues: QUEUES, topics: TOPICS, tls: 'off', ...options });
  onTestFinished(() => emulator.stop());
  return emulator;
}

async function temporaryDirectory(): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'jitney-seeds-'));
  onTestFinished(() => rm(directory, { recursive: true }));
  return directory;
}

async function fileOf(...lines: readonly (object | string)[]): Promise<string> {
  const file = join(await temporaryDirectory(), 'seed.ndjson');
  const texts = lines.map((line) => (typeof line === 'string' ? line : JSON.stringify(line)));
  await writeFile(file, texts.join('\n'));
  return file;
}

async function refusalOf(options: EmulatorOptions): Promise<JitneyError> {
  return startEmulator({ queues: QUEUES, topics: TOPICS, tls: 'off', ...options }).then(
    async (emulator) => {
      await emulator.stop();
      throw new Error('it has started');
    },
    (error: JitneyError) => error,
  );
}

const messagesOf = ({ port }: Emulator, entity: string) =>
  fetch(`http://localhost:${port}/$jitney/v1/messages?raw=true&entity=${encodeURIComponent(entity)}`)
    .then((answer) => answer.json() as Promise<{ messages: object[] }>)
    .then(({ messages }) => messages);

test('a file has a message in each line, for queues, sessions, topics and schedules', async () => {
  const seed = await fileOf(
    { entity: 'orders', body: { id: 7 }, subject: 'new', applicationProperties: { level: 3 } },
    '',
    { entity: 'jobs', body: 'one', sessionId: 'a' },
    { entity: 'events', body: 'x', applicationProperties: { color: 'red' } },
    { entity: 'orders', body: 'later', scheduledEnqueueTime: SOON },
  );
  const emulator = await start({ seed });
  const [first, later] = await emulator.queue('orders').messages();
  expect(first).toMatchObject({ sequenceNumber: 1, state: 'active', body: { id: 7 }, subject: 'new' });
  expect(first?.applicationProperties).toEqual({ level: 3 });
  expect(later).toMatchObject({ state: 'scheduled', body: 'later' });
  expect(await emulator.queue('jobs').messages()).toMatchObject([{ sessionId: 'a', body: 'one' }]);
  for (const name of ['all', 'red']) {
    expect(await emulator.subscription('events', name).messages()).toMatchObject([{ body: 'x' }]);
  }
});

test('in code it may be an array, with a Date', async () => {
  const emulator = await start({ seed: [{ entity: 'orders', body: 'later', scheduledEnqueueTime: SOON }] });
  const [later] = await emulator.queue('orders').messages();
  expect(Math.abs((later?.scheduledTime?.getTime() ?? 0) - SOON.getTime())).toBeLessThan(5000);
});

test('messages as another emulator shows them come with state, reason and delivery count', async () => {
  const from = await start({
    seed: [
      { entity: 'orders', state: 'deferred', body: 'kept back', deliveryCount: 2 },
      { entity: 'orders/$DeadLetterQueue', state: 'active', body: 'dead', deadLetterReason: 'broken' },
      { entity: 'events/Subscriptions/red', state: 'active', body: 'copy' },
    ],
  });
  const paths = ['orders', 'orders/$DeadLetterQueue', 'events/Subscriptions/red'];
  const shown = await Promise.all(
    paths.map(async (entity) => (await messagesOf(from, entity)).map((message) => ({ entity, ...message }))),
  );
  const emulator = await start({ seed: await fileOf(...shown.flat()) });
  expect(await emulator.queue('orders').messages()).toMatchObject([
    { state: 'deferred', body: 'kept back', deliveryCount: 2 },
  ]);
  expect(await emulator.queue('orders').deadLetters()).toMatchObject([
    { body: 'dead', deadLetterReason: 'broken' },
  ]);
  expect(await emulator.subscription('events', 'red').messages()).toMatchObject([{ body: 'copy' }]);
});

test('a topic with many subscriptions gets copies of many messages', async () => {
  const subscriptions = Array.from({ length: 30 }, (_, index) => `s${index}`);
  const seed = Array.from({ length: 200 }, (_, body) => ({ entity: 'wide', body: String(body) }));
  const emulator = await start({ topics: [{ name: 'wide', subscriptions }], seed });
  expect(await emulator.subscription('wide', 's29').counts()).toMatchObject({ active: 200 });
});

describe('in a data directory', () => {
  test('an empty one is filled, and a later start does not do so again', async () => {
    const dataDirectory = await temporaryDirectory();
    const lines: string[] = [];
    const seed = [{ entity: 'orders', body: 1 }];
    const options = {
      dataDirectory,
      seed,
      ui: 'off',
      log: (_: string, text: string) => lines.push(text),
    } as const;
    await (await start(options)).stop();
    const again = await start(options);
    expect(await again.queue('orders').messages()).toHaveLength(1);
    expect(lines).toContain(
      'The seed was not used, because the data directory has entities of earlier starts. --reset removes them first.',
    );
    await again.stop();
    // Its entity is only in the directory now.
    await (await startEmulator({ ...options, queues: [] })).stop();
    const reset = await start({ ...options, reset: true });
    expect(await reset.queue('orders').messages()).toMatchObject([{ sequenceNumber: 1 }]);
  });

  test('a refused seed neither fills nor resets it', async () => {
    const dataDirectory = await temporaryDirectory();
    await (await start({ dataDirectory, seed: [{ entity: 'orders', body: 'first' }] })).stop();
    expect((await refusalOf({ dataDirectory, reset: true, seed: [{ entity: 'ordrs' }] })).kind).toBe(
      'bad-seed',
    );
    expect(await (await start({ dataDirectory })).queue('orders').messages()).toMatchObject([
      { body: 'first' },
    ]);
    const other = await temporaryDirectory();
    await refusalOf({ dataDirectory: other, seed: [{ entity: 'ordrs' }] });
    expect((await readdir(other)).filter((name) => name === 'journal')).toEqual([]);
  });
});

describe('the start is refused', () => {
  test('for lines that are no messages, all of them, with line and reason', async () => {
    const seed = await fileOf(
      { entity: 'orders', body: 1 },
      '{"entity":',
      { body: 'nowhere' },
      { entity: 'orders', bodyy: 1 },
      { entity: 'orders', state: 'dead' },
    );
    const { code, kind, message, problems } = await refusalOf({ seed });
    expect({ code, kind, message }).toEqual({
      code: 'JIT2021',
      kind: 'bad-seed',
      message: 'The seed has messages that cannot be stored, so nothing was started.',
    });
    expect(problems.map((problem) => problem.replace(seed, 'seed'))).toEqual([
      expect.stringMatching(/^seed:2: The line must be JSON: /),
      expect.stringMatching(/^seed:3: The message is not valid: .*entity/),
      expect.stringMatching(/^seed:4: The message is not valid: .*bodyy/),
      expect.stringMatching(/^seed:5: The message is not valid: .*state/),
    ]);
  });

  test('for messages that the broker refuses', async () => {
    const seed = [
      { entity: 'orders', body: 1 },
      { entity: 'ordrs', body: 1 },
      { entity: 'jobs', body: 'without a session' },
    ];
    const { problems } = await refusalOf({ seed });
    expect(problems).toEqual([
      expect.stringMatching(/^seed\[1\]: .*'ordrs'/),
      expect.stringMatching(/^seed\[2\]: .*session/i),
    ]);
  });

  test('for a file that is not there, and a value that is neither file nor array', async () => {
    expect((await refusalOf({ seed: '/none/seed.ndjson' })).message).toMatch(
      /^The seed cannot be read: ENOENT/,
    );
    expect((await refusalOf({ seed: 7 as never })).message).toBe(
      'seed must be the path of a file or an array of messages, not 7',
    );
  });
});
