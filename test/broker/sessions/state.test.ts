// What is stored with a session, how long it lasts, and how sessions are found.

import { describe, expect, it } from 'vitest';
import { COMPLETE, failureOf, START, withQueue } from '../../support/broker-builders.js';
import {
  accept,
  claimOf,
  detach,
  getState,
  listSessions,
  messageIn,
  OTHER_CONNECTION,
  peekSession,
  renewSession,
  setState,
  stateOf,
  withSessionQueue,
} from '../../support/session-builders.js';

const MINUTE = 60_000;
const MEBIBYTE = 1024 * 1024;

describe('the state of a session', () => {
  it('is nothing at first, and then the bytes that were set [SES-15, X10]', () => {
    const bus = withSessionQueue();
    accept(bus, 'a');
    expect(stateOf(bus, 'a')).toBeUndefined();
    setState(bus, 'a', 'one');
    expect(stateOf(bus, 'a')).toBe('one');
    setState(bus, 'a', '');
    expect(stateOf(bus, 'a')).toBe(''); // no bytes, and still a state
  });

  it('is gone when it is cleared, bytes and all [SES-15, X10]', () => {
    const bus = withSessionQueue();
    accept(bus, 'a');
    setState(bus, 'a', 'one');
    setState(bus, 'a', 'two');
    expect(bus.rows.contents.size).toBe(1);
    expect(setState(bus, 'a', undefined).events).toMatchObject([
      { kind: 'content-released' },
      { kind: 'session-state-removed', sessionId: 'a' },
    ]);
    expect(stateOf(bus, 'a')).toBeUndefined();
    expect(bus.rows.contents.size).toBe(0);
    expect(setState(bus, 'a', undefined).events).toEqual([]);
  });

  it('outlives its messages and its holders [SES-03, SES-15]', () => {
    const bus = withSessionQueue();
    bus.send('orders', messageIn('a'));
    const linkId = accept(bus, 'a');
    setState(bus, 'a', 'kept');
    bus.settle('orders', bus.receiveOneAs(linkId), COMPLETE);
    detach(bus, linkId);
    expect(listSessions(bus)).toEqual(['a']);
    accept(bus, 'a', { connectionId: OTHER_CONNECTION });
    expect(stateOf(bus, { sessionId: 'a', connectionId: OTHER_CONNECTION })).toBe('kept');
  });

  it('survives a restart [SES-15, X17]', () => {
    const bus = withSessionQueue();
    accept(bus, 'a');
    setState(bus, 'a', 'kept');
    const restarted = bus.restarted();
    expect(failureOf(getState(restarted, 'a'))?.reason).toBe('session-lock-lost');
    accept(restarted, 'a');
    expect(stateOf(restarted, 'a')).toBe('kept');
    restarted.send('orders', messageIn('a')); // takes no content id that is in use
    expect(stateOf(restarted, 'a')).toBe('kept');
  });

  it('is accessible to the holder alone, on any link of its connection [SES-15, X10, X13]', () => {
    const bus = withSessionQueue();
    accept(bus, 'a');
    accept(bus, 'b', { connectionId: OTHER_CONNECTION });
    for (const session of [{ sessionId: 'a', connectionId: OTHER_CONNECTION }, 'b', 'c']) {
      expect(failureOf(setState(bus, session, 'x'))?.reason).toBe('session-lock-lost');
      expect(failureOf(getState(bus, session))?.reason).toBe('session-lock-lost');
    }
  });

  it('has up to the size of a message [SES-16, LIM-16]', () => {
    const bus = withSessionQueue({}, { limits: { maxMessageSizeBytes: 100 } });
    accept(bus, 'a');
    expect(setState(bus, 'a', 'x'.repeat(100)).result).toEqual({ kind: 'done' });
    const failure = failureOf(setState(bus, 'a', 'x'.repeat(101)));
    expect(failure?.reason).toBe('message-size-exceeded');
    expect(failure?.message).toContain('up to 100 bytes');
    expect(stateOf(bus, 'a')).toHaveLength(100);
  });

  it('counts toward the size of its queue, and cannot grow when that is full [SES-15, LIM-05, CNT-02]', () => {
    const bus = withSessionQueue(
      { maxSizeInMegabytes: 1 },
      { limits: { maxMessageSizeBytes: 2 * MEBIBYTE } },
    );
    accept(bus, 'a');
    setState(bus, 'a', 'x'.repeat(MEBIBYTE));
    expect(bus.queueInfo('orders').sizeBytes).toBe(MEBIBYTE);
    expect(bus.restarted().queueInfo('orders').sizeBytes).toBe(MEBIBYTE);
    accept(bus, 'b');
    expect(failureOf(setState(bus, 'b', 'x'))?.reason).toBe('quota-exceeded');
    expect(failureOf(bus.send('orders', messageIn('b')))?.reason).toBe('quota-exceeded');
    expect(setState(bus, 'a', 'smaller').result).toEqual({ kind: 'done' });
    expect(bus.queueInfo('orders').sizeBytes).toBe(7);
    setState(bus, 'a', undefined);
    expect(bus.queueInfo('orders').sizeBytes).toBe(0);
  });

  it('is removed with its queue, as are messages, locks and waiting receivers [X18, ENT-05]', () => {
    const bus = withSessionQueue();
    bus.send('orders', messageIn('a'), messageIn('a'));
    const linkId = accept(bus, 'a');
    bus.setCredit(linkId, 1);
    setState(bus, 'a', 'gone');
    accept(bus);
    const turn = bus.execute({ kind: 'delete-entity', entityPath: 'orders' });
    expect(turn.effects).toMatchObject([
      { kind: 'detach', error: { reason: 'entity-not-found' } },
      { kind: 'detach', error: { reason: 'entity-not-found' } },
    ]);
    const { events } = bus.tickAfter(1);
    expect(events).toContainEqual({ kind: 'session-state-removed', storeId: 1, sessionId: 'a' });
    expect(bus.rows.contents.size).toBe(0);
    expect(bus.rows.stored()).toEqual([]);
    bus.putQueue('orders', { requiresSession: true });
    expect(listSessions(bus)).toEqual([]);
    expect(bus.tickAfter(MINUTE).effects).toEqual([]);
  });
});

