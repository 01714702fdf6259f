// Messages of sessions through `$management`: shown and deleted in bulk, of one session or of all.

import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { bin, int, list, NULL, timestamp } from '../../support/frame-encoder.js';
import { openSession } from '../../support/frame-links.js';
import { entryOf } from '../../support/frame-message.js';
import { notation } from '../../support/frame-notation.js';
import {
  about,
  HeldSession,
  SESSION_LOCK_LOST,
  SESSION_QUEUE,
  scheduledSessionMessage,
  sessionMessage,
  settling,
} from './held-session.js';
import { type Body, bodyOf, messagesIn, type Reply } from './management-client.js';
import { longItem, peekBody, Surroundings, textOf } from './surroundings.js';

const HOUR = 60 * 60 * 1000;
const OK = { status: 'int 200', condition: 'absent' };

let given: Surroundings;
beforeEach(async () => {
  given = await Surroundings.open(SESSION_QUEUE);
});
afterEach(() => given.close());

const send = (sessionId: string, ...texts: string[]) =>
  given.send(...texts.map((text) => sessionMessage(sessionId, text)));
const textsIn = (reply: Reply) =>
  reply.status === 'int 204' ? [] : messagesIn(reply).map(({ message }) => textOf(message));
const peek = (fields: Body = {}) => given.ask('peek-message', peekBody(fields));

describe('a peek', () => {
  beforeEach(async () => {
    await send('a', 'one');
    await send('b', 'two', 'three');
    await send('', 'four');
    await send('a', 'five');
  });

  it('of one session shows its messages, without a lock and whichever client holds it [PEEK-08]', async () => {
    expect(textsIn(await peek(about('b')))).toEqual(['two', 'three']);
    expect(textsIn(await peek(about('')))).toEqual(['four']);
    const channel = await openSession(given.emulator.connect());
    await (await HeldSession.accept(given, 'a', { channel })).receive();
    expect(textsIn(await peek(about('a')))).toEqual(['one', 'five']);
  });

  it('without one shows all in the order of their numbers [PEEK-08]', async () => {
    await HeldSession.accept(given, 'a');
    for (const fields of [{}, { 'session-id': NULL }]) {
      expect(textsIn(await peek(fields))).toEqual(['one', 'two', 'three', 'four', 'five']);
    }
  });

  it('of one session goes on from a number, and stops at a count [PEEK-08, PEEK-01]', async () => {
    const from = (number: number, count = 100) =>
      peek(about('a', { 'from-sequence-number': longItem(number), 'message-count': int(count) }));
    expect(textsIn(await from(1, 1))).toEqual(['one']);
    expect(textsIn(await from(2))).toEqual(['five']);
    expect(textsIn(await from(6))).toEqual([]);
  });

  it('of a session that is not there finds nothing [PEEK-08, PEEK-02]', async () => {
    expect(await peek(about('A'))).toMatchObject({
      status: 'int 204',
      condition: "'com.microsoft:message-not-found",
    });
  });

  it('of one session shows scheduled and deferred ones too [PEEK-08, PEEK-03]', async () => {
    const holder = await HeldSession.accept(given, 'b');
    await given.ask('update-disposition', settling('defered', [(await holder.receive()).token]));
    const items = list([bodyOf({ message: bin(scheduledSessionMessage('b', 'later', given.now + HOUR)) })]);
    expect(await given.ask('schedule-message', { messages: items })).toMatchObject(OK);
    expect(textsIn(await peek(about('b')))).toEqual(['two', 'three', 'later']);
  });
});

describe('a batch delete', () => {
  const deleteMessages = (fields: Body = {}) => {
    const range = { 'message-count': int(100), 'enqueued-time-utc': timestamp(given.now + 1) };
    return given.ask('batch-delete-messages', { ...range, ...fields });
  };
  const countIn = ({ body }: Reply) => notation(entryOf(body, 'message-count'));
  beforeEach(async () => {
    await send('s', 'one', 'two', 'three');
    await send('t', 'four');
  });

  it('without a session id leaves the messages of sessions that are held [SES-04, DEL-01]', async () => {
    await HeldSession.accept(given, 's');
    expect(countIn(await deleteMessages())).toBe('int 1');
    expect(textsIn(await peek())).toEqual(['one', 'two', 'three']);
  });

  it('with one deletes what its holder has not received [SES-04, DEL-01]', async () => {
    const holder = await HeldSession.accept(given, 's');
    await holder.receive();
    expect(countIn(await deleteMessages(about('s')))).toBe('int 2');
    expect(textsIn(await peek())).toEqual(['one', 'four']);
    expect(await deleteMessages(about('s'))).toMatchObject({ status: 'int 204' });
  });

  it('with one that is not held here deletes nothing [SES-12]', async () => {
    expect(await deleteMessages(about('s'))).toMatchObject(SESSION_LOCK_LOST);
    const channel = await openSession(given.emulator.connect());
    await HeldSession.accept(given, 's', { channel });
    expect(await deleteMessages(about('s'))).toMatchObject(SESSION_LOCK_LOST);
    expect(await given.peek()).toHaveLength(4);
  });
});
