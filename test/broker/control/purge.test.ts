// Emptying a store or everything: what goes, what stays, and that the size makes no difference to the turn.

import { describe, expect, it } from 'vitest';
import {
  type BrokerUnderTest,
  COMPLETE,
  DEAD_LETTER,
  DEFER,
  failureOf,
  messageOf,
  messageOfSize,
  START,
  sequenceNumbersTo,
  withQueue,
} from '../../support/broker-builders.js';
import {
  accept,
  CONNECTION,
  getState,
  messageIn,
  renewSession,
  setState,
  withSessionQueue,
} from '../../support/session-builders.js';
import {
  pathOf,
  publish,
  subscribe,
  TOPIC,
  withSubscriptions,
  withTopic,
} from '../../support/topic-builders.js';
import { textsIn, transfer, withFull } from '../../support/transfer-builders.js';

const DEAD_LETTERS = 'orders/$DeadLetterQueue';
/** More than one turn removes, and more copies than a turn counts anew. */
const MANY = 1100;

const purge = (bus: BrokerUnderTest, entityPath: string) => bus.execute({ kind: 'purge', entityPath });
const reset = (bus: BrokerUnderTest) => bus.execute({ kind: 'reset' });

function conditionsIn(bus: BrokerUnderTest, path: string) {
  const { result } = bus.execute({ kind: 'inspect-namespace', path });
  if (result.kind !== 'inspected-entities') throw new Error(result.kind);
  const [{ counts, sizeBytes } = { counts: undefined, sizeBytes: 0 }] = result.entities;
  return { ...counts, sizeBytes };
}

/** Lets the rows of emptied stores be removed, in pieces. Returns the number of events of each turn. */
function settled(bus: BrokerUnderTest): readonly number[] {
  const counts: number[] = [];
  while (bus.broker.nextDeadline() - bus.now < 10) {
    counts.push(bus.tickAfter(bus.broker.nextDeadline() - bus.now).events.length);
  }
  return counts;
}

describe('purging a queue', () => {
  it('takes messages of every state, and leaves the dead letters', () => {
    const bus = withQueue();
    bus.send(
      'orders',
      'dead',
      'deferred',
      'locked',
      'active',
      messageOf('later', { scheduledEnqueueTime: START + 9 }),
    );
    bus.settle('orders', bus.receiveOne('orders'), DEAD_LETTER);
    bus.settle('orders', bus.receiveOne('orders'), DEFER);
    bus.receiveOne('orders');
    expect(purge(bus, 'ORDERS').result).toEqual({ kind: 'purged', count: 4 });
    const empty = { active: 0, locked: 0, scheduled: 0, deferred: 0, deadLetter: 1, sizeBytes: 4 };
    expect(conditionsIn(bus, 'orders')).toMatchObject(empty);
    expect(bus.peek('orders')).toEqual([]);
    expect(bus.tickAfter(9).effects).toEqual([]);
    expect(purge(bus, DEAD_LETTERS).result).toEqual({ kind: 'purged', count: 1 });
    expect(conditionsIn(bus, 'orders')).toMatchObject({ deadLetter: 0, sizeBytes: 0 });
  });

  it('ends its locks, also in a transaction, and lets sequence numbers go on', () => {
    const bus = withQueue({ maxDeliveryCount: 1 });
    bus.send('orders', 'a', 'b');
    const [first, second] = [bus.receiveOne('orders'), bus.receiveOne('orders')];
    const declared = bus.execute({ kind: 'declare-transaction', connectionId: CONNECTION });
    const transactionId = declared.result.kind === 'declared' ? declared.result.transactionId : 0;
    const command = {
      kind: 'settle',
      entityPath: 'orders',
      lockToken: second.lockToken,
      outcome: COMPLETE,
    } as const;
    const asked = { transactionId, connectionId: CONNECTION } as const;
    expect(bus.execute({ kind: 'enlist', ...asked, command }).result.kind).toBe('enlisted');
    purge(bus, 'orders');

    expect(bus.broker.holdsLock(first.lockToken, bus.now)).toBe(false);
    expect(failureOf(bus.settle('orders', first, COMPLETE))?.reason).toBe('message-lock-lost');
    expect(failureOf(bus.renew('orders', first.lockToken))?.reason).toBe('message-lock-lost');
    const commit = bus.execute({ kind: 'discharge', ...asked, isFailed: false });
    expect(failureOf(commit)?.reason).toBe('transaction-rolled-back');
    expect(bus.send('orders', 'c').result).toEqual({ kind: 'sent', sequenceNumbers: [3] });
    bus.tickAfter(60_000);
    expect(bus.peek('orders').map(({ properties }) => properties.sequenceNumber)).toEqual([3]);
    expect(conditionsIn(bus, 'orders')).toMatchObject({ active: 1, locked: 0, deadLetter: 0 });
  });

  it('forgets message-ids, and does not stop the receivers that wait', () => {
    const bus = withQueue({ requiresDuplicateDetection: true });
    bus.send('orders', 'a');
    const linkId = bus.attachReceiver('orders');
    purge(bus, 'orders');
    bus.setCredit(linkId, 1);
    expect(sequenceNumbersTo(linkId, bus.send('orders', 'a'))).toEqual([2]);
  });

  it('lets a browser go on behind the last message it has seen', () => {
    const bus = withQueue();
    const linkId = bus.nextLinkId();
    bus.execute({ kind: 'attach-browser', linkId, entityPath: 'orders' });
    bus.send('orders', 'a', 'b');
    expect(sequenceNumbersTo(linkId, bus.setCredit(linkId, 1))).toEqual([1]);
    purge(bus, 'orders');
    bus.send('orders', 'c');
    expect(sequenceNumbersTo(linkId, bus.setCredit(linkId, 9))).toEqual([3]);
  });

  it('refuses a missing entity, and finds nothing in an empty one', () => {
    const bus = withQueue();
    expect(failureOf(purge(bus, 'nothing'))?.reason).toBe('entity-not-found');
    const turn = purge(bus, 'orders');
    expect(turn.result).toEqual({ kind: 'purged', count: 0 });
    expect(turn.events).toEqual([]);
  });

  it('takes the messages and states of sessions, and leaves them to their holders', () => {
    const bus = withSessionQueue();
    bus.send('orders', messageIn('a'), messageIn('b'));
    const linkId = accept(bus, 'a');
    bus.setCredit(linkId, 2);
    setState(bus, 'a', 'state');
    const waiting = accept(bus, 'c');
    purge(bus, 'orders');
    expect(conditionsIn(bus, 'orders')).toMatchObject({ active: 0, locked: 0, sizeBytes: 0 });
    expect(getState(bus, 'a').result).toMatchObject({ kind: 'session-state', contentId: undefined });
    expect(renewSession(bus, 'a').result.kind).toBe('renewed');
    bus.setCredit(waiting, 1);
    const turn = bus.send('orders', messageIn('a'), messageIn('c'));
    expect(sequenceNumbersTo(linkId, turn)).toEqual([3]);
    expect(sequenceNumbersTo(waiting, turn)).toEqual([4]);
  });
});

