// Every property of a message under both of its names, the SDK's and AMQP's, on the way in and on the way out.

import type { ServiceBusMessage, ServiceBusReceivedMessage } from '@azure/service-bus';
import rhea, { type Message } from 'rhea';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Jitney } from './support/jitney.js';
import { asReceived, receivePlain, sendPlain } from './support/plain-amqp.js';
import { type ClosingClient, connect, only, receiveOne, takeAll } from './support/service-bus.js';

const HOUR = 3_600_000;
const LOCK_MS = 60_000;
const { types } = rhea;
const QUEUES = [
  'outbound',
  'inbound',
  'own',
  'nameless',
  'forged',
  'typed',
  'everyday',
  'bodies',
  'annotated',
];

let jitney: Jitney;
let client: ClosingClient;

beforeAll(async () => {
  jitney = await Jitney.start({ queues: QUEUES });
  client = connect(jitney.connectionString);
});

afterAll(async () => {
  await client.close();
  await jitney.stop();
});

/** What a sender may say in the SDK's words, and the same in AMQP's. */
const PAST = new Date(Date.UTC(2020, 1, 29));
const IN_SDK: Omit<ServiceBusMessage, 'body'> = {
  messageId: 'id 1',
  contentType: 'text/plain',
  correlationId: 'correlation 1',
  subject: 'label',
  to: 'recipient',
  replyTo: 'sender',
  replyToSessionId: 'reply session',
  sessionId: 'session 1',
  partitionKey: 'session 1',
  timeToLive: HOUR,
  scheduledEnqueueTimeUtc: PAST,
};
const IN_AMQP: Message = {
  message_id: 'id 1',
  content_type: 'text/plain',
  correlation_id: 'correlation 1',
  subject: 'label',
  to: 'recipient',
  reply_to: 'sender',
  reply_to_group_id: 'reply session',
  group_id: 'session 1',
  ttl: HOUR,
  body: undefined,
};
const ANNOTATIONS_IN_AMQP = {
  'x-opt-partition-key': 'session 1',
  'x-opt-scheduled-enqueue-time': PAST,
};

/** Of every primitive type that the service takes for a property, the described ones of .NET included. */
const TYPED_PROPERTIES = {
  truth: types.wrap_boolean(true),
  ubyte: types.wrap_ubyte(255),
  ushort: types.wrap_ushort(65_535),
  uint: types.wrap_uint(4_294_967_295),
  ulong: types.wrap_ulong(Number.MAX_SAFE_INTEGER),
  byte: types.wrap_byte(-128),
  short: types.wrap_short(-32_768),
  int: types.wrap_int(-2_147_483_648),
  long: types.wrap_long(-Number.MAX_SAFE_INTEGER),
  float: types.wrap_float(0.5),
  double: types.wrap_double(Math.PI),
  char: types.wrap_char('ü'.charCodeAt(0)),
  timestamp: types.wrap_timestamp(PAST.getTime()),
  uuid: types.wrap_uuid(Buffer.from('00112233445566778899aabbccddeeff', 'hex')),
  string: types.wrap_string('grüße 🚌'),
  symbol: types.wrap_symbol('symbol'),
  nothing: null,
  timespan: types.wrap_described(types.wrap_long(36_000_000_000), 'com.microsoft:timespan'),
};

