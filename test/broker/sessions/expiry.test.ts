// One expired message takes its whole session along, while somebody listens; or, by choice, each expires by itself.

import { describe, expect, it } from 'vitest';
import { ABANDON, changesOf, DEFER, deliveriesTo, failureOf, START } from '../../support/broker-builders.js';
import {
  accept,
  countsOf,
  detach,
  messageIn,
  receiveDeferredIn,
  withSessionQueue,
} from '../../support/session-builders.js';

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const DEAD = 'orders/$DeadLetterQueue';

function withDeadLettering(given = {}, options = {}) {
  return withSessionQueue({ deadLetteringOnMessageExpiration: true, ...given }, options);
}

describe('an expired message of a session', () => {
  it('removes all messages of its session, and no others [SES-18, S1-19, X15]', () => {
    const bus = withDeadLettering();
    bus.send('orders', messageIn('a', '1'), messageIn('a', '2', { timeToLiveMs: SECOND }));
    bus.send('orders', messageIn('b', '3'));
    accept(bus, 'other');
    bus.tickAfter(SECOND);
    expect(countsOf(bus)).toEqual([[3, 0]]);
    const dead = bus.receive(DEAD, 5);
    expect(dead.map(({ properties }) => properties.sequenceNumber)).toEqual([1, 2]);
    expect(dead.map(changesOf)).toEqual([
      {
        DeadLetterReason: 'TTLExpiredException',
        DeadLetterErrorDescription:
          'The message was dead lettered with its session, in which message 2 had expired.',
      },
      {
        DeadLetterReason: 'TTLExpiredException',
        DeadLetterErrorDescription: 'The message expired and was dead lettered.',
      },
    ]);
  });

  it('removes them where expired messages are not dead-lettered [SES-18, X15]', () => {
    const bus = withSessionQueue();
    bus.send('orders', messageIn('a', '1'), messageIn('a', '2', { timeToLiveMs: SECOND }));
    accept(bus, 'other');
    bus.tickAfter(SECOND);
    expect(bus.queueInfo('orders').counts).toMatchObject({ active: 0, deadLetter: 0 });
  });

  it('goes last of a large session, whose rest goes in parts: what a crash interrupts goes on after it [SES-18, X15]', () => {
    const bus = withDeadLettering();
    const rest = Array.from({ length: 1200 }, (_, index) => messageIn('a', `${index}`));
    bus.send('orders', messageIn('a', 'first', { timeToLiveMs: SECOND }), ...rest);
    accept(bus, 'other');
    bus.passTime(SECOND - 1);
    const turns = [bus.tickAfter(1), bus.tickAfter(1), bus.tickAfter(1), bus.tickAfter(1)];
    const removed = turns.map(({ events }) =>
      events.flatMap((event) => (event.kind === 'message-removed' ? [event.sequenceNumber] : [])),
    );
    expect(removed.map(({ length }) => length)).toEqual([500, 500, 201, 0]);
    expect(removed.map((numbers) => numbers.includes(1))).toEqual([false, false, true, false]);
    expect(bus.queueInfo('orders').counts.deadLetter).toBe(1201);
  });

  it('stays until a receiver listens [SES-18, S1-20]', () => {
    const bus = withDeadLettering();
    bus.send('orders', messageIn('a', '1', { timeToLiveMs: SECOND }), messageIn('a', '2'));
    expect(bus.broker.nextDeadline()).toBe(Number.POSITIVE_INFINITY);
    bus.tickAfter(MINUTE);
    expect(bus.peek('orders')).toHaveLength(2);
    const linkId = accept(bus); // who waits listens, too
    expect(bus.peek('orders')).toEqual([]);
    expect(bus.queueInfo('orders').counts.deadLetter).toBe(2);
    detach(bus, linkId);
  });

  it('spares locked messages until they return, and scheduled ones [SES-18, TTL-06, X15]', () => {
    const bus = withDeadLettering();
    bus.send('orders', messageIn('a', '1'), messageIn('a', '2', { timeToLiveMs: SECOND }));
    bus.send('orders', messageIn('a', '3', { scheduledEnqueueTime: START + MINUTE }), messageIn('a', '4'));
    const linkId = accept(bus, 'a');
    const held = bus.receiveOneAs(linkId);
    bus.tickAfter(SECOND);
    expect(countsOf(bus)).toEqual([
      [1, 0],
      [3, 0],
    ]);
    bus.settle('orders', held, ABANDON); // has not expired itself
    expect(bus.peek('orders')).toHaveLength(2);
  });

  it('removes deferred messages too, and expires as one of them [SES-18, TTL-10, X15]', () => {
    const bus = withDeadLettering();
    bus.send('orders', messageIn('a', '1', { timeToLiveMs: SECOND }), messageIn('a', '2'));
    const linkId = accept(bus, 'a');
    for (const count of [1, 2]) {
      const [message] = deliveriesTo(linkId, bus.setCredit(linkId, count));
      bus.settle('orders', { lockToken: message?.lockToken ?? '' }, DEFER);
    }
    bus.send('orders', messageIn('a', '3'));
    bus.tickAfter(SECOND);
    expect(bus.peek('orders')).toHaveLength(3); // a deferred message expires when it is asked for
    expect(failureOf(receiveDeferredIn(bus, 'a', 1))?.reason).toBe('message-not-found');
    expect(bus.peek('orders')).toEqual([]);

    expect(countsOf(bus, DEAD)).toEqual([
      [1, 1],
      [2, 1],
      [3, 0],
    ]);
  });

  it('removes the others when it returns expired from its lock [SES-18, TTL-07, M12]', () => {
    const bus = withDeadLettering();
    bus.send('orders', messageIn('a', '1', { timeToLiveMs: SECOND }), messageIn('a', '2'));
    const linkId = accept(bus, 'a');
    const held = bus.receiveOneAs(linkId);
    bus.tickAfter(SECOND);
    expect(bus.peek('orders')).toHaveLength(2);
    bus.settle('orders', held, ABANDON);
    expect(countsOf(bus, DEAD)).toEqual([
      [1, 1],
      [2, 0],
    ]);
  });

  it('removes what returns with it when the lock of the session ends, each delivery counted [SES-13, SES-18, TTL-07]', () => {
    const bus = withDeadLettering({ lockDurationMs: 5 * SECOND });
    bus.send(
      'orders',
      messageIn('a', '1', { timeToLiveMs: SECOND }),
      messageIn('a', '2'),
      messageIn('a', '3'),
    );
    const linkId = accept(bus, 'a');
    bus.setCredit(linkId, 2);
    bus.tickAfter(5 * SECOND);
    expect(bus.peek('orders')).toEqual([]);
    expect(countsOf(bus, DEAD)).toEqual([
      [1, 1],
      [2, 1],
      [3, 0],
    ]);
  });

  it('removes what returns with it when its holder leaves, or its queue is disabled [SES-14, SES-18, TTL-07]', () => {
    for (const end of ['detached', 'disabled']) {
      const bus = withDeadLettering();
      bus.send('orders', messageIn('a', '1', { timeToLiveMs: SECOND }), messageIn('a', '2'));
      const linkId = accept(bus, 'a');
      bus.setCredit(linkId, 2);
      bus.passTime(SECOND);
      if (end === 'detached') detach(bus, linkId);
      else {
        const given = { requiresSession: true, deadLetteringOnMessageExpiration: true } as const;
        bus.putQueue('orders', { ...given, status: 'Disabled' });
      }
      expect(countsOf(bus, DEAD)).toEqual([
        [1, 0],
        [2, 0],
      ]);
    }
  });

  it('removes the same whichever other session ends in the same instant [SES-13, SES-18]', () => {
    for (const other of [undefined, 'a']) {
      const bus = withDeadLettering({ lockDurationMs: 5 * SECOND });
      bus.send('orders', messageIn('b', '1'), messageIn('b', '2', { timeToLiveMs: 5 * SECOND }));
      if (other !== undefined) accept(bus, other);
      bus.setCredit(accept(bus, 'b'), 1);
      bus.tickAfter(5 * SECOND);
      expect(countsOf(bus, DEAD)).toEqual([
        [1, 1],
        [2, 0],
      ]);
    }
  });

  it('goes when its session is given up, the count as it was [SES-14, M15]', () => {
    const bus = withDeadLettering();
    bus.send('orders', messageIn('a', '1', { timeToLiveMs: SECOND }));
    const linkId = accept(bus, 'a');
    bus.receiveOneAs(linkId);
    bus.passTime(SECOND);
    detach(bus, linkId);
    expect(countsOf(bus, DEAD)).toEqual([[1, 0]]);
  });

  it('is never delivered: the session begins anew with messages sent then [SES-18, TTL-05]', () => {
    const bus = withDeadLettering();
    bus.send('orders', messageIn('a', '1', { timeToLiveMs: SECOND }), messageIn('a', '2'));
    bus.passTime(SECOND);
    const linkId = accept(bus, 'a');
    expect(bus.setCredit(linkId, 5).effects).toEqual([]);
    expect(bus.send('orders', messageIn('a', '3')).effects).toMatchObject([
      { kind: 'deliver', delivery: { properties: { sequenceNumber: 3 } } },
    ]);
  });
});

