// Messages of sessions through `$management`: received by number and settled, with a session id and without.

import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { NULL, uint } from '../../support/frame-encoder.js';
import { openSession } from '../../support/frame-links.js';
import { notation } from '../../support/frame-notation.js';
import { LARGEST_DATE } from '../../support/frame-sessions.js';
import {
  about,
  HeldSession,
  SESSION_LOCK_LOST,
  SESSION_QUEUE,
  sessionMessage,
  settling,
} from './held-session.js';
import { type Body, ManagementClient, messagesIn, type Reply } from './management-client.js';
import { DEAD_LETTERS, longs, peekBody, QUEUE, Surroundings, textOf } from './surroundings.js';

const OK = { status: 'int 200', condition: 'absent' };
const NOT_FOUND = { status: 'int 404', condition: "'com.microsoft:message-not-found" };
const MESSAGE_LOCK_LOST = { status: 'int 410', condition: "'com.microsoft:message-lock-lost" };
const STATUSES = ['completed', 'abandoned', 'defered', 'suspended'];

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
const settleMany = (status: string, tokens: readonly Buffer[], fields: Body = {}) =>
  given.ask('update-disposition', settling(status, tokens, fields));

async function elsewhere(): Promise<ManagementClient> {
  return ManagementClient.open(await openSession(given.emulator.connect()), QUEUE);
}

describe('deferred messages of a session', () => {
  let holder: HeldSession;
  let numbers: number[];
  beforeEach(async () => {
    await send('s', 'one', 'two');
    holder = await HeldSession.accept(given, 's');
    const received = [await holder.receive(), await holder.receive()];
    await settleMany(
      'defered',
      received.map(({ token }) => token),
    );
    numbers = received.map(({ sequenceNumber }) => sequenceNumber);
  });

  const body = (fields: Body = {}, mode = 1): Body => ({
    'sequence-numbers': longs(...numbers),
    'receiver-settle-mode': uint(mode),
    ...fields,
  });
  const receive = (fields?: Body, mode?: number) =>
    given.ask('receive-by-sequence-number', body(fields, mode));

  it('are received by its holder, each locked until the largest date [DEF-07, SES-04, RCV-05]', async () => {
    const reply = await receive(about('s'));
    expect(textsIn(reply)).toEqual(['one', 'two']);
    for (const { message, lockToken } of messagesIn(reply)) {
      expect(notation(message.entry('messageAnnotations', 'x-opt-locked-until'))).toBe(
        `timestamp ${LARGEST_DATE}`,
      );
      expect(await settleMany('completed', [lockToken ?? Buffer.alloc(16)], about('s'))).toMatchObject(OK);
    }
    expect(textsIn(await peek())).toEqual([]);
  });

  it('are received for good by its holder [DEF-07]', async () => {
    const reply = await receive(about('s'), 0);
    expect(textsIn(reply)).toEqual(['one', 'two']);
    expect(messagesIn(reply).map(({ lockToken }) => lockToken)).toEqual([undefined, undefined]);
    expect(textsIn(await peek())).toEqual([]);
  });

  it('are not found without the session id, and the error asks for it [DEF-07]', async () => {
    for (const fields of [{}, { 'session-id': NULL }]) {
      const reply = await receive(fields);
      expect(reply).toMatchObject(NOT_FOUND);
      expect(reply.description).toContain('session id');
    }
    expect(textsIn(await receive(about('s')))).toEqual(['one', 'two']);
  });

  it('are received only by its holder, and only on the connection of the holder [DEF-07, SES-12, X13]', async () => {
    expect(await receive(about('t'))).toMatchObject(SESSION_LOCK_LOST);
    const other = await elsewhere();
    expect(await other.ask('receive-by-sequence-number', body(about('s')))).toMatchObject(SESSION_LOCK_LOST);
    expect(textsIn(await receive(about('s')))).toEqual(['one', 'two']);
    await holder.close();
    expect(await receive(about('s'))).toMatchObject(SESSION_LOCK_LOST);
  });
});

describe('messages received in a session', () => {
  let holder: HeldSession;
  beforeEach(async () => {
    await send('s', 'one', 'two');
    holder = await HeldSession.accept(given, 's');
  });

  it.each(STATUSES)(
    'are settled by their tokens as %s, with the session id or without [SET-09]',
    async (status) => {
      const [one, two] = [await holder.receive(), await holder.receive()];
      expect(await settleMany(status, [one.token], about('s'))).toMatchObject(OK);
      expect(await settleMany(status, [two.token])).toMatchObject(OK);
      const left = await given.list();
      expect(left.map((text) => text.split(' ')[1])).toEqual(
        { completed: [], abandoned: ['active', 'active'], defered: ['deferred', 'deferred'] }[status] ?? [],
      );
      expect(await given.list(DEAD_LETTERS)).toHaveLength(status === 'suspended' ? 2 : 0);
    },
  );

  it.each(STATUSES)('are not settled as %s under the id of another session [SET-09]', async (status) => {
    const { token } = await holder.receive();
    expect(await settleMany(status, [token], about('t'))).toMatchObject(SESSION_LOCK_LOST);
    await HeldSession.accept(given, 't', { handle: 101 });
    expect(await settleMany(status, [token], about('t'))).toMatchObject(SESSION_LOCK_LOST);
    expect(await settleMany('completed', [token], about('s'))).toMatchObject(OK);
  });

  it('are not settled under a session id on another connection [SET-09, SES-12]', async () => {
    const { token } = await holder.receive();
    const request = settling('completed', [token], about('s'));
    expect(await (await elsewhere()).ask('update-disposition', request)).toMatchObject(SESSION_LOCK_LOST);
    expect(await settleMany('completed', [token], about('s'))).toMatchObject(OK);
  });

  it.each([
    ["the session's", {}, SESSION_LOCK_LOST],
    ["the message's, when the session is named", about('s'), MESSAGE_LOCK_LOST],
  ])(
    'are not settled with a wrong token or twice: the lock is reported lost, and the session stays held: %s [SET-06, X14]',
    async (_name, fields, lost) => {
      const { token } = await holder.receive();
      expect(await settleMany('completed', [Buffer.alloc(16, 7)], fields)).toMatchObject(lost);
      await settleMany('completed', [token]);
      expect(await settleMany('completed', [token], fields)).toMatchObject(lost);
      expect(await given.ask('renew-session-lock', about('s'))).toMatchObject(OK);
      expect(textOf((await holder.receive()).message)).toBe('two');
    },
  );
});
