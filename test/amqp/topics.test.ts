// Topics and subscriptions over AMQP: what is sent to the one is received from the other, and what is refused.

import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { describeSubscription, describeTopic } from '../../src/broker/contract/entities/topic-description.js';
import type { FrameChannel } from '../support/frame-channel.js';
import { FALSE, str, TRUE, uint } from '../support/frame-encoder.js';
import { openSession } from '../support/frame-links.js';
import { composite } from '../support/frame-lists.js';
import { notation } from '../support/frame-notation.js';
import { Surroundings, sequenceNumberOf, textOf } from './management/surroundings.js';

const TOPIC = 'Events';
const BILLING = `${TOPIC}/Subscriptions/Billing`;
const AUDIT = `${TOPIC}/Subscriptions/Audit`;

let given: Surroundings;
beforeEach(async () => {
  const subscriptions = [
    { name: 'Billing', lockDurationMs: 30_000 },
    'Audit',
    { name: 'By-Customer', requiresSession: true },
  ];
  given = await Surroundings.open({
    queues: ['orders'],
    topics: [
      { name: TOPIC, subscriptions },
      { name: 'nobody-listens' },
      { name: 'eu/events', subscriptions: ['s'] },
    ],
  });
});
afterEach(() => given.close());

async function textsIn(path: string): Promise<string[]> {
  return (await given.peek(path)).map(textOf);
}

describe('a message sent to a topic', () => {
  it('comes to each subscription, with a number of its own there and the number it had on the topic [TOP-01, SEQ-05]', async () => {
    await given.sendTo(TOPIC, 'one', 'two');
    await given.ask('remove-rule', { 'rule-name': str('$Default') }, { path: AUDIT });
    await given.sendTo(TOPIC, 'three');
    for (const [path, texts] of [
      [BILLING, ['one', 'two', 'three']],
      [AUDIT, ['one', 'two']],
    ] as const) {
      const messages = await given.peek(path);
      expect(messages.map(textOf)).toEqual(texts);
      expect(messages.map(sequenceNumberOf)).toEqual(texts.map((_, index) => index + 1));
      const onTopic = messages.map((each) =>
        notation(each.entry('messageAnnotations', 'x-opt-enqueue-sequence-number')),
      );
      expect(onTopic).toEqual(texts.map((_, index) => `long ${index + 1}`));
    }
    expect(await textsIn(TOPIC)).toEqual([]);
  });

  it('is found under all addresses of topic and subscription, in any case [ENT-02]', async () => {
    await given.sendTo('EVENTS', 'bare');
    await given.sendTo('/events', 'with a slash');
    await given.sendTo('amqps://jitney.servicebus.windows.net/eVENTS', 'a URI');
    const texts = ['bare', 'with a slash', 'a URI'];
    const paths = [
      'events/subscriptions/billing',
      '/EVENTS/SUBSCRIPTIONS/BILLING',
      '/Events%2FSubscriptions%2FBilling',
      'sb://jitney.servicebus.windows.net:5672/Events/Subscriptions/Billing',
    ];
    for (const path of paths) expect(await textsIn(path)).toEqual(texts);
    for (const [index, path] of paths.slice(0, 3).entries()) {
      expect(textOf(await given.receive(path))).toBe(texts[index]);
    }
  });

  it('may have slashes in the name of the topic', async () => {
    await given.sendTo('eu/events', 'one');
    expect(textOf(await given.receive('EU/events/subscriptions/S'))).toBe('one');
  });
});

/** Attaches a link that must be refused, and gives back why. */
async function refused(
  session: FrameChannel,
  role: 'sender' | 'receiver',
  path: string,
  handle = 50,
): Promise<string> {
  const address = str(path);
  session.send('attach', {
    name: str(`refused ${handle}`),
    handle: uint(handle),
    role: role === 'receiver' ? TRUE : FALSE,
    source: composite('source', role === 'receiver' ? { address } : {}),
    target: composite('target', role === 'sender' ? { address } : {}),
    initialDeliveryCount: uint(0),
  });
  const attach = await session.take('attach');
  expect(notation(attach.field(role === 'sender' ? 'target' : 'source'))).toMatch(/^(absent|null)$/);
  const detach = await session.take('detach');
  expect(notation(detach.field('closed'))).toBe('true');
  session.send('detach', { handle: uint(handle), closed: TRUE });
  return notation(detach.field('error'));
}

describe('a link is refused', () => {
  let session: FrameChannel;
  beforeEach(async () => {
    session = await openSession(given.emulator.connect());
  });

  it('that would receive from a topic, and the error says where to receive instead [RCV-12]', async () => {
    const error = await refused(session, 'receiver', TOPIC);
    expect(error).toContain("error['amqp:not-found, ");
    expect(error).toMatch(/The messaging entity '.*' could not be found\. /);
    expect(error).toContain(`receive from one of its subscriptions, such as 'events/Subscriptions/<name>'`);
  });

  it.each([BILLING, 'events/subscriptions/BILLING', `${BILLING}/$DeadLetterQueue`])(
    'that would send to %s [SND-09]',
    async (path) => {
      const error = await refused(session, 'sender', path);
      expect(error).toContain("error['amqp:not-allowed, ");
      expect(error).toContain(':Topic:');
    },
  );

  it.each<['sender' | 'receiver', string]>([
    ['receiver', `${TOPIC}/Subscriptions/nobody`],
    ['receiver', `${TOPIC}/Subscriptions/nobody/$DeadLetterQueue`],
    ['receiver', 'nothing/Subscriptions/Billing'],
    ['receiver', 'orders/Subscriptions/Billing'],
    ['receiver', `${TOPIC}/Subscriptions/nobody/$management`],
    ['sender', `${TOPIC}/Subscriptions/nobody/$management`],
    ['sender', 'nothing'],
  ])('to a missing entity: a %s to %s [ERR-04, SND-08]', async (role, path) => {
    const error = await refused(session, role, path);
    expect(error).toContain("error['amqp:not-found, ");
    const entityPath = path.replace('/$management', '');
    expect(error).toContain(`"The messaging entity 'sb://localhost/${entityPath}' could not be found. `);
  });
});

describe('a status', () => {
  it('that stops sends to a topic or receives of a subscription refuses their links [ENT-06]', async () => {
    const { engine } = given.emulator;
    await engine.ask({
      kind: 'put-entity',
      type: 'topic',
      description: describeTopic(TOPIC, { status: 'SendDisabled' }),
    });
    const description = describeSubscription('Billing', { status: 'ReceiveDisabled' });
    await engine.ask({ kind: 'put-entity', type: 'subscription', topicName: TOPIC, description });
    const session = await openSession(given.emulator.connect());
    const disabled = "error['com.microsoft:entity-disabled, ";
    expect(await refused(session, 'sender', TOPIC)).toContain(disabled);
    expect(await refused(session, 'receiver', BILLING, 51)).toContain(disabled);
  });
});
