// Forwarding: from queues and subscriptions to their destinations, and the end of a circle.

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Emulator } from '../src/emulator.js';
import { importBuiltPackage } from './support/built-package.js';
import {
  bodyOf,
  type ClosingClient,
  connect,
  numberOf,
  only,
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
    queues: ['near?forwardTo=far', 'far', 'archive', 'round?forwardTo=circle', 'circle?forwardTo=round'],
    topics: [
      {
        name: 'events',
        subscriptions: [
          { name: 'archived', forwardTo: 'archive', rules: [{ name: 'mark', action: "SET mark = 'a'" }] },
          { name: 'mailed', forwardTo: 'mail', filter: "kind = 'mail'" },
        ],
      },
      { name: 'mail', subscriptions: ['letters'] },
    ],
  });
  client = connect(emulator.connectionString);
});

afterAll(async () => {
  await client.close();
  await emulator.stop();
});

describe.concurrent('forwarding', () => {
  test('moves messages from one queue to the next, numbered anew and with their first number kept [FWD-01, FWD-04, FWD-05]', async () => {
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

  test('moves copies of a subscription to a queue, as its rule has changed them, and to another topic [FWD-01, FWD-03]', async () => {
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

  test('dead-letters a message that goes in a circle [FWD-07]', async () => {
    await sendBodies(client, 'round', ['dizzy']);
    const dead = [
      ...(await takeAll(client, 'round', 'deadLetter')),
      ...(await takeAll(client, 'circle', 'deadLetter')),
    ];
    expect(only(dead)).toMatchObject({ body: 'dizzy', deadLetterReason: 'MaxTransferHopCountExceeded' });
  });
});
