// Outcomes that come after their link is detached: each outcome, and each way to detach a link, frame by frame.

import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import {
  HOST,
  HOUR_MS,
  openSecuredEmulator,
  type SecuredEmulator,
  sasToken,
} from '../security/support/secured-emulator.js';
import type { FrameChannel } from '../support/frame-channel.js';
import type { FrameClient } from '../support/frame-client.js';
import { type Encoded, map, str, sym, TRUE } from '../support/frame-encoder.js';
import { dispositionFields } from '../support/frame-fields.js';
import {
  attachReceiver,
  beginSession,
  detachLink,
  giveCredit,
  openClient,
  type TextDelivery,
  takeDisposition,
  takeText,
  writeDetach,
} from '../support/frame-links.js';
import { composite, readList } from '../support/frame-lists.js';
import { putToken } from '../support/idle-server.js';
import { inTransaction, LinkClient } from '../support/link-client.js';
import { turns } from '../support/rhea-client.js';
import { ManagementClient } from './management/management-client.js';

const QUEUE = 'orders';
const RECEIVER = 1;
const LOCKED = '200';
const LOCK_LOST = '410 com.microsoft:message-lock-lost';

const REASON = composite('error', {
  condition: sym('com.microsoft:dead-letter'),
  info: map([[sym('DeadLetterReason'), str('bad')]]),
});
const OUTCOMES = {
  accepted: composite('accepted'),
  released: composite('released'),
  rejected: composite('rejected'),
  'rejected with a reason': composite('rejected', { error: REASON }),
  modified: composite('modified'),
  'modified as failed': composite('modified', { deliveryFailed: TRUE }),
  'modified as undeliverable here': composite('modified', { undeliverableHere: TRUE }),
} as const;

let emulator: SecuredEmulator;
let client: FrameClient;
let session: FrameChannel;
let coordinator: LinkClient;
let delivery: TextDelivery;

/** Receives a message under a lock, with a token that ends in an hour. */
beforeEach(async () => {
  emulator = await openSecuredEmulator();
  const sender = await withToken();
  await sender.openSender();
  await sender.sendTexts('held');
  client = await openClient(emulator.pipe(), { hostname: str(HOST) });
  session = await beginSession(client);
  await putOrdersToken(session);
  await attachReceiver(session, RECEIVER, { path: QUEUE, isSettled: false });
  giveCredit(session, RECEIVER, 10);
  delivery = await takeText(session);
  // On an AMQP session of its own, which stays.
  coordinator = await LinkClient.begin(client, 1);
  await coordinator.openControl();
});
afterEach(async () => {
  expect(emulator.faults).toEqual([]);
  await emulator.stop();
});

async function putOrdersToken(channel: FrameChannel): Promise<void> {
  const audience = `sb://${HOST}/${QUEUE}`;
  const token = sasToken({ audience, expiresAtMs: emulator.nowMs + HOUR_MS });
  await putToken(channel, { type: 'servicebus.windows.net:sastoken', name: audience }, token);
  await turns();
}

/** A client of the queue on a connection of its own. */
async function withToken(): Promise<LinkClient> {
  const other = await LinkClient.open(emulator.pipe(), QUEUE);
  await putOrdersToken(other.session);
  return other;
}

const detachOurs = () => detachLink(session, RECEIVER);

async function detachByService(): Promise<void> {
  const links = emulator.connections.list().flatMap((connection) => connection.links);
  const ours = links.find(({ role, path }) => role === 'receiver' && path === QUEUE);
  expect(emulator.connections.endLink(ours?.linkId ?? -1)).toBe(true);
  await session.take('detach');
}

type DetachedWay = { readonly way: string; readonly detach: () => Promise<void>; readonly counts: boolean };

/** `counts`: an outcome that is settled does. A client without a right to the queue settles nothing (LNK-08). */
const WAYS: readonly DetachedWay[] = [
  { way: 'by the client', detach: detachOurs, counts: true },
  { way: 'by the service', detach: detachByService, counts: true },
  {
    way: 'by the service, then by the client',
    detach: async () => {
      await detachByService();
      writeDetach(session, RECEIVER);
    },
    counts: true,
  },
  {
    way: 'by the end of its token',
    detach: async () => {
      emulator.advance(HOUR_MS);
      await session.take('detach');
    },
    counts: false,
  },
];

