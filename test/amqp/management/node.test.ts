// Each operation of `$management` through the whole server, once: that a request reaches its operation, and the answer its client.

import { afterEach, describe, expect, it } from 'vitest';
import {
  bin,
  type Encoded,
  fixed,
  int,
  list,
  long,
  map,
  NULL,
  str,
  sym,
  TRUE,
  timestamp,
  uint,
} from '../../support/frame-encoder.js';
import { entryOf, type ReceivedMessage, section } from '../../support/frame-message.js';
import { notation } from '../../support/frame-notation.js';
import { type Body, bodyOf, messagesIn, type Reply } from './management-client.js';
import {
  about,
  END_OF_TIME,
  item,
  longs,
  peekBody,
  scheduledMessage,
  sessionMessage,
  uuids,
} from './request-bodies.js';
import { LOCK_MS, SESSION_QUEUE, Surroundings, textOf } from './surroundings.js';

const OK = { status: 'int 200', condition: 'absent' };
const BILLING = 'events/Subscriptions/billing';

let given: Surroundings;
afterEach(() => given.close());

const fieldOf = ({ body }: Reply, name: string) => notation(entryOf(body, name));

it('messages are scheduled, cancelled, shown, locked, renewed, deferred, received by number, settled and deleted', async () => {
  given = await Surroundings.open();
  const items = ['early', 'late'].map((text) => item(scheduledMessage(text, given.now + 1000)));
  const scheduled = await given.ask('schedule-message', { messages: list(items) });
  expect(fieldOf(scheduled, 'sequence-numbers')).toBe('array [long 1, long 2]');
  expect(await given.ask('cancel-scheduled-message', { 'sequence-numbers': longs(2) })).toMatchObject(OK);
  await given.send('one', 'two');
  expect(await given.list()).toEqual(['early scheduled 1', 'one active 3', 'two active 4']);

  const { token, sequenceNumber } = await given.lock();
  given.advance(500);
  const renewed = await given.ask('renew-lock', { 'lock-tokens': uuids(token) });
  expect(fieldOf(renewed, 'expirations')).toBe(`array [timestamp ${given.now + LOCK_MS}]`);
  const deferring = { 'lock-tokens': uuids(token), 'disposition-status': str('defered') };
  expect(await given.ask('update-disposition', deferring)).toMatchObject({
    ...OK,
    correlationId: expect.any(String),
  });
  const byNumber = { 'sequence-numbers': longs(sequenceNumber), 'receiver-settle-mode': uint(1) };
  const [{ message, lockToken } = {}] = messagesIn(await given.ask('receive-by-sequence-number', byNumber));
  expect(message && textOf(message)).toBe('one');
  await given.settle('completed', lockToken ?? Buffer.alloc(16));
  const deleted = await given.ask('batch-delete-messages', { 'message-count': int(5) });
  expect(fieldOf(deleted, 'message-count')).toBe('int 1');
  expect(await given.list()).toEqual(['early scheduled 1']);
});

it('a message is shown without its body if that is asked for, with its size [PEEK-09]', async () => {
  given = await Surroundings.open();
  await given.send('x'.repeat(1000));
  const [{ message } = {}] = messagesIn(
    await given.ask('peek-message', peekBody({ 'omit-message-body': TRUE })),
  );
  expect(message?.bytesOf('data').length).toBeLessThan(10);
  const size = message?.entry('deliveryAnnotations', 'omitted-message-body-size');
  expect(Number(size?.value)).toBeGreaterThanOrEqual(1000);
});

it('a timeout of any type and the name of a link, which SDKs send along, change nothing', async () => {
  given = await Surroundings.open();
  for (const timeout of [uint(60_000), long(60_000), str('a minute')]) {
    const properties = {
      'com.microsoft:server-timeout': timeout,
      'server-timeout': timeout,
      'associated-link-name': str('no link of this name'),
      type: str('entity-mgmt'),
    };
    expect(await given.ask('peek-message', peekBody(), { properties })).toMatchObject({ status: 'int 204' });
  }
});

it('sessions are listed, and the state and lock of one are read and written on the connection that holds it', async () => {
  given = await Surroundings.open(SESSION_QUEUE);
  await given.send(sessionMessage('s', 'one'));
  await given.hold('s');
  const setting = about('s', { 'session-state': bin(Buffer.from('half done')) });
  expect(await given.ask('set-session-state', setting)).toMatchObject(OK);
  const state = await given.ask('get-session-state', about('s'));
  expect(fieldOf(state, 'session-state')).toBe(`binary ${Buffer.from('half done').toString('hex')}`);
  given.advance(1000);
  const renewed = await given.ask('renew-session-lock', about('s'));
  expect(fieldOf(renewed, 'expiration')).toBe(`timestamp ${given.now + LOCK_MS}`);
  const page = { 'last-updated-time': timestamp(END_OF_TIME), skip: int(0), top: int(100) };
  expect(fieldOf(await given.ask('get-message-sessions', page), 'sessions-ids')).toBe('array ["s"]');

  await (await Surroundings.around(given.emulator)).hold('t');
  const refused = await given.ask('get-session-state', about('t'));
  expect(refused).toMatchObject({ status: 'int 410', condition: "'com.microsoft:session-lock-lost" });
  expect(refused.description).toMatch(/^The session lock has expired on the MessageSession\. Accept a new /);
});

