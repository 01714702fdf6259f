// What the holder of a session has of it: its messages in order, all of them and alone, as long as its lock lasts.

import { describe, expect, it } from 'vitest';
import {
  ABANDON,
  COMPLETE,
  DEAD_LETTER,
  DEFER,
  deliveriesTo,
  failureOf,
  messagesOf,
  RELEASE,
  START,
  sequenceNumbersTo,
} from '../../support/broker-builders.js';
import {
  accept,
  acceptedIn,
  claimOf,
  countsOf,
  detach,
  detachedIn,
  getState,
  messageIn,
  OTHER_CONNECTION,
  receiveDeferredIn,
  renewSession,
  setState,
  stateOf,
  tryAccept,
  withSessionQueue,
} from '../../support/session-builders.js';

const SECOND = 1000;
const MINUTE = 60 * SECOND;

describe('the holder of a session', () => {
  it('gets its messages in order, as many at a time as it has credit for [SES-05, X7]', () => {
    const bus = withSessionQueue();
    bus.send('orders', messageIn('a'), messageIn('b'), messageIn('a'), messageIn('a'));
    const linkId = accept(bus, 'a');
    expect(sequenceNumbersTo(linkId, bus.setCredit(linkId, 2))).toEqual([1, 3]);
    expect(sequenceNumbersTo(linkId, bus.setCredit(linkId, 3))).toEqual([4]);
  });

  it('gets later messages, and no other receiver does [SES-04, X8]', () => {
    const bus = withSessionQueue();
    const [a, b] = [accept(bus, 'a'), accept(bus, 'b')];
    bus.setCredit(a, 1);
    bus.setCredit(b, 5);
    const turn = bus.send('orders', messageIn('a'), messageIn('b'), messageIn('a'));
    expect(sequenceNumbersTo(a, turn)).toEqual([1]);
    expect(sequenceNumbersTo(b, turn)).toEqual([2]);
    expect(acceptedIn(tryAccept(bus).turn)).toEqual([]); // the second message of a is held with its session
    expect(sequenceNumbersTo(a, bus.setCredit(a, 2))).toEqual([3]);
  });

  it('gets an abandoned message before any other [SES-05]', () => {
    const bus = withSessionQueue();
    bus.send('orders', messageIn('a'), messageIn('a'), messageIn('a'));
    const linkId = accept(bus, 'a');
    const [first] = deliveriesTo(linkId, bus.setCredit(linkId, 2));
    bus.settle('orders', { lockToken: first?.lockToken ?? '' }, ABANDON);
    const again = deliveriesTo(linkId, bus.setCredit(linkId, 4));
    expect(again.map(({ properties }) => [properties.sequenceNumber, properties.deliveryCount])).toEqual([
      [1, 1],
      [3, 0],
    ]);
  });

  it('gets messages without a lock in receive-and-delete [SES-05, RCV-02]', () => {
    const bus = withSessionQueue();
    bus.send('orders', messageIn('a'), messageIn('a'));
    const linkId = accept(bus, 'a', { receiveMode: 'receive-and-delete' });
    expect(deliveriesTo(linkId, bus.setCredit(linkId, 5))).toMatchObject([
      { lockToken: undefined, properties: { sequenceNumber: 1 } },
      { lockToken: undefined, properties: { sequenceNumber: 2 } },
    ]);
    expect(bus.peek('orders')).toEqual([]);
  });

  it('keeps the session beyond its lock in receive-and-delete, until it detaches [SES-12]', () => {
    const bus = withSessionQueue();
    const linkId = accept(bus, 'a', { receiveMode: 'receive-and-delete' });
    expect(detachedIn(bus.tickAfter(5 * MINUTE))).toEqual([]);
    expect(failureOf(tryAccept(bus, 'a').turn)?.reason).toBe('session-cannot-be-locked');
    bus.setCredit(linkId, 1);
    expect(sequenceNumbersTo(linkId, bus.send('orders', messageIn('a')))).toEqual([1]);
    expect(renewSession(bus, 'a').result).toEqual({ kind: 'renewed', lockedUntil: [bus.now + MINUTE] });
    setState(bus, 'a', 'read');
    const next = accept(bus);
    bus.send('orders', messageIn('a'));
    const turn = detach(bus, linkId);
    expect(acceptedIn(turn)).toEqual([{ linkId: next, sessionId: 'a' }]);
    expect(bus.peek('orders')[0]?.properties).toMatchObject({ deliveryCount: 0 });
  });

  it('gives its credit back on a drain [CRD-02]', () => {
    const bus = withSessionQueue();
    bus.send('orders', messageIn('a'));
    const linkId = accept(bus, 'a');
    expect(bus.setCredit(linkId, 5, { drain: true }).effects).toMatchObject([
      { kind: 'deliver' },
      { kind: 'drained', linkId, deliveredCount: 5 },
    ]);
    expect(bus.send('orders', messageIn('a')).effects).toEqual([]);
  });

  it('reaches the maximum of deliveries message by message [DLV-06]', () => {
    const bus = withSessionQueue({ maxDeliveryCount: 2 });
    bus.send('orders', messageIn('a'), messageIn('a'));
    const linkId = accept(bus, 'a');
    bus.settle('orders', bus.receiveOneAs(linkId), ABANDON);
    expect(bus.queueInfo('orders').counts.deadLetter).toBe(0);
    const [again] = deliveriesTo(linkId, bus.setCredit(linkId, 2));
    bus.settle('orders', { lockToken: again?.lockToken ?? '' }, ABANDON);
    expect(bus.queueInfo('orders').counts).toMatchObject({ active: 1, deadLetter: 1 });
    const [next] = deliveriesTo(linkId, bus.setCredit(linkId, 3));
    expect(next?.properties.sequenceNumber).toBe(2);
  });

  it('settles each message as it likes [SET-01, SET-04, SET-05, SET-10]', () => {
    const bus = withSessionQueue();
    bus.send('orders', ...['1', '2', '3', '4'].map((text) => messageIn('a', text)));
    const linkId = accept(bus, 'a');
    const tokens = deliveriesTo(linkId, bus.setCredit(linkId, 4)).map(({ lockToken = '' }) => ({
      lockToken,
    }));
    for (const [index, outcome] of [COMPLETE, DEFER, DEAD_LETTER, RELEASE].entries()) {
      const { result } = bus.settle('orders', tokens[index] ?? { lockToken: '' }, outcome);
      expect(result).toEqual({ kind: 'done' });
    }
    expect(countsOf(bus)).toEqual([
      [2, 1],
      [4, 0],
    ]);
    expect(countsOf(bus, 'orders/$DeadLetterQueue')).toEqual([[3, 0]]);
  });
});

