// What a stop and a new start on the same data directory keep: everything that was accepted, and the numbering.

import { afterAll, beforeAll, expect, test } from 'vitest';
import { Jitney } from './support/jitney.js';
import { connect, sendBodies, takeAll } from './support/service-bus.js';
import { type TemporaryDirectory, temporaryDirectory } from './support/temporary-directory.js';

let directory: TemporaryDirectory;

beforeAll(async () => {
  directory = await temporaryDirectory();
});

afterAll(() => directory[Symbol.asyncDispose]());

function startOn(name: string): Promise<Jitney> {
  return Jitney.start({ queues: ['kept?maxDeliveryCount=5'], dataDirectory: `${directory.path}/${name}` });
}

test('messages, their order, numbers and times are the same after a restart, and numbering goes on [SND-01, SEQ-11, DLV-05]', async () => {
  const before = await startOn('numbering');
  const firstClient = connect(before.connectionString);
  await sendBodies(firstClient, 'kept', ['one', 'two', 'three']);
  const receiver = firstClient.createReceiver('kept');
  const [one, two] = await receiver.receiveMessages(2);
  if (one === undefined || two === undefined) {
    throw new Error('expected two messages');
  }
  await receiver.completeMessage(one);
  await receiver.abandonMessage(two);
  await firstClient.close();
  expect(await before.stop()).toEqual({ code: 0, signal: null });

  await using after = await startOn('numbering');
  await using client = connect(after.connectionString);
  await sendBodies(client, 'kept', ['four']);
  const messages = await takeAll(client, 'kept');

  expect(messages.map((message) => message.body)).toEqual(['two', 'three', 'four']);
  expect(messages.map((message) => Number(message.sequenceNumber))).toEqual([2, 3, 4]);
  expect(messages.map((message) => message.deliveryCount)).toEqual([1, 0, 0]);
  expect(messages[0]).toMatchObject({ messageId: two.messageId, enqueuedTimeUtc: two.enqueuedTimeUtc });
});

test('--memory keeps nothing', async () => {
  const before = await Jitney.start({ queues: ['kept'] });
  const firstClient = connect(before.connectionString);
  await sendBodies(firstClient, 'kept', ['ephemeral']);
  await firstClient.close();
  await before.stop();

  await using after = await Jitney.start({ queues: ['kept'] });
  await using client = connect(after.connectionString);
  expect(await takeAll(client, 'kept')).toEqual([]);
});
