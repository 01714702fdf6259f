// Topics through the SDK: which subscriptions get a copy of a message, what is in it, and that a topic is not received from.

import type { ServiceBusReceivedMessage } from '@azure/service-bus';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Emulator, GivenTopic } from '../src/emulator.js';
import { importBuiltPackage } from './support/built-package.js';
import {
  bodyOf,
  type ClosingClient,
  connect,
  receiveOne,
  takeAll,
  takeAllOf,
} from './support/service-bus.js';

const SECOND = 1000;

/** What the messages of an order are about, as Microsoft's sample for topic filters sends them. */
const ORDERS = [
  { color: 'blue', quantity: 10, priority: 'low' },
  { color: 'red', quantity: 5, priority: 'low' },
  { color: 'red', quantity: 7, priority: 'high' },
  { color: 'yellow', quantity: 10, priority: 'high' },
];

const TOPICS: readonly GivenTopic[] = [
  {
    name: 'orders',
    subscriptions: [
      'all',
      { name: 'blue-10', filter: "color = 'blue' AND quantity = 10" },
      { name: 'red-high', filter: { subject: 'red', correlationId: 'high' } },
      { name: 'nobody', filter: false },
      {
        name: 'red-halved',
        rules: [
          {
            name: 'halve',
            filter: "color = 'red'",
            action: "SET quantity = quantity / 2; REMOVE priority; SET sys.CorrelationId = 'low'",
          },
        ],
      },
      {
        name: 'five-rules',
        rules: [
          { name: 'plain-1' },
          { name: 'plain-2', filter: 'quantity > 0' },
          { name: 'plain-3', filter: "color LIKE '%e%'" },
          { name: 'marked-1', action: 'SET mark = 1' },
          { name: 'marked-2', action: 'SET mark = 2' },
        ],
      },
    ],
  },
  { name: 'nowhere', subscriptions: [] },
  { name: 'later', subscriptions: ['sub'] },
];

let emulator: Emulator;
let client: ClosingClient;

beforeAll(async () => {
  const { startEmulator } = await importBuiltPackage();
  emulator = await startEmulator({ topics: TOPICS });
  client = connect(emulator.connectionString);
});

afterAll(async () => {
  await client.close();
  await emulator.stop();
});

function propertiesOf(message: ServiceBusReceivedMessage): unknown {
  return message.applicationProperties;
}

describe.concurrent('a topic', () => {
  test('gives each subscription a copy of the messages that its rules match, changed by their actions [TOP-01, TOP-03, TOP-04, TOP-05, TOP-07, COR-01, SQL-15, ACT-01]', async () => {
    await client.createSender('orders').sendMessages(
      ORDERS.map((order) => ({
        body: order,
        subject: order.color,
        correlationId: order.priority,
        applicationProperties: order,
      })),
    );
    const take = (subscription: string) => takeAllOf(client, ['orders', subscription]);

    expect((await take('all')).map(propertiesOf)).toEqual(ORDERS);
    expect((await take('blue-10')).map(bodyOf)).toEqual([ORDERS[0]]);
    expect((await take('red-high')).map(bodyOf)).toEqual([ORDERS[2]]);
    expect(await take('nobody')).toEqual([]);
    expect(await take('red-halved')).toMatchObject([
      {
        body: ORDERS[1],
        correlationId: 'low',
        applicationProperties: { color: 'red', quantity: 2, RuleName: 'halve' },
      },
      {
        body: ORDERS[2],
        correlationId: 'low',
        applicationProperties: { color: 'red', quantity: 3, RuleName: 'halve' },
      },
    ]);
    const copies = (await take('five-rules')).filter(({ body }) => body.color === 'blue').map(propertiesOf);
    expect(copies).toHaveLength(3);
    expect(copies).toEqual(
      expect.arrayContaining([
        ORDERS[0],
        { ...ORDERS[0], mark: 1, RuleName: 'marked-1' },
        { ...ORDERS[0], mark: 2, RuleName: 'marked-2' },
      ]),
    );
  });

  test('keeps a scheduled message until its time and gives it to its subscriptions then [SCH-02, SCH-08]', async () => {
    const sender = client.createSender('later');
    // Long enough for the looks below on a loaded machine.
    const time = new Date(Date.now() + 5 * SECOND);
    const [due, cancelled] = await sender.scheduleMessages([{ body: 'due' }, { body: 'cancelled' }], time);
    if (due === undefined || cancelled === undefined) throw new Error('two were scheduled');
    expect(await client.createReceiver('later', 'sub').peekMessages(10)).toEqual([]);
    expect((await client.createReceiver('later').peekMessages(10)).map(({ state }) => state)).toEqual([
      'scheduled',
      'scheduled',
    ]);
    await sender.cancelScheduledMessages(cancelled);

    const message = await receiveOne(client.createReceiver('later', 'sub'));

    expect(message.body).toBe('due');
    expect(message.enqueuedTimeUtc?.getTime()).toBeGreaterThanOrEqual(time.getTime());
    expect(await client.createReceiver('later').peekMessages(10)).toEqual([]);
    expect(await takeAllOf(client, ['later', 'sub'])).toEqual([]);
  });

  test('refuses receivers, and its subscriptions refuse senders', async () => {
    await expect(takeAll(client, 'nowhere')).rejects.toMatchObject({
      ...{
        code: 'MessagingEntityNotFound',
        message: expect.stringMatching(/receive from one of its subscriptions/),
      },
    });
    await expect(client.createSender('later/Subscriptions/sub').sendMessages({ body: 'no' })).rejects.toThrow(
      /subscription/i,
    );
    await expect(takeAllOf(client, ['later', 'missing'])).rejects.toMatchObject({
      code: 'MessagingEntityNotFound',
    });
  });
});