describe('messages of a session queue that were stored before there were sessions', () => {
  it('belong to the session with the empty id, and none is lost [SES-02]', () => {
    const bus = withSessionQueue();
    bus.send('orders', messageIn('a'));
    for (const stored of bus.rows.stored()) {
      if (stored.kind !== 'message-put') continue;
      const message = { ...stored.message, sessionId: undefined };
      bus.rows.apply([{ ...stored, message }]);
    }
    const restarted = bus.restarted();
    const linkId = accept(restarted, '');
    expect(restarted.setCredit(linkId, 1).effects).toMatchObject([{ kind: 'deliver' }]);
  });
});

describe('a list of sessions', () => {
  it('names those with active messages or state, in the order of their ids [SES-17, SES-03]', () => {
    const bus = withSessionQueue();
    bus.send('orders', messageIn('b'), messageIn('a'), messageIn('Z'));
    accept(bus, 'state');
    setState(bus, 'state', 'x');
    accept(bus, 'empty');
    bus.send('orders', messageIn('later', 'x', { scheduledEnqueueTime: START + MINUTE }));
    bus.receiveOneAs(accept(bus, 'a')); // locked is active
    expect(listSessions(bus)).toEqual(['Z', 'a', 'b', 'state']);
  });

  it('leaves out a session whose messages and state are gone [SES-03, X2, X16]', () => {
    const bus = withSessionQueue();
    bus.send('orders', messageIn('a'), messageIn('b'));
    const [a, b] = [accept(bus, 'a'), accept(bus, 'b')];
    setState(bus, 'b', 'x');
    for (const linkId of [a, b]) bus.settle('orders', bus.receiveOneAs(linkId), COMPLETE);
    expect(listSessions(bus)).toEqual(['b']);
    setState(bus, 'b', undefined);
    expect(listSessions(bus)).toEqual([]);
  });

  it('names those whose state was set after a given time, messages or not [SES-17]', () => {
    const bus = withSessionQueue();
    bus.send('orders', messageIn('a'));
    for (const id of ['b', 'c']) {
      accept(bus, id);
      setState(bus, id, 'x');
      bus.passTime(1000);
    }
    expect(listSessions(bus, { stateSetAfter: START - 1 })).toEqual(['b', 'c']);
    expect(listSessions(bus, { stateSetAfter: START })).toEqual(['c']);
    expect(listSessions(bus, { stateSetAfter: START + 1000 })).toEqual([]);
    setState(bus, 'b', 'y');
    expect(listSessions(bus, { stateSetAfter: START + 1000 })).toEqual(['b']);
  });

  it('comes page by page [SES-17]', () => {
    const bus = withSessionQueue();
    const ids = Array.from({ length: 250 }, (_, index) => `session-${String(index).padStart(3, '0')}`);
    bus.send('orders', ...ids.map((id) => messageIn(id)).reverse());
    expect(listSessions(bus, { skip: 0 })).toEqual(ids.slice(0, 100));
    expect(listSessions(bus, { skip: 100 })).toEqual(ids.slice(100, 200));
    expect(listSessions(bus, { skip: 200 })).toEqual(ids.slice(200));
    expect(listSessions(bus, { skip: 300 })).toEqual([]);
  });

  it('is refused with a page of nothing, and where there are no sessions [SES-17]', () => {
    const bus = withSessionQueue();
    expect(() => listSessions(bus, { maxCount: 0 })).toThrow('must be 1 or more');
    expect(() => listSessions(bus, { skip: -1 })).toThrow('after the first -1');
    expect(() => listSessions(withQueue())).toThrow('does not require sessions');
  });

  it('is refused rather than cut when it is too long for one answer [SES-17]', () => {
    const bus = withSessionQueue({}, { limits: { maxAnswerBytes: 30 } });
    bus.send('orders', ...['a', 'b', 'c', 'd'].map((letter) => messageIn(letter.repeat(10))));
    expect(listSessions(bus, { maxCount: 3 })).toHaveLength(3);
    expect(() => listSessions(bus, { maxCount: 4 })).toThrow('ask for fewer at a time');
  });

  it('locks nothing and changes nothing [SES-17]', () => {
    const bus = withSessionQueue();
    bus.send('orders', messageIn('a'));
    const list = { kind: 'list-sessions', entityPath: 'orders', skip: 0, maxCount: 1 } as const;
    const turn = bus.execute({ ...list, stateSetAfter: undefined });
    expect(turn).toEqual({ result: { kind: 'sessions', sessionIds: ['a'] }, events: [], effects: [] });
    expect(accept(bus, 'a')).toBeGreaterThan(0);
  });
});

