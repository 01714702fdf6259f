// Duplicate detection: whoever sends again what has been sent is told yes, and the message is there once, also over a crash.

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

const ONCE = 'requiresDuplicateDetection=true';

let jitney: Jitney;
let client: ClosingClient;

beforeAll(async () => {
  jitney = await Jitney.start({ queues: [`once?${ONCE}`, `later?${ONCE}`, 'as-often-as-sent'] });
  client = connect(jitney.connectionString);
});

afterAll(async () => {
  await client.close();
  await jitney.stop();
});

describe.concurrent('duplicate detection', () => {
  test('an id that was sent before is accepted and dropped, and takes no number, also within a batch [DUP-01, DUP-06, SEQ-04]', async () => {
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

  test('a scheduled message takes part when it is sent; its duplicate has its number [DUP-05]', async () => {
    const sender = client.createSender('later');
    const inAnHour = new Date(Date.now() + 3_600_000);
    const [number] = await sender.scheduleMessages([{ body: 'to come', messageId: 'a' }], inAnHour);
    const [again] = await sender.scheduleMessages([{ body: 'again', messageId: 'a' }], inAnHour);
    await sender.sendMessages({ body: 'now', messageId: 'a' });
    expect(again).toEqual(number);
    expect((await client.createReceiver('later').peekMessages(10)).map(bodyOf)).toEqual(['to come']);
  });

  test('a queue without it takes everything [DUP-01]', async () => {
    const sender = client.createSender('as-often-as-sent');
    for (const body of ['first', 'second']) await sender.sendMessages({ body, messageId: 'a' });
    expect((await takeAll(client, 'as-often-as-sent')).map(bodyOf)).toEqual(['first', 'second']);
  });

  test.each(['stop', 'killNine'] as const)(
    'what was completed before a restart (%s) is still known as sent after it [DUP-04, DUP-09, SEQ-11]',
    async (end) => {
      await using directory = await temporaryDirectory();
      const options = { queues: [`once?${ONCE}`], dataDirectory: directory.path };
      const before = await Jitney.start(options);
      const firstClient = connect(before.connectionString);
      await firstClient.createSender('once').sendMessages({ body: 'first', messageId: 'a' });
      const receiver = firstClient.createReceiver('once');
      await receiver.completeMessage(await receiveOne(receiver));
      await firstClient.close();
      await before[end]();

      await using after = await Jitney.start(options);
      await using secondClient = connect(after.connectionString);
      const sender = secondClient.createSender('once');
      await sender.sendMessages({ body: 'again', messageId: 'a' });
      await sender.sendMessages({ body: 'second', messageId: 'b' });
      const message = only(await takeAll(secondClient, 'once'));
      expect([message.body, numberOf(message)]).toEqual(['second', 2]);
    },
  );
});