describe('by choice, messages of sessions', () => {
  const options = { behaviour: { expireWholeSession: false } };

  it('expire each by itself, and without a listener [SES-18]', () => {
    const bus = withDeadLettering({}, options);
    bus.send('orders', messageIn('a', '1', { timeToLiveMs: SECOND }), messageIn('a', '2'));
    bus.tickAfter(SECOND);
    expect(countsOf(bus)).toEqual([[2, 0]]);
    expect(countsOf(bus, DEAD)).toEqual([[1, 0]]);
  });

  it('are skipped by the thousand in a turn, the rest a millisecond later [RCV-13]', () => {
    const limits = { maxBatchCount: 100_000 };
    const behaviour = { expireWholeSession: false, expirySweep: 'whenListening' } as const;
    const bus = withSessionQueue({}, { behaviour, limits });
    bus.execute({
      kind: 'send',
      entityPath: 'orders',
      messages: Array.from({ length: 20_000 }, (_, index) =>
        messageIn('a', `${index}`, index < 19_999 ? { timeToLiveMs: SECOND } : {}),
      ),
    });
    bus.passTime(SECOND);
    const linkId = accept(bus, 'a');
    bus.setCredit(linkId, 1);
    const turns: number[] = [];
    while (bus.broker.nextDeadline() === bus.now + 1) turns.push(bus.tickAfter(1).effects.length);
    expect(turns.at(-1)).toBe(1);
    expect(countsOf(bus)).toEqual([[20_000, 0]]);
  });

  it('wait for a listener when that is chosen for all [SES-18, TTL-09]', () => {
    const behaviour = { expireWholeSession: false, expirySweep: 'whenListening' } as const;
    const bus = withDeadLettering({}, { behaviour });
    bus.send('orders', messageIn('a', '1', { timeToLiveMs: SECOND }), messageIn('a', '2'));
    bus.tickAfter(SECOND);
    expect(bus.peek('orders')).toHaveLength(2);
    accept(bus, 'b');
    expect(countsOf(bus)).toEqual([[2, 0]]);
  });
});