describe('browsing', () => {
  it('shows one session whoever holds it, in any state, or all sessions [PEEK-08]', () => {
    const bus = withSessionQueue();
    bus.send('orders', messageIn('a'), messageIn('b'), messageIn('a'));
    bus.send('orders', messageIn('a', 'later', { scheduledEnqueueTime: START + MINUTE }));
    const linkId = accept(bus, 'a', { connectionId: OTHER_CONNECTION });
    bus.receiveOneAs(linkId);
    const numbersOf = (sessionId: string) =>
      peekSession(bus, sessionId).map(({ properties }) => properties.sequenceNumber);
    expect(numbersOf('a')).toEqual([1, 3, 4]);
    expect(numbersOf('b')).toEqual([2]);
    expect(numbersOf('c')).toEqual([]);
    expect(bus.peek('orders')).toHaveLength(4);
  });

  it('has no sessions to show elsewhere [PEEK-08]', () => {
    const bus = withQueue();
    const range = { fromSequenceNumber: 0, maxCount: 1 } as const;
    const turn = bus.execute({ kind: 'peek', entityPath: 'orders', ...range, sessionId: 'a' });
    expect(failureOf(turn)?.reason).toBe('not-allowed');
  });
});

describe('deleting in bulk', () => {
  const all = { kind: 'delete-messages', entityPath: 'orders', maxCount: 100 } as const;

  it('leaves what belongs to held sessions to their holders [DEL-02, SES-04]', () => {
    const bus = withSessionQueue();
    bus.send('orders', messageIn('a'), messageIn('b'), messageIn('a'), messageIn('a'));
    const linkId = accept(bus, 'a');
    bus.receiveOneAs(linkId);
    bus.passTime(1);
    expect(bus.execute({ ...all, enqueuedBefore: bus.now }).result).toEqual({ kind: 'deleted', count: 1 });
    const turn = bus.execute({ ...all, enqueuedBefore: bus.now, session: claimOf('a') });
    expect(turn.result).toEqual({ kind: 'deleted', count: 2 });
    expect(bus.peek('orders')).toHaveLength(1);
  });
});

describe('a queue that is disabled', () => {
  it('allows no work on its sessions [ENT-07, ENT-08]', () => {
    const bus = withSessionQueue();
    accept(bus, 'a');
    bus.putQueue('orders', { requiresSession: true, status: 'Disabled' });
    for (const turn of [renewSession(bus, 'a'), getState(bus, 'a'), setState(bus, 'a', 'x')]) {
      expect(failureOf(turn)?.reason).toBe('entity-disabled');
    }
  });
});
