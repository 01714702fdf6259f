// Duplicate detection: a repeated send is accepted, and the message is stored once.

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Jitney } from './support/jitney.js';
import { bodyOf, type ClosingClient, connect, numberOf, takeAll } from './support/service-bus.js';

const ONCE = 'requiresDuplicateDetection=true';

let jitney: Jitney;
let client: ClosingClient;

beforeAll(async () => {
  jitney = await Jitney.start({ queues: [`once?${ONCE}`, `later?${ONCE}`] });
  client = connect(jitney.connectionString);
});

afterAll(async () => {
  await client.close();
  await jitney.stop();
});

describe.concurrent('duplicate detection', () => {
  test('a repeated id is accepted and dropped, and uses no number, also within a batch [DUP-01, DUP-06, SEQ-04]', async () => {
    const sender = client.createSender('once');
    await sender.sendMessages({ body: 'first', messageId: 'a' });
    await sender.sendMessages({ body: 'again', messageId: 'a' });
    await sender.sendMessages([
      { body: 'second', messageId: 'b' },
      { body: 'again', messageId: 'b' },
      { body: 'another case', messageId: 'B' },
    ]);
    const messages = await takeAll(client, 'once');
    expect(messages.map(bodyOf)).toEqual(['first', 'second', 'another case']);
    expect(messages.map(numberOf)).toEqual([1, 2, 3]);
  });

  test('a scheduled message is checked when it is sent, and its duplicate is answered with its number [DUP-05]', async () => {
    const sender = client.createSender('later');
    const inAnHour = new Date(Date.now() + 3_600_000);
    const [number] = await sender.scheduleMessages([{ body: 'to come', messageId: 'a' }], inAnHour);
    const [again] = await sender.scheduleMessages([{ body: 'again', messageId: 'a' }], inAnHour);
    await sender.sendMessages({ body: 'now', messageId: 'a' });
    expect(again).toEqual(number);
    expect((await client.createReceiver('later').peekMessages(10)).map(bodyOf)).toEqual(['to come']);
  });
});
