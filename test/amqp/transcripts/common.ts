// What every SDK does in its first hour with a queue, in its own bytes: the tests that all transcripts share.

import { expect, test } from 'vitest';
import {
  type Frame,
  type FrameChannel,
  isTrue,
  numberOf,
  type ReceivedDelivery,
} from '../../support/frame-channel.js';
import { TRUE, uint } from '../../support/frame-encoder.js';
import type { Fields } from '../../support/frame-lists.js';
import { ReceivedMessage } from '../../support/frame-message.js';
import { notation } from '../../support/frame-notation.js';
import type { OpenLink } from './conversation.js';
import { type Dialect, HOST } from './dialect.js';
import { expectRefusedAttachForm, expectSettled, rejectionOf } from './forms.js';
import { QUEUE, type Talk, talk } from './talk.js';

export function sharedTests(dialect: Dialect): void {
  test('a drain uses up the credit that is left, and is answered also when none is left [CRD-02]', () =>
    talk(dialect, async (given) => {
      const { receiver } = await sendAndReceive(given, dialect.message('one of five'), 5);
      given.conversation.flow(receiver, 4, { deliveryCount: 1, drain: true });
      expectDrained(await takeDrainAnswer(receiver), 5);
      await receiver.channel.expectNothing([]);
      given.conversation.flow(receiver, 0, { deliveryCount: 5, drain: true });
      expectDrained(await takeDrainAnswer(receiver), 5);
    }));

  test('a drain sends what there is before it answers [CRD-02]', () =>
    talk(dialect, async ({ conversation }) => {
      await conversation.send(await conversation.openSender(QUEUE), dialect.message('ready'));
      const receiver = await conversation.openReceiver(QUEUE);
      conversation.flow(receiver, 3, { drain: true });
      // A flow that came first would be passed over here, and missed below.
      await receiver.channel.expect('transfer');
      expectDrained(await takeDrainAnswer(receiver), 3);
    }));

  test('credit given after a drain delivers again', () =>
    talk(dialect, async ({ conversation }) => {
      const receiver = await conversation.openReceiver(QUEUE);
      conversation.flow(receiver, 3, { drain: true });
      expectDrained(await takeDrainAnswer(receiver), 3);
      await conversation.send(await conversation.openSender(QUEUE), dialect.message('late'));
      await receiver.channel.expectNothing();
      conversation.flow(receiver, 1, { deliveryCount: 3 });
      expectPeekLock(await receiver.channel.takeDelivery());
    }));

  for (const role of ['sender', 'receiver'] as const) {
    test(`a ${role} to a missing queue hears an attach without termini, and in a later write why [SND-08, SND-04, ERR-02, ERR-04]`, () =>
      talk(dialect, async ({ conversation }) => {
        await expectMissing(await conversation.begin(), dialect[role]('missing'), dialect);
      }));
  }

  test('credit that crosses the refusal of its link does no harm', () =>
    talk(dialect, async (given) => {
      const channel = await given.conversation.begin();
      channel.send('attach', dialect.receiver('missing'), dialect.shape);
      const refused = { channel, handle: 0 };
      given.conversation.flow(refused, 1);
      await channel.expect('attach');
      await channel.expect('detach');
      given.conversation.flow(refused, 1, { drain: true });
      channel.send('detach', { handle: uint(0), closed: TRUE });
      await channel.expectNothing();
      await sendAndReceive(given, dialect.message('unharmed'));
    }));
}

/** For SDKs without a recording: for the others, `recordings.test.ts` shows this. */
export function unrecordedSendTests(dialect: Dialect): void {
  test('a sent message is accepted and arrives under a lock with its bytes untouched [SND-02, MSG-01, MSG-09, RCV-01, RCV-06]', () =>
    talk(dialect, async (given) => {
      const sent = dialect.message('first');
      const { delivery, message } = await sendAndReceive(given, sent);
      expectPeekLock(delivery);
      expect(message.bytesOf('properties', 'applicationProperties', 'data', 'value', 'footer')).toEqual(
        new ReceivedMessage(sent).bytesOf('properties', 'applicationProperties', 'data', 'value', 'footer'),
      );
      expectBrokerFields(message, { deliveryCount: 0 });
    }));
}

