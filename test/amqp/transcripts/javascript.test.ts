// The JavaScript SDK's bytes (@azure/service-bus over rhea): a session for each link, reply links without a target address.

import { describe, expect, test } from 'vitest';
import { FrameClient } from '../../support/frame-client.js';
import {
  bin,
  described,
  double,
  FALSE,
  map,
  NULL,
  str,
  sym,
  TRUE,
  ubyte,
  uint,
} from '../../support/frame-encoder.js';
import { composite } from '../../support/frame-lists.js';
import {
  applicationProperties,
  dataSection,
  propertiesSection,
  ReceivedMessage,
} from '../../support/frame-message.js';
import { notation } from '../../support/frame-notation.js';
import { expectEmpty, lateSettlementTests, receive, sharedTests } from './common.js';
import { type Dialect, HOST, type RequestPair, type TransferNumbers } from './dialect.js';
import { expectOpenForm, expectSettled } from './forms.js';
import { expectStatus, renewLock, requestTests } from './requests.js';
import { JAVASCRIPT_RULES } from './rule-bodies.js';
import { ruleTests } from './rules.js';
import { sessionTests } from './sessions.js';
import { QUEUE, talk } from './talk.js';
import { topicTests } from './topics.js';

const BATCH_FORMAT = uint(0x80013700);
const IDENTIFIER = 'new-orders-2f1e0d9c-8b7a-4695-84f3-e2d1c0b9a8f7';

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

/** The reply-to is the name of the receiving link; of `$cbs` that link has no target address at all. */
function requestPair(node: string, replyTo: string, target: ReturnType<typeof composite>): RequestPair {
  return {
    request: {
      name: str('8e7d6c5b-4a39-4281-9706-f5e4d3c2b1a0'),
      handle: uint(0),
      role: FALSE,
      source: composite('source'),
      target: composite('target', { address: str(node) }),
      initialDeliveryCount: uint(0),
    },
    response: {
      name: str(replyTo),
      handle: uint(1),
      role: TRUE,
      source: composite('source', { address: str(node) }),
      target,
    },
    replyTo,
    credit: 1000,
  };
}

const managementPair = (path: string, replyTo: string) =>
  requestPair(`${path}/$management`, replyTo, composite('target', { address: str(replyTo) }));
const requests = {
  cbs: requestPair('$cbs', 'cbs-6b5a4938-2716-4504-93f2-a1b0c9d8e7f6', composite('target')),
  tokenType: 'servicebus.windows.net:sastoken',
  audience: (path: string) => `sb://${HOST}/${path}`,
  management: (path: string) => managementPair(path, '7c6b5a49-3827-4615-a4f3-b2c1d0e9f8a7'),
  messageId: (index: number) => str(`5a493827-1605-44f3-82e1-b0a9c8d7e6f${index}`),
  transfer,
  properties: { 'com.microsoft:tracking-id': str('493827a6-05f4-43e2-91d0-a9b8c7d6e5f4') },
  tokenProperties: {},
};

const sessionFilter = (sessionId: string | null) =>
  map([[sym('com.microsoft:session-filter'), sessionId === null ? NULL : str(sessionId)]]);