describe.concurrent('properties', () => {
  test('each property that the SDK sets has its AMQP name and type [MSG-10]', async () => {
    await client.createSender('outbound').sendMessages({ body: 'hello', ...IN_SDK });

    const message = await receivePlain(jitney.address, 'outbound');

    const { 'x-opt-enqueued-time': enqueuedTime, ...annotations } = message.message_annotations ?? {};
    const { body: _, ...expected } = IN_AMQP;
    expect(message).toMatchObject({
      ...expected,
      delivery_count: 0,
      absolute_expiry_time: new Date(Number(enqueuedTime) + HOUR),
    });
    expect(annotations).not.toHaveProperty('x-opt-message-state'); // MSG-09: it is active
    expect(annotations).toMatchObject({
      ...ANNOTATIONS_IN_AMQP,
      'x-opt-sequence-number': 1,
      'x-opt-locked-until': expect.any(Date),
    });
  });

  test('each property set in AMQP has its name in the SDK [MSG-10]', async () => {
    await sendPlain(jitney.address, 'inbound', {
      ...IN_AMQP,
      message_annotations: { ...ANNOTATIONS_IN_AMQP, 'x-opt-via-partition-key': 'via' },
      body: 'hello',
    });

    const message = only(await takeAll(client, 'inbound'));

    expect(message).toMatchObject({ body: 'hello', ...IN_SDK });
    expect(annotationsOf(message)).toMatchObject({ 'x-opt-via-partition-key': 'via' });
  });

  test('the properties of the broker are set on delivery, and those that do not apply are absent [MSG-09, MSG-10, SEQ-08, RCV-05]', async () => {
    const sentAt = Date.now();
    await client.createSender('own').sendMessages({ body: 'hello', timeToLive: HOUR });
    const receiver = client.createReceiver('own');
    const message = await receiveOne(receiver);
    const enqueuedAt = message.enqueuedTimeUtc?.getTime() ?? 0;

    expect(enqueuedAt).toBeGreaterThanOrEqual(sentAt);
    expect(enqueuedAt).toBeLessThanOrEqual(Date.now());
    expect(message.lockedUntilUtc?.getTime()).toBeGreaterThanOrEqual(enqueuedAt + LOCK_MS);
    expect(message.lockedUntilUtc?.getTime()).toBeLessThanOrEqual(Date.now() + LOCK_MS);
    expect(message.expiresAtUtc?.getTime()).toBe(enqueuedAt + HOUR);
    expect(message).toMatchObject({ state: 'active', deliveryCount: 0, lockToken: expect.any(String) });
    expect(Number(message.sequenceNumber)).toBe(1);
    for (const absent of ['deadLetterSource', 'enqueuedSequenceNumber', 'deadLetterReason'] as const) {
      expect(message[absent], absent).toBeUndefined();
    }
    await receiver.completeMessage(message);
  });

  test('a message without a message-id gets one [MSG-04]', async () => {
    await sendPlain(jitney.address, 'nameless', { body: 'hello' });
    expect(only(await takeAll(client, 'nameless')).messageId).toMatch(/^[0-9a-f]{32}$/);
  });

  test('a sender cannot set the properties of the broker [SEQ-03]', async () => {
    await sendPlain(jitney.address, 'forged', {
      body: 'hello',
      message_annotations: {
        'x-opt-sequence-number': types.wrap_long(4711),
        'x-opt-enqueued-time': types.wrap_timestamp(PAST.getTime()),
        'x-opt-locked-until': types.wrap_timestamp(PAST.getTime()),
        'x-opt-deadletter-source': 'elsewhere',
        'x-opt-enqueue-sequence-number': types.wrap_long(4711),
      },
    });
    const message = only(await takeAll(client, 'forged'));
    expect(Number(message.sequenceNumber)).toBe(1);
    expect(message.enqueuedTimeUtc?.getTime()).toBeGreaterThan(PAST.getTime());
    expect([message.deadLetterSource, message.enqueuedSequenceNumber]).toEqual([undefined, undefined]);
  });

  test('application properties of every AMQP type arrive unchanged, and can be sent on [MSG-11]', async () => {
    const sent: Message = { message_id: 'typed', application_properties: TYPED_PROPERTIES, body: 'hello' };
    await sendPlain(jitney.address, 'typed', sent);
    const expected = asReceived(sent).application_properties;
    const receiver = client.createReceiver('typed', { skipConvertingDate: true });
    const message = await receiveOne(receiver);

    expect(Object.keys(expected ?? {})).toEqual(Object.keys(TYPED_PROPERTIES));
    expect(message.applicationProperties).toEqual(expected);
    await receiver.completeMessage(message);

    // The SDK writes a uuid that it received as a binary, which is refused.
    const { timespan: _, uuid: __, ...sendable } = message.applicationProperties ?? {};
    const { timespan: ___, uuid: ____, ...expectedAgain } = expected ?? {};
    await client.createSender('typed').sendMessages({ body: 'again', applicationProperties: sendable });
    const again = await receivePlain(jitney.address, 'typed');
    expect(again.application_properties).toEqual(expectedAgain);
  });

  test('application properties as a program writes them come back the same [MSG-11]', async () => {
    const applicationProperties = {
      text: '',
      ja: true,
      nein: false,
      zero: 0,
      negative: -1.5,
      huge: 2 ** 52,
      nothing: null,
    };
    const date = new Date(Date.UTC(2031, 6, 1, 12, 30, 15, 250));
    await client.createSender('everyday').sendMessages({
      body: 'hello',
      applicationProperties: { ...applicationProperties, date },
    });
    const receiver = client.createReceiver('everyday', {
      receiveMode: 'receiveAndDelete',
      skipConvertingDate: true,
    });
    const message = await receiveOne(receiver);
    expect(message.applicationProperties).toEqual({ ...applicationProperties, date });
  });

  test('bodies of every kind come back as they were: JSON, bytes, nothing, an AMQP value and a sequence [MSG-01, MSG-02, MSG-03]', async () => {
    const value = { a: 1, list: ['x', true, null] };
    const sender = client.createSender('bodies');
    await sender.sendMessages([{ body: value }, { body: Buffer.of(0, 255) }, { body: Buffer.alloc(0) }]);
    await sender.sendMessages({ body: value, bodyType: 'value' });
    await sender.sendMessages({ body: [1, 'two', false], bodyType: 'sequence' });

    const messages = await takeAll(client, 'bodies');
    const shown = messages.map(({ body, _rawAmqpMessage }) => [_rawAmqpMessage.bodyType, body]);
    expect(shown).toEqual([
      ['data', value],
      ['data', Buffer.of(0, 255)],
      ['data', Buffer.alloc(0)],
      ['value', value],
      ['sequence', [1, 'two', false]],
    ]);
  });

  test('parts without a meaning for the broker are carried: header, footer, annotations and the rest of the properties [MSG-03, MSG-05]', async () => {
    const creationTime = Date.UTC(2030, 0, 1);
    const sent = {
      body: 'hello',
      bodyType: 'data' as const,
      header: { durable: true, priority: 7, firstAcquirer: true },
      footer: { 'x-checksum': 'f' },
      messageAnnotations: { 'x-mine': 'm' },
      deliveryAnnotations: { 'x-way': 'd' },
      properties: {
        messageId: 'annotated',
        contentEncoding: 'utf-8',
        creationTime,
        groupSequence: 12,
        groupId: 'group',
        replyToGroupId: 'reply group',
      },
    };
    await client.createSender('annotated').sendMessages(sent);
    const raw = only(await takeAll(client, 'annotated'))._rawAmqpMessage;
    expect(raw).toMatchObject({
      header: sent.header,
      footer: sent.footer,
      messageAnnotations: sent.messageAnnotations,
      deliveryAnnotations: sent.deliveryAnnotations,
      properties: sent.properties,
    });
  });
});

function annotationsOf({ _rawAmqpMessage }: ServiceBusReceivedMessage) {
  return _rawAmqpMessage.messageAnnotations;
}