/** For SDKs that settle in two steps and wait for the server's word. */
export function lateSettlementTests(dialect: Dialect): void {
  test('settling after the lock has expired is answered with rejected and message-lock-lost [SET-02, SET-06, ERR-02]', () =>
    talk(dialect, async (given) => {
      const { receiver, delivery } = await sendAndReceive(given, dialect.message('slow'));
      given.emulator.clock.advance(61_000);
      const answer = await given.conversation.settle(receiver, delivery, dialect.outcomes.complete);
      expect(notation(answer.field('settled'))).toBe('true');
      expect(rejectionOf(answer).condition).toBe("'com.microsoft:message-lock-lost");
      expect(rejectionOf(answer).description).toMatch(/TrackingId:\S+/);
    }));
}

type ReceivedNow = {
  readonly receiver: OpenLink;
  readonly delivery: ReceivedDelivery;
  readonly message: ReceivedMessage;
};

export async function sendAndReceive(given: Talk, sent: Buffer, linkCredit = 1): Promise<ReceivedNow> {
  const { conversation } = given;
  const outcome = await conversation.send(await conversation.openSender(QUEUE), sent);
  expectSettled(outcome, { role: 'receiver', state: 'accepted[]' });
  return receive(given, QUEUE, linkCredit);
}

export async function receive({ conversation }: Talk, path: string, linkCredit = 1): Promise<ReceivedNow> {
  const receiver = await conversation.openReceiver(path);
  conversation.flow(receiver, linkCredit);
  const delivery = await receiver.channel.takeDelivery();
  return { receiver, delivery, message: new ReceivedMessage(delivery.payload) };
}

/** Nothing can be received now. */
export async function expectEmpty({ conversation }: Talk, path: string): Promise<void> {
  const receiver = await conversation.openReceiver(path);
  conversation.flow(receiver, 1, { drain: true });
  expectDrained(await takeDrainAnswer(receiver), 1);
  await receiver.channel.expectNothing();
}

export function takeDrainAnswer({ channel, serverHandle }: OpenLink): Promise<Frame> {
  return channel.take('flow', (flow) => isTrue(flow, 'drain') && numberOf(flow, 'handle') === serverHandle);
}

export function expectDrained(flow: Frame, deliveryCount: number): void {
  expect(notation(flow.field('linkCredit'))).toBe('uint 0');
  expect(notation(flow.field('deliveryCount'))).toBe(`uint ${deliveryCount}`);
}

/** .NET and Java take the tag for the lock token when it has sixteen bytes, and only then. */
export function expectPeekLock({ transfer, tag, isSettled }: ReceivedDelivery): void {
  expect(isSettled).toBe(false);
  expect(tag).toHaveLength(16);
  expect(notation(transfer.field('messageFormat'))).toBe('uint 0');
}

/** What the broker says of a message, with the types that Java, .NET and Go cast to. */
export function expectBrokerFields(
  message: ReceivedMessage,
  { deliveryCount }: { deliveryCount: number },
): void {
  expect(notation(message.header('deliveryCount'))).toBe(`uint ${deliveryCount}`);
  const annotation = (name: string) => message.entry('messageAnnotations', name);
  expect(annotation('x-opt-sequence-number')?.type).toBe('long');
  expect(annotation('x-opt-enqueued-time')?.type).toBe('timestamp');
  expect(annotation('x-opt-locked-until')?.type).toBe('timestamp');
  expect(['absent', 'int 0']).toContain(notation(annotation('x-opt-message-state')));
}

export function sequenceNumber(message: ReceivedMessage): string {
  return notation(message.entry('messageAnnotations', 'x-opt-sequence-number'));
}

/** Attaches to an address of the queue `missing`, which is not there. */
export async function expectMissing(
  channel: FrameChannel,
  fields: Fields<'attach'>,
  { shape }: Dialect,
): Promise<void> {
  channel.send('attach', fields, shape);
  const attach = await channel.expect('attach');
  expectRefusedAttachForm(attach);
  const detach = await channel.expect('detach');
  expect(detach.writeIndex).toBeGreaterThan(attach.writeIndex);
  expectNotFound(detach, numberOf(attach, 'handle'), 'missing');
}

function expectNotFound(detach: Frame, handle: number | undefined, path: string): void {
  expect(numberOf(detach, 'handle')).toBe(handle);
  expect(notation(detach.field('closed'))).toBe('true');
  const error = notation(detach.field('error'));
  expect(error).toContain("error['amqp:not-found, ");
  // ERR-04: the JavaScript SDK looks for the sentence, SND-04: all show the suffix.
  expect(error).toContain(`"The messaging entity 'sb://${HOST}/${path}' could not be found.`);
  expect(error).toMatch(
    /TrackingId:[0-9a-f-]{36}, SystemTracker:\S+, Timestamp:\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d/,
  );
}