describe('the rules of a subscription', () => {
  const add = (name: string) => {
    const description = bodyOf({ 'sql-filter': bodyOf({ expression: str('a = 1') }) });
    return given.ask(
      'add-rule',
      { 'rule-name': str(name), 'rule-description': description },
      { path: BILLING },
    );
  };
  const remove = (name: string) => given.ask('remove-rule', { 'rule-name': str(name) }, { path: BILLING });
  const open = async () => {
    given = await Surroundings.open({ topics: [{ name: 'events', subscriptions: ['billing'] }] });
  };

  it('are added, listed and removed', async () => {
    await open();
    expect(await add('mine')).toMatchObject(OK);
    expect(await remove('$Default')).toMatchObject(OK);
    const listed = await given.ask('enumerate-rules', { skip: int(0), top: int(100) }, { path: BILLING });
    expect(fieldOf(listed, 'rules')).toContain(`"mine", timestamp ${given.now}`);
    expect(fieldOf(listed, 'rules')).not.toContain('$Default');
  });

  it('are refused in the words that SDKs look for, with the subscription behind them [ERR-01, ERR-04]', async () => {
    await open();
    await add('mine');
    const tracked = /TrackingId:\S+, SystemTracker:\S+:Topic:events\|billing\S*, Timestamp:\S+$/;
    const taken = await add('MINE');
    expect(taken).toMatchObject({ status: 'int 409', condition: "'com.microsoft:entity-already-exists" });
    expect(taken.description).toMatch(/^The messaging entity '.*\/mine' already exists\. /);
    expect(taken.description).toMatch(tracked);
    const missing = await remove('nobody');
    expect(missing).toMatchObject({ status: 'int 404', condition: "'amqp:not-found" });
    expect(missing.description).toMatch(/^The messaging entity 'sb:\/\/.*\/nobody' could not be found\. /);
  });
});

describe('properties to modify', () => {
  /** With types that a decoding and encoding again would change: .NET's TimeSpan, a decimal, a wide long. */
  const VALUES: Readonly<Record<string, Encoded>> = {
    text: str('new'),
    span: Buffer.concat([Buffer.of(0), sym('com.microsoft:timespan'), fixed(0x81, Buffer.alloc(8, 1))]),
    decimal: fixed(0x94, Buffer.alloc(16, 9)),
    long: fixed(0x81, Buffer.from('0000000000000001', 'hex')),
    time: timestamp(1_767_225_600_000),
    nothing: NULL,
  };
  const properties = map(Object.entries(VALUES).map(([key, value]) => [str(key), value]));
  const settled = async (status: string, fields: Body): Promise<ReceivedMessage | undefined> => {
    given = await Surroundings.open();
    await given.send('one');
    await given.settle(status, (await given.lock()).token, { fields });
    const [message] = await given.peek(status === 'suspended' ? 'orders/$DeadLetterQueue' : undefined);
    return message;
  };

  it.each(['abandoned', 'defered', 'suspended'])(
    'given with %s are on the message then, each in the bytes it came in [SET-07]',
    async (status) => {
      const message = await settled(status, { 'properties-to-modify': properties });
      expect(itemsOfMap(message?.bytesOf('applicationProperties'))).toBe(
        itemsOfMap(section('applicationProperties', properties)),
      );
    },
  );

  it('are overridden by the reason in its own field, and there is none where it is null', async () => {
    const among = map([[str('DeadLetterReason'), str('among the properties')]]);
    const reason = { 'properties-to-modify': among, 'deadletter-reason': str('in its field') };
    const message = await settled('suspended', reason);
    expect(notation(message?.section('applicationProperties')?.value)).toBe(
      '{"DeadLetterReason": "in its field"}',
    );
    await given.close();
    const nulls = { 'deadletter-reason': NULL, 'deadletter-description': NULL, 'properties-to-modify': NULL };
    expect((await settled('suspended', nulls))?.section('applicationProperties')).toBeUndefined();
  });

  /** The bytes of a map section's items, whichever width its size has. */
  function itemsOfMap(bytes: Buffer | undefined): string {
    if (bytes === undefined) return 'nothing';
    return bytes.subarray(bytes[3] === 0xd1 ? 12 : 6).toString('hex');
  }
});