const javascript: Dialect = {
  mechanism: 'ANONYMOUS',
  saslInit: { initialResponse: bin(Buffer.from('\0RootManageSharedAccessKey')), hostname: str(HOST) },
  shape: {},
  open: {
    containerId: str('38271605-f4e3-42d1-80c9-b8a7d6e5f4c3'),
    hostname: str(HOST),
    idleTimeOut: uint(60_000),
    properties: map([
      [sym('product'), str('MSJSClient')],
      [sym('version'), str('7.9.5')],
      [sym('user-agent'), str('azsdk-js-azureservicebus/7.9.5 Node/v20.20.2 OS/(x64-Linux)')],
      [sym('platform'), str('(x64-Linux)')],
      [sym('framework'), str('Node/v20.20.2')],
    ]),
  },
  begin: { nextOutgoingId: uint(0), incomingWindow: uint(2048), outgoingWindow: uint(4_294_967_295) },
  firstOutgoingId: 0,
  sender: (path) => ({
    name: str(IDENTIFIER),
    handle: uint(0),
    role: FALSE,
    source: composite('source', { address: str(IDENTIFIER) }),
    target: composite('target', { address: str(path) }),
    initialDeliveryCount: uint(0),
  }),
  receiver: (path) => ({
    name: str(IDENTIFIER),
    handle: uint(0),
    role: TRUE,
    sndSettleMode: ubyte(0),
    rcvSettleMode: ubyte(1),
    source: composite('source', { address: str(path) }),
    target: composite('target', { address: str(IDENTIFIER) }),
    properties: map([[sym('com.microsoft:receiver-name'), str(IDENTIFIER)]]),
  }),
  sessionReceiver: (path, sessionId) => ({
    name: str(IDENTIFIER),
    handle: uint(0),
    role: TRUE,
    sndSettleMode: ubyte(0),
    rcvSettleMode: ubyte(1),
    source: composite('source', { address: str(path), filter: sessionFilter(sessionId) }),
    target: composite('target', { address: str(IDENTIFIER) }),
    properties: map([
      [sym('com.microsoft:receiver-name'), str(IDENTIFIER)],
      // Of 60 seconds a little is taken off at random.
      ...(sessionId === null ? [[sym('com.microsoft:timeout'), uint(59_871)] as const] : []),
    ]),
  }),
  flow: (numbers) => ({
    nextIncomingId: uint(numbers.nextIncomingId),
    incomingWindow: uint(2048),
    nextOutgoingId: uint(numbers.nextOutgoingId),
    outgoingWindow: uint(4_294_967_295),
    handle: uint(numbers.handle),
    deliveryCount: uint(numbers.deliveryCount),
    linkCredit: uint(numbers.linkCredit),
    drain: numbers.drain ? TRUE : FALSE,
  }),
  transfer,
  tag: (index) => bin(Buffer.from(`${index}`)),
  message: (text) =>
    Buffer.concat([
      propertiesSection({ messageId: str('16054f3e-2d1c-40b9-a8f7-e6d5c4b3a291'), groupId: str('') }),
      applicationProperties({ price: double(9.5), count: uint(3) }),
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
    abandon: composite('modified', { undeliverableHere: FALSE, messageAnnotations: map([]) }),
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

describe('JavaScript', () => {
  sharedTests(javascript);
  topicTests(javascript);
  lateSettlementTests(javascript);
  requestTests(javascript, requests);
  ruleTests(javascript, requests, JAVASCRIPT_RULES);
  sessionTests(javascript, (sessionId) => `{'com.microsoft:session-filter: "${sessionId}"}`);

  test('a connection string with a ready-made token leaves out SASL', () =>
    talk(javascript, async ({ emulator }) => {
      const client = new FrameClient(emulator.connect());
      client.writeHeader('amqp');
      await client.expectHeader('amqp');
      client.send('open', javascript.open);
      expectOpenForm(await client.expect('open'));
    }));

  test("the server's own header waits for the client's, or rhea stops reading at the SASL outcome", () =>
    talk(javascript, async ({ emulator }) => {
      const client = new FrameClient(emulator.connect());
      client.writeHeader('sasl');
      await client.expectHeader('sasl');
      await client.expect('sasl-mechanisms');
      client.send('sasl-init', { mechanism: sym('ANONYMOUS'), ...javascript.saslInit });
      await client.expect('sasl-outcome');
      await client.inbox.expectNothing();
      client.writeHeader('amqp');
      await client.expectHeader('amqp');
    }));

  test('a message without an id gets one, and keeps everything else it had [MSG-04, MSG-03]', () =>
    talk(javascript, async (given) => {
      const { conversation } = given;
      const sender = await conversation.openSender(QUEUE);
      await conversation.send(
        sender,
        Buffer.concat([propertiesSection({ subject: str('hi') }), dataSection('body')]),
      );
      await conversation.send(sender, dataSection('bare'));
      const { message, receiver } = await receive(given, QUEUE, 2);
      expect(notation(message.property('messageId'))).toMatch(/^"[0-9a-f]{32}"$/);
      expect(notation(message.property('subject'))).toBe('"hi"');
      const bare = new ReceivedMessage((await receiver.channel.takeDelivery()).payload);
      expect(notation(bare.property('messageId'))).toMatch(/^"[0-9a-f]{32}"$/);
      expect(bare.bytesOf('data')).toEqual(dataSection('bare'));
    }));

  test('two pairs of links to one management node hear their own answers', () =>
    talk(javascript, async ({ conversation }) => {
      const older = await conversation.openRequests(managementPair(QUEUE, 'the older'));
      const newer = await conversation.openRequests(managementPair(QUEUE, 'the newer'));
      for (const pair of [older, newer, older]) {
        expectStatus(await renewLock(conversation, pair, requests, Buffer.alloc(16)), 410);
      }
    }));

  test('an empty batch is accepted and nothing is stored [SND-13]', () =>
    talk(javascript, async (given) => {
      const sender = await given.conversation.openSender(QUEUE);
      given.conversation.transfer(sender, Buffer.alloc(0), (numbers) => ({
        ...transfer(numbers),
        messageFormat: BATCH_FORMAT,
      }));
      expectSettled(await sender.channel.take('disposition'), { role: 'receiver', state: 'accepted[]' });
      await expectEmpty(given, QUEUE);
    }));

  test('the messages of a batch are its data sections, whatever its envelope says [SND-11]', () =>
    talk(javascript, async (given) => {
      const sender = await given.conversation.openSender(QUEUE);
      const inner = Buffer.concat([propertiesSection({ messageId: str('inner') }), dataSection('body')]);
      const envelope = Buffer.concat([
        composite('header'),
        propertiesSection({ messageId: str('envelope') }),
        applicationProperties({ of: str('the envelope') }),
        described(Buffer.of(0x53, 0x75), bin(inner)),
      ]);
      given.conversation.transfer(sender, envelope, (numbers) => ({
        ...transfer(numbers),
        messageFormat: BATCH_FORMAT,
      }));
      expectSettled(await sender.channel.take('disposition'), { role: 'receiver', state: 'accepted[]' });
      const { message } = await receive(given, QUEUE);
      expect(notation(message.property('messageId'))).toBe('"inner"');
      expect(message.section('applicationProperties')).toBeUndefined();
    }));
});
