// Transactions of one entity as the .NET SDK has them: each link on an AMQP session of its own, and no wait behind a roll back.

import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type EmulatorUnderTest, openEmulatorUnderTest } from '../support/emulator-under-test.js';
import { bin, str, timestamp, uint } from '../support/frame-encoder.js';
import { dataSection, messageAnnotations, propertiesSection } from '../support/frame-message.js';
import { notation } from '../support/frame-notation.js';
import { VirtualTimers } from '../support/virtual-timers.js';
import { DotnetClient } from './dotnet-client.js';
import { messagesIn } from './management/management-client.js';
import { longs, peekBody } from './management/surroundings.js';

const SESSION = 'sessionId';
const LOCK_LOST = 'com.microsoft:message-lock-lost';
const FORMS = [
  { partitioned: false, sessions: false },
  { partitioned: true, sessions: false },
  { partitioned: false, sessions: true },
  { partitioned: true, sessions: true },
];

let emulator: EmulatorUnderTest;
let timers: VirtualTimers;
let client: DotnetClient;

beforeEach(async () => {
  timers = new VirtualTimers();
  const forms = FORMS.map(
    (form) => `${queue(form)}?enablePartitioning=${form.partitioned}&requiresSession=${form.sessions}`,
  );
  const topics = [{ name: 't', subscriptions: ['s'] }];
  emulator = await openEmulatorUnderTest({
    queues: ['q', 'other', ...forms],
    topics,
    startTimer: timers.startTimer,
  });
  client = await connect();
});
afterEach(async () => {
  expect(new Set([...(await client.rolledBack()), 'accepted'])).toEqual(new Set(['accepted']));
  expect(emulator.faults).toEqual([]);
  await emulator.stop();
});

const connect = () => DotnetClient.open(emulator);
const queue = ({ partitioned, sessions }: (typeof FORMS)[number]) => `q-${partitioned}-${sessions}`;
const wait = () => emulator.clock.advance(2_000);

type Given = { sessionId?: string | undefined; partitionKey?: string; enqueueAt?: number };

function message(text: string, { sessionId, partitionKey, enqueueAt }: Given = {}): Buffer {
  const annotations = {
    ...(partitionKey === undefined ? {} : { 'x-opt-partition-key': str(partitionKey) }),
    ...(enqueueAt === undefined ? {} : { 'x-opt-scheduled-enqueue-time': timestamp(enqueueAt) }),
  };
  const group = sessionId === undefined ? {} : { groupId: str(sessionId) };
  return Buffer.concat([
    messageAnnotations(annotations),
    propertiesSection({ messageId: str(`id of ${text}`), subject: str('test'), ...group }),
    dataSection(text),
  ]);
}

const inForm = ({ sessions }: { sessions: boolean }) => (sessions ? { sessionId: SESSION } : {});

/** A message is there, and somebody has received it. */
async function received(path = 'q', given: Given = {}) {
  const sender = await client.sender(path);
  await sender.send(message('first', given));
  const { sessionId } = given;
  const receiver = await (sessionId === undefined
    ? client.receiver(path)
    : client.acceptSession(path, sessionId));
  return { sender, receiver, first: await receiver.receive() };
}

describe('a message sent in a transaction', () => {
  test('shares a link with messages that are sent outside the transaction [TXN-02]', async () => {
    for (const isTransactionFirst of [true, false]) {
      const { sender, receiver, first } = await received();
      const other = await client.sender('other');
      const scope = await client.begin();
      if (!isTransactionFirst) expect(await sender.send(message('beside it'))).toBe('accepted');
      expect(await receiver.complete(first, scope)).toBe('accepted');
      const ids = ['in it', 'too'].map((text) => [text, sender.write(message(text), scope)] as const);
      if (isTransactionFirst) expect(await sender.send(message('beside it'))).toBe('accepted');
      expect(await other.send(message('elsewhere'))).toBe('accepted');
      for (const [, id] of ids) expect(await sender.outcome(id, scope)).toBe('accepted');
      expect(await client.commit(scope)).toBe('accepted');
      for (const text of ['beside it', 'in it', 'too']) {
        const next = await receiver.receive();
        expect(next.text).toBe(text);
        await receiver.complete(next);
      }
      await receiver.close();
    }
  });
});

test('a cancelled scheduled message can be peeked again right after the roll back [TXN-04]', async () => {
  const enqueueAt = emulator.clock.now() + 60_000;
  const sequenceNumber = await client.schedule('q', message('later', { enqueueAt }));
  const scope = await client.begin();
  expect(await client.cancelScheduled('q', sequenceNumber, scope)).toMatchObject({ status: 'int 200' });
  client.rollBack(scope);
  const reply = await client.ask('q', 'peek-message', peekBody());
  expect(messagesIn(reply)).toHaveLength(1);
});

