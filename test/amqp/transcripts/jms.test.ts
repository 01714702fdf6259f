// The JMS client's bytes (qpid-jms with a plain queue): PLAIN with key name and key, settles in one step, pulls one message at a time.

import { describe, expect, test } from 'vitest';
import { FrameClient } from '../../support/frame-client.js';
import {
  array,
  bin,
  byte,
  described,
  type Encoded,
  FALSE,
  list,
  map,
  str,
  sym,
  TRUE,
  timestamp,
  ubyte,
  uint,
  ulong,
  ushort,
} from '../../support/frame-encoder.js';
import { conditionOf, descriptionOf } from '../../support/frame-fields.js';
import { composite, readList } from '../../support/frame-lists.js';
import {
  headerSection,
  messageAnnotations,
  propertiesSection,
  ReceivedMessage,
  section,
} from '../../support/frame-message.js';
import { notation } from '../../support/frame-notation.js';
import {
  expectBrokerFields,
  expectDrained,
  expectEmpty,
  sendAndReceive,
  sharedTests,
  takeDrainAnswer,
  unrecordedSendTests,
} from './common.js';
import { Conversation } from './conversation.js';
import { type Dialect, HOST } from './dialect.js';
import { DEAD_LETTER_QUEUE, QUEUE, talk } from './talk.js';
import { topicTests, unrecordedTopicTests } from './topics.js';

const WINDOW = uint(2047);
const OUTCOME_SYMBOLS = [
  sym('amqp:accepted:list'),
  sym('amqp:rejected:list'),
  sym('amqp:released:list'),
  sym('amqp:modified:list'),
] as const;
const NO_LOCAL = described(ulong(0x0000468c00000003n), list([]));

const jms: Dialect = {
  mechanism: 'PLAIN',
  saslInit: {
    initialResponse: bin(
      Buffer.from('\0RootManageSharedAccessKey\0c2VjcmV0IGtleSBvZiBub3RoaW5nIGF0IGFsbA=='),
    ),
    hostname: str(HOST),
  },
  shape: {},
  open: {
    containerId: str('ID:4e5d6c7b-8a9f-4e0d-9c1b-2a3f4e5d6c7b:1'),
    hostname: str(HOST),
    maxFrameSize: uint(1_048_576),
    channelMax: ushort(32_767),
    idleTimeOut: uint(30_000),
    desiredCapabilities: array([
      sym('sole-connection-for-container'),
      sym('DELAYED_DELIVERY'),
      sym('ANONYMOUS-RELAY'),
      sym('SHARED-SUBS'),
    ]),
    properties: map([
      [sym('product'), str('QpidJMS')],
      [sym('com.microsoft:is-client-provider'), TRUE],
      [sym('user-agent'), str('ServiceBusJms-1.0.2')],
    ]),
  },
  begin: {
    nextOutgoingId: uint(1),
    incomingWindow: WINDOW,
    outgoingWindow: uint(2_147_483_647),
    handleMax: uint(65_535),
  },
  firstOutgoingId: 1,
  sender: (path) => ({
    name: str(`qpid-jms:sender:ID:4e5d6c7b:1:1:1:${path}`),
    handle: uint(0),
    role: FALSE,
    sndSettleMode: ubyte(0),
    rcvSettleMode: ubyte(0),
    source: composite('source', {
      address: str('ID:4e5d6c7b-8a9f-4e0d-9c1b-2a3f4e5d6c7b:1:1:1'),
      outcomes: array(OUTCOME_SYMBOLS),
    }),
    target: composite('target', { address: str(path), capabilities: array([sym('queue')]) }),
    incompleteUnsettled: FALSE,
    initialDeliveryCount: uint(0),
    desiredCapabilities: array([sym('DELAYED_DELIVERY')]),
  }),
  receiver: (path) => ({
    name: str(`qpid-jms:receiver:ID:4e5d6c7b:1:1:1:${path}`),
    handle: uint(0),
    role: TRUE,
    sndSettleMode: ubyte(0),
    rcvSettleMode: ubyte(0),
    source: composite('source', {
      address: str(path),
      durable: uint(0),
      expiryPolicy: sym('link-detach'),
      timeout: uint(0),
      dynamic: FALSE,
      defaultOutcome: composite('modified', { deliveryFailed: TRUE, undeliverableHere: FALSE }),
      outcomes: array(OUTCOME_SYMBOLS),
      capabilities: array([sym('queue')]),
    }),
    target: composite('target'),
  }),
  flow: (numbers) => ({
    nextIncomingId: uint(numbers.nextIncomingId),
    incomingWindow: WINDOW,
    nextOutgoingId: uint(numbers.nextOutgoingId),
    outgoingWindow: uint(2_147_483_647),
    handle: uint(numbers.handle),
    deliveryCount: uint(numbers.deliveryCount),
    linkCredit: uint(numbers.linkCredit),
    ...(numbers.drain ? { drain: TRUE } : {}),
  }),
  transfer: ({ handle, deliveryId, tag }) => ({
    handle: uint(handle),
    deliveryId: uint(deliveryId),
    deliveryTag: tag,
    messageFormat: uint(0),
    settled: FALSE,
    more: FALSE,
  }),
  tag: (index) => bin(Buffer.of(index)),
  message: (text) =>
    Buffer.concat([
      headerSection({ durable: TRUE, priority: ubyte(4) }),
      messageAnnotations({ 'x-opt-jms-msg-type': byte(5), 'x-opt-jms-dest': byte(0) }),
      propertiesSection({
        messageId: str('ID:4e5d6c7b-8a9f-4e0d-9c1b-2a3f4e5d6c7b:1:1:1-1'),
        to: str(QUEUE),
        creationTime: timestamp(1_700_000_000_000),
      }),
      section('value', str(text)),
    ]),
  disposition: (deliveryId, state) => ({
    role: TRUE,
    first: uint(deliveryId),
    last: uint(deliveryId),
    settled: TRUE,
    state,
  }),
  outcomes: {
    complete: composite('accepted'),
    abandon: composite('modified', { deliveryFailed: TRUE, undeliverableHere: FALSE }),
    deadLetter: composite('rejected'),
  },
};

