// The Go SDK's bytes (azservicebus over go-amqp): a `$cbs` pair for every claim, credit by hand, answers of exact Go types.

import { describe, test } from 'vitest';
import {
  bin,
  boolean,
  described,
  FALSE,
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
import { applicationProperties, dataSection, propertiesSection } from '../../support/frame-message.js';
import {
  expectDrained,
  expectPeekLock,
  lateSettlementTests,
  sharedTests,
  takeDrainAnswer,
} from './common.js';
import { type Dialect, HOST, type RequestPair, type TransferNumbers } from './dialect.js';
import { expectStatus, renewLock, requestTests } from './requests.js';
import { sessionTests } from './sessions.js';
import { QUEUE, talk } from './talk.js';
import { topicTests } from './topics.js';

const WINDOW = uint(5000);
const SETTLE = {
  unsettled: ubyte(0),
  settled: ubyte(1),
  mixed: ubyte(2),
  first: ubyte(0),
  second: ubyte(1),
} as const;

function transfer({ handle, deliveryId, tag }: TransferNumbers): ReturnType<Dialect['transfer']> {
  return { handle: uint(handle), deliveryId: uint(deliveryId), deliveryTag: tag, messageFormat: uint(0) };
}

function requestPair(node: string): RequestPair {
  // The name of the entity is in it twice.
  const replyTo = `${node}$${node}-5Zk2Qx`.replaceAll('/', '$');
  return {
    request: {
      name: str('jT5hVqSg7nZkq1hBzYpLw0uXc9sRdE2f3aGmKxIoN4'),
      handle: uint(0),
      role: FALSE,
      sndSettleMode: SETTLE.settled,
      source: composite('source'),
      target: composite('target', { address: str(node) }),
      initialDeliveryCount: uint(0),
    },
    response: {
      name: str('b7XyQe4Jw2Rk9sLd5TgVn1uPoZ8cMfHi6aBxKr3E0q'),
      handle: uint(1),
      role: TRUE,
      rcvSettleMode: SETTLE.first,
      source: composite('source', { address: str(node) }),
      target: composite('target', { address: str(replyTo) }),
    },
    replyTo,
    credit: 1000,
  };
}

const requests = {
  cbs: requestPair('$cbs'),
  tokenType: 'servicebus.windows.net:sastoken',
  audience: (path: string) => `amqps://${HOST}/${path}`,
  management: (path: string) => requestPair(`${path}/$management`),
  messageId: (index: number) => str(`c1a2b3d4-0000-4000-8000-00000000000${index}`),
  transfer: (numbers: TransferNumbers) => ({ ...transfer(numbers), settled: TRUE }),
  properties: { 'com.microsoft:server-timeout': ulong(59_999), 'server-timeout': ulong(59_999) },
  tokenProperties: { expiration: str('4102444800') },
};

/** go-amqp writes every filter described, and cannot read one that is not. */
const sessionFilter = (sessionId: string | null) =>
  map([
    [
      sym('com.microsoft:session-filter'),
      described(ulong(0x137000000cn), sessionId === null ? NULL : str(sessionId)),
    ],
  ]);

const go: Dialect = {
  mechanism: 'ANONYMOUS',
  saslInit: { initialResponse: bin(Buffer.from('anonymous')) },
  shape: {},
  open: {
    containerId: str('xKq8ZrV2tYbN5wHcJ7sLpD3fGmQ9uA1eR6oTiXkC'),
    hostname: str(HOST),
    maxFrameSize: uint(65_536),
    channelMax: ushort(65_535),
    idleTimeOut: uint(60_000),
    properties: map([
      [sym('product'), str('MSGolangClient')],
      [sym('version'), str('v1.8.0')],
      [sym('user-agent'), str('azsdk-go-azservicebus/v1.8.0 (go1.22.5; linux)')],
    ]),
  },
  begin: {
    nextOutgoingId: uint(0),
    incomingWindow: WINDOW,
    outgoingWindow: WINDOW,
    handleMax: uint(4_294_967_295),
  },
  firstOutgoingId: 0,
  sender: (path) => ({
    name: str('Ew7nQ2pLr9tZs4uVx1yAb6cDd3fGh8jKm5oIiXqRk0'),
    handle: uint(0),
    role: FALSE,
    sndSettleMode: SETTLE.mixed,
    rcvSettleMode: SETTLE.first,
    source: composite('source'),
    target: composite('target', { address: str(path) }),
    initialDeliveryCount: uint(0),
  }),
  receiver: (path) => ({
    name: str('Hk3mBv8zTq1sYx6wRn4cPf9dLj2gUo7aEi5XtCsVb0'),
    handle: uint(0),
    role: TRUE,
    sndSettleMode: SETTLE.unsettled,
    rcvSettleMode: SETTLE.second,
    source: composite('source', { address: str(path) }),
    target: composite('target'),
  }),
  sessionReceiver: (path, sessionId) => ({
    name: str('Wp2nCx9aUr4tZy7vQm1bSg6dFk8hJo3eLi5wXsNq0T'),
    handle: uint(0),
    role: TRUE,
    sndSettleMode: SETTLE.unsettled,
    rcvSettleMode: SETTLE.second,
    source: composite('source', { address: str(path), filter: sessionFilter(sessionId) }),
    target: composite('target'),
    ...(sessionId === null ? { properties: map([[sym('com.microsoft:timeout'), uint(59_999)]]) } : {}),
  }),
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
  tag: (index) => bin(Buffer.from([0, 0, 0, 0, 0, 0, 0, index])),
  message: (text) =>
    Buffer.concat([
      propertiesSection({ messageId: str('order-1'), groupId: str('customer-7') }),
      applicationProperties({ amount: long(42), urgent: boolean(true) }),
      dataSection(text),
    ]),
  disposition: (deliveryId, state) => ({ role: TRUE, first: uint(deliveryId), settled: FALSE, state }),
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

describe('Go', () => {
  sharedTests(go);
  topicTests(go);
  lateSettlementTests(go);
  requestTests(go, requests);
  sessionTests(go, (sessionId) => `{'com.microsoft:session-filter: ulong 83483426828("${sessionId}")}`);

  test('an answer whose reply-to names no link goes to the one that receives from the same node', () =>
    talk(go, async ({ conversation }) => {
      const astray = { ...requests.management(QUEUE), replyTo: 'nobody' };
      const management = await conversation.openRequests(astray);
      await conversation.openRequests(requests.cbs);
      expectStatus(await renewLock(conversation, management, requests, Buffer.alloc(16)), 410);
    }));

  test('a receive takes the messages there are, drains the rest of its credit, and the next one starts anew [CRD-02]', () =>
    talk(go, async ({ conversation }) => {
      const sender = await conversation.openSender(QUEUE);
      for (const text of ['a', 'b']) await conversation.send(sender, go.message(text));
      const receiver = await conversation.openReceiver(QUEUE);
      conversation.flow(receiver, 10);
      await receiver.channel.takeDelivery();
      await receiver.channel.takeDelivery();
      conversation.flow(receiver, 8, { deliveryCount: 2, drain: true });
      expectDrained(await takeDrainAnswer(receiver), 10);
      await conversation.send(sender, go.message('c'));
      conversation.flow(receiver, 10, { deliveryCount: 10 });
      expectPeekLock(await receiver.channel.takeDelivery());
    }));
});
