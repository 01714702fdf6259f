// Messages for later, in real time: they come when their time has come, cancelled ones never, and none twice.

import { setTimeout as delay } from 'node:timers/promises';
import type { ServiceBusReceivedMessage, ServiceBusSender } from '@azure/service-bus';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Jitney } from './support/jitney.js';
import {
  bodyOf,
  type ClosingClient,
  connect,
  numberOf,
  only,
  receiveOne,
  takeAll,
} from './support/service-bus.js';
import { temporaryDirectory } from './support/temporary-directory.js';

type SequenceNumbers = Awaited<ReturnType<ServiceBusSender['scheduleMessages']>>;

const SECOND = 1000;
const TIMES_IN_A_SECOND = 10;
const MESSAGES_PER_TIME = 100;
const CANCELLED_PER_TIME = 10;

let jitney: Jitney;
let client: ClosingClient;

beforeAll(async () => {
  jitney = await Jitney.start({ queues: ['crowded', 'cancelled', 'patient', 'overdue'] });
  client = connect(jitney.connectionString);
});

afterAll(async () => {
  await client.close();
  await jitney.stop();
});

function inMs(ms: number): Date {
  return new Date(Date.now() + ms);
}

async function receiveAll(queue: string, count: number): Promise<ServiceBusReceivedMessage[]> {
  const receiver = client.createReceiver(queue, { receiveMode: 'receiveAndDelete' });
  const received: ServiceBusReceivedMessage[] = [];
  while (received.length < count) {
    const messages = await receiver.receiveMessages(count - received.length, { maxWaitTimeInMs: 5 * SECOND });
    if (messages.length === 0) throw new Error(`only ${received.length} of ${count} have come`);
    received.push(...messages);
  }
  await receiver.close();
  return received;
}

describe.concurrent('scheduled messages', () => {
  test('of 1,000 for the same second, 100 that are cancelled never come, and the others are numbered anew without a gap [SCH-03, SCH-06, SEQ-02]', async () => {
    const sender = client.createSender('crowded');
    const second = Date.now() + 4 * SECOND;
    const groups = Array.from({ length: TIMES_IN_A_SECOND }, (_, group) => group);
    const numbers: SequenceNumbers = [];
    for (const group of groups) {
      const messages = Array.from({ length: MESSAGES_PER_TIME }, (_, index) => ({
        body: `${group}/${index}`,
      }));
      const time = new Date(second + (group * SECOND) / TIMES_IN_A_SECOND);
      numbers.push(...(await sender.scheduleMessages(messages, time)));
    }
    const isCancelled = (index: number) => index % MESSAGES_PER_TIME < CANCELLED_PER_TIME;
    await sender.cancelScheduledMessages(numbers.filter((_, index) => isCancelled(index)));
    expect(Date.now(), 'cancelled in time').toBeLessThan(second);

    const received = await receiveAll('crowded', 900);

    expect(numbers.map(Number)).toEqual(numbers.map((_, index) => index + 1));
    const expected = numbers.map((_, index) => index).filter((index) => !isCancelled(index));
    expect(received.map(bodyOf)).toEqual(
      expected.map((index) => `${Math.floor(index / MESSAGES_PER_TIME)}/${index % MESSAGES_PER_TIME}`),
    );
    expect(received.map(numberOf)).toEqual(expected.map((_, index) => numbers.length + 1 + index));
    expect(await takeAll(client, 'crowded')).toEqual([]);
  });

  test('a number that is unknown, cancelled or no longer scheduled cannot be cancelled, and then none is [SCH-06]', async () => {
    const sender = client.createSender('cancelled');
    const [first, second] = await sender.scheduleMessages(
      [{ body: 'one' }, { body: 'two' }],
      inMs(60 * SECOND),
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

  test('an ordinary send can name the time too; the time to live counts from then [SCH-01, SCH-02, TTL-04]', async () => {
    const scheduledEnqueueTimeUtc = inMs(1500);
    const timeToLive = 60 * SECOND;
    await client.createSender('patient').sendMessages({ body: 'later', scheduledEnqueueTimeUtc, timeToLive });
    expect(await takeAll(client, 'patient')).toEqual([]);

    const message = await receiveOne(client.createReceiver('patient'));

    const enqueuedAt = message.enqueuedTimeUtc?.getTime() ?? 0;
    expect(enqueuedAt).toBeGreaterThanOrEqual(scheduledEnqueueTimeUtc.getTime());
    expect(message.expiresAtUtc?.getTime()).toBe(enqueuedAt + timeToLive);
    expect(message).toMatchObject({ body: 'later', scheduledEnqueueTimeUtc, timeToLive });
  });

  test('a time in the past is now, and there is a number all the same [SCH-05]', async () => {
    const sender = client.createSender('overdue');
    const [number] = await sender.scheduleMessages([{ body: 'late' }], inMs(-3_600_000));
    const message = only(await takeAll(client, 'overdue'));
    expect([message.body, message.sequenceNumber]).toEqual(['late', number]);
  });

  test('what is scheduled comes on time after a restart, what was cancelled does not [SCH-02, SCH-06]', async () => {
    await using directory = await temporaryDirectory();
    const options = { queues: ['kept'], dataDirectory: directory.path };
    const before = await Jitney.start(options);
    const firstClient = connect(before.connectionString);
    const sender = firstClient.createSender('kept');
    const numbers = await sender.scheduleMessages(
      ['kept', 'cancelled'].map((body) => ({ body })),
      inMs(3 * SECOND),
    );
    await sender.cancelScheduledMessages(numbers.slice(1));
    await firstClient.close();
    await before.killNine();

    await using after = await Jitney.start(options);
    await using secondClient = connect(after.connectionString);
    const message = await receiveOne(secondClient.createReceiver('kept'));
    expect([message.body, numberOf(message)]).toEqual(['kept', 3]);
    await delay(100);
    expect((await takeAll(secondClient, 'kept')).map(bodyOf)).toEqual([]);
  });
});
