// Messages that go on by themselves: from queues and subscriptions to where they are forwarded, and out of dead-letter queues.

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Emulator } from '../src/emulator.js';
import { importBuiltPackage } from './support/built-package.js';
import {
  bodyOf,
  type ClosingClient,
  connect,
  numberOf,
  only,
  receiveOne,
  sendBodies,
  takeAll,
  takeAllOf,
} from './support/service-bus.js';

const SECOND = 1000;

let emulator: Emulator;
let client: ClosingClient;

beforeAll(async () => {
  const { startEmulator } = await importBuiltPackage();
  emulator = await startEmulator({
    queues: [
      'near?forwardTo=far',
      'far',
      'late?forwardTo=lately',
      'lately',
      'work?maxDeliveryCount=1&forwardDeadLetteredMessagesTo=graveyard',
      'graveyard',
      'archive',
      'strict?requiresDuplicateDetection=true',
      'to-strict?forwardTo=strict',
      'one?forwardTo=two',
      'two?forwardTo=three',
      'three?forwardTo=four',
      'four',
      'round?forwardTo=circle',
      'circle?forwardTo=round',
      'kept-in-sessions?requiresSession=true',
      'to-sessions?forwardTo=kept-in-sessions',
    ],
    topics: [
      {
        name: 'events',
        subscriptions: [
          { name: 'archived', forwardTo: 'archive', rules: [{ name: 'mark', action: "SET mark = 'a'" }] },
          { name: 'mailed', forwardTo: 'mail', filter: "kind = 'mail'" },
        ],
      },
      { name: 'mail', subscriptions: ['letters'] },
      'parcels/fragile?maxDeliveryCount=1&forwardDeadLetteredMessagesTo=graveyard',
    ],
  });
  client = connect(emulator.connectionString);
});

afterAll(async () => {
  await client.close();
  await emulator.stop();
});

describe.concurrent('forwarding', () => {
  test('moves what is sent to a queue into the next, numbered anew and with its first number kept [FWD-01, FWD-04, FWD-05]', async () => {
    await sendBodies(client, 'far', ['here already']);
    await sendBodies(client, 'near', ['one', 'two', 'three'], { timeToLive: 60 * SECOND });
    const [first, ...moved] = await takeAll(client, 'far');

    expect(first?.body).toBe('here already');
    expect(moved.map(bodyOf)).toEqual(['one', 'two', 'three']);
    expect(moved.map(numberOf)).toEqual([2, 3, 4]);
    expect(moved.map(({ enqueuedSequenceNumber }) => Number(enqueuedSequenceNumber))).toEqual([1, 2, 3]);
    for (const { enqueuedTimeUtc, expiresAtUtc, deliveryCount } of moved) {
      expect([Number(expiresAtUtc) - Number(enqueuedTimeUtc), deliveryCount]).toEqual([60 * SECOND, 0]);
    }
  });

  test('takes a scheduled message along when its time has come [FWD-06]', async () => {
    const scheduledEnqueueTimeUtc = new Date(Date.now() + SECOND);
    await client.createSender('late').sendMessages({ body: 'later', scheduledEnqueueTimeUtc });
    expect(await takeAll(client, 'lately')).toEqual([]);
    const message = await receiveOne(client.createReceiver('lately'));
    expect(message.enqueuedTimeUtc?.getTime()).toBeGreaterThanOrEqual(scheduledEnqueueTimeUtc.getTime());
  });

  test('leads from a subscription to a queue with what its rule has done, and to another topic by its rules [FWD-01, FWD-03]', async () => {
    await client.createSender('events').sendMessages([
      { body: 'letter', applicationProperties: { kind: 'mail' } },
      { body: 'noise', applicationProperties: { kind: 'noise' } },
    ]);

    const archived = await takeAll(client, 'archive');
    expect(archived.map(({ body, applicationProperties }) => [body, applicationProperties])).toEqual([
      ['letter', { kind: 'mail', mark: 'a', RuleName: 'mark' }],
      ['noise', { kind: 'noise', mark: 'a', RuleName: 'mark' }],
    ]);
    expect((await takeAllOf(client, ['mail', 'letters'])).map(bodyOf)).toEqual(['letter']);
  });

  test('brings the dead letters of a queue and of a subscription to one place, which says whence they came [FWD-01, DLQ-05]', async () => {
    await sendBodies(client, 'work', ['no good']);
    const receiver = client.createReceiver('work');
    const reason = { deadLetterReason: 'Spoilt', deadLetterErrorDescription: 'Too old.' };
    await receiver.deadLetterMessage(await receiveOne(receiver), reason);
    await sendBodies(client, 'parcels', ['broken']);
    const fragile = client.createReceiver('parcels', 'fragile');
    await fragile.abandonMessage(await receiveOne(fragile));

    expect(await takeAll(client, 'graveyard')).toMatchObject([
      { body: 'no good', deadLetterSource: 'work', ...reason },
      {
        body: 'broken',
        deadLetterSource: expect.stringMatching(/^parcels\/subscriptions\/fragile$/i),
        deadLetterReason: 'MaxDeliveryCountExceeded',
      },
    ]);
    const left = client.createReceiver('work', { subQueueType: 'deadLetter' });
    expect(await left.peekMessages(1)).toEqual([]);
  });

  test('is a send to its destination, which finds duplicates and misses session ids [FWD-03, DUP-08]', async () => {
    const sender = client.createSender('to-strict');
    for (const body of ['first', 'second']) await sender.sendMessages({ body, messageId: 'same' });
    await client.createSender('to-sessions').sendMessages({ body: 'lost', messageId: 'm' });

    expect((await takeAll(client, 'strict')).map(bodyOf)).toEqual(['first']);
    expect(await takeAll(client, 'to-strict', 'deadLetter')).toEqual([]);
    expect(only(await takeAll(client, 'to-sessions', 'deadLetter')).body).toBe('lost');
  });

  test('goes as far as a fourth entity [FWD-07]', async () => {
    await sendBodies(client, 'one', ['far travelled']);
    const { body, enqueuedSequenceNumber } = only(await takeAll(client, 'four'));
    expect([body, Number(enqueuedSequenceNumber)]).toEqual(['far travelled', 1]);
  });

  test('ends in a dead-letter queue when it leads in a circle [FWD-07]', async () => {
    await sendBodies(client, 'round', ['dizzy']);
    const dead = [
      ...(await takeAll(client, 'round', 'deadLetter')),
      ...(await takeAll(client, 'circle', 'deadLetter')),
    ];
    expect(only(dead)).toMatchObject({ body: 'dizzy', deadLetterReason: 'MaxTransferHopCountExceeded' });
  });

  test('leaves nothing to receive where it begins [FWD-01]', async () => {
    await expect(takeAll(client, 'near')).rejects.toThrow(/forward/i);
    await expect(takeAllOf(client, ['events', 'archived'])).rejects.toThrow(/forward/i);
  });
});
