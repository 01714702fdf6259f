// Whatever AMQP can say in a message survives the broker byte for byte, but for the fields that the broker sets.

import fc from 'fast-check';
import { expect, test } from 'vitest';
import { openEmulatorUnderTest } from '../support/emulator-under-test.js';
import { anyPropertyValue, anySentPropertyValue } from '../support/frame-arbitraries.js';
import type { FrameChannel } from '../support/frame-channel.js';
import { bin, described, type Encoded, map, NULL, str, sym } from '../support/frame-encoder.js';
import {
  attachReceiver,
  attachSender,
  openSession,
  receiveOne,
  sendPieces,
  settle,
} from '../support/frame-links.js';
import { composite } from '../support/frame-lists.js';
import {
  dataSection,
  itemBytes,
  ReceivedMessage,
  type SectionName,
  sectionDescriptors,
} from '../support/frame-message.js';
import { typedMessage } from '../support/frame-message-arbitraries.js';
import { notation } from '../support/frame-notation.js';
import { countFor } from '../support/thorough.js';

const QUEUE = 'orders';
const DEAD_LETTER_QUEUE = `${QUEUE}/$DeadLetterQueue`;
const SENDER = 0;
const RECEIVER = 1;
const BATCH_FORMAT = 0x80013700;
const HEADER = { fieldCount: 5, deliveryCount: 4 } as const;
const PROPERTIES = { fieldCount: 13, messageId: 0 } as const;
/** Sections that the broker has nothing to say in. */
const UNTOUCHED: readonly SectionName[] = ['applicationProperties', 'data', 'sequence', 'value', 'footer'];

const pieceBytes = fc.integer({ min: 64, max: 400 });
const maxFrameSize = fc.constantFrom(512, 65_536);
const name = fc.constantFrom('a', 'b', 'c', 'd');
const sentEntries = fc.dictionary(name, anySentPropertyValue, { maxKeys: 4 });
const entries = fc.dictionary(name, anyPropertyValue, { maxKeys: 4 });
type Entries = Readonly<Record<string, Encoded>>;

test('a message of any types is received with the bytes it was sent with [MSG-01, MSG-03, MSG-05, MSG-11]', () =>
  fc.assert(
    fc.asyncProperty(typedMessage, pieceBytes, maxFrameSize, (sent, size, frameSize) =>
      withSession({ maxFrameSize: frameSize, isSettled: true }, async (session) => {
        await expectAccepted(session, { pieces: piecesOf(sent, size) });
        expectSurvived(sent, (await receiveOne(session, RECEIVER)).payload);
      }),
    ),
    { numRuns: countFor(40, 300) },
  ));

test('the messages of a batch are received with the bytes they have in it [SND-11, MSG-01]', () =>
  fc.assert(
    fc.asyncProperty(fc.array(typedMessage, { minLength: 1, maxLength: 4 }), (messages) =>
      withSession({ isSettled: true }, async (session) => {
        const envelope = Buffer.concat(messages.map(dataOf));
        await expectAccepted(session, { pieces: [envelope], messageFormat: BATCH_FORMAT });
        for (const [index, sent] of messages.entries()) {
          expectSurvived(sent, (await receiveOne(session, RECEIVER, index)).payload);
        }
      }),
    ),
    { numRuns: countFor(25, 60) },
  ));

test('properties of any scalar type set by an abandon arrive as they were set, and the others as they were [SET-07, MSG-11]', () =>
  fc.assert(
    fc.asyncProperty(sentEntries, entries, (sent, changes) =>
      withSession({ isSettled: false }, async (session) => {
        const { deliveryId } = await sendAndReceive(session, sent);
        const messageAnnotations = map(pairs(changes, sym));
        await settle(session, deliveryId, composite('modified', { messageAnnotations }));
        const { payload } = await receiveOne(session, RECEIVER, 1);
        expect(applicationPropertiesIn(payload)).toEqual(inHex({ ...sent, ...changes }));
      }),
    ),
    { numRuns: countFor(40, 100) },
  ));

test('properties of any scalar type given with a dead-letter arrive from the dead-letter queue [SET-07, DLQ-05]', () =>
  fc.assert(
    fc.asyncProperty(sentEntries, entries, fc.constantFrom(str, sym), (sent, given, key) =>
      withSession({ isSettled: false }, async (session) => {
        const { deliveryId } = await sendAndReceive(session, sent);
        const condition = sym('com.microsoft:dead-letter');
        const error = composite('error', { condition, info: map(pairs(given, key)) });
        await settle(session, deliveryId, composite('rejected', { error }));
        const deadLetters = 2;
        await attachReceiver(session, deadLetters, { path: DEAD_LETTER_QUEUE, isSettled: true });
        const { payload } = await receiveOne(session, deadLetters);
        expect(applicationPropertiesIn(payload)).toEqual(inHex({ ...sent, ...given }));
      }),
    ),
    { numRuns: countFor(40, 100) },
  ));

/** A new emulator with an empty queue, and links to it: so that a failing run leaves nothing behind for the next. */
async function withSession(
  options: { maxFrameSize?: number; isSettled: boolean },
  act: (session: FrameChannel) => Promise<void>,
): Promise<void> {
  const emulator = await openEmulatorUnderTest({ queues: [QUEUE] });
  try {
    const session = await openSession(emulator.connect(), options);
    await attachSender(session, SENDER, QUEUE);
    await attachReceiver(session, RECEIVER, { path: QUEUE, isSettled: options.isSettled });
    await act(session);
    expect(emulator.faults).toEqual([]);
  } finally {
    await emulator.stop();
  }
}