describe('the lock of a session', () => {
  it('is the lock of its messages: they show when it ends, and have no end of their own [SES-04, RCV-03]', () => {
    const bus = withSessionQueue();
    bus.send('orders', messageIn('a', '1'), messageIn('a', '2'));
    const linkId = accept(bus, 'a');
    bus.passTime(20 * SECOND);
    const first = bus.receiveOneAs(linkId);
    expect(first.lockedUntil).toBe(START + MINUTE);
    renewSession(bus, 'a');
    bus.tickAfter(MINUTE - 1);
    expect(bus.broker.holdsLock(first.lockToken, bus.now)).toBe(true);
    expect(bus.settle('orders', first, COMPLETE).result).toEqual({ kind: 'done' });
  });

  it('cannot be renewed by a message [SES-04]', () => {
    const bus = withSessionQueue();
    bus.send('orders', messageIn('a'));
    const linkId = accept(bus, 'a');
    const { lockToken } = bus.receiveOneAs(linkId);
    expect(failureOf(bus.renew('orders', lockToken))?.reason).toBe('not-allowed');
    expect(failureOf(bus.renew('orders', 'f'.repeat(32)))?.reason).toBe('session-lock-lost');
  });

  it('lasts a lock duration from each renewal, by the duration of then [SES-11, X9, ENT-09]', () => {
    const bus = withSessionQueue();
    accept(bus, 'a');
    bus.passTime(40 * SECOND);
    expect(renewSession(bus, 'a').result).toEqual({ kind: 'renewed', lockedUntil: [bus.now + MINUTE] });
    bus.putQueue('orders', { requiresSession: true, lockDurationMs: 10 * SECOND });
    expect(renewSession(bus, 'a').result).toEqual({ kind: 'renewed', lockedUntil: [bus.now + 10 * SECOND] });
    expect(detachedIn(bus.tickAfter(10 * SECOND - 1))).toEqual([]);
    expect(detachedIn(bus.tickAfter(1))).toHaveLength(1);
  });

  it('ends on time: the link is detached, and its deliveries are counted and go on [SES-12, SES-13, DLV-02, X11]', () => {
    const bus = withSessionQueue({ maxDeliveryCount: 2 });
    bus.send('orders', ...['1', '2', '3'].map((text) => messageIn('a', text)));
    const first = accept(bus, 'a');
    bus.setCredit(first, 1);
    bus.tickAfter(MINUTE);
    const second = accept(bus, 'a');
    bus.setCredit(second, 2); // the first for the last time, the second for the first
    const turn = bus.tickAfter(MINUTE);
    expect(detachedIn(turn)).toEqual([{ linkId: second, reason: 'session-lock-lost' }]);
    expect(countsOf(bus, 'orders/$DeadLetterQueue')).toEqual([[1, 2]]);
    expect(countsOf(bus)).toEqual([
      [2, 1],
      [3, 0],
    ]);
    const third = accept(bus);
    expect(sequenceNumbersTo(third, bus.setCredit(third, 5))).toEqual([2, 3]);
  });

  it('ends with its link: its messages are available at once, and nothing is counted [SES-14, LNK-05, DLV-02, M14, X12]', () => {
    const bus = withSessionQueue();
    bus.send('orders', messageIn('a', '1'), messageIn('a', '2'));
    const first = accept(bus, 'a');
    const [held] = deliveriesTo(first, bus.setCredit(first, 2));
    const turn = detach(bus, first);
    expect(turn.events).toEqual([]);
    const second = accept(bus);
    const again = deliveriesTo(second, bus.setCredit(second, 2));
    expect(again.map(({ properties }) => [properties.sequenceNumber, properties.deliveryCount])).toEqual([
      [1, 0],
      [2, 0],
    ]);
    expect(again[0]?.lockToken).not.toBe(held?.lockToken);
  });

  it('ends with its link also when messages are kept locked after theirs elsewhere [SES-14]', () => {
    const bus = withSessionQueue({}, { behaviour: { releaseLocksOnDetach: true } });
    bus.send('orders', messageIn('a'));
    const linkId = accept(bus, 'a');
    bus.receiveOneAs(linkId);
    detach(bus, linkId);
    expect(countsOf(bus)).toEqual([[1, 0]]);
    expect(acceptedIn(tryAccept(bus).turn)).toHaveLength(1);
  });

  it('does not outlive a restart; messages and counts do [LNK-06, X17, M37]', () => {
    const bus = withSessionQueue();
    bus.send('orders', messageIn('a', '1'));
    const linkId = accept(bus, 'a');
    bus.settle('orders', bus.receiveOneAs(linkId), ABANDON);
    bus.setCredit(linkId, 2);
    const restarted = bus.restarted();
    expect(failureOf(renewSession(restarted, 'a'))?.reason).toBe('session-lock-lost');
    const again = accept(restarted);
    expect(deliveriesTo(again, restarted.setCredit(again, 1))).toMatchObject([
      { properties: { sequenceNumber: 1, deliveryCount: 1 } },
    ]);
  });
});

