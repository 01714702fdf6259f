// Message sessions as each SDK asks for them, in its own bytes: the tests that all transcripts with sessions share.

import { expect, test } from 'vitest';
import { type Frame, numberOf } from '../../support/frame-channel.js';
import { str, TRUE, uint } from '../../support/frame-encoder.js';
import { readList } from '../../support/frame-lists.js';
import { dataSection, entryOf, propertiesSection, ReceivedMessage } from '../../support/frame-message.js';
import { notation } from '../../support/frame-notation.js';
import { expectPeekLock } from './common.js';
import type { Conversation, OpenLink } from './conversation.js';
import type { Dialect } from './dialect.js';
import { expectAttachForm, expectRefusedAttachForm } from './forms.js';
import { SESSION_QUEUE, type Talk, talk } from './talk.js';

const CUSTOMER = 'customer-7';

/** `filterFor` is the filter of the answer for a session id, in the notation of the tests. */
export function sessionTests(dialect: Dialect, filterFor: (sessionId: string) => string): void {
  test('a session is accepted by its id, and its messages come on that link alone [SES-06, SES-10, SES-04]', () =>
    talk(dialect, async (given) => {
      const { conversation } = given;
      const link = await conversation.attach(await conversation.begin(), asked(CUSTOMER));
      expectGranted(link.attach, CUSTOMER);
      conversation.flow(link, 2);
      await sendTo(given, 'another');
      await sendTo(given, CUSTOMER);
      const delivery = await link.channel.takeDelivery();
      expectPeekLock(delivery);
      expect(notation(new ReceivedMessage(delivery.payload).property('groupId'))).toBe(`"${CUSTOMER}"`);
      const answer = await conversation.settle(link, delivery, dialect.outcomes.complete);
      expect(notation(answer.field('state'))).toBe('accepted[]');
      await link.channel.expectNothing();
    }));

  test('the next session is waited for in silence, and then named [SES-07, SES-10]', () =>
    talk(dialect, async (given) => {
      const { conversation } = given;
      const channel = await conversation.begin();
      channel.send('attach', asked(null), dialect.shape);
      await channel.expectNothing([]);
      await sendTo(given, CUSTOMER);
      const attach = await channel.expect('attach');
      expectAttachForm(attach, asked(null));
      expectGranted(attach, CUSTOMER);
      const link = { channel, handle: 0 };
      conversation.flow(link, 1);
      expectPeekLock(await channel.takeDelivery());
    }));

  test('a session that is held elsewhere is refused in two writes, without a filter [SES-06]', () =>
    talk(dialect, async ({ conversation, connect }) => {
      const other = await connect();
      await other.attach(await other.begin(), asked(CUSTOMER));
      const channel = await conversation.begin();
      channel.send('attach', asked(CUSTOMER), dialect.shape);
      const attach = await channel.expect('attach');
      expectRefusedAttachForm(attach);
      const detach = await channel.expect('detach');
      expect(detach.writeIndex).toBeGreaterThan(attach.writeIndex);
      expect(conditionOf(detach)).toBe("'com.microsoft:session-cannot-be-locked");
    }));

  test('a session is free as soon as its link is closed [SES-14]', () =>
    talk(dialect, async ({ conversation, connect }) => {
      const link = await conversation.attach(await conversation.begin(), asked(CUSTOMER));
      await close(link);
      const other = await connect();
      expectGranted((await other.attach(await other.begin(), asked(CUSTOMER))).attach, CUSTOMER);
    }));

  test('a session whose lock has ended is reported by a detach [SES-12]', () =>
    talk(dialect, async ({ conversation, emulator }) => {
      const link = await conversation.attach(await conversation.begin(), asked(CUSTOMER));
      emulator.clock.advance(61_000);
      const detach = await link.channel.expect('detach');
      expect(numberOf(detach, 'handle')).toBe(link.serverHandle);
      expect(notation(detach.field('closed'))).toBe('true');
      expect(conditionOf(detach)).toBe("'com.microsoft:session-lock-lost");
    }));

  function asked(sessionId: string | null) {
    if (dialect.sessionReceiver === undefined) throw new Error('this dialect knows no sessions');
    return dialect.sessionReceiver(SESSION_QUEUE, sessionId);
  }

  /** Also what the SDKs cast to: the id by its shape, the end of the lock as a long of .NET's ticks. */
  function expectGranted(attach: Frame, sessionId: string): void {
    expect(notation(readList(attach.field('source')).field('filter'))).toBe(filterFor(sessionId));
    const lockedUntil = entryOf(attach.field('properties'), 'com.microsoft:locked-until-utc');
    expect(notation(lockedUntil)).toMatch(/^long 63\d{16}$/);
  }
}

/** As the emulator sees it all SDKs write the session the same way: as the group-id of the properties. */
async function sendTo({ connect }: Talk, sessionId: string): Promise<void> {
  const conversation: Conversation = await connect();
  const message = Buffer.concat([
    propertiesSection({ messageId: str(`for ${sessionId}`), groupId: str(sessionId) }),
    dataSection('an order'),
  ]);
  const outcome = await conversation.send(await conversation.openSender(SESSION_QUEUE), message);
  expect(notation(outcome.field('state'))).toBe('accepted[]');
}

async function close({ channel, handle }: OpenLink): Promise<void> {
  channel.send('detach', { handle: uint(handle), closed: TRUE });
  await channel.expect('detach');
}

function conditionOf(detach: Frame): string {
  return notation(readList(detach.field('error')).field('condition'));
}
