// Who comes to hold a session, by its id or as the next one, and who has to wait or is refused.

import { describe, expect, it } from 'vitest';
import { describeQueue } from '../../../src/broker/contract/entities/queue-description.js';
import { failureOf, messageOf, START, sequenceNumbersTo, withQueue } from '../../support/broker-builders.js';
import {
  accept,
  acceptedIn,
  detach,
  detachedIn,
  listSessions,
  messageIn,
  OTHER_CONNECTION,
  setState,
  tryAccept,
  withSessionQueue,
} from '../../support/session-builders.js';
import { withTopic } from '../../support/topic-builders.js';

const MINUTE = 60_000;

describe('a session accepted by its id', () => {
  it('is held for a lock duration from now, and the answer says so [SES-04, SES-10, X3]', () => {
    const bus = withSessionQueue({ lockDurationMs: 30_000 });
    bus.send('orders', messageIn('a'));
    const { linkId, turn } = tryAccept(bus, 'a');
    expect(turn.result).toMatchObject({ kind: 'entity', path: 'orders' });
    expect(turn.effects).toEqual([
      { kind: 'session-accepted', linkId, sessionId: 'a', lockedUntil: START + 30_000 },
    ]);
    expect(turn.events).toEqual([]);
  });

  it('may have neither messages nor state: its receiver waits for them [SES-06, S4-20, X3]', () => {
    const bus = withSessionQueue();
    const linkId = accept(bus, 'a');
    bus.setCredit(linkId, 10);
    expect(sequenceNumbersTo(linkId, bus.send('orders', messageIn('a')))).toEqual([1]);
  });

  it('may have the empty text as its id [SES-02]', () => {
    const bus = withSessionQueue();
    bus.send('orders', messageIn('', 'x'), messageIn('a', 'y'));
    const linkId = accept(bus, '');
    expect(sequenceNumbersTo(linkId, bus.setCredit(linkId, 10))).toEqual([1]);
  });

  it('has an id that a message may have [SES-02, LIM-04]', () => {
    const bus = withSessionQueue();
    expect(acceptedIn(tryAccept(bus, 'x'.repeat(128)).turn)).toHaveLength(1);
    expect(failureOf(tryAccept(bus, 'x'.repeat(129)).turn)).toEqual({
      reason: 'not-allowed',
      message: 'The id of a session may be up to 128 characters long; this one has 129.',
    });
  });

  it('is a different session when the case of its id differs [SES-02]', () => {
    const bus = withSessionQueue();
    accept(bus, 'a');
    expect(acceptedIn(tryAccept(bus, 'A').turn)).toMatchObject([{ sessionId: 'A' }]);
  });

  it('is refused at once while any receiver holds it, of the same client too [SES-06, X5]', () => {
    const bus = withSessionQueue();
    accept(bus, 'a');
    for (const connectionId of [1, OTHER_CONNECTION]) {
      const { linkId, turn } = tryAccept(bus, 'a', { connectionId });
      expect(failureOf(turn)).toMatchObject({ reason: 'session-cannot-be-locked' });
      expect(failureOf(turn)?.message).toContain("'a'");
      expect(turn.effects).toEqual([]);
      expect(bus.setCredit(linkId, 1).effects).toEqual([]); // it was never attached
    }
  });

  it('is free for others in the millisecond its lock ends [X11]', () => {
    const bus = withSessionQueue();
    accept(bus, 'a');
    bus.passTime(MINUTE - 1);
    expect(failureOf(tryAccept(bus, 'a').turn)?.reason).toBe('session-cannot-be-locked');
    bus.passTime(1);
    expect(acceptedIn(tryAccept(bus, 'a').turn)).toHaveLength(1);
  });
});

