// A topic and its subscriptions as each SDK addresses them, in its own bytes: the tests that all transcripts share.

import { expect, test } from 'vitest';
import { str } from '../../support/frame-encoder.js';
import { lockToken } from '../../support/frame-links.js';
import type { Fields } from '../../support/frame-lists.js';
import { readList } from '../../support/frame-lists.js';
import { dataSection, propertiesSection, ReceivedMessage } from '../../support/frame-message.js';
import { notation } from '../../support/frame-notation.js';
import { expectBrokerFields, expectEmpty, expectPeekLock, receive } from './common.js';
import type { Dialect } from './dialect.js';
import { expectRefusedAttachForm } from './forms.js';
import { expectStatus, renewLock } from './requests.js';
import { SESSION_SUBSCRIPTION, SUBSCRIPTION, type Talk, TOPIC, talk } from './talk.js';

/** Between the names of topic and subscription, and behind the latter, as the SDK writes it. */
export type TopicWords = {
  readonly subscriptions: 'Subscriptions' | 'subscriptions';
  readonly deadLetterQueue: '$DeadLetterQueue' | '$deadletterqueue';
};

export const USUAL_WORDS: TopicWords = {
  subscriptions: 'Subscriptions',
  deadLetterQueue: '$DeadLetterQueue',
};

/** For SDKs without a recording: for the others, `recordings.test.ts` shows this. */
export function unrecordedTopicTests(dialect: Dialect): void {
  const subscription = `${TOPIC}/${USUAL_WORDS.subscriptions}/${SUBSCRIPTION}`;

  test('a message sent to a topic is received from its subscription, its bytes untouched [TOP-01, SEQ-05, MSG-01]', () =>
    talk(dialect, async (given) => {
      const sent = dialect.message('to all');
      await sendToTopic(given, sent);
      const { delivery, message, receiver } = await receive(given, subscription);
      expectPeekLock(delivery);
      expectBrokerFields(message, { deliveryCount: 0 });
      expect(message.bytesOf('properties', 'applicationProperties', 'data', 'value')).toEqual(
        new ReceivedMessage(sent).bytesOf('properties', 'applicationProperties', 'data', 'value'),
      );
      const onTopic = message.entry('messageAnnotations', 'x-opt-enqueue-sequence-number');
      expect(notation(onTopic)).toBe('long 1');
      given.conversation.dispose(receiver, delivery, dialect.outcomes.complete);
      await expectEmpty(given, subscription);
    }));
}

export function topicTests(dialect: Dialect, words: TopicWords = USUAL_WORDS): void {
  const subscription = `${TOPIC}/${words.subscriptions}/${SUBSCRIPTION}`;
  const deadLetters = `${subscription}/${words.deadLetterQueue}`;

  test('a message dead-lettered in a subscription is received from its dead-letter queue [DLQ-01, SET-05]', () =>
    talk(dialect, async (given) => {
      await sendToTopic(given, dialect.message('bad'));
      const { delivery, receiver } = await receive(given, subscription);
      given.conversation.dispose(receiver, delivery, dialect.outcomes.deadLetter);
      expectPeekLock((await receive(given, deadLetters)).delivery);
    }));

  test('a receiver on a topic and a sender to a subscription are refused, in two writes [RCV-12, SND-09]', () =>
    talk(dialect, async (given) => {
      const toReceive = 'is a topic: receive from one of its subscriptions';
      await expectRefused(given, dialect.receiver(TOPIC), 'amqp:not-found', toReceive);
      await expectRefused(given, dialect.sender(subscription), 'amqp:not-allowed', 'subscription');
      await expectRefused(given, dialect.sender(deadLetters), 'amqp:not-allowed', '');
    }));

  const { requests, sessionReceiver } = dialect;
  if (requests !== undefined) {
    test('a lock on a message of a subscription is renewed by the management node of that subscription [RCV-08]', () =>
      talk(dialect, async (given) => {
        await sendToTopic(given, dialect.message('keep'));
        const { delivery } = await receive(given, subscription);
        const token = lockToken(delivery.tag);
        const management = await given.conversation.openRequests(requests.management(subscription));
        expectStatus(await renewLock(given.conversation, management, requests, token), 200);
        const ofTopic = await given.conversation.openRequests(requests.management(TOPIC));
        expectStatus(await renewLock(given.conversation, ofTopic, requests, token), 410);
      }));
  }

  if (sessionReceiver !== undefined) {
    test('a session of a subscription is accepted like that of a queue [SES-06]', () =>
      talk(dialect, async (given) => {
        const { conversation } = given;
        await sendToTopic(given, messageOfSession('customer-7'));
        const path = `${TOPIC}/${words.subscriptions}/${SESSION_SUBSCRIPTION}`;
        const link = await conversation.attach(await conversation.begin(), sessionReceiver(path, null));
        conversation.flow(link, 1);
        const { payload } = await link.channel.takeDelivery();
        expect(notation(new ReceivedMessage(payload).property('groupId'))).toBe('"customer-7"');
      }));
  }
}

async function sendToTopic({ conversation }: Talk, message: Buffer): Promise<void> {
  const outcome = await conversation.send(await conversation.openSender(TOPIC), message);
  expect(notation(outcome.field('state'))).toBe('accepted[]');
}

function messageOfSession(sessionId: string): Buffer {
  return Buffer.concat([
    propertiesSection({ messageId: str('of a session'), groupId: str(sessionId) }),
    dataSection('an order'),
  ]);
}

async function expectRefused(
  { conversation }: Talk,
  fields: Fields<'attach'>,
  condition: string,
  text: string,
): Promise<void> {
  const channel = await conversation.begin();
  channel.send('attach', fields, conversation.dialect.shape);
  const attach = await channel.expect('attach');
  expectRefusedAttachForm(attach);
  const detach = await channel.expect('detach');
  expect(detach.writeIndex).toBeGreaterThan(attach.writeIndex);
  const error = readList(detach.field('error'));
  expect(notation(error.field('condition'))).toBe(`'${condition}`);
  expect(notation(error.field('description'))).toContain(text);
}
