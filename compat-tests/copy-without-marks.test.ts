// `jitney copy` to and from a service that is no Jitney for it, as Azure is none: an emulator without its control interface, over AMQP.

import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { countFor } from '../test/support/thorough.js';
import { Jitney } from './support/jitney.js';
import { LAST_LIMIT_MS, RunningProcess } from './support/running-process.js';
import { connect, takeAll } from './support/service-bus.js';
import { temporaryDirectory } from './support/temporary-directory.js';

const PROGRAM = fileURLToPath(new URL('../dist/cli/main.js', import.meta.url));
const OTHER = { extraArguments: ['--no-control'] };

async function run(...words: readonly string[]): Promise<string> {
  await using home = await temporaryDirectory();
  const command = new RunningProcess([PROGRAM, ...words], { env: { HOME: home.path } });
  expect(await command.endedWithin(LAST_LIMIT_MS), command.output).toEqual({ code: 0, signal: null });
  return command.stderr;
}

test('entities and messages go to another service, and dead letters arrive active, which is said first', async () => {
  await using from = await Jitney.start({ queues: ['orders'] });
  await using to = await Jitney.start({ queues: [], ...OTHER });
  await using client = connect(from.connectionString);
  const bodies = Array.from({ length: 300 }, (_, index) => ({ body: index, messageId: `m${index}` }));
  await client.createSender('orders').sendMessages(bodies);
  const receiver = client.createReceiver('orders');
  for (const message of await receiver.receiveMessages(1)) await receiver.deadLetterMessage(message);
  const said = await run('copy', from.connectionString, to.connectionString);
  expect(said).toMatch(/^Created 1 entity .*\nDeferred messages and dead letters arrive active/);
  await using there = connect(to.connectionString);
  const arrived = await takeAll(there, 'orders');
  expect(arrived.map(({ messageId }) => messageId).toSorted()).toEqual(
    bodies.map(({ messageId }) => messageId).toSorted(),
  );
});

test('dead letters of another service come home with their reason, and stay there', async () => {
  await using from = await Jitney.start({ queues: ['orders'], ...OTHER });
  await using to = await Jitney.start();
  await using client = connect(from.connectionString);
  await client.createSender('orders').sendMessages([
    { body: 'bad', applicationProperties: { n: 1 } },
    { body: 'late', scheduledEnqueueTimeUtc: new Date('2099-01-01T00:00:00Z') },
  ]);
  const receiver = client.createReceiver('orders');
  for (const message of await receiver.receiveMessages(1)) {
    await receiver.deadLetterMessage(message, {
      deadLetterReason: 'NoAddress',
      deadLetterErrorDescription: 'no street',
    });
  }
  await run('copy', from.connectionString, to.connectionString);
  await using home = connect(to.connectionString);
  const peek = (subQueueType?: 'deadLetter') =>
    home.createReceiver('orders', subQueueType === undefined ? {} : { subQueueType }).peekMessages(9);
  expect(await peek('deadLetter')).toMatchObject([
    { body: 'bad', deadLetterReason: 'NoAddress', applicationProperties: { n: 1 } },
  ]);
  expect(await peek()).toMatchObject([{ body: 'late', state: 'scheduled' }]);
});

test('a copy to another service that is killed loses nothing, and at most one request comes twice each time', async () => {
  const kills = countFor(1, 3);
  await using home = await temporaryDirectory();
  await using from = await Jitney.start({ queues: ['orders'] });
  await using to = await Jitney.start({ queues: ['orders'], ...OTHER });
  await using client = connect(from.connectionString);
  const ids = Array.from({ length: 3000 }, (_, index) => `m${index}`);
  const sender = client.createSender('orders');
  for (let start = 0; start < ids.length; start += 500) {
    await sender.sendMessages(ids.slice(start, start + 500).map((messageId) => ({ body: 'x', messageId })));
  }
  const words = ['copy', from.connectionString, to.connectionString, '--messages'];
  const start = () => new RunningProcess([PROGRAM, ...words], { env: { HOME: home.path } });
  let killed = 0;
  let command = start();
  for (; killed < kills; killed++) {
    await Promise.race([command.exited, delay(450 + 60 * killed)]);
    if (!command.isRunning) break;
    command.signal('SIGKILL');
    await command.exited;
    command = start();
  }
  expect(await command.endedWithin(LAST_LIMIT_MS), command.output).toEqual({ code: 0, signal: null });
  await using there = connect(to.connectionString);
  const arrived = (await takeAll(there, 'orders')).map(({ messageId }) => String(messageId));
  expect(new Set(arrived)).toEqual(new Set(ids));
  expect(arrived.length - ids.length).toBeLessThanOrEqual(250 * killed);
});
