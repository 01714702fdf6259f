// Messages near the size limit of the premium tier, and far above it with no limits, byte for byte.

import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { Jitney } from './support/jitney.js';
import { type ClosingClient, connect, only } from './support/service-bus.js';

const MEGABYTE = 1024 * 1024;
/** More than the SDK adds around a body: message-id, section and value headers. */
const ROOM_FOR_PROPERTIES = 512;

let jitney: Jitney;
let client: ClosingClient;

beforeAll(async () => {
  jitney = await Jitney.start({ queues: ['large'], extraArguments: ['--tier', 'premium'] });
  client = connect(jitney.connectionString);
});

afterAll(async () => {
  await client.close();
  await jitney.stop();
});

test('the premium tier carries messages of just under 1 MiB unchanged [LIM-01, MSG-01]', async () => {
  const bodies = [0, 1, 255, 256, 4096].map((less) => randomBytes(MEGABYTE - ROOM_FOR_PROPERTIES - less));
  const sender = client.createSender('large');
  await Promise.all(bodies.map((body, index) => sender.sendMessages({ body, messageId: `large ${index}` })));

  const receiver = client.createReceiver('large');
  for (let count = 0; count < bodies.length; count++) {
    const message = only(await receiver.receiveMessages(1, { maxWaitTimeInMs: 10_000 }));
    const body = bodies[Number(String(message.messageId).slice('large '.length))];
    expect(body && Buffer.compare(message.body, body), `body of ${message.messageId}`).toBe(0);
    await receiver.completeMessage(message);
  }
});

test('with no limits a message too large for every tier passes unchanged [SND-10]', async () => {
  await using jitney = await Jitney.start({ queues: ['q'], extraArguments: ['--limits', 'none'] });
  await using client = connect(jitney.connectionString);
  const body = randomBytes(20 * MEGABYTE);
  await client.createSender('q').sendMessages({ body });
  const receiver = client.createReceiver('q', { receiveMode: 'receiveAndDelete' });
  const message = only(await receiver.receiveMessages(1, { maxWaitTimeInMs: 30_000 }));
  expect(Buffer.compare(message.body, body)).toBe(0);
});