describe('a receiver that held a session', () => {
  it('is refused whatever it requests for it [SES-12, X13]', () => {
    const bus = withSessionQueue();
    bus.send('orders', messageIn('a', '1'), messageIn('a', '2'));
    const linkId = accept(bus, 'a');
    const deferred = bus.receiveOneAs(linkId);
    bus.settle('orders', deferred, DEFER);
    const [held] = deliveriesTo(linkId, bus.setCredit(linkId, 2));
    const lockTokens = [held?.lockToken ?? ''];
    bus.tickAfter(MINUTE);
    accept(bus, 'a', { connectionId: OTHER_CONNECTION });
    const session = claimOf('a');
    const turns = [
      ...[COMPLETE, ABANDON, DEFER, DEAD_LETTER].map((outcome) =>
        bus.settle('orders', { lockToken: lockTokens[0] ?? '' }, outcome),
      ),
      bus.execute({ kind: 'settle-many', entityPath: 'orders', lockTokens, outcome: COMPLETE, session }),
      renewSession(bus, 'a'),
      getState(bus, 'a'),
      setState(bus, 'a', 'mine'),
      receiveDeferredIn(bus, 'a', deferred.properties.sequenceNumber),
      bus.execute({
        kind: 'delete-messages',
        entityPath: 'orders',
        maxCount: 1,
        enqueuedBefore: Number.POSITIVE_INFINITY,
        session,
      }),
    ];
    for (const turn of turns) {
      expect(failureOf(turn)).toEqual({
        reason: 'session-lock-lost',
        message: 'The session lock has expired on the MessageSession. Accept a new MessageSession.',
      });
      expect(turn.events).toEqual([]);
    }
    expect(stateOf(bus, { sessionId: 'a', connectionId: OTHER_CONNECTION })).toBeUndefined();
  });

  it('gets nothing more, although it had credit [X12]', () => {
    const bus = withSessionQueue();
    const linkId = accept(bus, 'a');
    bus.setCredit(linkId, 5);
    detach(bus, linkId);
    accept(bus, 'a');
    expect(bus.send('orders', messageIn('a')).effects).toEqual([]);
  });
});

