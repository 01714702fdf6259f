// The state of a session and its lock through `$management`: read, written, cleared and renewed by whoever holds the session.

import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { bin, NULL } from '../../support/frame-encoder.js';
import { openSession } from '../../support/frame-links.js';
import { entryOf } from '../../support/frame-message.js';
import { notation } from '../../support/frame-notation.js';
import { about, HeldSession, OF_HOLDERS, SESSION_LOCK_LOST, SESSION_QUEUE } from './held-session.js';
import type { Reply } from './management-client.js';
import { LOCK_MS, Surroundings } from './surroundings.js';

const OK = { status: 'int 200', condition: 'absent' };
const KILOBYTE = 1024;

let given: Surroundings;
beforeEach(async () => {
  given = await Surroundings.open(SESSION_QUEUE);
});
afterEach(() => given.close());

function set(sessionId: string, state: Uint8Array | null): Promise<Reply> {
  const value = state === null ? NULL : bin(state);
  return given.ask('set-session-state', about(sessionId, { 'session-state': value }));
}

/** As notation, or the bytes of a state that is no short one. */
async function get(sessionId: string): Promise<string> {
  const reply = await given.ask('get-session-state', about(sessionId));
  expect(reply).toMatchObject(OK);
  return notation(entryOf(reply.body, 'session-state'));
}

const hex = (bytes: Uint8Array) => `binary ${Buffer.from(bytes).toString('hex')}`;

describe('the state of a session', () => {
  it('is a null in a map until it is set [SES-15, X10]', async () => {
    await HeldSession.accept(given, 's');
    expect(await given.ask('get-session-state', about('s'))).toMatchObject({
      ...OK,
      body: {
        type: 'map',
        value: [[{ type: 'string', value: 'session-state' }, { type: 'null' }]],
      },
    });
  });

  it.each([
    ['every byte there is', Buffer.from(Array.from({ length: 256 }, (_, index) => index))],
    ['text as JSON', Buffer.from('{"step":3}')],
    ['as many bytes as a message', Buffer.alloc(256 * KILOBYTE, 'state')],
  ])('comes back as it was set: %s [SES-15, X10]', async (_, state) => {
    await HeldSession.accept(given, 's');
    expect(await set('s', state)).toMatchObject({ ...OK, body: { type: 'map', value: [] } });
    expect(await get('s')).toBe(hex(state));
  });

  it('is replaced as a whole, and null again once it is cleared [SES-15, X10]', async () => {
    await HeldSession.accept(given, 's');
    await set('s', Buffer.from('a longer one'));
    await set('s', Buffer.from('short'));
    expect(await get('s')).toBe(hex(Buffer.from('short')));
    expect(await set('s', null)).toMatchObject(OK);
    expect(await get('s')).toBe('null');
    expect(await set('s', null)).toMatchObject(OK);
  });

  it('is cleared by a binary without bytes, as Go writes it [SES-15, X10]', async () => {
    await HeldSession.accept(given, 's');
    await set('s', Buffer.from('before'));
    expect(await set('s', Buffer.alloc(0))).toMatchObject(OK);
    expect(await get('s')).toBe('null');
  });

  it('has no more bytes than a message, and stays as it was when it would have [SES-16, LIM-16]', async () => {
    await HeldSession.accept(given, 's');
    await set('s', Buffer.from('before'));
    const reply = await set('s', Buffer.alloc(256 * KILOBYTE + 1));
    expect(reply).toMatchObject({ status: 'int 403', condition: "'amqp:link:message-size-exceeded" });
    expect(reply.description).toContain('262144');
    // Also when it is many times as large: the JavaScript SDK would never hear of a request that is rejected.
    expect(await set('s', Buffer.alloc(12_000_000))).toMatchObject({ status: 'int 403' });
    expect(await get('s')).toBe(hex(Buffer.from('before')));
  });
});

describe('the lock of a session', () => {
  it('lasts a lock duration from each renewal on, which says until when [SES-11, X9]', async () => {
    await HeldSession.accept(given, 's');
    for (let count = 0; count < 3; count += 1) {
      given.advance(LOCK_MS - 1);
      const reply = await given.ask('renew-session-lock', about('s'));
      expect(reply).toMatchObject(OK);
      expect(notation(reply.body)).toBe(`{"expiration": timestamp ${given.now + LOCK_MS}}`);
    }
    given.advance(LOCK_MS - 1);
    expect(await get('s')).toBe('null');
    given.advance(1);
    expect(await given.ask('renew-session-lock', about('s'))).toMatchObject(SESSION_LOCK_LOST);
  });
});

describe.each(OF_HOLDERS)('%s', (operation, fields) => {
  const ask = (sessionId = 's') => given.ask(operation, about(sessionId, fields));

  it('works for the holder of the session', async () => {
    await HeldSession.accept(given, 's');
    expect(await ask()).toMatchObject(OK);
  });

  it('fails on another connection than that of the holder [SES-12]', async () => {
    const channel = await openSession(given.emulator.connect());
    await HeldSession.accept(given, 's', { channel });
    expect(await ask()).toMatchObject(SESSION_LOCK_LOST);
  });
});

it('a former holder changes no state of the next one [SES-12, X13]', async () => {
  const former = await HeldSession.accept(given, 's');
  await set('s', Buffer.from('kept'));
  await former.close();
  for (const state of [Buffer.from('late'), null])
    expect(await set('s', state)).toMatchObject(SESSION_LOCK_LOST);
  await HeldSession.accept(given, 's', { handle: 101 });
  expect(await get('s')).toBe(hex(Buffer.from('kept')));
});
