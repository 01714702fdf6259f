// The Java SDK's bytes (azure-core-amqp over proton-j): lists end with the last field that says something, numeric request ids.

import { describe, expect, test } from 'vitest';
import {
  array,
  bin,
  double,
  FALSE,
  int,
  long,
  map,
  NULL,
  str,
  sym,
  TRUE,
  ubyte,
  uint,
  ulong,
  ushort,
} from '../../support/frame-encoder.js';
import { composite } from '../../support/frame-lists.js';
import {
  applicationProperties,
  dataSection,
  propertiesSection,
  ReceivedMessage,
} from '../../support/frame-message.js';
import {
  expectBrokerFields,
  expectPeekLock,
  lateSettlementTests,
  sendAndReceive,
  sharedTests,
} from './common.js';
import { takeDispositions } from './conversation.js';
import { type Dialect, HOST, type RequestPair, type TransferNumbers } from './dialect.js';
import { expectSettled } from './forms.js';
import { putToken, requestTests } from './requests.js';
import { JAVA_RULES } from './rule-bodies.js';
import { ruleTests } from './rules.js';
import { sessionTests } from './sessions.js';
import { QUEUE, talk } from './talk.js';
import { topicTests } from './topics.js';

const WINDOW = uint(2_147_483_647);
const SETTLE = {
  unsettled: ubyte(0),
  settled: ubyte(1),
  mixed: ubyte(2),
  first: ubyte(0),
  second: ubyte(1),
} as const;
const OUTCOMES = array([
  sym('amqp:accepted:list'),
  sym('amqp:rejected:list'),
  sym('amqp:released:list'),
  sym('amqp:modified:list'),
]);

function transfer({ handle, deliveryId, tag }: TransferNumbers): ReturnType<Dialect['transfer']> {
  return {
    handle: uint(handle),
    deliveryId: uint(deliveryId),
    deliveryTag: tag,
    messageFormat: uint(0),
    settled: FALSE,
    more: FALSE,
  };
}

function requestPair(node: string, name: string, replyTo: string): RequestPair {
  return {
    request: {
      name: str(`${name}:sender`),
      handle: uint(0),
      role: FALSE,
      sndSettleMode: SETTLE.settled,
      rcvSettleMode: SETTLE.first,
      source: composite('source', { address: str(replyTo) }),
      target: composite('target', { address: str(node) }),
      initialDeliveryCount: uint(0),
    },
    response: {
      name: str(`${name}:receiver`),
      handle: uint(1),
      role: TRUE,
      sndSettleMode: SETTLE.settled,
      rcvSettleMode: SETTLE.first,
      source: composite('source', { address: str(node) }),
      target: composite('target', { address: str(replyTo) }),
    },
    replyTo,
    credit: 50,
  };
}

const requests = {
  // The same name on every connection.
  cbs: requestPair('$cbs', 'cbs', 'cbs-client-reply-to'),
  tokenType: 'servicebus.windows.net:sastoken',
  audience: (path: string) => `amqp://${HOST}/${path}`,
  management: (path: string) =>
    requestPair(`${path}/$management`, `${path}-mgmt`, `${path}-mgmt-client-reply-to`),
  messageId: (index: number) => ulong(index + 1),
  transfer: (numbers: TransferNumbers) => ({ ...transfer(numbers), settled: TRUE }),
  properties: {
    'com.microsoft:server-timeout': long(59_800),
    'associated-link-name': str('MF_1f2e3d_1700000000000'),
  },
  tokenProperties: {},
};

const sessionFilter = (sessionId: string | null) =>
  map([[sym('com.microsoft:session-filter'), sessionId === null ? NULL : str(sessionId)]]);

const java: Dialect = {
  mechanism: 'ANONYMOUS',
  saslInit: { initialResponse: bin(Buffer.alloc(0)), hostname: str(HOST) },
  shape: {},
  open: {
    containerId: str('MF_1f2e3d_1700000000000'),
    hostname: str(HOST),
    maxFrameSize: uint(65_536),
    channelMax: ushort(65_535),
    idleTimeOut: uint(60_000),
    properties: map([
      [sym('product'), str('azure-messaging-servicebus')],
      [sym('version'), str('7.17.5')],
      [sym('user-agent'), str('azsdk-java-azure-messaging-servicebus/7.17.5 (21.0.1; Linux)')],
    ]),
  },
  begin: { nextOutgoingId: uint(1), incomingWindow: WINDOW, outgoingWindow: WINDOW, handleMax: uint(65_535) },
  firstOutgoingId: 1,
  sender: (path) => ({
    name: str(`${path}-sender-9f8e7d`),
    handle: uint(0),
    role: FALSE,
    sndSettleMode: SETTLE.unsettled,
    rcvSettleMode: SETTLE.first,
    source: composite('source'),
    target: composite('target', { address: str(path) }),
    initialDeliveryCount: uint(0),
    properties: map([
      [sym('com.microsoft:timeout'), uint(59_800)],
      [sym('com.microsoft:entity-type'), int(0)],
    ]),
  }),
  receiver: (path) => ({
    name: str(`${path}_5a6b7c_1700000000000`),
    handle: uint(0),
    role: TRUE,
    sndSettleMode: SETTLE.unsettled,
    rcvSettleMode: SETTLE.second,
    source: composite('source', { address: str(path), outcomes: OUTCOMES }),
    target: composite('target'),
    properties: map([
      [sym('com.microsoft:timeout'), uint(59_800)],
      [sym('com.microsoft:entity-type'), int(0)],
    ]),
  }),
  sessionReceiver: (path, sessionId) => ({
    name: str(`${path}_6b7c8d_1700000000000`),
    handle: uint(0),
    role: TRUE,
    sndSettleMode: SETTLE.unsettled,
    rcvSettleMode: SETTLE.second,
    source: composite('source', {
      address: str(path),
      filter: sessionFilter(sessionId),
      outcomes: OUTCOMES,
    }),
    target: composite('target'),
    properties: map([
      [sym('com.microsoft:timeout'), uint(59_800)],
      [sym('com.microsoft:entity-type'), int(0)],
    ]),
  }),
  // Proton leaves out what follows the last field that it has.
  flow: (numbers) => ({
    nextIncomingId: uint(numbers.nextIncomingId),
    incomingWindow: WINDOW,
    nextOutgoingId: uint(numbers.nextOutgoingId),
    outgoingWindow: WINDOW,
    handle: uint(numbers.handle),
    deliveryCount: uint(numbers.deliveryCount),
    linkCredit: uint(numbers.linkCredit),
    ...(numbers.drain ? { drain: TRUE } : {}),
  }),
  transfer,
  tag: (index) =>
    bin(Buffer.from(`8d7c6b5a4f3e2d1c0b9a8f7e6d5c4b${index.toString(16).padStart(2, '0')}`, 'ascii')),
  message: (text) =>
    Buffer.concat([
      propertiesSection({ messageId: str('4a3b2c1d-5e6f-4a7b-8c9d-0e1f2a3b4c5d'), subject: str('order') }),
      applicationProperties({ big: long(1), exact: double(1), none: NULL }),
      dataSection(text),
    ]),
  disposition: (deliveryId, state) => ({
    role: TRUE,
    first: uint(deliveryId),
    last: uint(deliveryId),
    settled: FALSE,
    state,
  }),
  outcomes: {
    complete: composite('accepted'),
    abandon: composite('modified', { deliveryFailed: FALSE, undeliverableHere: FALSE }),
    deadLetter: composite('rejected', {
      error: composite('error', {
        condition: sym('com.microsoft:dead-letter'),
        info: map([
          [str('DeadLetterReason'), str('TooOld')],
          [str('DeadLetterErrorDescription'), str('nobody wants it')],
        ]),
      }),
    }),
  },
  requests,
};