describe('purging a topic', () => {
  const sizeOf = (bus: BrokerUnderTest) => conditionsIn(bus, TOPIC).sizeBytes;
  const unsubscribe = (bus: BrokerUnderTest, name: string) =>
    bus.execute({ kind: 'delete-entity', entityPath: pathOf(name) });
  const publishMany = (bus: BrokerUnderTest) => publish(bus, ...Array.from({ length: MANY }, () => ({})));

  it('empties its subscriptions, and its size is at once that of their dead letters', () => {
    const bus = withSubscriptions('one', 'two');
    publish(bus, {}, {});
    bus.settle(pathOf('one'), bus.receiveOne(pathOf('one')), DEAD_LETTER);
    expect(purge(bus, TOPIC).result).toEqual({ kind: 'purged', count: 3 });
    expect(conditionsIn(bus, pathOf('one'))).toMatchObject({ active: 0, deadLetter: 1 });
    expect(sizeOf(bus)).toBe(2);
    settled(bus);
    expect(sizeOf(bus)).toBe(2);
    expect(bus.rows.contents.size).toBe(1);
  });

  it.each<[string, (bus: BrokerUnderTest) => unknown]>([
    ['purged', (bus) => purge(bus, TOPIC)],
    ['purged by its subscriptions', (bus) => [purge(bus, pathOf('one')), purge(bus, pathOf('two'))]],
    ['reset', reset],
    ['left without its full subscriptions', (bus) => [unsubscribe(bus, 'one'), unsubscribe(bus, 'two')]],
  ])('takes messages at its quota as soon as it is %s', (_, empty) => {
    const bus = withTopic({ maxSizeInMegabytes: 1 });
    for (const name of ['one', 'two']) subscribe(bus, name);
    while (publish(bus, messageOfSize(200_000)).result.kind === 'sent') bus.passTime(1);
    empty(bus);
    subscribe(bus, 'three');
    expect(publish(bus, messageOfSize(200_000)).result.kind).toBe('sent');
    settled(bus);
    expect(sizeOf(bus)).toBe(200_000);
  });

  it('frees what its subscriptions did not share at once, however much is left', () => {
    const bus = withSubscriptions('one');
    publishMany(bus);
    const lockTokens = bus.receive(pathOf('one'), MANY).map(({ lockToken = '' }) => lockToken);
    bus.execute({ kind: 'settle-many', entityPath: pathOf('one'), lockTokens, outcome: DEAD_LETTER });
    publish(bus, {}, {});
    purge(bus, TOPIC);
    expect(sizeOf(bus)).toBe(2 * MANY);
    settled(bus);
    expect(sizeOf(bus)).toBe(2 * MANY);
  });

  it('frees shared contents when their rows are removed, if much is left', () => {
    const bus = withSubscriptions('one', 'two');
    publishMany(bus);
    purge(bus, pathOf('one'));
    bus.receive(pathOf('two'), 1, 'receive-and-delete');
    expect(sizeOf(bus)).toBe(2 * MANY);
    settled(bus);
    expect(sizeOf(bus)).toBe(2 * MANY - 2);
    purge(bus, pathOf('two'));
    expect(sizeOf(bus)).toBe(0);
  });
});