describe('a wrong token', () => {
  it('is answered with a lost session lock, and the session stays held [SET-06, X14]', () => {
    const bus = withSessionQueue();
    bus.send('orders', messageIn('a'));
    const linkId = accept(bus, 'a');
    const held = bus.receiveOneAs(linkId);
    expect(failureOf(bus.settle('orders', { lockToken: 'f'.repeat(32) }, COMPLETE))?.reason).toBe(
      'session-lock-lost',
    );
    expect(failureOf(tryAccept(bus, 'a').turn)?.reason).toBe('session-cannot-be-locked');
    expect(bus.settle('orders', held, COMPLETE).result).toEqual({ kind: 'done' });
  });

  it('includes a token of another session than the one named [SET-09]', () => {
    const bus = withSessionQueue();
    bus.send('orders', messageIn('a'), messageIn('b'));
    const [a, b] = [accept(bus, 'a'), accept(bus, 'b')];
    const lockTokens = [bus.receiveOneAs(a).lockToken, bus.receiveOneAs(b).lockToken];
    const settleMany = { kind: 'settle-many', entityPath: 'orders', outcome: COMPLETE } as const;
    const turn = bus.execute({ ...settleMany, lockTokens, session: claimOf('a') });
    expect(failureOf(turn)?.reason).toBe('session-lock-lost');
    expect(turn.events).toEqual([]);
    expect(bus.execute({ ...settleMany, lockTokens }).result).toEqual({ kind: 'done' });
  });
});

describe('a deferred message of a session', () => {
  function withDeferred(text = '1') {
    const bus = withSessionQueue({ maxDeliveryCount: 3 });
    bus.send('orders', messageIn('a', text), messageIn('b', '2'));
    const linkId = accept(bus, 'a');
    bus.settle('orders', bus.receiveOneAs(linkId), DEFER);
    return { bus, linkId };
  }

  it('is received by the holder of the session, locked with it [DEF-07, SES-04]', () => {
    const { bus } = withDeferred();
    bus.passTime(5 * SECOND);
    const [message] = messagesOf(receiveDeferredIn(bus, 'a', 1));
    expect(message).toMatchObject({ lockedUntil: START + MINUTE, properties: { sequenceNumber: 1 } });
    const settled = { lockToken: message?.lockToken ?? '' };
    expect(bus.settle('orders', settled, COMPLETE).result).toEqual({ kind: 'done' });
  });

  it('is not found from another session, and not received without one [DEF-03, DEF-07]', () => {
    const { bus } = withDeferred();
    accept(bus, 'b');
    expect(failureOf(receiveDeferredIn(bus, 'b', 1))?.reason).toBe('message-not-found');
    expect(failureOf(receiveDeferredIn(bus, 'c', 1))?.reason).toBe('session-lock-lost');
    const other = { sessionId: 'a', connectionId: OTHER_CONNECTION };
    expect(failureOf(receiveDeferredIn(bus, other, 1))?.reason).toBe('session-lock-lost');
    const without = failureOf(receiveDeferredIn(bus, undefined, 1));
    expect(without?.reason).toBe('message-not-found');
    expect(without?.message).toMatch(
      /^Failed to lock one or more specified messages\..* send its session id\.$/,
    );
  });

  it('is deferred as before when the session is given up, and counted when its lock ends [M29, M25, SES-13, SES-14]', () => {
    const { bus, linkId } = withDeferred();
    receiveDeferredIn(bus, 'a', 1);
    detach(bus, linkId);
    expect(bus.peek('orders')[0]?.properties).toMatchObject({ state: 1, deliveryCount: 1 });
    accept(bus, 'a');
    receiveDeferredIn(bus, 'a', 1);
    bus.tickAfter(MINUTE);
    expect(bus.peek('orders')[0]?.properties).toMatchObject({ state: 1, deliveryCount: 2 });
    accept(bus, 'a');
    receiveDeferredIn(bus, 'a', 1);
    bus.tickAfter(MINUTE);
    expect(countsOf(bus, 'orders/$DeadLetterQueue')).toEqual([[1, 3]]); // M26
  });
});
