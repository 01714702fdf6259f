// Transactions across entities as the .NET SDK has them: one AMQP session for all links, the first entity link the one to send through.

import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type EmulatorUnderTest, openEmulatorUnderTest } from '../support/emulator-under-test.js';
import { str } from '../support/frame-encoder.js';
import { dataSection, messageAnnotations, propertiesSection } from '../support/frame-message.js';
import { VirtualTimers } from '../support/virtual-timers.js';
import { DotnetClient } from './dotnet-client.js';
import type { Message, Receiver, Sender } from './dotnet-links.js';

const SESSION = 'sessionId';
const NOT_ALLOWED = 'amqp:not-allowed';
const PLAIN = { partitioned: false, sessions: false };
const PARTITIONED = { partitioned: true, sessions: false };
const SESSIONS = { partitioned: false, sessions: true };
const BOTH = { partitioned: true, sessions: true };
type Form = typeof PLAIN;

let emulator: EmulatorUnderTest;
let timers: VirtualTimers;
/** In cross-entity mode. */
let client: DotnetClient;
let ordinary: DotnetClient;

beforeEach(() => open(PLAIN));
afterEach(async () => {
  await close();
});

/** With queues of this form. */
async function open({ partitioned, sessions }: Form): Promise<void> {
  timers = new VirtualTimers();
  const queues = ['a', 'b', 'c'].map(
    (name) => `${name}?enablePartitioning=${partitioned}&requiresSession=${sessions}`,
  );
  const topics = [
    { name: 'ta', subscriptions: ['s'] },
    {
      name: 'tc',
      enablePartitioning: partitioned,
      subscriptions: [{ name: 's', requiresSession: sessions }],
    },
  ];
  emulator = await openEmulatorUnderTest({ queues, topics, startTimer: timers.startTimer });
  client = await DotnetClient.open(emulator, { isCrossEntity: true });
  ordinary = await DotnetClient.open(emulator);
}

async function reopen(form: Form): Promise<void> {
  await close();
  await open(form);
}

async function close(): Promise<void> {
  expect(new Set([...(await client.rolledBack()), 'accepted'])).toEqual(new Set(['accepted']));
  expect(emulator.faults).toEqual([]);
  await emulator.stop();
}

function message(text: string, { partitioned, sessions }: Form = PLAIN): Buffer {
  const via = partitioned ? { 'x-opt-via-partition-key': str(SESSION) } : {};
  const group = sessions ? { groupId: str(SESSION) } : {};
  return Buffer.concat([
    messageAnnotations(via),
    propertiesSection({ messageId: str(`id of ${text}`), subject: str('test'), ...group }),
    dataSection(text),
  ]);
}

async function send(path: string, form: Form = PLAIN): Promise<void> {
  expect(await (await ordinary.sender(path)).send(message('first', form))).toBe('accepted');
}

const receiverOf = (path: string, { sessions }: Form, of = client) =>
  sessions ? of.acceptNextSession(path) : of.receiver(path);

/** Completes the message and sends one to each; the operations all go through. */
async function together(receiver: Receiver, first: Message, senders: readonly Sender[], form = PLAIN) {
  const scope = await client.begin();
  expect(await receiver.complete(first, scope)).toBe('accepted');
  for (const sender of senders) expect(await sender.send(message('first', form), scope)).toBe('accepted');
  return scope;
}

async function expectOneIn(path: string, form: Form = PLAIN): Promise<void> {
  const receiver = await receiverOf(path, form, ordinary);
  expect((await receiver.receive()).text).toBe('first');
}

async function expectNoneIn(path: string): Promise<void> {
  const receiver = await ordinary.receiver(path);
  await receiver.receiveNothing();
  await receiver.close();
}

