// `jitney copy` to and from a service that is no Jitney for it, as Azure is none: an emulator without its control interface, in strict mode,
// over TLS.

import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { countFor } from '../test/support/thorough.js';
import { otherService, tryCopyToOther } from '../tools/trials/copy-to-other.js';
import { Jitney } from './support/jitney.js';
import { LAST_LIMIT_MS, RunningProcess } from './support/running-process.js';
import { connect, takeAll } from './support/service-bus.js';
import { temporaryDirectory } from './support/temporary-directory.js';

const PROGRAM = fileURLToPath(new URL('../dist/cli/main.js', import.meta.url));

async function run(...words: readonly string[]): Promise<string> {
  await using home = await temporaryDirectory();
  const command = new RunningProcess([PROGRAM, ...words], { env: { HOME: home.path } });
  expect(await command.endedWithin(LAST_LIMIT_MS), command.output).toEqual({ code: 0, signal: null });
  return command.stderr;
}

test('entities and messages go to another service, and dead letters arrive active, which is said first', async () => {
  await using from = await Jitney.start({ queues: ['orders'] });
  await using to = await otherService({ queues: [] });
  await using client = connect(from.connectionString);
  const bodies = Array.from({ length: 300 }, (_, index) => ({ body: index, messageId: `m${index}` }));
  await client.createSender('orders').sendMessages(bodies);
  const receiver = client.createReceiver('orders');
  for (const message of await receiver.receiveMessages(1)) await receiver.deadLetterMessage(message);
  const said = await run('copy', from.connectionString, to.overTls);
  expect(said).toMatch(/^Created 1 entity .*\nDeferred messages and dead letters arrive active/);
  await using there = connect(to.connectionString);
  const arrived = await takeAll(there, 'orders');
  expect(arrived.map(({ messageId }) => messageId).toSorted()).toEqual(
    bodies.map(({ messageId }) => messageId).toSorted(),
  );
});

test('dead letters of another service come home with their reason, and stay there', async () => {
  await using from = await otherService({ queues: ['orders'] });
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
  await run('copy', from.overTls, to.connectionString);
  await using home = connect(to.connectionString);
  const peek = (subQueueType?: 'deadLetter') =>
    home.createReceiver('orders', subQueueType === undefined ? {} : { subQueueType }).peekMessages(9);
  expect(await peek('deadLetter')).toMatchObject([
    { body: 'bad', deadLetterReason: 'NoAddress', applicationProperties: { n: 1 } },
  ]);
  expect(await peek()).toMatchObject([{ body: 'late', state: 'scheduled' }]);
});

test('a move to another service that is killed loses nothing, and at most one request comes twice each time', async () => {
  const trial = { messageCount: 1500, killCount: countFor(1, 2), seed: 3, isMove: true };
  expect(await tryCopyToOther(trial)).toMatchObject({ problems: [] });
});