describe('a reset', () => {
  it('empties all stores, and rolls back the open transactions', () => {
    const bus = withFull();
    bus.putQueue('orders');
    bus.send('orders', 'a', 'b');
    bus.settle('orders', bus.receiveOne('orders'), DEAD_LETTER);
    transfer(bus, ['waits']);
    const declared = bus.execute({ kind: 'declare-transaction', connectionId: CONNECTION });
    const transactionId = declared.result.kind === 'declared' ? declared.result.transactionId : 0;
    const asked = { transactionId, connectionId: CONNECTION } as const;
    const sent = { kind: 'send', entityPath: 'orders', messages: [messageOf('c')] } as const;
    bus.execute({ kind: 'enlist', ...asked, command: sent });
    const { result } = reset(bus);
    expect(result.kind).toBe('purged');
    expect(failureOf(bus.execute({ kind: 'discharge', ...asked, isFailed: false }))?.reason).toBe(
      'transaction-timeout',
    );
    settled(bus);
    expect(bus.rows.messageCount + bus.rows.contents.size).toBe(0);
    expect(textsIn(bus, 'orders')).toEqual([]);
  });
});

describe('the rows of what was purged', () => {
  function withMany(): BrokerUnderTest {
    const bus = withQueue({ requiresDuplicateDetection: true });
    bus.send('orders', ...Array.from({ length: MANY }, (_, index) => String(index)));
    return bus;
  }

  it('are named in one turn, and removed in several', () => {
    const bus = withMany();
    bus.receive('orders', MANY);
    expect(purge(bus, 'orders').events).toEqual([
      { kind: 'rows-discarded', rowsId: 1 },
      { kind: 'store-emptied', storeId: 1, rowsId: 3 },
    ]);
    bus.send('orders', 'new');
    const start = bus.now;
    const counts = settled(bus);
    expect(bus.now - start).toBe(2 * counts.length - 1); // the journal writes other turns in between
    expect(Math.max(...counts)).toBeLessThan(250); // with a message goes its content
    expect(counts.length).toBeGreaterThan(20); // a row for each message and one for its message-id
    expect(bus.rows.messageCount).toBe(1);
    expect(bus.rows.contents.size).toBe(1);
    expect([...bus.rows.messageIds()]).toHaveLength(1);
    bus.tickAfter(24 * 3_600_000);
    expect(bus.broker.nextDeadline()).toBe(Number.POSITIVE_INFINITY);
  });

  it('are removed in time, although an idle queue is deleted in every millisecond', () => {
    const bus = withMany();
    const minutes = 5 * 60_000;
    const names = Array.from({ length: 20 }, (_, index) => `idle-${index}`);
    for (const name of names) {
      bus.putQueue(name, { autoDeleteOnIdleMs: minutes });
      bus.send(name, 'old');
      bus.passTime(1);
    }
    bus.passTime(minutes - names.length - 1);
    purge(bus, 'orders');
    const counts = names.map(() => {
      const { events } = bus.tickAfter(1);
      expect(events.filter(({ kind }) => kind === 'entity-removed')).toHaveLength(1);
      return events.filter(({ kind }) => kind === 'message-removed').length;
    });
    expect(counts).toEqual(names.map((_, index) => (index % 2 === 0 ? 100 : 0)));
  });

  it('are removed after a restart, too', () => {
    const bus = withMany();
    purge(bus, 'orders');
    bus.send('orders', 'new');
    bus.tickAfter(1);
    const again = bus.restarted();
    expect(again.peek('orders')).toHaveLength(1);
    settled(again);
    expect(again.rows.messageCount).toBe(1);
    expect(again.rows.contents.size).toBe(1);
    const last = again.restarted();
    expect(last.send('orders', 'new').result).toEqual({ kind: 'sent', sequenceNumbers: [MANY + 1] });
    expect(last.send('orders', 'next').result).toEqual({ kind: 'sent', sequenceNumbers: [MANY + 2] });
  });

  it('go with a deleted queue, of which nothing is left', () => {
    const bus = withMany();
    purge(bus, 'orders');
    bus.send('orders', 'new');
    bus.execute({ kind: 'delete-entity', entityPath: 'orders' });
    bus.putQueue('orders');
    expect(bus.peek('orders')).toEqual([]);
    settled(bus);
    expect(bus.rows.stored().map(({ kind }) => kind)).toEqual(['entity-put']);
  });
});
