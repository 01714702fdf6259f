// The program as a citizen of the machine: how it stops, how it behaves when another one is already there, and what its options do.

import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { Jitney } from './support/jitney.js';
import { LAST_LIMIT_MS, RunningProcess } from './support/running-process.js';
import { connect, only, sendBodies, takeAll } from './support/service-bus.js';
import { type TemporaryDirectory, temporaryDirectory } from './support/temporary-directory.js';

const PROGRAM = fileURLToPath(new URL('../dist/cli/main.js', import.meta.url));

let directory: TemporaryDirectory;

beforeAll(async () => {
  directory = await temporaryDirectory();
});

afterAll(() => directory[Symbol.asyncDispose]());

// Windows has no signals that a process can send to another.
test.skipIf(process.platform === 'win32')(
  'a second one on the same data directory or port is refused in one message, and the first goes on until SIGINT',
  async () => {
    const dataDirectory = join(directory.path, 'shared');
    const first = await Jitney.start({ queues: ['orders'], dataDirectory });
    const { port } = first.address;

    await expectOneMessage(await Jitney.failToStart({ queues: ['orders'], dataDirectory }), dataDirectory);
    await expectOneMessage(await Jitney.failToStart({ queues: ['orders'], port }), String(port));
    await expectWorking(first);
    first.process.signal('SIGINT');
    expect(await first.process.endedWithin(LAST_LIMIT_MS)).toEqual({ code: 0, signal: null });
  },
);

test('a port that another program holds is named with what to do', async () => {
  const stranger = createServer().listen(0, '127.0.0.1');
  await once(stranger, 'listening');
  const address = stranger.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  const refused = await Jitney.failToStart({ queues: ['orders'], port });
  stranger.close();

  await expectOneMessage(refused, '--port');
  expect(refused.stderr).toContain(String(port));
});

// The same, and a pipe of the shell.
test.skipIf(process.platform === 'win32')(
  'tail goes on until Ctrl-C, which ends it with 130, or until its reader has gone',
  async () => {
    await using jitney = await Jitney.start();
    const { port } = jitney.address;
    await fetch(`http://localhost:${port}/queue.1`);
    const tail = new RunningProcess([PROGRAM, 'tail', '--since', '0', '--port', String(port)]);
    await tail.printed('GET ', LAST_LIMIT_MS);
    tail.signal('SIGINT');
    expect(await tail.endedWithin(LAST_LIMIT_MS)).toEqual({ code: 130, signal: null });
    expect(tail.stderr).toBe('');

    const command = `{ '${process.execPath}' '${PROGRAM}' tail --port ${port}; echo "exit code $?" >&2; } | head -1`;
    const shell = new RunningProcess(['-c', command], { command: 'sh' });
    const deadline = Date.now() + LAST_LIMIT_MS;
    while (shell.isRunning && Date.now() < deadline) {
      await fetch(`http://localhost:${port}/queue.1`);
      await delay(20);
    }
    await shell.endedWithin(0);
    expect(shell.stdout).toMatch(/^[^\n]+\n$/);
    expect(shell.stderr).toBe('exit code 0\n');
  },
);

test('--topic makes topics with subscriptions, and what only subscriptions have is theirs', async () => {
  await using jitney = await Jitney.start({
    extraArguments: ['--topic', 'events/audit+mail?maxDeliveryCount=1', '--topic', 'area/news/all'],
  });
  await using client = connect(jitney.connectionString);
  await sendBodies(client, 'events', ['both']);
  await sendBodies(client, 'area/news', ['one']);
  const held = only(await client.createReceiver('events', 'audit').receiveMessages(1));
  expect(held.body).toBe('both');
  const mail = client.createReceiver('events', 'mail');
  await mail.abandonMessage(only(await mail.receiveMessages(1)));
  const dead = client.createReceiver('events', 'mail', { subQueueType: 'deadLetter' });
  expect(only(await dead.receiveMessages(1)).deadLetterReason).toBe('MaxDeliveryCountExceeded');
  const news = client.createReceiver('area/news', 'all');
  expect(only(await news.receiveMessages(1)).body).toBe('one');

  expect(jitney.process.stdout).toContain(
    'Topics        2: events (2 subscriptions), area/news (1 subscription)\n',
  );
});

test("without a word, the official emulator's topic.1 is there with the rules of its subscriptions", async () => {
  await using jitney = await Jitney.start();
  await using client = connect(jitney.connectionString);
  const sender = client.createSender('topic.1');
  await sender.sendMessages([
    { body: 'json', contentType: 'application/json' },
    { body: 'property', applicationProperties: { prop1: 'value1' } },
    { body: 'sql', messageId: '123456', applicationProperties: { userProp1: 'value1' } },
  ]);
  const copiesIn = (subscription: string) => client.createReceiver('topic.1', subscription).peekMessages(10);
  const bodies = async (subscription: string) => (await copiesIn(subscription)).map(({ body }) => body);

  expect(await bodies('subscription.1')).toEqual(['json']);
  expect(await bodies('subscription.2')).toEqual(['property']);
  expect(await bodies('subscription.3')).toEqual(['json', 'property', 'sql']);
  expect(only(await copiesIn('subscription.4'))).toMatchObject({
    body: 'sql',
    to: 'Entity',
    applicationProperties: { RuleName: 'sql-filter-1' },
  });
});

test('rules a program has made give way to a config file that says which there are', async () => {
  const dataDirectory = `${directory.path}/rules`;
  const file = `${directory.path}/Rules.json`;
  const names = async (extraArguments: readonly string[], act: 'add' | 'look') => {
    await using jitney = await Jitney.start({ dataDirectory, extraArguments });
    await using client = connect(jitney.connectionString);
    const manager = client.createRuleManager('events', 'audit');
    if (act === 'add') await manager.createRule('blue', { sqlExpression: "color = 'blue'" });
    const found: string[] = [];
    for await (const { name } of manager.listRules()) found.push(name);
    return found.sort();
  };
  const Properties = { FilterType: 'Correlation', CorrelationFilter: { Label: 'x' } };
  const Topics = [
    { Name: 'events', Subscriptions: [{ Name: 'audit', Rules: [{ Name: 'file', Properties }] }] },
  ];
  await writeFile(file, JSON.stringify({ UserConfig: { Namespaces: [{ Topics }] } }));

  expect(await names(['--topic', 'events/audit'], 'add')).toEqual(['$Default', 'blue']);
  expect(await names(['--config', file], 'look')).toEqual(['file']);
});

async function expectOneMessage(refused: RunningProcess, mentioned: string): Promise<void> {
  expect((await refused.exited).code).toBe(1);
  expect(refused.stdout).toBe('');
  expect(refused.stderr).toContain(mentioned);
  expect(refused.stderr, 'no stack trace').not.toMatch(/^\s+at /m);
  expect(refused.stderr.match(/^\S.*/gm), 'one sentence; the rest is indented advice').toHaveLength(1);
}

async function expectWorking(jitney: Jitney): Promise<void> {
  await using client = connect(jitney.connectionString);
  await sendBodies(client, 'orders', ['still working']);
  expect(only(await takeAll(client, 'orders')).body).toBe('still working');
}
