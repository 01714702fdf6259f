// The Python SDK's bytes (pyamqp): every field of every list, full URIs for addresses, a reply-to that names no link alone.

import { describe, expect, test } from 'vitest';
import {
  bin,
  FALSE,
  long,
  map,
  NULL,
  str,
  sym,
  TRUE,
  ubyte,
  uint,
  ushort,
  uuid,
} from '../../support/frame-encoder.js';
import { composite, type Fields } from '../../support/frame-lists.js';
import {
  applicationProperties,
  dataSection,
  headerSection,
  propertiesSection,
  ReceivedMessage,
} from '../../support/frame-message.js';
import { notation } from '../../support/frame-notation.js';
import {
  expectBrokerFields,
  expectPeekLock,
  lateSettlementTests,
  sendAndReceive,
  sharedTests,
} from './common.js';
import { type Dialect, HOST, type RequestPair, type TransferNumbers } from './dialect.js';
import { expectSettled } from './forms.js';
import {
  expectCondition,
  expectCorrelation,
  expectStatus,
  putToken,
  renewLock,
  requestTests,
} from './requests.js';
import { sessionTests } from './sessions.js';
import { QUEUE, talk } from './talk.js';
import { topicTests } from './topics.js';

const WINDOW = uint(65_536);
const SETTLE = {
  unsettled: ubyte(0),
  settled: ubyte(1),
  mixed: ubyte(2),
  first: ubyte(0),
  second: ubyte(1),
} as const;
const uri = (path: string) => `amqps://${HOST}/${path}`;

/** pyamqp writes all fourteen. */
function attach(fields: Fields<'attach'>): Fields<'attach'> {
  return { ...fields, properties: fields.properties ?? NULL };
}

function transfer({ handle, deliveryId, tag }: TransferNumbers): Fields<'transfer'> {
  return {
    handle: uint(handle),
    deliveryId: uint(deliveryId),
    deliveryTag: tag,
    messageFormat: uint(0),
    settled: FALSE,
    more: FALSE,
    batchable: NULL,
  };
}

/** Both links have the node as their source and as their target, and it is the reply-to as well. */
function requestPair(node: string, name: string): RequestPair {
  const termini = {
    source: composite('source', { address: str(node), capabilities: NULL }),
    target: composite('target', { address: str(node), capabilities: NULL }),
  };
  const modes = { sndSettleMode: SETTLE.mixed, rcvSettleMode: SETTLE.first };
  return {
    request: attach({
      name: str(`${name}-sender`),
      handle: uint(0),
      role: FALSE,
      ...modes,
      ...termini,
      initialDeliveryCount: uint(0),
    }),
    response: attach({ name: str(`${name}-receiver`), handle: uint(1), role: TRUE, ...modes, ...termini }),
    replyTo: node,
    credit: 300,
  };
}

const requests = {
  cbs: requestPair('$cbs', 'cbs'),
  tokenType: 'servicebus.windows.net:sastoken',
  audience: (path: string) => `sb://${HOST}/${path}`,
  management: (path: string) => requestPair(`${path}/$management`, 'mgmt'),
  messageId: (index: number) =>
    uuid(Buffer.from(`6ba7b8109dad11d180b400c04fd430${index.toString(16).padStart(2, '0')}`, 'hex')),
  transfer,
  properties: { type: str('entity-mgmt'), 'com.microsoft:server-timeout': uint(60_000) },
  tokenProperties: { expiration: long(4_102_444_800) },
};

const sessionFilter = (sessionId: string | null) =>
  map([[sym('com.microsoft:session-filter'), sessionId === null ? NULL : str(sessionId)]]);