describe('the next session', () => {
  it('is the free one whose message has waited longest [SES-07, SES-08, X4]', () => {
    const bus = withSessionQueue();
    bus.send('orders', messageIn('b'), messageIn('a'), messageIn('b'));
    expect(acceptedIn(tryAccept(bus).turn)).toMatchObject([{ sessionId: 'b' }]);
    expect(acceptedIn(tryAccept(bus).turn)).toMatchObject([{ sessionId: 'a' }]);
    expect(acceptedIn(tryAccept(bus).turn)).toEqual([]);
  });

  it('is chosen by the message that is first now, also when earlier ones are gone [SES-08]', () => {
    const bus = withSessionQueue();
    bus.send('orders', messageIn('a', '1'), messageIn('b', '2'), messageIn('a', '3'));
    const linkId = accept(bus, 'a');
    const held = bus.receiveOneAs(linkId);
    bus.settle('orders', held, { kind: 'complete' });
    detach(bus, linkId);
    expect(acceptedIn(tryAccept(bus).turn)).toMatchObject([{ sessionId: 'b' }]);
    expect(acceptedIn(tryAccept(bus).turn)).toMatchObject([{ sessionId: 'a' }]);
  });

  it('is chosen by time in a partitioned queue, whatever the partitions [SES-08, PRT-02]', () => {
    const bus = withSessionQueue({ enablePartitioning: true });
    const ids = ['a', 'b', 'c', 'd', 'e', 'f'];
    for (const id of ids) {
      bus.send('orders', messageIn(id));
      bus.passTime(1);
    }
    const accepted = ids.map(() => acceptedIn(tryAccept(bus).turn)[0]?.sessionId);
    expect(accepted).toEqual(ids);
  });

  it('is not one with only deferred or scheduled messages, or only state [SES-07]', () => {
    const bus = withSessionQueue();
    bus.send('orders', messageIn('deferred'));
    const first = accept(bus);
    bus.settle('orders', bus.receiveOneAs(first), { kind: 'defer', changes: [] });
    detach(bus, first);
    bus.send('orders', messageIn('scheduled', 'a', { scheduledEnqueueTime: START + MINUTE }));
    const second = accept(bus, 'state');
    setState(bus, 'state', 'x');
    detach(bus, second);
    expect(listSessions(bus)).toEqual(['state']);
    expect(acceptedIn(tryAccept(bus).turn)).toEqual([]);
  });

  it('goes to the receiver that has waited longest, as soon as there is one [SES-07, X1]', () => {
    const bus = withSessionQueue();
    const [first, second, third] = [accept(bus), accept(bus), accept(bus)];
    expect(acceptedIn(bus.send('orders', messageIn('a'), messageIn('b'), messageIn('a')))).toEqual([
      { linkId: first, sessionId: 'a' },
      { linkId: second, sessionId: 'b' },
    ]);
    expect(acceptedIn(detach(bus, first))).toEqual([{ linkId: third, sessionId: 'a' }]);
  });

  it('is granted when a scheduled message is enqueued [SES-07, X1, SCH-02]', () => {
    const bus = withSessionQueue();
    const linkId = accept(bus);
    bus.send('orders', messageIn('a', 'x', { scheduledEnqueueTime: START + 5000 }));
    expect(acceptedIn(bus.tickAfter(4999))).toEqual([]);
    expect(acceptedIn(bus.tickAfter(1))).toEqual([{ linkId, sessionId: 'a' }]);
  });

  it('is granted when the lock of another receiver ends [X1, X11]', () => {
    const bus = withSessionQueue();
    bus.send('orders', messageIn('a'));
    const loser = accept(bus);
    bus.passTime(1000);
    const linkId = accept(bus);
    const turn = bus.tickAfter(MINUTE - 1000);
    expect(detachedIn(turn)).toEqual([{ linkId: loser, reason: 'session-lock-lost' }]);
    expect(acceptedIn(turn)).toEqual([{ linkId, sessionId: 'a' }]);
  });

  it('is not granted to a receiver that left while it waited [SES-09, X6]', () => {
    const bus = withSessionQueue();
    const gone = accept(bus);
    const patient = accept(bus);
    detach(bus, gone);
    expect(acceptedIn(bus.send('orders', messageIn('a')))).toEqual([{ linkId: patient, sessionId: 'a' }]);
    expect(acceptedIn(bus.send('orders', messageIn('b')))).toEqual([]);
  });

  it('is not one whose messages have all expired: a request removes them [SES-07, SES-18]', () => {
    const bus = withSessionQueue({ deadLetteringOnMessageExpiration: true });
    bus.send('orders', messageIn('a', 'x', { timeToLiveMs: 1000 }), messageIn('b', 'y'));
    bus.tickAfter(1000);
    expect(acceptedIn(tryAccept(bus).turn)).toMatchObject([{ sessionId: 'b' }]);
    expect(bus.queueInfo('orders').counts).toMatchObject({ active: 1, deadLetter: 1 });
  });

  it('is granted a hundred times in the order of two hundred waiting receivers [SES-08, X1]', () => {
    const bus = withSessionQueue();
    const waiting = Array.from({ length: 200 }, () => accept(bus));
    const messages = Array.from({ length: 100 }, (_, index) => messageIn(`s${index}`));
    const accepted = acceptedIn(bus.send('orders', ...messages));
    expect(accepted.map(({ linkId }) => linkId)).toEqual(waiting.slice(0, 100));
    expect(accepted.map(({ sessionId }) => sessionId)).toEqual(messages.map(({ sessionId }) => sessionId));
  });
});

