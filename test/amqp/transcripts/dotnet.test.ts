// The .NET SDK's bytes (Azure.Messaging.ServiceBus over Microsoft.Azure.Amqp): full field lists, MSSBCBS, a leading slash before addresses.

import { describe, expect, test } from 'vitest';
import {
  bin,
  described,
  FALSE,
  int,
  long,
  map,
  NULL,
  str,
  sym,
  TRUE,
  timestamp,
  ubyte,
  uint,
  ushort,
} from '../../support/frame-encoder.js';
import { composite, type Fields } from '../../support/frame-lists.js';
import {
  applicationProperties,
  dataSection,
  propertiesSection,
  ReceivedMessage,
} from '../../support/frame-message.js';
import { notation } from '../../support/frame-notation.js';
import {
  expectDrained,
  lateSettlementTests,
  sendAndReceive,
  sharedTests,
  takeDrainAnswer,
} from './common.js';
import { type Dialect, HOST, type RequestPair, type TransferNumbers } from './dialect.js';
import { requestTests, TOKEN_EXPIRATION } from './requests.js';
import { DOTNET_RULES } from './rule-bodies.js';
import { ruleTests } from './rules.js';
import { sessionTests } from './sessions.js';
import { QUEUE, talk } from './talk.js';
import { topicTests } from './topics.js';

const UNLIMITED = uint(4_294_967_295);
const SETTLE = { unsettled: ubyte(0), settled: ubyte(1), first: ubyte(0), second: ubyte(1) } as const;
const timeSpan = (ticks: bigint) => described(sym('com.microsoft:timespan'), long(ticks));

/** `Uri.AbsolutePath` of the entity; the hyphen stands for whatever a Uri would encode. */
const absolutePath = (path: string) => `/${path.replaceAll('-', '%2D')}`;

/** Every field is written, null or not. */
function attach(fields: Fields<'attach'>): Fields<'attach'> {
  return { ...fields, properties: fields.properties ?? NULL };
}

function transfer({ handle, deliveryId, tag }: TransferNumbers, settled = FALSE): Fields<'transfer'> {
  return {
    handle: uint(handle),
    deliveryId: uint(deliveryId),
    deliveryTag: tag,
    messageFormat: uint(0),
    settled,
    more: FALSE,
    batchable: TRUE,
  };
}

function requestPair(
  node: string,
  names: { request: string; response: string },
  entityType: string,
): RequestPair {
  const replyTo = '5f3c9a0e7d6b4b0f8a1c2d3e4f506172';
  const properties = map([
    [sym('com.microsoft:timeout'), uint(59_980)],
    [sym('com.microsoft:entity-type'), str(entityType)],
  ]);
  const modes = { sndSettleMode: SETTLE.settled, rcvSettleMode: SETTLE.first };
  return {
    request: attach({
      name: str(names.request),
      handle: uint(0),
      role: FALSE,
      ...modes,
      source: composite('source', { address: str(replyTo) }),
      target: composite('target', { address: str(node) }),
      initialDeliveryCount: uint(0),
      properties,
    }),
    response: attach({
      name: str(names.response),
      handle: uint(1),
      role: TRUE,
      ...modes,
      source: composite('source', { address: str(node) }),
      target: composite('target', { address: str(replyTo) }),
      properties,
    }),
    replyTo,
    credit: 50,
  };
}

const requests = {
  cbs: requestPair('$cbs', { request: 'duplex1:sender', response: 'duplex1:receiver' }, 'cbs'),
  tokenType: 'servicebus.windows.net:sastoken',
  audience: (path: string) => `amqps://${HOST}/${path}`,
  // The management address alone has no slash before it.
  management: (path: string) =>
    requestPair(
      `${path}/$management`,
      { request: 'duplex2:sender', response: 'duplex2:receiver' },
      'entity-mgmt',
    ),
  messageId: (index: number) => str(`request${index + 1}`),
  transfer: (numbers: TransferNumbers) => transfer(numbers, TRUE),
  properties: {
    'com.microsoft:server-timeout': uint(59_980),
    'com.microsoft:tracking-id': str('b0e9c1b6-5c5e-4bb4-9d6b-1a2b3c4d5e6f_G1'),
  },
  tokenProperties: { expiration: TOKEN_EXPIRATION },
};

const sessionFilter = (sessionId: string | null) =>
  map([[sym('com.microsoft:session-filter'), sessionId === null ? NULL : str(sessionId)]]);