const python: Dialect = {
  mechanism: 'ANONYMOUS',
  saslInit: { initialResponse: bin(Buffer.of(0)), hostname: str(HOST) },
  shape: {},
  open: {
    containerId: str('SBReceiver-7d6f5e4c-3b2a-4190-8f7e-6d5c4b3a2918'),
    hostname: str(HOST),
    maxFrameSize: uint(65_536),
    channelMax: ushort(65_535),
    idleTimeOut: NULL,
    properties: map([
      [sym('product'), str('servicebus.pysdk')],
      [sym('version'), str('7.14.2')],
      [sym('user-agent'), str('azsdk-python-servicebus/7.14.2 Python/3.12.3')],
    ]),
  },
  begin: {
    nextOutgoingId: uint(0),
    incomingWindow: WINDOW,
    outgoingWindow: WINDOW,
    handleMax: uint(4_294_967_295),
    properties: NULL,
  },
  firstOutgoingId: 0,
  sender: (path) =>
    attach({
      name: str('SBSender-1c2d3e4f-5a6b-4c7d-8e9f-0a1b2c3d4e5f'),
      handle: uint(0),
      role: FALSE,
      sndSettleMode: SETTLE.unsettled,
      rcvSettleMode: SETTLE.first,
      source: composite('source', { address: str('SBSender-1c2d3e4f'), capabilities: NULL }),
      target: composite('target', { address: str(uri(path)), capabilities: NULL }),
      incompleteUnsettled: FALSE,
      initialDeliveryCount: uint(0),
    }),
  receiver: (path) =>
    attach({
      name: str('SBReceiver-7d6f5e4c-3b2a-4190-8f7e-6d5c4b3a2918'),
      handle: uint(0),
      role: TRUE,
      sndSettleMode: SETTLE.unsettled,
      rcvSettleMode: SETTLE.second,
      source: composite('source', { address: str(uri(path)), filter: map([]), capabilities: NULL }),
      target: composite('target', { address: str('SBReceiver-7d6f5e4c'), capabilities: NULL }),
      incompleteUnsettled: FALSE,
      properties: map([
        [sym('com.microsoft:receiver-name'), str('SBReceiver-7d6f5e4c-3b2a-4190-8f7e-6d5c4b3a2918')],
      ]),
    }),
  sessionReceiver: (path, sessionId) =>
    attach({
      name: str('SBReceiver-8e7f6a5b-4c3d-4e2f-9a8b-7c6d5e4f3a2b'),
      handle: uint(0),
      role: TRUE,
      sndSettleMode: SETTLE.unsettled,
      rcvSettleMode: SETTLE.second,
      source: composite('source', {
        address: str(uri(path)),
        filter: sessionFilter(sessionId),
        capabilities: NULL,
      }),
      target: composite('target', { address: str('SBReceiver-8e7f6a5b'), capabilities: NULL }),
      incompleteUnsettled: FALSE,
      properties: map([
        [sym('com.microsoft:receiver-name'), str('SBReceiver-8e7f6a5b-4c3d-4e2f-9a8b-7c6d5e4f3a2b')],
        // Only with a max_wait_time.
        ...(sessionId === null ? [[sym('com.microsoft:timeout'), uint(30_000)] as const] : []),
      ]),
    }),
  flow: (numbers) => ({
    nextIncomingId: uint(numbers.nextIncomingId),
    incomingWindow: WINDOW,
    nextOutgoingId: uint(numbers.nextOutgoingId),
    outgoingWindow: WINDOW,
    handle: uint(numbers.handle),
    deliveryCount: uint(numbers.deliveryCount),
    linkCredit: uint(numbers.linkCredit),
    available: NULL,
    drain: numbers.drain ? TRUE : FALSE,
    echo: NULL,
    properties: NULL,
  }),
  transfer,
  tag: (index) => bin(Buffer.from(`${index}`, 'ascii')),
  message: (text) =>
    Buffer.concat([
      headerSection({ durable: FALSE, deliveryCount: NULL }),
      propertiesSection({ messageId: str('0d9c8b7a-6f5e-4d3c-2b1a-09f8e7d6c5b4'), replyToGroupId: NULL }),
      applicationProperties({ count: long(5_000_000_000) }),
      dataSection(text),
    ]),
  disposition: (deliveryId, state) => ({
    role: TRUE,
    first: uint(deliveryId),
    last: uint(deliveryId),
    settled: FALSE,
    state,
    batchable: NULL,
  }),
  outcomes: {
    complete: composite('accepted'),
    abandon: composite('modified', {
      deliveryFailed: TRUE,
      undeliverableHere: FALSE,
      messageAnnotations: NULL,
    }),
    deadLetter: composite('rejected', {
      error: composite('error', {
        condition: sym('com.microsoft:dead-letter'),
        description: NULL,
        info: map([
          [str('DeadLetterReason'), str('TooOld')],
          [str('DeadLetterErrorDescription'), str('nobody wants it')],
        ]),
      }),
    }),
  },
  requests,
};

