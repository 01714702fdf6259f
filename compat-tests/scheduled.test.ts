// Messages for later: they come when their time has come, cancelled ones never, and none twice.

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { callControl } from './support/control.js';
import { Jitney } from './support/jitney.js';
import {
  bodyOf,
  type ClosingClient,
  connect,
  NOTHING_COMES_MS,
  numberOf,
  receiveOne,
  takeAll,
} from './support/service-bus.js';
import { temporaryDirectory } from './support/temporary-directory.js';

const SECOND = 1000;
const MINUTE = 60 * SECOND;

let jitney: Jitney;
let client: ClosingClient;

beforeAll(async () => {
  jitney = await Jitney.start({ queues: ['cancelled', 'patient'] });
  client = connect(jitney.connectionString);
});

afterAll(async () => {
  await client.close();
  await jitney.stop();
});

function inMs(ms: number): Date {
  return new Date(Date.now() + ms);
}

describe.concurrent('scheduled messages', () => {
  test('an unknown, cancelled or activated number cannot be cancelled, and then none is [SCH-06]', async () => {
    const sender = client.createSender('cancelled');
    const [first, second] = await sender.scheduleMessages(
      [{ body: 'one' }, { body: 'two' }],
      inMs(60 * MINUTE),
    );
    const [due] = await sender.scheduleMessages([{ body: 'due' }], inMs(0));
    if (first === undefined || second === undefined || due === undefined)
      throw new Error('three were scheduled');
    const notFound = { name: 'ServiceBusError', code: 'MessageNotFound', retryable: false };

    await sender.cancelScheduledMessages(first);
    await expect(sender.cancelScheduledMessages([second, first])).rejects.toMatchObject(notFound);
    await expect(sender.cancelScheduledMessages(due)).rejects.toMatchObject(notFound);
    await expect(sender.cancelScheduledMessages(due.add(1000))).rejects.toMatchObject(notFound);

    const left = await client.createReceiver('cancelled').peekMessages(10);
    expect(left.map((message) => [message.body, message.state])).toEqual([
      ['two', 'scheduled'],
      ['due', 'active'],
    ]);
  });

  test('an ordinary send can set the time too, and the time to live counts from then [SCH-01, SCH-02, TTL-04]', async () => {
    const scheduledEnqueueTimeUtc = inMs(3 * SECOND);
    const timeToLive = 60 * SECOND;
    await client.createSender('patient').sendMessages({ body: 'later', scheduledEnqueueTimeUtc, timeToLive });
    expect(await takeAll(client, 'patient')).toEqual([]);

    const message = await receiveOne(client.createReceiver('patient'));

    const enqueuedAt = message.enqueuedTimeUtc?.getTime() ?? 0;
    expect(enqueuedAt).toBeGreaterThanOrEqual(scheduledEnqueueTimeUtc.getTime());
    expect(message.expiresAtUtc?.getTime()).toBe(enqueuedAt + timeToLive);
    expect(message).toMatchObject({ body: 'later', scheduledEnqueueTimeUtc, timeToLive });
  });

  test('a scheduled message comes on time after a restart, and a cancelled one does not [SCH-02, SCH-06]', async () => {
    await using directory = await temporaryDirectory();
    const options = {
      queues: ['kept'],
      dataDirectory: directory.path,
      extraArguments: ['--clock', 'virtual'],
    };
    const before = await Jitney.start(options);
    const firstClient = connect(before.connectionString);
    const sender = firstClient.createSender('kept');
    const numbers = await sender.scheduleMessages(
      ['kept', 'cancelled'].map((body) => ({ body })),
      inMs(MINUTE),
    );
    await sender.cancelScheduledMessages(numbers.slice(1));
    await firstClient.close();
    await before.killNine();

    await using after = await Jitney.start(options);
    await using secondClient = connect(after.connectionString);
    const receiver = secondClient.createReceiver('kept');
    expect(await receiver.receiveMessages(1, { maxWaitTimeInMs: NOTHING_COMES_MS })).toEqual([]);
    await callControl(after, 'clock:advance', { by: 'PT1M' });
    const message = await receiveOne(receiver);
    expect([message.body, numberOf(message)]).toEqual(['kept', 3]);
    expect((await takeAll(secondClient, 'kept')).map(bodyOf)).toEqual([]);
  });
});