/** The links of createTemporaryQueue and unsubscribe, and of a producer without a destination where it has its way. */
const dynamicTarget = composite('target', { dynamic: TRUE, capabilities: array([sym('temporary-queue')]) });
const { source: _, ...sourceless } = jms.receiver('orders');
const REFUSED = [
  [
    'a temporary queue',
    { ...jms.sender(''), target: dynamicTarget },
    /^Temporary queues .*createTemporaryQueue/,
  ],
  [
    'unsubscribe',
    { ...sourceless, name: str('billing|global') },
    /unsubscribe, which is not offered.*administration/,
  ],
  [
    'an anonymous sender',
    { ...jms.sender(''), target: composite('target') },
    /anonymous links.*open a sender for each/,
  ],
] as const;

describe('JMS', () => {
  sharedTests(jms);
  unrecordedSendTests(jms);
  topicTests(jms);
  unrecordedTopicTests(jms);

  test('a PLAIN response without name and password is turned away with the outcome auth', () =>
    talk(jms, async ({ emulator }) => {
      const client = new FrameClient(emulator.connect());
      client.writeHeader('sasl');
      await client.expectHeader('sasl');
      await client.expect('sasl-mechanisms');
      client.send('sasl-init', { mechanism: sym('PLAIN'), initialResponse: bin(Buffer.from('no nulls')) });
      expect(notation((await client.expect('sasl-outcome')).field('code'))).toBe('ubyte 1');
    }));

  test('annotations that JMS sets arrive with the same types [MSG-03, MSG-06]', () =>
    talk(jms, async (given) => {
      const { message } = await sendAndReceive(given, jms.message('text'));
      expect(notation(message.entry('messageAnnotations', 'x-opt-jms-msg-type'))).toBe('byte 5');
      expect(notation(message.entry('messageAnnotations', 'x-opt-jms-dest'))).toBe('byte 0');
      expect(notation(message.header('durable'))).toBe('true');
      expect(notation(message.header('priority'))).toBe('ubyte 4');
      expect(notation(message.section('value')?.value)).toBe('"text"');
    }));

  test('an acknowledged message is gone, and no answer is waited for [SET-01]', () =>
    talk(jms, async (given) => {
      const { receiver, delivery } = await sendAndReceive(given, jms.message('done'));
      given.conversation.dispose(receiver, delivery, jms.outcomes.complete);
      await receiver.channel.expectNothing();
      await expectEmpty(given, QUEUE);
    }));

  test('a message given back comes again, one delivery older [SET-03]', () =>
    talk(jms, async (given) => {
      const { receiver, delivery } = await sendAndReceive(given, jms.message('again'));
      given.conversation.dispose(receiver, delivery, jms.outcomes.abandon);
      given.conversation.flow(receiver, 1, { deliveryCount: 1 });
      const again = new ReceivedMessage((await receiver.channel.takeDelivery()).payload);
      expectBrokerFields(again, { deliveryCount: 1 });
    }));

  test('a rejected message is in the dead-letter queue [SET-11]', () =>
    talk(jms, async (given) => {
      const { receiver, delivery } = await sendAndReceive(given, jms.message('bad'));
      given.conversation.dispose(receiver, delivery, jms.outcomes.deadLetter);
      await expectEmpty(given, QUEUE);
      const dead = await given.conversation.openReceiver(DEAD_LETTER_QUEUE);
      given.conversation.flow(dead, 1);
      await dead.channel.takeDelivery();
    }));

  test('a pull gives one credit, and takes it back with a drain when its time is up [CRD-02]', () =>
    talk(jms, async ({ conversation }) => {
      const receiver = await conversation.openReceiver(QUEUE);
      for (const deliveryCount of [0, 1, 2]) {
        conversation.flow(receiver, 1, { deliveryCount });
        await receiver.channel.expectNothing();
        conversation.flow(receiver, 1, { deliveryCount, drain: true });
        expectDrained(await takeDrainAnswer(receiver), deliveryCount + 1);
      }
    }));

  test('the capabilities offered are those desired that exist: it may schedule [SCH-01]', () =>
    talk(jms, async ({ emulator }) => {
      const client = new FrameClient(emulator.connect());
      client.writeHeader('amqp');
      client.send('open', jms.open);
      await client.expectHeader('amqp');
      expect(notation((await client.expect('open')).field('offeredCapabilities'))).toBe(
        "array ['DELAYED_DELIVERY]",
      );
    }));

  test.each([
    ['no-local', NO_LOCAL],
    ['mine', NO_LOCAL],
    ['jms-selector', NO_LOCAL],
  ])('a filter that is not applied is not echoed, and known by its descriptor: %s', (key, filter) =>
    talk(jms, async ({ emulator }) => {
      const conversation = new Conversation(new FrameClient(emulator.connect()), jms);
      await conversation.connect();
      const receiver = await conversation.attach(await conversation.begin(), receiverWith(key, filter));
      const source = readList(receiver.attach.field('source'));
      expect(notation(source.field('filter'))).toMatch(/^(null|absent|\{\})$/);
    }),
  );

  test.each(REFUSED)('%s is refused in words of JMS', (_, attach, text) =>
    talk(jms, async ({ emulator }) => {
      const conversation = new Conversation(new FrameClient(emulator.connect()), jms);
      await conversation.connect();
      const session = await conversation.begin();
      session.send('attach', attach);
      const detach = await session.take('detach');
      expect(conditionOf(detach)).toBe('amqp:not-implemented');
      expect(descriptionOf(detach)).toMatch(text);
    }),
  );

  test.each([
    ['jms-selector', described(ulong(0x0000468c00000004n), str("colour = 'red'"))],
    ['selector', described(sym('apache.org:selector-filter:string'), str("colour = 'red'"))],
    ['mine', described(ulong(0x0000468c00000004n), str("colour = 'red'"))],
    ['jms-selector', str("colour = 'red'")],
  ])('a selector, under the key %s, is refused', (key, filter) =>
    talk(jms, async ({ emulator }) => {
      const conversation = new Conversation(new FrameClient(emulator.connect()), jms);
      await conversation.connect();
      const session = await conversation.begin();
      session.send('attach', receiverWith(key, filter));
      const detach = await session.take('detach');
      expect(notation(detach.field('error'))).toContain('amqp:not-implemented');
    }),
  );
});

function receiverWith(key: string, filter: Encoded) {
  const filters = map([[sym(key), filter]]);
  const source = { address: str(QUEUE), filter: filters, capabilities: array([sym('queue')]) };
  return { ...jms.receiver(QUEUE), source: composite('source', source) };
}