test.each([
  { partitioned: false, sessions: false, again: 'in a transaction' },
  { partitioned: false, sessions: true, again: 'in a transaction' },
  { partitioned: true, sessions: false, again: 'plainly' },
  { partitioned: true, sessions: true, again: 'plainly' },
])('a deferred message whose completion was rolled back is completed again: %o [TXN-05]', async (form) => {
  const path = queue(form);
  const { sessionId } = inForm(form);
  const { receiver, first } = await received(path, { sessionId });
  expect(await receiver.defer(first)).toBe('modified');
  const reply = await client.ask(path, 'receive-by-sequence-number', {
    'sequence-numbers': longs(first.sequenceNumber),
    'receiver-settle-mode': uint(1),
    'session-id': sessionId === undefined ? undefined : str(sessionId),
  });
  const token = messagesIn(reply)[0]?.lockToken ?? Buffer.alloc(16);
  const scope = await client.begin();
  expect(await client.completeByToken(path, token, { sessionId, scope })).toBe('accepted');
  client.rollBack(scope);
  wait();
  const next = form.again === 'plainly' ? undefined : await client.begin();
  expect(await client.completeByToken(path, token, { sessionId, scope: next })).toBe('accepted');
  if (next !== undefined) expect(await client.commit(next)).toBe('accepted');
  wait();
  expect(await client.completeByToken(path, token, { sessionId })).toBe(LOCK_LOST);
});

test('a transaction has one partition, and a message that is refused for it stays locked [TXN-03, TXN-05]', async () => {
  const path = queue({ partitioned: true, sessions: false });
  const sender = await client.sender(path);
  const scope = await client.begin();
  const messages = ['1', '2'].map((partitionKey) => message(partitionKey, { partitionKey })) as [
    Buffer,
    Buffer,
  ];
  expect(await sender.send(messages[0], scope)).toBe('accepted');
  expect(await sender.send(messages[1], scope)).toBe('amqp:not-allowed');
  client.rollBack(scope);
  wait();
  for (const each of messages) expect(await sender.send(each)).toBe('accepted');
  const receiver = await client.receiver(path);
  const [one, two] = [await receiver.receive(), await receiver.receive()];
  const next = await client.begin();
  expect(await receiver.complete(one, next)).toBe('accepted');
  expect(await receiver.complete(two, next)).toBe('amqp:not-allowed');
  client.rollBack(next);
  wait();
  expect(await receiver.complete(one)).toBe('accepted');
  expect(await receiver.complete(two)).toBe('accepted');
});

describe('a message completed in a transaction, with another sent', () => {
  test('is gone after the commit, and the other message is there [TXN-04, TXN-05]', async () => {
    const { sender, receiver, first } = await received();
    const scope = await client.begin();
    expect(await receiver.complete(first, scope)).toBe('accepted');
    expect(await sender.send(message('second'), scope)).toBe('accepted');
    expect(await client.commit(scope)).toBe('accepted');
    wait();
    expect(await receiver.complete(first)).toBe(LOCK_LOST);
    const second = await receiver.receive();
    expect(second.text).toBe('second');
    expect(await receiver.complete(second)).toBe('accepted');
    await (await client.receiver('other')).receiveNothing();
  });

  test('can be completed on the link after a roll back, and the other message is not there [TXN-05]', async () => {
    const { sender, receiver, first } = await received();
    const scope = await client.begin();
    expect(await receiver.complete(first, scope)).toBe('accepted');
    expect(await sender.send(message('second'), scope)).toBe('accepted');
    client.rollBack(scope);
    wait();
    expect(await receiver.completeOnLink(first)).toBe('accepted');
    await receiver.receiveNothing();
  });

  test('is committed although another connection was refused with the same transaction id [TXN-01, TXN-04]', async () => {
    const { receiver, first } = await received();
    const scope = await client.begin();
    expect(await receiver.complete(first, scope)).toBe('accepted');
    const elsewhere = await (await connect()).sender('q');
    elsewhere.write(message('second'), scope);
    expect(await elsewhere.detached()).toBe('amqp:transaction:unknown-id');
    expect(await client.commit(scope)).toBe('accepted');
    await receiver.receiveNothing();
  });

  test('is committed together with the state of its session [TXN-02, SES-17]', async () => {
    const path = queue({ partitioned: false, sessions: true });
    const { receiver, first } = await received(path, { sessionId: SESSION });
    const scope = await client.begin();
    expect(await receiver.complete(first, scope)).toBe('accepted');
    const about = { 'session-id': str(SESSION) };
    const state = { ...about, 'session-state': bin(Buffer.from('some state')) };
    expect(await client.ask(path, 'set-session-state', state, scope)).toMatchObject({ status: 'int 200' });
    expect(await client.commit(scope)).toBe('accepted');
    const { body } = await client.ask(path, 'get-session-state', about);
    expect(notation(body)).toBe(`{"session-state": binary ${Buffer.from('some state').toString('hex')}}`);
  });
});