const NO_NUMBERS = {
  nextIncomingId: 0,
  nextOutgoingId: 1,
  handle: 0,
  deliveryCount: 0,
  linkCredit: 0,
  drain: false,
};

describe('Java', () => {
  sharedTests(java);
  topicTests(java, { subscriptions: 'subscriptions', deadLetterQueue: '$deadletterqueue' });
  lateSettlementTests(java);
  requestTests(java, requests);
  ruleTests(java, requests, JAVA_RULES);
  sessionTests(java, (sessionId) => `{'com.microsoft:session-filter: "${sessionId}"}`);

  test('two connections whose requests have the same reply-to and ids hear their own answers', () =>
    talk(java, async ({ conversation, connect }) => {
      const other = await connect();
      const cbs = await conversation.openRequests(requests.cbs);
      const otherCbs = await other.openRequests(requests.cbs);
      await putToken(conversation, cbs, requests);
      await putToken(other, otherCbs, requests);
      await cbs.receiver.channel.expectNothing();
      await otherCbs.receiver.channel.expectNothing();
    }));

  test('a released message comes back and has not been counted, and the answer is released [SET-10, SET-02]', () =>
    talk(java, async (given) => {
      const { receiver, delivery } = await sendAndReceive(given, java.message('unwanted'));
      const answer = await given.conversation.settle(receiver, delivery, composite('released'));
      expectSettled(answer, { role: 'sender', state: 'released[]' });
      given.conversation.flow(receiver, 1, { deliveryCount: 1 });
      const again = await receiver.channel.takeDelivery();
      expectBrokerFields(new ReceivedMessage(again.payload), { deliveryCount: 0 });
    }));

  test('many outcomes sent in one range are answered one by one or in ranges, each exactly once [SET-02]', () =>
    talk(java, async ({ conversation }) => {
      const sender = await conversation.openSender(QUEUE);
      for (const text of ['a', 'b', 'c']) await conversation.send(sender, java.message(text));
      const receiver = await conversation.openReceiver(QUEUE);
      conversation.flow(receiver, 3);
      const ids: number[] = [];
      for (let count = 0; count < 3; count += 1) ids.push((await receiver.channel.takeDelivery()).deliveryId);
      const [first = -1, , last = -1] = ids;
      receiver.channel.send('disposition', {
        ...java.disposition(first, composite('accepted')),
        last: uint(last),
      });
      expect(await takeDispositions(receiver, 3)).toEqual(ids);
    }));

  test('a sender and a receiver may have the same name on one session', () =>
    talk(java, async ({ conversation }) => {
      const channel = await conversation.begin();
      const name = str('one name');
      const sender = await conversation.attach(channel, { ...java.sender(QUEUE), name }, 0);
      const receiving = { ...java.receiver(QUEUE), name, handle: uint(1) };
      const receiver = await conversation.attach(channel, receiving, 1);
      conversation.flow(receiver, 1);
      expectSettled(await conversation.send(sender, java.message('both ways')), {
        role: 'receiver',
        state: 'accepted[]',
      });
      expectPeekLock(await receiver.channel.takeDelivery());
    }));

  test('a link may be attached, given credit and used in one write, before anything is answered', () =>
    talk(java, async ({ conversation }) => {
      const sender = await conversation.openSender(QUEUE);
      await conversation.send(sender, java.message('waiting'));
      const channel = conversation.client.channel(40);
      conversation.client.inOneWrite(() => {
        channel.send('begin', java.begin);
        channel.send('attach', java.receiver(QUEUE));
        channel.send('flow', java.flow({ ...NO_NUMBERS, linkCredit: 1 }));
      });
      await channel.expect('begin');
      await channel.expect('attach');
      await channel.expect('transfer');
    }));
});