describe('Python', () => {
  sharedTests(python);
  topicTests(python);
  lateSettlementTests(python);
  requestTests(python, requests);
  sessionTests(python, (sessionId) => `{'com.microsoft:session-filter: "${sessionId}"}`);

  test('answers find their way although $cbs and two management nodes have reply-tos that name no link', () =>
    talk(python, async (given) => {
      const { conversation } = given;
      const cbs = await conversation.openRequests(requests.cbs);
      const main = await conversation.openRequests(requests.management(QUEUE));
      const dead = await conversation.openRequests(requests.management(`${QUEUE}/$DeadLetterQueue`));
      expectStatus(await renewLock(conversation, dead, requests, Buffer.alloc(16)), 410);
      await putToken(conversation, cbs, requests);
      expectStatus(await renewLock(conversation, main, requests, Buffer.alloc(16)), 410);
    }));

  test('the same flow repeated with each receive gives no further credit', () =>
    talk(python, async ({ conversation }) => {
      const receiver = await conversation.openReceiver(QUEUE);
      for (let count = 0; count < 3; count += 1) conversation.flow(receiver, 1);
      const sender = await conversation.openSender(QUEUE);
      for (const text of ['one', 'two']) await conversation.send(sender, python.message(text));
      await receiver.channel.takeDelivery();
      await receiver.channel.expectNothing();
      // Credit counts from what this side has seen: the first message is still to be counted in.
      conversation.flow(receiver, 1);
      await receiver.channel.expectNothing();
      conversation.flow(receiver, 1, { deliveryCount: 1 });
      await receiver.channel.takeDelivery();
    }));

  test('a message that arrives after the wait is released and does not count as delivered [SET-10, SET-02]', () =>
    talk(python, async (given) => {
      const { receiver, delivery } = await sendAndReceive(given, python.message('late'));
      const answer = await given.conversation.settle(receiver, delivery, composite('released'));
      expectSettled(answer, { role: 'sender', state: 'released[]' });
      given.conversation.flow(receiver, 1, { deliveryCount: 1 });
      const again = await receiver.channel.takeDelivery();
      expectBrokerFields(new ReceivedMessage(again.payload), { deliveryCount: 0 });
    }));

  test('an operation may be named by a symbol', () =>
    talk(python, async ({ conversation }) => {
      const management = await conversation.openRequests(requests.management(QUEUE));
      const messageId = conversation.request(management, sym('com.microsoft:renew-lock'), map([]), {});
      const reply = await conversation.takeReply(management);
      expectCorrelation(reply, messageId);
      // It was understood: what is wrong is that there are no lock tokens.
      expectStatus(reply, 400);
      expectCondition(reply, "'com.microsoft:argument-error");
    }));

  test('a detach on a session that has already ended does no harm', () =>
    talk(python, async (given) => {
      const { conversation } = given;
      const receiver = await conversation.openReceiver(QUEUE);
      receiver.channel.send('end', { error: NULL });
      receiver.channel.send('detach', { handle: uint(0), closed: TRUE, error: NULL });
      expect(notation((await receiver.channel.expect('end')).field('error'))).toMatch(/null|absent/);
      expectPeekLock((await sendAndReceive(given, python.message('still here'))).delivery);
    }));
});
