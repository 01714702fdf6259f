// What a program is told when Service Bus would tell it no.

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Jitney } from './support/jitney.js';
import { type ClosingClient, connect, only, sendBodies, takeAll } from './support/service-bus.js';

const KILOBYTE = 1024;
const NOT_FOUND = {
  name: 'ServiceBusError',
  code: 'MessagingEntityNotFound',
  retryable: false,
  message: expect.stringMatching(
    /The messaging entity 'sb:\/\/[^']+\/nowhere[^']*' could not be found\..*TrackingId:/,
  ),
};

let jitney: Jitney;
let client: ClosingClient;

beforeAll(async () => {
  jitney = await Jitney.start({ queues: ['orders', 'parcels', 'settled', 'parts?enablePartitioning=true'] });
  client = connect(jitney.connectionString);
});

afterAll(async () => {
  await client.close();
  await jitney.stop();
});

describe.concurrent('errors', () => {
  test('sending to a queue that does not exist says so [SND-08, ERR-01, ERR-04]', async () => {
    await expect(client.createSender('nowhere').sendMessages({ body: 'lost' })).rejects.toMatchObject(
      NOT_FOUND,
    );
  });

  test('receiving from a queue that does not exist says so [ERR-01, ERR-04]', async () => {
    await expect(client.createReceiver('nowhere').receiveMessages(1)).rejects.toMatchObject(NOT_FOUND);
  });

  test('a subscribed handler hears of a missing queue through processError', async () => {
    const receiver = client.createReceiver('nowhere');
    const failure = await new Promise<unknown>((resolve) => {
      receiver.subscribe({
        processMessage: async () => {},
        processError: async (args) => resolve(args.error),
      });
    });
    await receiver.close();
    expect(failure).toMatchObject(NOT_FOUND);
  });

  test('a message above 256 KiB is refused, and the sender goes on [SND-10, ERR-01]', async () => {
    const sender = client.createSender('parcels');
    await expect(sender.sendMessages({ body: Buffer.alloc(300 * KILOBYTE) })).rejects.toMatchObject({
      name: 'ServiceBusError',
      code: 'MessageSizeExceeded',
      retryable: false,
    });
    await sender.sendMessages({ body: Buffer.alloc(250 * KILOBYTE, 'x') });
    expect(only(await takeAll(client, 'parcels')).body).toHaveLength(250 * KILOBYTE);
  });

  test('an array with two partition keys is refused by a partitioned queue, and one with a single key is not [PRT-06]', async () => {
    const sender = client.createSender('parts');
    const keyed = (...keys: string[]) => keys.map((partitionKey) => ({ body: 'x', partitionKey }));
    await expect(sender.sendMessages(keyed('a', 'b'))).rejects.toMatchObject({
      name: 'ServiceBusError',
      retryable: false,
      message: expect.stringMatching(/^InvalidOperationError: Batching brokered messages with distinct/),
    });
    await sender.sendMessages(keyed('a', 'a'));
  });

  test('a second settlement of a message is an error in the client', async () => {
    await sendBodies(client, 'settled', ['once']);
    const receiver = client.createReceiver('settled');
    const message = only(await receiver.receiveMessages(1, { maxWaitTimeInMs: 5000 }));
    await receiver.completeMessage(message);
    await expect(receiver.completeMessage(message)).rejects.toThrow();
    expect(await takeAll(client, 'settled')).toEqual([]);
  });

  test('the namespace still serves everyone else after all these errors', async () => {
    await sendBodies(client, 'orders', ['still here']);
    expect(only(await takeAll(client, 'orders')).body).toBe('still here');
  });
});
