// Messages of sessions through `$management`: shown and deleted in bulk, of one session or of all.

import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { int, timestamp } from '../../support/frame-encoder.js';
import { openSession } from '../../support/frame-links.js';
import { entryOf } from '../../support/frame-message.js';
import { notation } from '../../support/frame-notation.js';
import { about, HeldSession, SESSION_LOCK_LOST, SESSION_QUEUE, sessionMessage } from './held-session.js';
import { type Body, messagesIn, type Reply } from './management-client.js';
import { peekBody, Surroundings, textOf } from './surroundings.js';

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

  it('with one deletes the messages that its holder has not received [SES-04, DEL-01]', async () => {
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
