// What the log says of messages that a receiver leaves locked when it goes.

import { afterEach, beforeEach, expect, test } from 'vitest';
import { writeLeftLocked } from '../../src/inspect/left-locked.js';
import { type EmulatorUnderTest, openEmulatorUnderTest } from '../support/emulator-under-test.js';
import { LinkClient } from '../support/link-client.js';
import { turns } from '../support/rhea-client.js';
import { VirtualTimers } from '../support/virtual-timers.js';

let emulator: EmulatorUnderTest;
let lines: string[];
let end: () => void;

beforeEach(async () => {
  emulator = await openEmulatorUnderTest({ queues: ['q?lockDuration=PT30S'] });
  lines = [];
  const { startTimer } = new VirtualTimers();
  end = writeLeftLocked(emulator.activity, emulator.engine, {
    write: (text) => lines.push(text),
    startTimer,
  });
});
afterEach(async () => {
  end();
  expect(emulator.faults).toEqual([]);
  await emulator.stop();
});

const sending = (...texts: readonly string[]) => LinkClient.sending(emulator.connect(), ...texts);

test('a receiver that goes without settling a message is named with the message, its delivery and the rest of its lock', async () => {
  await sending('held');
  const client = await LinkClient.receiving(emulator.connect(), 1);
  await client.take();
  emulator.clock.advance(10_000);
  await client.detach();
  await turns();
  expect(lines).toEqual([
    "'q' #1 was received and not settled (delivery 1). Its receiver, connection 2, a client, has gone, and the message stays locked for 20 s.",
  ]);
});

test('several messages of a connection that is lost are one line', async () => {
  await sending('a', 'b');
  const client = await LinkClient.receiving(emulator.connect(), 5);
  await client.take();
  await client.take();
  client.vanish();
  await turns();
  expect(lines).toEqual([
    "2 messages of 'q' were received and not settled, first #1. Its receiver, connection 2, a client, has gone, and they stay locked for 30 s.",
  ]);
});

test('nothing is said of a receiver that has settled all, nor of messages that another one holds', async () => {
  await sending('held');
  const holder = await LinkClient.receiving(emulator.connect(), 1);
  await holder.take();
  const idle = await LinkClient.receiving(emulator.connect(), 1);
  await idle.detach();
  await turns();
  expect(lines).toEqual([]);
});
