// The time to live: expired messages are dead-lettered, and the default of the queue caps it.

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { callControl } from './support/control.js';
import { Jitney } from './support/jitney.js';
import { bodyOf, type ClosingClient, connect, only, takeAll } from './support/service-bus.js';

const SECOND = 1000;

let jitney: Jitney;
let client: ClosingClient;

beforeAll(async () => {
  const dead = 'deadLetteringOnMessageExpiration=true';
  jitney = await Jitney.start({
    queues: [`put-aside?${dead}`, 'capped?defaultMessageTimeToLive=PT1M'],
    extraArguments: ['--clock', 'virtual'],
  });
  client = connect(jitney.connectionString);
});

afterAll(async () => {
  await client.close();
  await jitney.stop();
});

const EXPIRED = {
  deadLetterReason: 'TTLExpiredException',
  deadLetterErrorDescription: 'The message expired and was dead lettered.',
};

describe.concurrent('expiry', () => {
  test('an expired message is dead-lettered where the queue says so, though nobody listens [TTL-01, TTL-08, TTL-09, DLQ-04]', async () => {
    const sender = client.createSender('put-aside');
    await sender.sendMessages([
      { body: 'short', timeToLive: 10 * SECOND, applicationProperties: { kind: 'milk' } },
      { body: 'long', timeToLive: 60 * SECOND },
      { body: 'for ever' },
    ]);
    await callControl(jitney, 'clock:advance', { by: 'PT11S' });

    const deadLetter = only(await takeAll(client, 'put-aside', 'deadLetter'));
    expect(deadLetter).toMatchObject({ body: 'short', deliveryCount: 0, state: 'active', ...EXPIRED });
    expect(deadLetter.applicationProperties).toMatchObject({ kind: 'milk' });
    expect((await takeAll(client, 'put-aside')).map(bodyOf)).toEqual(['long', 'for ever']);
  });

  test('a longer time to live is cut to the default of the queue, and a received message shows when it expires [TTL-02, TTL-12]', async () => {
    const sender = client.createSender('capped');
    await sender.sendMessages([{ body: 'longer', timeToLive: 3600 * SECOND }, { body: 'none' }]);
    for (const message of await takeAll(client, 'capped')) {
      const enqueuedAt = message.enqueuedTimeUtc?.getTime() ?? 0;
      expect(message.expiresAtUtc?.getTime(), message.body).toBe(enqueuedAt + 60 * SECOND);
    }
  });
});
