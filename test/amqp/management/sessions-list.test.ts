// Listing the sessions of a queue through `$management`, in both modes and page by page.

import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { bin, type Encoded, int, timestamp } from '../../support/frame-encoder.js';
import { entryOf } from '../../support/frame-message.js';
import { notation } from '../../support/frame-notation.js';
import { about, HeldSession, SESSION_QUEUE, sessionMessage } from './held-session.js';
import type { Reply } from './management-client.js';
import { END_OF_TIME } from './refusals.js';
import { Surroundings } from './surroundings.js';

let given: Surroundings;
beforeEach(async () => {
  given = await Surroundings.open(SESSION_QUEUE);
});
afterEach(() => given.close());

type Page = { readonly after?: Encoded; readonly skip?: number; readonly top?: number };

function list({ after = timestamp(END_OF_TIME), skip = 0, top = 100 }: Page = {}): Promise<Reply> {
  const body = { 'last-updated-time': after, skip: int(skip), top: int(top) };
  return given.ask('get-message-sessions', body);
}

/** Which must be an array of strings, or nothing at all. */
async function idsIn(asked: Promise<Reply>): Promise<readonly string[]> {
  const { status, body } = await asked;
  if (status === 'int 204') return [];
  const ids = entryOf(body, 'sessions-ids');
  if (ids?.type !== 'array') throw new Error(`an array is expected, not ${notation(ids)}`);
  return ids.value.map(({ type, value }) => (type === 'string' ? value : type));
}

async function setState(sessionId: string, state: Encoded, handle = 100): Promise<void> {
  const holder = await HeldSession.accept(given, sessionId, { handle });
  await given.ask('set-session-state', about(sessionId, { 'session-state': state }));
  await holder.close();
}

const STATE = bin(Buffer.from('state'));

describe('a list of sessions', () => {
  it('of a queue without sessions answers no content [SES-17]', async () => {
    expect(await list()).toMatchObject({
      status: 'int 204',
      condition: "'com.microsoft:message-not-found",
      body: { type: 'map', value: [] },
    });
    expect(await list({ after: timestamp(0) })).toMatchObject({ status: 'int 204' });
  });

  it('names those with messages or state, in the order of their ids, held or not [SES-17]', async () => {
    await given.send(sessionMessage('b', 'one'), sessionMessage('', 'two'), sessionMessage('b', 'three'));
    await setState('c', STATE);
    await HeldSession.accept(given, 'b', { handle: 101 });
    await HeldSession.accept(given, 'nothing in it', { handle: 102 });
    const reply = await list();
    expect(reply).toMatchObject({ status: 'int 200', condition: 'absent' });
    expect(notation(reply.body)).toBe('{"skip": int 3, "sessions-ids": array ["", "b", "c"]}');
  });

  it('by an earlier time names those whose state was set after it, messages or not [SES-17]', async () => {
    await given.send(sessionMessage('has messages', 'one'));
    await setState('old', STATE);
    const before = given.now;
    given.advance(1000);
    await setState('new', STATE, 101);
    expect(await idsIn(list({ after: timestamp(before - 1) }))).toEqual(['new', 'old']);
    expect(await idsIn(list({ after: timestamp(before) }))).toEqual(['new']);
    expect(await idsIn(list({ after: timestamp(given.now) }))).toEqual([]);
    expect(await idsIn(list())).toEqual(['has messages', 'new', 'old']);
  });

  it('comes page by page, each saying how many to skip for the next [SES-17]', async () => {
    const ids = Array.from({ length: 110 }, (_, index) => `s${String(index).padStart(3, '0')}`);
    await given.send(...[...ids].reverse().map((id) => sessionMessage(id, 'one')));
    expect(await idsIn(list({ top: 1000 }))).toEqual(ids);
    const first = await list({ top: 100 });
    expect(notation(entryOf(first.body, 'skip'))).toBe('int 100');
    const second = await list({ skip: 100, top: 100 });
    expect(notation(entryOf(second.body, 'skip'))).toBe('int 110');
    expect([...(await idsIn(Promise.resolve(first))), ...(await idsIn(Promise.resolve(second)))]).toEqual(
      ids,
    );
    expect(await list({ skip: 110 })).toMatchObject({ status: 'int 204' });
    expect(await idsIn(list({ skip: 2_147_483_647, top: 2_147_483_647 }))).toEqual([]);
  });
});