describe('a client that receives first', () => {
  test.each([BOTH, PARTITIONED, PLAIN, SESSIONS])(
    'completes there and sends to others in one step: %o [TXN-10]',
    async (form) => {
      await reopen(form);
      await send('a', form);
      const receiver = await receiverOf('a', form);
      const first = await receiver.receive();
      const senders = [await client.sender('b'), await client.sender('tc')];
      expect(await client.commit(await together(receiver, first, senders, form))).toBe('accepted');
      await receiver.receiveNothing();
      await expectOneIn('b', form);
      await expectOneIn('tc/Subscriptions/s', form);
    },
  );

  test.each([
    { from: 'ta/Subscriptions/s', to: 'ta', others: ['b', 'c'], seenIn: ['b', 'c'] },
    { from: 'a', to: 'a', others: ['b', 'tc'], seenIn: ['b', 'tc/Subscriptions/s'] },
  ])(
    'abandons right after a roll back, and repeats all of it later: $from [TXN-04, TXN-05]',
    async ({ from, to, others, seenIn }) => {
      await send(to);
      const receiver = await client.receiver(from);
      const senders = [await client.sender(others[0] ?? ''), await client.sender(others[1] ?? '')];
      const first = await receiver.receive();
      client.rollBack(await together(receiver, first, senders));
      expect(await receiver.abandon(first)).toBe('modified');
      expect(await receiver.abandon(await receiver.receive())).toBe('modified');
      for (const path of seenIn) await expectNoneIn(path);
      const scope = await together(receiver, await receiver.receive(), senders);
      expect(await client.commit(scope)).toBe('accepted');
      await receiver.receiveNothing();
      for (const path of seenIn) await expectOneIn(path);
    },
  );

  test('gets the message again within its lock duration after a lost connection [TXN-04]', async () => {
    await send('a');
    const receiver = await client.receiver('a');
    const sender = await client.sender('b');
    await together(receiver, await receiver.receive(), [sender]);
    await client.rolledBack();
    client.vanish();
    client = await DotnetClient.open(emulator, { isCrossEntity: true });
    const again = await client.receiver('a');
    const coming = again.receive();
    emulator.clock.advance(60_000);
    const first = await coming;
    await expectNoneIn('b');
    const scope = await together(again, first, [await client.sender('b')]);
    expect(await client.commit(scope)).toBe('accepted');
    await expectOneIn('b');
  });
});

test('a transaction that is declared before any link of an entity is rolled back as any other [TXN-10]', async () => {
  const scope = await client.begin();
  for (const path of ['a', 'b']) {
    expect(await (await client.sender(path)).send(message('first'), scope)).toBe('accepted');
  }
  client.rollBack(scope);
  expect(await client.rolledBack()).toEqual(['accepted']);
});

describe('a client that sends first', () => {
  /** B is first, and A is refused. */
  async function sentFirst(form: Form) {
    const [toB, toC] = [await client.sender('b'), await client.sender('c')];
    expect(await toB.send(message('first', form))).toBe('accepted');
    await send('a', form);
    await expect(receiverOf('a', form)).rejects.toThrow(NOT_ALLOWED);
    const receiver = await receiverOf('b', form);
    return { toB, toC, receiver, first: await receiver.receive() };
  }

  test.each([PARTITIONED, SESSIONS])(
    'receives there alone, and sends to others with it: %o [TXN-10]',
    async (form) => {
      await reopen(form);
      const { toB, toC, receiver, first } = await sentFirst(form);
      expect(await client.commit(await together(receiver, first, [toC], form))).toBe('accepted');
      await expectOneIn('c', form);
      await receiver.receiveNothing();
      expect(await toB.send(message('again', form))).toBe('accepted');
      await refusedElsewhere(receiver, form);
    },
  );

  /** Received within the scope; the commit goes through whatever another connection was told. */
  async function refusedElsewhere(receiver: Receiver, form: Form): Promise<void> {
    const scope = await client.begin();
    const next = await receiver.receive();
    expect(await receiver.complete(next, scope)).toBe('accepted');
    const sender = await ordinary.sender('a');
    sender.write(message('elsewhere', form), scope);
    expect(await sender.detached()).toBe('amqp:transaction:unknown-id');
    expect(await client.commit(scope)).toBe('accepted');
  }
});
