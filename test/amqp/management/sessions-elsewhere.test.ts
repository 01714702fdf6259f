// Requests about sessions where there are none: on a queue that does not require them, and on a dead-letter queue.

import { afterEach, describe, expect, it } from 'vitest';
import { uint } from '../../support/frame-encoder.js';
import { about, HeldSession, SESSION_QUEUE, sessionMessage, settling } from './held-session.js';
import { type Body, messagesIn } from './management-client.js';
import { GOOD, NOT_ALLOWED } from './refusals.js';
import { DEAD_LETTERS, longs, QUEUE, Surroundings, textOf } from './surroundings.js';

/** Requests that would do something else without the session id, or that are about nothing but sessions. */
const REFUSED: readonly (readonly [operation: string, fields: Body])[] = [
  ['peek-message', about('s')],
  ['batch-delete-messages', about('s')],
  ['renew-session-lock', {}],
  ['get-session-state', {}],
  ['set-session-state', {}],
  ['get-message-sessions', {}],
];

let given: Surroundings;
afterEach(() => given.close());

/** A message that is deferred on `path`, and one that is active. */
const PLACES = [
  [
    'a queue without sessions',
    QUEUE,
    async () => {
      given = await Surroundings.open();
      await given.send(sessionMessage('s', 'one'), sessionMessage('s', 'two'));
    },
  ],
  [
    'a dead-letter queue',
    DEAD_LETTERS,
    async () => {
      given = await Surroundings.open(SESSION_QUEUE);
      await given.send(sessionMessage('s', 'one'), sessionMessage('s', 'two'));
      const holder = await HeldSession.accept(given, 's');
      const tokens = [(await holder.receive()).token, (await holder.receive()).token];
      await given.ask('update-disposition', settling('suspended', tokens, about('s')));
    },
  ],
] as const;

describe.each(PLACES)('on %s', (_, path, arrange) => {
  it.each(REFUSED)(
    '%s about a session is not allowed, and does nothing [SES-02, DLQ-03]',
    async (operation, fields) => {
      await arrange();
      const before = await given.list(path);
      const reply = await given.ask(operation, { ...GOOD[operation], ...fields }, { path });
      expect(reply).toMatchObject({ ...NOT_ALLOWED, body: { type: 'map', value: [] } });
      expect(reply.description).toMatch(/session.* TrackingId:/);
      expect(before).toHaveLength(2);
      expect(await given.list(path)).toEqual(before);
    },
  );

  it('messages are deferred, received and settled as usual, and a session id is ignored', async () => {
    await arrange();
    const { token, sequenceNumber } = await given.lock(path);
    await given.settle('defered', token, { path, fields: about('s') });
    const asked = about('t', { 'sequence-numbers': longs(sequenceNumber), 'receiver-settle-mode': uint(1) });
    const [{ lockToken, message } = {}] = messagesIn(
      await given.ask('receive-by-sequence-number', asked, { path }),
    );
    expect(message && textOf(message)).toBe('one');
    await given.settle('completed', lockToken ?? Buffer.alloc(16), { path, fields: about('u') });
    expect(await given.list(path)).toHaveLength(1);
  });
});