describe('a receiver that waits for a session', () => {
  it('gets an error when the queue is disabled [ENT-07, X6]', () => {
    const bus = withSessionQueue();
    const linkId = accept(bus);
    const turn = bus.putQueue('orders', { requiresSession: true, status: 'ReceiveDisabled' });
    expect(detachedIn(turn)).toEqual([{ linkId, reason: 'entity-disabled' }]);
    expect(failureOf(tryAccept(bus).turn)?.reason).toBe('entity-disabled');
    expect(acceptedIn(bus.send('orders', messageIn('a')))).toEqual([]);
  });

  it('keeps the queue from being deleted as idle [IDL-03]', () => {
    const bus = withSessionQueue({ autoDeleteOnIdleMs: 5 * MINUTE });
    accept(bus);
    bus.tickAfter(5 * MINUTE);
    expect(bus.execute({ kind: 'find-entity', entityPath: 'orders' }).result.kind).toBe('entity');
  });

  it('keeps it also while it has a session and credit, and not without either [IDL-03]', () => {
    const bus = withSessionQueue({ autoDeleteOnIdleMs: 5 * MINUTE, lockDurationMs: 5 * MINUTE });
    const linkId = accept(bus, 'a');
    bus.setCredit(linkId, 1);
    const find = () => bus.execute({ kind: 'find-entity', entityPath: 'orders' });
    bus.tickAfter(5 * MINUTE); // the session's lock ends, and its receiver is gone
    bus.tickAfter(5 * MINUTE - 1);
    expect(find().result.kind).toBe('entity');
    bus.tickAfter(1);
    expect(failureOf(find())?.reason).toBe('entity-not-found');
  });
});

describe('sessions', () => {
  it('cannot be accepted where they are not required [RCV-10]', () => {
    const bus = withQueue();
    const failure = failureOf(tryAccept(bus, 'a').turn);
    expect(failure?.reason).toBe('not-allowed');
    expect(failure?.message).toMatch(
      /^A sessionful message receiver cannot be created on an entity that does not require sessions\./,
    );
  });

  it('of a topic are not found, as the topic itself to any receiver [RCV-12]', () => {
    const failure = failureOf(tryAccept(withTopic(), 'a', { entityPath: 'EVENTS' }).turn);
    expect(failure?.reason).toBe('entity-not-found');
    expect(failure?.message).toMatch(/^'events' is a topic: receive from one of its subscriptions/);
  });

  it('do not exist in the dead-letter queue of a queue that requires them [DLQ-03]', () => {
    const bus = withSessionQueue();
    bus.send('orders', messageIn('a'));
    const linkId = accept(bus);
    bus.settle('orders', bus.receiveOneAs(linkId), { kind: 'dead-letter', changes: [] });
    const dead = 'orders/$DeadLetterQueue';
    const { turn } = tryAccept(bus, 'a', { entityPath: dead });
    expect(failureOf(turn)?.reason).toBe('not-allowed');
    expect(bus.receiveOne(dead).properties.sequenceNumber).toBe(1);
  });

  it('refuse receivers that request none, where sessions are required [RCV-10]', () => {
    const bus = withSessionQueue();
    expect(() => bus.attachReceiver('orders')).toThrow(
      'It is not possible for an entity that requires sessions to create a non-sessionful message receiver.',
    );
  });

  it('are required of a queue for good, and of none in the Basic tier [SES-01]', () => {
    const bus = withSessionQueue();
    expect(failureOf(bus.putQueue('orders', { requiresSession: false }))?.message).toContain(
      'requiresSession',
    );
    const basic = withQueue({}, { limits: { hasSessions: false } });
    const description = describeQueue('sessions', { requiresSession: true });
    expect(failureOf(basic.execute({ kind: 'put-entity', type: 'queue', description }))?.message).toContain(
      'requiresSession',
    );
  });

  it('have messages with an id of up to 128 characters [SES-02, SND-06]', () => {
    const bus = withSessionQueue();
    expect(failureOf(bus.send('orders', messageOf('a')))?.message).toMatch(/^The SessionId was not set/);
    expect(bus.send('orders', messageIn('x'.repeat(128))).result.kind).toBe('sent');
    expect(failureOf(bus.send('orders', messageIn('x'.repeat(129))))?.message).toContain('sessionId');
  });
});
