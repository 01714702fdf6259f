// The header and annotations that a message brings along besides its content, as it comes out of the whole server, frame by frame.

import { afterEach, beforeEach, expect, test } from 'vitest';
import { type EmulatorUnderTest, openEmulatorUnderTest } from '../support/emulator-under-test.js';
import { FrameClient } from '../support/frame-client.js';
import { bin, described, map, str, sym, uint, ulong } from '../support/frame-encoder.js';
import { attachReceiver, attachSender, openSession, receiveOne, sendPieces } from '../support/frame-links.js';
import { dataSection, messageAnnotations, ReceivedMessage, section } from '../support/frame-message.js';
import { notation } from '../support/frame-notation.js';

const BATCH_FORMAT = 0x80013700;
const GUID_ORDER = [3, 2, 1, 0, 5, 4, 7, 6, 8, 9, 10, 11, 12, 13, 14, 15];
const DELIVERY_ANNOTATIONS = described(ulong(0x71), map([[sym('mine'), uint(7)]]));
/** As pyamqp encodes a message that has some. */
const LATE = Buffer.concat([dataSection('late'), DELIVERY_ANNOTATIONS]);

let emulator: EmulatorUnderTest;

beforeEach(async () => {
  emulator = await openEmulatorUnderTest({ queues: ['q'] });
});
afterEach(async () => {
  expect(emulator.faults).toEqual([]);
  await emulator.stop();
});

async function receiveAfter(
  { isSettled }: { isSettled: boolean },
  ...sent: { pieces: Uint8Array[]; messageFormat?: number }[]
) {
  const session = await openSession(emulator.connect());
  await attachSender(session, 0, 'q');
  await attachReceiver(session, 1, { path: 'q', isSettled });
  for (const [deliveryId, one] of sent.entries()) {
    const outcome = await sendPieces(session, 0, { ...one, deliveryId });
    expect(notation(outcome.field('state'))).toBe('accepted[]');
  }
  return session;
}

test('under a lock the delivery annotations hold the token that the delivery tag says in the order of a Guid [MSG-09, RCV-06]', async () => {
  const session = await receiveAfter({ isSettled: false }, { pieces: [LATE] });
  const { tag, payload } = await receiveOne(session, 1);
  const message = new ReceivedMessage(payload);
  const token = Buffer.from(GUID_ORDER.map((index) => tag.readUInt8(index)));
  expect(notation(message.entry('deliveryAnnotations', 'x-opt-lock-token'))).toBe(
    `uuid ${token.toString('hex')}`,
  );
  expect(notation(message.entry('deliveryAnnotations', 'mine'))).toBe('uint 7');
  expect(message.section('messageAnnotations')?.value).toMatchObject({ value: { length: 3 } });
});

test('receive-and-delete has a delivery tag without bytes, delivery annotations without entries and two message annotations [MSG-09, RCV-02]', async () => {
  const session = await receiveAfter({ isSettled: true }, { pieces: [dataSection('gone')] });
  const { transfer, payload } = await receiveOne(session, 1);
  expect(notation(transfer.field('deliveryTag'))).toBe('binary ');
  const message = new ReceivedMessage(payload);
  expect(message.section('deliveryAnnotations')?.value).toMatchObject({ value: [] });
  expect(message.section('messageAnnotations')?.value).toMatchObject({ value: { length: 2 } });
});

test('delivery annotations that come last are accepted alone and in a batch, and delivered before the body [MSG-03, SND-11]', async () => {
  const batch = Buffer.concat([LATE, LATE].map((each) => section('data', bin(each))));
  const session = await receiveAfter(
    { isSettled: true },
    { pieces: [LATE] },
    { pieces: [batch], messageFormat: BATCH_FORMAT },
  );
  for (const index of [0, 1, 2]) {
    const message = new ReceivedMessage((await receiveOne(session, 1, index)).payload);
    expect(message.bytesOf('deliveryAnnotations')).toEqual(Buffer.from(DELIVERY_ANNOTATIONS));
    expect(message.sections.at(-1)).toMatchObject({ name: 'data' });
  }
});

test('a partition key that comes as a binary goes out as a string [MSG-10, PRT-03]', async () => {
  const annotations = messageAnnotations({ 'x-opt-partition-key': bin(Buffer.from('key')) });
  const session = await receiveAfter({ isSettled: true }, { pieces: [annotations, dataSection('x')] });
  const message = new ReceivedMessage((await receiveOne(session, 1)).payload);
  expect(notation(message.entry('messageAnnotations', 'x-opt-partition-key'))).toBe('"key"');
});

test('the open of a client that desires nothing offers nothing [SCH-01]', async () => {
  const client = new FrameClient(emulator.connect());
  client.writeHeader('amqp');
  client.send('open', { containerId: str('a client'), maxFrameSize: uint(65_536) });
  await client.expectHeader('amqp');
  expect(notation((await client.expect('open')).field('offeredCapabilities'))).toBe('null');
});