async function expectAccepted(
  session: FrameChannel,
  message: { pieces: readonly Uint8Array[]; messageFormat?: number },
): Promise<void> {
  const outcome = await sendPieces(session, SENDER, { ...message, deliveryId: 0 });
  expect(notation(outcome.field('state'))).toBe('accepted[]');
}

async function sendAndReceive(session: FrameChannel, properties: Entries): Promise<{ deliveryId: number }> {
  const [descriptor] = sectionDescriptors('applicationProperties');
  const section = described(descriptor, map(pairs(properties, str)));
  await expectAccepted(session, { pieces: [Buffer.concat([section, dataSection('body')])] });
  return receiveOne(session, RECEIVER);
}

function expectSurvived(sentBytes: Buffer, receivedBytes: Buffer): void {
  const sent = new ReceivedMessage(sentBytes);
  const received = new ReceivedMessage(receivedBytes);
  for (const name of UNTOUCHED) expect(hex(received.bytesOf(name))).toBe(hex(sent.bytesOf(name)));
  expectDeliveryAnnotations(sent, received);
  expectHeader(sent, received);
  expectAnnotations(sent, received);
  expectProperties(sent, received);
}

function expectHeader(sent: ReceivedMessage, received: ReceivedMessage): void {
  const fields = fieldsOf(received, 'header', HEADER.fieldCount);
  expect(notation(received.header('deliveryCount'))).toBe('uint 0');
  expect(fields.toSpliced(HEADER.deliveryCount)).toEqual(
    fieldsOf(sent, 'header', HEADER.fieldCount).toSpliced(HEADER.deliveryCount),
  );
}

/** Without a lock they are as they were sent, and an empty map when there were none. */
function expectDeliveryAnnotations(sent: ReceivedMessage, received: ReceivedMessage): void {
  const sentBytes = sent.bytesOf('deliveryAnnotations');
  const EMPTY = '005371c10100';
  expect(hex(received.bytesOf('deliveryAnnotations'))).toBe(sentBytes.length === 0 ? EMPTY : hex(sentBytes));
}

/** What was sent is there in its order; all that was added is the broker's. */
function expectAnnotations(sent: ReceivedMessage, received: ReceivedMessage): void {
  const sentPairs = pairsIn(sent, 'messageAnnotations');
  const receivedPairs = pairsIn(received, 'messageAnnotations');
  expect(receivedPairs.filter((pair) => sentPairs.includes(pair))).toEqual(sentPairs);
  const added = receivedPairs.filter((pair) => !sentPairs.includes(pair));
  const isBrokers = (pair: string) => Buffer.from(pair, 'hex').toString('latin1').includes('x-opt-');
  expect(added.filter((pair) => !isBrokers(pair))).toEqual([]);
}

function expectProperties(sent: ReceivedMessage, received: ReceivedMessage): void {
  const sentFields = fieldsOf(sent, 'properties', PROPERTIES.fieldCount);
  if (sentFields[PROPERTIES.messageId] !== hex(NULL)) {
    expect(hex(received.bytesOf('properties'))).toBe(hex(sent.bytesOf('properties')));
    return;
  }
  expect(notation(received.property('messageId'))).toMatch(/^"[0-9a-f]{32}"$/);
  const receivedFields = fieldsOf(received, 'properties', PROPERTIES.fieldCount);
  expect(receivedFields.slice(1)).toEqual(sentFields.slice(1));
}

/** The bytes of each field, null where there is none. */
function fieldsOf(message: ReceivedMessage, name: 'header' | 'properties', count: number): string[] {
  const section = message.section(name);
  const items = section === undefined ? [] : itemBytes(section);
  return Array.from({ length: count }, (_, index) => hex(items[index] ?? NULL));
}

/** Key and value of each entry of a map section, as one. */
function pairsIn(message: ReceivedMessage, name: SectionName): string[] {
  const section = message.section(name);
  const items = section === undefined ? [] : itemBytes(section);
  return items.flatMap((item, index) => (index % 2 === 0 ? [hex(item) + hex(items[index + 1] ?? NULL)] : []));
}

function applicationPropertiesIn(payload: Buffer): Record<string, string> {
  const section = new ReceivedMessage(payload).section('applicationProperties');
  const keys = section?.value.type === 'map' ? section.value.value.map(([key]) => String(key.value)) : [];
  const items = section === undefined ? [] : itemBytes(section);
  return Object.fromEntries(keys.map((key, index) => [key, hex(items[2 * index + 1] ?? NULL)]));
}

function inHex(values: Entries): Record<string, string> {
  return Object.fromEntries(Object.entries(values).map(([key, value]) => [key, hex(value)]));
}

function pairs(values: Entries, key: (name: string) => Encoded): (readonly [Encoded, Encoded])[] {
  return Object.entries(values).map(([name, value]) => [key(name), value] as const);
}

function dataOf(message: Buffer): Encoded {
  const [descriptor] = sectionDescriptors('data');
  return described(descriptor, bin(message));
}

function piecesOf(message: Buffer, size: number): Buffer[] {
  const pieces: Buffer[] = [];
  for (let start = 0; start < message.length; start += size)
    pieces.push(message.subarray(start, start + size));
  return pieces;
}

const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex');
