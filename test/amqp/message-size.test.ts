// The sizes that a link announces to its sender, and what is larger: with the largest messages there are.

import { afterEach, describe, expect, test } from 'vitest';
import {
  type EmulatorUnderTest,
  openEmulatorUnderTest,
  type UnderTestOptions,
} from '../support/emulator-under-test.js';
import type { Frame } from '../support/frame-channel.js';
import { str, ulong } from '../support/frame-encoder.js';
import { receiverFields, senderFields } from '../support/frame-fields.js';
import { openSession, receiveOne } from '../support/frame-links.js';
import { composite, type Fields } from '../support/frame-lists.js';
import { notation } from '../support/frame-notation.js';
import { LinkClient } from '../support/link-client.js';
import { IS_THOROUGH } from '../support/thorough.js';

const KILOBYTE = 1024;
const MEGABYTE = 1024 * KILOBYTE;
/** A data section whose size is four bytes behind this. */
const DATA_HEADER = Buffer.from('005375b0', 'hex');

let emulator: EmulatorUnderTest;
afterEach(async () => {
  expect(emulator.faults).toEqual([]);
  await emulator.stop();
});

/** The answer to an attach of a client's link to the queue. */
async function attachAnswer(
  queue: string,
  options: Omit<UnderTestOptions, 'queues'>,
  fields: Fields<'attach'> = senderFields(0),
): Promise<Frame> {
  emulator = await openEmulatorUnderTest({ queues: [queue], ...options });
  const session = await openSession(emulator.connect());
  session.send('attach', fields);
  return session.expect('attach');
}

/** A client that has sent a message of so many bytes, and the outcome. */
async function sendBytes(client: LinkClient, bytes: number): Promise<string> {
  const message = Buffer.alloc(bytes);
  DATA_HEADER.copy(message);
  message.writeUInt32BE(bytes - DATA_HEADER.length - 4, DATA_HEADER.length);
  client.transfer(message);
  return notation((await client.session.take('disposition')).field('state'));
}

describe('the answer to an attach', () => {
  test.each<[string, Omit<UnderTestOptions, 'queues'>, number, number]>([
    ['q', {}, 256 * KILOBYTE, 256 * KILOBYTE],
    ['q', { tier: 'premium' }, MEGABYTE, MEGABYTE],
    ['q?maxMessageSizeInKilobytes=102400', { tier: 'premium' }, 100 * MEGABYTE, MEGABYTE],
    ['q', { limits: 'none' }, 100 * MEGABYTE, 100 * MEGABYTE],
  ])(
    'of a sender to %s with %j says how large a message may be, and a batch [LIM-01, LIM-02]',
    async (queue, options, messageBytes, batchBytes) => {
      const answer = await attachAnswer(queue, options);
      expect(notation(answer.field('maxMessageSize'))).toBe(`ulong ${messageBytes}`);
      // .NET passes over any type but a long.
      expect(notation(answer.field('properties'))).toBe(
        `{'com.microsoft:max-message-batch-size: long ${batchBytes}}`,
      );
    },
  );

  test('of a receiver has no size, and properties without any in them', async () => {
    const answer = await attachAnswer('q', {}, receiverFields(0));
    expect(notation(answer.field('maxMessageSize'))).toBe('null');
    expect(notation(answer.field('properties'))).toBe('{}');
  });

  test('of a sender of requests has a size, and properties without any in them', async () => {
    const target = composite('target', { address: str('q/$management') });
    const answer = await attachAnswer('q', {}, senderFields(0, { target }));
    expect(notation(answer.field('maxMessageSize'))).toBe(`ulong ${16 * MEGABYTE}`);
    expect(notation(answer.field('properties'))).toBe('{}');
  });
});

describe('with no limits', () => {
  // A message larger than every tier allows passes in compat-tests/message-size.test.ts.
  test.runIf(IS_THOROUGH)(
    'a message of 100 MiB passes, a larger one than a connection may leave unfinished is rejected, and the link lives on [SND-10]',
    async () => {
      emulator = await openEmulatorUnderTest({ queues: ['q'], limits: 'none' });
      const client = await LinkClient.open(emulator.connect());
      await client.openSender();
      const largest = 100 * MEGABYTE;
      expect(await sendBytes(client, largest)).toBe('accepted[]');
      expect(await sendBytes(client, 129 * MEGABYTE)).toMatch(
        /'amqp:link:message-size-exceeded.* 104857600 bytes/,
      );
      expect(await sendBytes(client, 100)).toBe('accepted[]');
      const receiver = await LinkClient.receiving(emulator.connect(), 10);
      expect((await receiver.take()).payload.length).toBeGreaterThanOrEqual(largest);
      expect((await receiver.take()).payload.length).toBeLessThan(KILOBYTE);
      await receiver.expectNone();
    },
  );
});

describe('a receiver that announces a size', () => {
  test('still gets larger messages: the Python SDK always announces 1 MiB, and accepts any size [SND-10]', async () => {
    emulator = await openEmulatorUnderTest({ queues: ['q'], limits: 'none' });
    const client = await LinkClient.open(emulator.connect());
    await client.openSender();
    expect(await sendBytes(client, 2 * MEGABYTE)).toBe('accepted[]');
    const session = await openSession(emulator.connect());
    session.send('attach', receiverFields(0, { maxMessageSize: ulong(MEGABYTE) }));
    await session.expect('attach');
    expect((await receiveOne(session, 0)).payload.length).toBeGreaterThan(2 * MEGABYTE);
  });
});