function say(state: Encoded | undefined, settled: boolean): void {
  const { deliveryId } = delivery;
  const fields = dispositionFields(deliveryId, deliveryId, { settled, ...(state && { state }) });
  session.send('disposition', fields);
}

async function expectNoAnswer(): Promise<void> {
  await session.expectNothing();
  await client.inbox.expectNothing();
}

/** The message is locked as before, and `$management` renews and settles it. */
async function expectIgnored(): Promise<void> {
  await expectNoAnswer();
  const manager = await ManagementClient.open((await withToken()).session, QUEUE, { handle: 2 });
  expect(await manager.askAbout(delivery, 'renew-lock')).toBe(LOCKED);
  expect(await manager.completeByToken(delivery)).toBe(LOCKED);
}

async function expectCounted(): Promise<void> {
  await expectNoAnswer();
  const manager = await ManagementClient.open((await withToken()).session, QUEUE, { handle: 2 });
  expect(await manager.askAbout(delivery, 'renew-lock')).toBe(LOCK_LOST);
}

const NAMES = Object.keys(OUTCOMES) as (keyof typeof OUTCOMES)[];

describe.each(WAYS)('when the link was detached $way', ({ detach, counts }) => {
  const word = counts ? 'counts' : 'is ignored';
  const expectWord = () => (counts ? expectCounted() : expectIgnored());

  test.each(NAMES)('%s, unsettled, is ignored [LNK-01, JMS-31]', async (name) => {
    await detach();
    say(OUTCOMES[name], false);
    await expectIgnored();
  });

  test.each(NAMES)(`%s, settled, ${word} [LNK-01, JMS-31]`, async (name) => {
    await detach();
    say(OUTCOMES[name], true);
    await expectWord();
  });

  test('a disposition without a state is ignored, settled or not [LNK-01]', async () => {
    await detach();
    say(undefined, false);
    say(undefined, true);
    await expectIgnored();
  });

  test.each(NAMES)('%s, unsettled in a transaction, is not part of it [LNK-01]', async (name) => {
    const id = await coordinator.declare();
    await detach();
    say(inTransaction(id, OUTCOMES[name]), false);
    await expectNoAnswer();
    expect(await coordinator.commit(id)).toBe('accepted[]');
    await expectIgnored();
  });

  test.each(NAMES)(`%s, settled in a transaction, ${word} [LNK-01, TXN-04]`, async (name) => {
    const id = await coordinator.declare();
    await detach();
    say(inTransaction(id, OUTCOMES[name]), true);
    await expectNoAnswer();
    expect(await coordinator.commit(id)).toBe('accepted[]');
    await expectWord();
  });

  test.each(NAMES)(
    '%s is ignored in every form once the AMQP session has ended [LNK-01, JMS-31]',
    async (name) => {
      const id = await coordinator.declare();
      await detach();
      session.send('end', {});
      await session.take('end');
      for (const settled of [false, true]) {
        for (const state of [undefined, OUTCOMES[name], inTransaction(id, OUTCOMES[name])])
          say(state, settled);
      }
      await expectNoAnswer();
      expect(await coordinator.commit(id)).toBe('accepted[]');
      await expectIgnored();
    },
  );
});

describe('in one read with the detach of the client', () => {
  test.each(['accepted', 'modified as failed'] as const)(
    '%s before it counts, and is answered',
    async (name) => {
      client.inOneWrite(() => {
        say(OUTCOMES[name], false);
        writeDetach(session, RECEIVER);
      });
      const answer = await takeDisposition(session, delivery.deliveryId, 'sender');
      expect(readList(answer.field('state')).name).toBe(name.split(' ')[0]);
      await session.take('detach');
      await expectCounted();
    },
  );

  test.each(['accepted', 'modified as failed'] as const)('%s behind it is ignored [LNK-01]', async (name) => {
    client.inOneWrite(() => {
      writeDetach(session, RECEIVER);
      say(OUTCOMES[name], false);
    });
    await session.take('detach');
    await expectIgnored();
  });
});

test('what a closed consumer had prefetched goes to others when it is settled as released, as Qpid JMS does [LNK-01]', async () => {
  await detachOurs();
  say(OUTCOMES.released, true);
  const other = await withToken();
  await other.openReceiver();
  other.give({ credit: 1 });
  expect(await other.take()).toMatchObject({ text: 'held', deliveryCount: 0 });
});
