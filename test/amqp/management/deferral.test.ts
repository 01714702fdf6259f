// Receiving deferred messages by their numbers through `$management`, under a lock and for good.

import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { list, long, ubyte, uint } from '../../support/frame-encoder.js';
import { notation } from '../../support/frame-notation.js';
import { messagesIn, type Reply } from './management-client.js';
import { deliveryCountOf, LOCK_MS, longs, Surroundings, stateOf, textOf } from './surroundings.js';

const NOT_FOUND = { status: 'int 404', condition: "'com.microsoft:message-not-found" };
const MODE = { receiveAndDelete: 0, peekLock: 1 } as const;

let given: Surroundings;
beforeEach(async () => {
  given = await Surroundings.open();
});
afterEach(() => given.close());

async function lockDeferred(number: number, path?: string): Promise<Buffer> {
  const [{ lockToken } = {}] = messagesIn(
    await given.receiveDeferred([number], path === undefined ? {} : { path }),
  );
  if (lockToken === undefined) throw new Error(`the message ${number} was not locked`);
  return lockToken;
}

const textsIn = (reply: Reply) => messagesIn(reply).map(({ message }) => textOf(message));

describe('a deferred message', () => {
  it('is received under a lock, with its token in the answer and on the message [DEF-02]', async () => {
    const number = await given.defer('parked');
    const reply = await given.receiveDeferred([number]);
    expect(reply).toMatchObject({ status: 'int 200', condition: 'absent' });
    const [{ lockToken, message } = {}] = messagesIn(reply);
    const annotation = (name: string) => notation(message?.entry('messageAnnotations', name));
    expect(annotation('x-opt-lock-token')).toBe(`uuid ${lockToken?.toString('hex')}`);
    expect(annotation('x-opt-locked-until')).toBe(`timestamp ${given.now + LOCK_MS}`);
    expect(annotation('x-opt-message-state')).toBe('int 1');
    expect(annotation('x-opt-sequence-number')).toBe(`long ${number}`);
    expect(await given.receiveDeferred([number])).toMatchObject(NOT_FOUND);
  });

  it('is received for good, without a lock [DEF-02]', async () => {
    const number = await given.defer('parked');
    const reply = await given.receiveDeferred([number], { mode: MODE.receiveAndDelete });
    const [{ lockToken, message } = {}] = messagesIn(reply);
    expect(message && textOf(message)).toBe('parked');
    expect(message && stateOf(message)).toBe('deferred');
    expect(lockToken).toBeUndefined();
    expect(message?.entry('messageAnnotations', 'x-opt-lock-token')).toBeUndefined();
    expect(message?.entry('messageAnnotations', 'x-opt-locked-until')).toBeUndefined();
    expect(await given.list()).toEqual([]);
  });

  it.each([
    ['ubyte, as the documentation says', ubyte(1)],
    ['uint, as SDKs send it', uint(1)],
  ])('is received with a settle mode that is a %s', async (_, mode) => {
    const number = await given.defer('parked');
    const body = { 'sequence-numbers': list([long(number)]), 'receiver-settle-mode': mode };
    expect(messagesIn(await given.ask('receive-by-sequence-number', body))).toHaveLength(1);
  });

  it('comes back deferred when it is abandoned, deferred or its lock ends, each counted [DEF-05, DEF-06]', async () => {
    const number = await given.defer('parked');
    await given.settle('abandoned', await lockDeferred(number));
    expect((await given.peek()).map(deliveryCountOf)).toEqual([2]);
    await given.settle('defered', await lockDeferred(number));
    expect((await given.peek()).map(deliveryCountOf)).toEqual([3]);
    await lockDeferred(number);
    given.advance(LOCK_MS);
    expect((await given.peek()).map(deliveryCountOf)).toEqual([4]);
    expect(await given.list()).toEqual(['parked deferred 1']);
  });
});

describe('several numbers', () => {
  it('may be none: the answer is an empty list [DEF-04]', async () => {
    const reply = await given.receiveDeferred([]);
    expect(reply).toMatchObject({ status: 'int 200', condition: 'absent' });
    expect(messagesIn(reply)).toEqual([]);
  });

  it.each([
    ['unknown', 99],
    ['zero', 0],
    ['negative', -1],
    ['beyond all numbers', 2n ** 63n - 1n],
    ['beyond all numbers below zero', -(2n ** 63n)],
  ])('of which one is %s return nothing and lock nothing [DEF-03]', async (_, unknown) => {
    const number = await given.defer('parked');
    for (const mode of Object.values(MODE)) {
      expect(await given.receiveDeferred([number, unknown], { mode })).toMatchObject(NOT_FOUND);
    }
    expect(textsIn(await given.receiveDeferred([number]))).toEqual(['parked']);
  });

  it('may be a list', async () => {
    const number = await given.defer('parked');
    const body = { 'sequence-numbers': list([long(number)]), 'receiver-settle-mode': uint(0) };
    expect(textsIn(await given.ask('receive-by-sequence-number', body))).toEqual(['parked']);
  });

  it('may be an empty array', async () => {
    const body = { 'sequence-numbers': longs(), 'receiver-settle-mode': uint(1) };
    expect(messagesIn(await given.ask('receive-by-sequence-number', body))).toEqual([]);
  });
});