const dotnet: Dialect = {
  mechanism: 'MSSBCBS',
  saslInit: { initialResponse: NULL, hostname: str(HOST) },
  shape: {},
  open: {
    containerId: str(`sb://${HOST}/-5c1f0a9b`),
    hostname: str(HOST),
    maxFrameSize: uint(65_536),
    channelMax: ushort(4999),
    idleTimeOut: uint(60_000),
    properties: map([
      [sym('product'), str('Azure.Messaging.ServiceBus')],
      [sym('version'), str('7.18.4')],
      [sym('framework'), str('.NET 8.0.10')],
      [sym('user-agent'), str('azsdk-net-Messaging.ServiceBus/7.18.4')],
    ]),
  },
  begin: {
    nextOutgoingId: uint(1),
    incomingWindow: UNLIMITED,
    outgoingWindow: UNLIMITED,
    handleMax: uint(255),
    properties: NULL,
  },
  firstOutgoingId: 1,
  sender: (path) =>
    attach({
      name: str('3b0a9f2c4d5e4a6b8c7d9e0f1a2b3c4d'),
      handle: uint(0),
      role: FALSE,
      source: composite('source', { address: str('3b0a9f2c4d5e4a6b8c7d9e0f1a2b3c4d') }),
      target: composite('target', { address: str(absolutePath(path)) }),
      initialDeliveryCount: uint(0),
      properties: map([[sym('com.microsoft:timeout'), uint(59_980)]]),
    }),
  receiver: (path) =>
    attach({
      name: str('9e1d7c5b3a2948f6b7c8d9e0a1b2c3d4'),
      handle: uint(0),
      role: TRUE,
      sndSettleMode: SETTLE.unsettled,
      rcvSettleMode: SETTLE.second,
      source: composite('source', { address: str(absolutePath(path)), filter: map([]) }),
      target: composite('target', { address: str('9e1d7c5b3a2948f6b7c8d9e0a1b2c3d4') }),
      properties: map([
        [sym('com.microsoft:timeout'), uint(59_980)],
        [sym('com.microsoft:entity-type'), int(0)],
      ]),
    }),
  sessionReceiver: (path, sessionId) =>
    attach({
      name: str('0a1b2c3d4e5f40718293a4b5c6d7e8f9'),
      handle: uint(0),
      role: TRUE,
      sndSettleMode: SETTLE.unsettled,
      rcvSettleMode: SETTLE.second,
      source: composite('source', { address: str(absolutePath(path)), filter: sessionFilter(sessionId) }),
      target: composite('target', { address: str('0a1b2c3d4e5f40718293a4b5c6d7e8f9') }),
      properties: map([
        [sym('com.microsoft:timeout'), uint(59_980)],
        [sym('com.microsoft:entity-type'), int(0)],
      ]),
    }),
  flow: (numbers) => ({
    nextIncomingId: uint(numbers.nextIncomingId),
    incomingWindow: UNLIMITED,
    nextOutgoingId: uint(numbers.nextOutgoingId),
    outgoingWindow: UNLIMITED,
    handle: uint(numbers.handle),
    deliveryCount: uint(numbers.deliveryCount),
    linkCredit: uint(numbers.linkCredit),
    available: uint(0),
    drain: numbers.drain ? TRUE : FALSE,
    echo: FALSE,
    properties: NULL,
  }),
  transfer,
  tag: (index) => bin(Buffer.of(index + 1, 0, 0, 0)),
  message: (text) =>
    Buffer.concat([
      propertiesSection({
        messageId: str('3f2504e04f8911d39a0c0305e82c3301'),
        contentType: sym('text/plain'),
      }),
      applicationProperties({ elapsed: timeSpan(36_000_000_000n), at: timestamp(1_700_000_000_000) }),
      dataSection(text),
    ]),
  disposition: (deliveryId, state) => ({
    role: TRUE,
    first: uint(deliveryId),
    last: uint(deliveryId),
    settled: FALSE,
    state,
    batchable: TRUE,
  }),
  outcomes: {
    complete: composite('accepted'),
    // No delivery-failed, and the count goes up all the same.
    abandon: composite('modified', {
      messageAnnotations: map([[sym('waited'), timeSpan(10_000_000n)]]),
    }),
    // The keys are symbols here, strings in the other SDKs.
    deadLetter: composite('rejected', {
      error: composite('error', {
        condition: sym('com.microsoft:dead-letter'),
        info: map([
          [sym('DeadLetterReason'), str('TooOld')],
          [sym('DeadLetterErrorDescription'), str('nobody wants it')],
        ]),
      }),
    }),
  },
  requests,
};

describe('.NET', () => {
  sharedTests(dotnet);
  topicTests(dotnet);
  lateSettlementTests(dotnet);
  requestTests(dotnet, requests);
  ruleTests(dotnet, requests, DOTNET_RULES);
  sessionTests(dotnet, (sessionId) => `{'com.microsoft:session-filter: "${sessionId}"}`);

  test('a prefetching receiver may reset its credit, and drains the rest of it [CRD-02]', () =>
    talk(dotnet, async (given) => {
      const { conversation } = given;
      const { receiver } = await sendAndReceive(given, dotnet.message('first'), 10);
      conversation.flow(receiver, 3, { deliveryCount: 1 });
      await receiver.channel.expectNothing();
      conversation.flow(receiver, 3, { deliveryCount: 1, drain: true });
      expectDrained(await takeDrainAnswer(receiver), 4);
    }));

  test('a batch is one transfer with one outcome, and each message in it arrives alone [SND-11, SND-02]', () =>
    talk(dotnet, async ({ conversation }) => {
      const sender = await conversation.openSender(QUEUE);
      const inner = ['a', 'b', 'c'].map((text) => dotnet.message(text));
      const envelope = Buffer.concat([
        propertiesSection({ messageId: str('3f2504e04f8911d39a0c0305e82c3301') }),
        ...inner.map((message) => described(Buffer.of(0x53, 0x75), bin(message))),
      ]);
      const deliveryId = conversation.transfer(sender, envelope, (numbers) => ({
        ...transfer(numbers),
        messageFormat: uint(0x80013700),
      }));
      const outcome = await sender.channel.take('disposition');
      expect(notation(outcome.field('first'))).toBe(`uint ${deliveryId}`);
      expect(notation(outcome.field('state'))).toBe('accepted[]');
      const receiver = await conversation.openReceiver(QUEUE);
      conversation.flow(receiver, 5);
      for (const message of inner) {
        const received = new ReceivedMessage((await receiver.channel.takeDelivery()).payload);
        expect(received.bytesOf('data')).toEqual(new ReceivedMessage(message).bytesOf('data'));
      }
      await receiver.channel.expectNothing();
    }));

  test('a list that is written in its wide form is read as well', () =>
    talk({ ...dotnet, shape: { isWide: true } }, async (given) => {
      await sendAndReceive(given, dotnet.message('wide'));
    }));
});
