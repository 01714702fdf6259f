// What `jitney create` makes, used by the official SDK; and a Config.json that changes while clients are connected.

import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { administer } from './support/administration.js';
import { Jitney } from './support/jitney.js';
import { LAST_LIMIT_MS, RunningProcess } from './support/running-process.js';
import { connect, only, takeAll } from './support/service-bus.js';
import { until } from './support/until.js';

const PROGRAM = fileURLToPath(new URL('../dist/cli/main.js', import.meta.url));

async function run(connectionString: string, ...words: readonly string[]): Promise<string> {
  const process = new RunningProcess([PROGRAM, ...words], {
    env: { SERVICEBUS_CONNECTION_STRING: connectionString },
  });
  expect(await process.endedWithin(LAST_LIMIT_MS), process.output).toEqual({ code: 0, signal: null });
  return process.stdout;
}

test('the SDK works on the entities that the command line has made', async () => {
  await using jitney = await Jitney.start({ queues: ['first'] });
  const { connectionString } = jitney;
  await run(connectionString, 'create', 'queue', 'baskets?requiresSession=true&lockDuration=PT30S', 'all');
  await run(connectionString, 'create', 'topic', 'events/red+rest?forwardTo=all');
  await run(connectionString, 'create', 'rule', 'events/red/red', '--correlation', 'color=red');
  await run(connectionString, 'delete', 'rule', 'events/red/$Default');
  await run(connectionString, 'update', 'subscription', 'events/rest?forwardTo=&maxDeliveryCount=2');

  await using client = connect(connectionString);
  await client.createSender('baskets').sendMessages({ body: 'b', sessionId: 'blue' });
  const session = await client.acceptSession('baskets', 'blue');
  expect(only(await session.receiveMessages(1)).body).toBe('b');
  await session.close();
  const messages = ['red', 'green'].map((color) => ({ body: color, applicationProperties: { color } }));
  await client.createSender('events').sendMessages(messages);
  expect((await takeAll(client, 'all')).map(({ body }) => body)).toEqual(['red']);
  expect((await takeAll(client, 'events/Subscriptions/rest')).map(({ body }) => body)).toEqual([
    'red',
    'green',
  ]);

  const admin = administer(connectionString);
  expect(await admin.getQueue('baskets')).toMatchObject({ requiresSession: true, lockDuration: 'PT30S' });
  expect(await admin.getSubscription('events', 'rest')).toMatchObject({ maxDeliveryCount: 2 });
  expect(await admin.getRule('events', 'red', 'red')).toMatchObject({
    filter: { applicationProperties: { color: 'red' } },
  });
  expect(await run(connectionString, 'delete', 'queue', 'baskets', '--yes')).toBe(
    "Deleted queue 'baskets'\n",
  );
  expect(await admin.queueExists('baskets')).toBe(false);
});

test('with --watch, a change of the Config.json is applied while a receiver stays', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'jitney-watch-'));
  const file = join(directory, 'Config.json');
  const write = (...queues: readonly string[]) => {
    const Queues = queues.map((Name) => ({ Name }));
    return writeFile(file, JSON.stringify({ UserConfig: { Namespaces: [{ Queues }] } }));
  };
  try {
    await write('orders');
    await using jitney = await Jitney.start({ extraArguments: ['--config', file, '--watch'] });
    await using client = connect(jitney.connectionString);
    const received: unknown[] = [];
    const receiver = client.createReceiver('orders');
    receiver.subscribe({
      processMessage: async ({ body }) => void received.push(body),
      processError: async ({ error }) => void received.push(error),
    });
    await write('orders', 'new');
    await until('the new queue', () => jitney.process.output.includes("Created queue 'new'"));
    await client.createSender('new').sendMessages({ body: 'there' });
    expect(only(await takeAll(client, 'new')).body).toBe('there');
    await writeFile(file, '{ "UserConfig": ');
    await until('the error', () => jitney.process.output.includes('JIT2002'));
    await client.createSender('orders').sendMessages({ body: 'still' });
    await until('a message', () => received.length > 0);
    expect(received).toEqual(['still']);
  } finally {
    await rm(directory, { recursive: true });
  }
});
