// Messages of JMS programs, with the bytes that their library has written: what comes back, and what becomes of it.

import { readFileSync } from 'node:fs';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { readPerformative } from '../../src/codec/performatives.js';
import { type EmulatorUnderTest, openEmulatorUnderTest } from '../support/emulator-under-test.js';
import type { FrameChannel } from '../support/frame-channel.js';
import { type Encoded, TRUE, wideLong } from '../support/frame-encoder.js';
import { dispositionFields } from '../support/frame-fields.js';
import { giveCredit, takeDisposition, takeText, writeMessage } from '../support/frame-links.js';
import { composite } from '../support/frame-lists.js';
import { dataSection, itemBytes, messageAnnotations, ReceivedMessage } from '../support/frame-message.js';
import { attachConsumer, attachProducer, openJmsSession } from '../support/jms-client.js';
import { isProtocolHeader, readRecording, splitFrame } from '../support/recording.js';

const SENDER = 0;
const RECEIVER = 1;
const HOUR_MS = 3_600_000;

let emulator: EmulatorUnderTest;
let jms: FrameChannel;

beforeEach(async () => {
  emulator = await openEmulatorUnderTest({ queues: ['q'], topics: [{ name: 't', subscriptions: ['s'] }] });
  jms = await openJmsSession(emulator.connect());
});
afterEach(async () => {
  expect(emulator.faults).toEqual([]);
  await emulator.stop();
});

/** The messages that azure-servicebus-jms has sent in its recording, in order. */
function recordedMessages(): readonly Buffer[] {
  const text = readFileSync(new URL('recordings/jms2.txt', import.meta.url), 'utf8');
  const messages = readRecording(text).frames.flatMap(({ from, bytes }) => {
    if (from === 'server' || isProtocolHeader(bytes)) return [];
    const { body } = splitFrame(bytes);
    if (body.length === 0) return [];
    const { performative, next } = readPerformative(body);
    const message = Buffer.from(body.subarray(next));
    return performative.kind === 'transfer' && message.includes('x-opt-jms-msg-type') ? [message] : [];
  });
  if (messages.length === 0) throw new Error('the recording has no message of JMS');
  return messages;
}

async function send(message: Uint8Array, address = 'q'): Promise<void> {
  await attachProducer(jms, SENDER, { address });
  await jms.take('flow');
  await takeDisposition(jms, writeMessage(jms, SENDER, message), 'receiver');
}

async function consume(address = 'q', credit = 1): Promise<void> {
  await attachConsumer(jms, RECEIVER, { address, capabilities: ['queue'] });
  giveCredit(jms, RECEIVER, credit);
}

async function counts(entityPath: string) {
  const result = await emulator.engine.ask({ kind: 'get-entity', entityPath });
  return result.kind === 'entity-info' ? result.entity.counts : undefined;
}

test.each(recordedMessages().map((message, index) => [index + 1, message] as const))(
  'message %i of azure-servicebus-jms comes back as it was sent, with all its annotations [JMS-23]',
  async (_, message) => {
    await send(message);
    await consume();
    const [sent, received] = [
      new ReceivedMessage(message),
      new ReceivedMessage((await jms.takeDelivery()).payload),
    ];
    const rest = ['properties', 'applicationProperties', 'data', 'sequence', 'value', 'footer'] as const;
    expect(received.bytesOf(...rest)).toEqual(sent.bytesOf(...rest));
    const annotations = received.section('messageAnnotations');
    const mine = sent.section('messageAnnotations');
    if (annotations === undefined || mine === undefined) throw new Error('there are no annotations');
    const after = itemBytes(annotations).map((item) => item.toString('hex'));
    expect(after).toEqual(expect.arrayContaining(itemBytes(mine).map((item) => item.toString('hex'))));
    for (const field of ['durable', 'priority', 'ttl']) {
      expect(received.header(field)?.value ?? undefined).toEqual(sent.header(field)?.value ?? undefined);
    }
  },
);

test.each(['q', 't'])('a delay to %s schedules the message [JMS-20]', async (address) => {
  const delayed = messageAnnotations({ 'x-opt-delivery-time': wideLong(emulator.clock.now() + HOUR_MS) });
  await send(Buffer.concat([delayed, dataSection('later')]), address);
  expect(await counts(address)).toMatchObject({ active: 0, scheduled: 1 });
  emulator.clock.advance(HOUR_MS);
  await consume(address === 'q' ? 'q' : 't/Subscriptions/s');
  const { text, payload } = await takeText(jms);
  expect(text).toBe('later');
  expect(payload.includes('x-opt-delivery-time')).toBe(true); // JMSDeliveryTime reads it
});

/** The messages of the queue and of its dead-letter queue, each with its state and how often it was delivered. */
async function left(): Promise<readonly string[]> {
  const found = [];
  for (const entityPath of ['q', 'q/$DeadLetterQueue']) {
    const peeked = await emulator.engine.ask({
      kind: 'peek',
      entityPath,
      fromSequenceNumber: 0,
      maxCount: 9,
    });
    if (peeked.kind !== 'messages') throw new Error(`messages are expected, not ${peeked.kind}`);
    const words = entityPath === 'q' ? ['active', 'deferred'] : ['dead'];
    for (const { properties } of peeked.messages)
      found.push(`${words[properties.state]} ${properties.deliveryCount}`);
  }
  return found;
}

test.each<[string, Encoded, readonly string[], number | undefined]>([
  ['accepted completes', composite('accepted'), [], undefined],
  ['rejected dead-letters', composite('rejected'), ['dead 0'], undefined],
  ['released unlocks', composite('released'), ['active 0'], 0],
  ['modified as failed abandons', composite('modified', { deliveryFailed: TRUE }), ['active 1'], 1],
  [
    'modified as undeliverable here defers',
    composite('modified', { deliveryFailed: TRUE, undeliverableHere: TRUE }),
    ['deferred 1'],
    undefined,
  ],
])(
  '%s, if it is settled, and what comes again says how often it was delivered [JMS-24, JMS-30]',
  async (_, state, expected, deliveryCount) => {
    await send(dataSection('one'));
    await consume();
    const { deliveryId, deliveryCount: first } = await takeText(jms);
    expect(first).toBe(0);
    jms.send('disposition', dispositionFields(deliveryId, deliveryId, { state, settled: true }));
    giveCredit(jms, RECEIVER, 1, { deliveryCount: 1 });
    if (deliveryCount !== undefined) expect(await takeText(jms)).toMatchObject({ deliveryCount });
    else await jms.expectNothing(['disposition']);
    expect(await left()).toEqual(expected);
  },
);
