// Inspection of messages, locks, sessions and rules.

import { describe, expect, it } from 'vitest';
import type { MessageCondition } from '../../../src/broker/contract/inspection.js';
import { NEVER } from '../../../src/broker/contract/instant.js';
import {
  ABANDON,
  type BrokerUnderTest,
  DEFER,
  failureOf,
  messageOf,
  messageOfSize,
  withQueue,
} from '../../support/broker-builders.js';
import { accept, claimOf, messageIn, withSessionQueue } from '../../support/session-builders.js';
import { event, pathOf, sqlRule, subscribe, TOPIC, withTopic } from '../../support/topic-builders.js';
import { transfer, withFull } from '../../support/transfer-builders.js';

type Wanted = {
  conditions?: readonly MessageCondition[];
  from?: number;
  max?: number;
  isNewestFirst?: boolean;
};

function inspect(bus: BrokerUnderTest, entityPath: string, wanted: Wanted = {}) {
  const { conditions, isNewestFirst, max = 250 } = wanted;
  const { from = isNewestFirst ? Number.MAX_SAFE_INTEGER : 0 } = wanted;
  const page = { fromSequenceNumber: from, isNewestFirst, maxCount: max };
  const turn = bus.execute({ kind: 'inspect-messages', entityPath, conditions, ...page });
  if (turn.result.kind !== 'inspected-messages') throw new Error(`no messages but ${turn.result.kind}`);
  expect(turn.events).toEqual([]);
  const { messages, next, totalCount } = turn.result;
  return { messages, next, totalCount, numbers: messages.map(({ properties }) => properties.sequenceNumber) };
}

/** All messages, read by pages. */
function allOf(bus: BrokerUnderTest, wanted: Wanted) {
  const page = inspect(bus, 'orders', { ...wanted, max: 7 });
  const { numbers, totalCount } = page;
  for (let { next } = page; next !== undefined; ) {
    const more = inspect(bus, 'orders', { ...wanted, from: next, max: 7 });
    numbers.push(...more.numbers);
    next = more.next;
  }
  return { numbers, totalCount };
}

function holds(bus: BrokerUnderTest, kind: 'locks' | 'sessions', max = 250) {
  const common = { entityPath: 'orders', maxCount: max } as const;
  const { result } = bus.execute(
    kind === 'locks'
      ? { kind: 'inspect-locks', ...common, fromSequenceNumber: 0 }
      : { kind: 'inspect-sessions', ...common, fromSessionId: '' },
  );
  return result;
}

describe('inspected messages', () => {
  it('have their condition, and a locked one its lock', () => {
    const bus = withQueue();
    bus.send('orders', 'a', 'b', 'c', messageOf('later', { scheduledEnqueueTime: bus.now + 1000 }));
    bus.settle('orders', bus.receiveOne('orders'), DEFER);
    const linkId = bus.attachReceiver('orders');
    const { lockToken, lockedUntil } = bus.receiveOneAs(linkId);
    const { messages, next } = inspect(bus, 'orders');
    expect(messages.map(({ condition }) => condition)).toEqual([
      ...['deferred', 'locked', 'active', 'scheduled'],
    ]);
    expect(next).toBeUndefined();
    expect(messages[1]).toMatchObject({
      sizeBytes: 1,
      lock: { sequenceNumber: 2, lockToken, linkId, lockedUntil, startedAt: bus.now, isInTransaction: false },
    });
    expect(messages[3]?.details?.schedule?.enqueueAt).toBe(bus.now + 1000);
    expect(inspect(bus, 'orders', { conditions: ['locked', 'scheduled'] }).numbers).toEqual([2, 4]);
  });

  it('come in pages that continue where the last one ended', () => {
    const bus = withQueue();
    bus.send('orders', 'a', 'b', 'c', 'd', 'e');
    expect(inspect(bus, 'orders', { max: 2 })).toMatchObject({ numbers: [1, 2], next: 3 });
    expect(inspect(bus, 'orders', { max: 2, from: 3 })).toMatchObject({ numbers: [3, 4], next: 5 });
    expect(inspect(bus, 'orders', { max: 1, from: 5 })).toMatchObject({ numbers: [5], next: undefined });
  });

  it('come newest first, page by page, in each condition', () => {
    const bus = withQueue();
    const later = { scheduledEnqueueTime: bus.now + 1000 };
    for (let round = 0; round < 20; round++) {
      bus.send('orders', ...Array<string>(40).fill('x'), messageOf('scheduled', later));
    }
    const locked = bus.receive('orders', 202).map(({ lockToken = '' }) => lockToken);
    for (const lockToken of locked.slice(0, 20)) bus.settle('orders', { lockToken }, DEFER);
    for (const lockToken of locked.slice(40)) bus.settle('orders', { lockToken }, ABANDON);
    for (const condition of ['active', 'locked', 'scheduled', 'deferred'] as const) {
      const conditions = [condition];
      const { numbers, totalCount } = allOf(bus, { conditions });
      expect(numbers).toHaveLength(totalCount);
      expect(allOf(bus, { conditions, isNewestFirst: true }).numbers).toEqual(numbers.toReversed());
    }
    expect(allOf(bus, { isNewestFirst: true }).numbers).toEqual(allOf(bus, {}).numbers.toReversed());
  });

  it('of a rare condition are found in one page, however many others there are', () => {
    const bus = withQueue();
    bus.send('orders', messageOf('first', { scheduledEnqueueTime: bus.now + 1000 }));
    for (let count = 0; count < 30; count++) bus.send('orders', ...Array<string>(1000).fill('x'));
    bus.send('orders', messageOf('last', { scheduledEnqueueTime: bus.now + 1000 }));
    const conditions = ['scheduled'] as const;
    expect(inspect(bus, 'orders', { conditions })).toMatchObject({ numbers: [1, 30_002], next: undefined });
    expect(inspect(bus, 'orders', { conditions, isNewestFirst: true, max: 1 })).toMatchObject({
      numbers: [30_002],
      totalCount: 2,
    });
  });

  it('of a partitioned entity come newest first by number', () => {
    const bus = withQueue({ enablePartitioning: true });
    for (let count = 0; count < 40; count++) bus.send('orders', messageOf('x', { partitionKey: `${count}` }));
    const { numbers } = inspect(bus, 'orders');
    expect(allOf(bus, { isNewestFirst: true }).numbers).toEqual(numbers.toReversed());
    expect(numbers).toHaveLength(40);
  });

  it('are at most 4 MiB together, and the first one is shown at any size', () => {
    const bus = withQueue({}, { limits: { maxMessageSizeBytes: 10_000_000 } });
    bus.send('orders', messageOfSize(5_000_000));
    bus.send('orders', messageOfSize(3_000_000));
    bus.send('orders', messageOfSize(3_000_000));
    expect(inspect(bus, 'orders')).toMatchObject({ numbers: [1], next: 2 });
    expect(inspect(bus, 'orders', { from: 2 })).toMatchObject({ numbers: [2], next: 3 });
  });

  it('are searched 20,000 at a time for a rare condition', () => {
    const bus = withQueue();
    for (let count = 0; count < 21; count++) bus.send('orders', ...Array<string>(1000).fill('x'));
    const tokens = bus.receive('orders', 21_000).map(({ lockToken = '' }) => lockToken);
    for (const lockToken of tokens) bus.settle('orders', { lockToken }, DEFER);
    expect(inspect(bus, 'orders', { conditions: ['locked'] })).toMatchObject({ numbers: [], next: 20_001 });
    expect(inspect(bus, 'orders', { conditions: ['locked'], from: 20_001 }).next).toBeUndefined();
  });

  it('include waiting transfers, in the order of their numbers', () => {
    const bus = withFull();
    transfer(bus, ['first', 'second']);
    const { messages } = inspect(bus, 'via/$Transfer');
    expect(messages.map((message) => [bus.textOf(message), message.details?.destination])).toEqual([
      ['first', 'there'],
      ['second', 'there'],
    ]);
  });

  it('of an entity without transfers have no such path', () => {
    const command = { kind: 'inspect-messages', fromSequenceNumber: 0, maxCount: 1 } as const;
    const turn = withQueue().execute({ ...command, entityPath: 'orders/$Transfer' });
    expect(failureOf(turn)?.reason).toBe('entity-not-found');
  });

  it('are at least one', () => {
    const command = { kind: 'inspect-messages', entityPath: 'orders', fromSequenceNumber: 0 } as const;
    expect(failureOf(withQueue().execute({ ...command, maxCount: 0 }))?.reason).toBe('argument-out-of-range');
  });
});

describe('inspected locks', () => {
  it('are in the order of numbers and come in pages', () => {
    const bus = withQueue();
    bus.send('orders', 'a', 'b', 'c');
    const [first] = bus.receive('orders', 3);
    bus.settle('orders', { lockToken: first?.lockToken ?? '' }, ABANDON);
    const again = bus.receiveOne('orders');
    expect(holds(bus, 'locks', 2)).toMatchObject({
      locks: [{ sequenceNumber: 1, lockToken: again.lockToken, deliveryCount: 1 }, { sequenceNumber: 2 }],
      next: 3,
    });
  });

  it('of a session end with the session', () => {
    const bus = withSessionQueue();
    bus.send('orders', messageIn('s1'));
    const linkId = accept(bus, 's1');
    bus.receiveOneAs(linkId);
    expect(holds(bus, 'locks')).toMatchObject({
      locks: [{ linkId, sessionId: 's1', lockedUntil: bus.now + 60_000 }],
    });
  });
});

describe('inspected sessions', () => {
  it('have their messages, their state and their holder', () => {
    const bus = withSessionQueue();
    bus.send('orders', messageIn('s1'), messageIn('s1'), messageIn('s2'));
    const linkId = accept(bus, 's1');
    bus.receiveOneAs(linkId);
    const state = new Uint8Array(5);
    bus.execute({ kind: 'set-session-state', entityPath: 'orders', session: claimOf('s1'), state });
    expect(holds(bus, 'sessions')).toEqual({
      kind: 'inspected-sessions',
      next: undefined,
      sessions: [
        {
          sessionId: 's1',
          messageCount: 2,
          lockedCount: 1,
          stateBytes: 5,
          stateSetTime: bus.now,
          holder: { linkId, connectionId: 1, lockedUntil: bus.now + 60_000 },
        },
        {
          sessionId: 's2',
          messageCount: 1,
          lockedCount: 0,
          stateBytes: undefined,
          stateSetTime: undefined,
          holder: undefined,
        },
      ],
    });
    expect(holds(bus, 'sessions', 1)).toMatchObject({ next: 's2' });
  });

  it('held in receive-and-delete mode are held for ever [SES-12]', () => {
    const bus = withSessionQueue();
    accept(bus, 's1', { receiveMode: 'receive-and-delete' });
    expect(holds(bus, 'sessions')).toMatchObject({ sessions: [{ holder: { lockedUntil: NEVER } }] });
  });

  it('need an entity that requires sessions', () => {
    expect(holds(withQueue(), 'sessions')).toMatchObject({ error: { reason: 'not-allowed' } });
  });
});

it('a message is tried on every rule of a topic, and is not stored', () => {
  const bus = withTopic();
  subscribe(bus, 'eu', {}, [sqlRule('blue', "colour = 'blue'", "SET size = 'xl'")]);
  subscribe(bus, 'us', {}, [sqlRule('red', "colour = 'red'"), sqlRule('wrong', 'size / 0 > 1')]);
  const message = event({ user: { colour: 'blue', size: 1 } });
  const turn = bus.execute({ kind: 'test-rules', topicName: TOPIC, message });
  if (turn.result.kind !== 'tested-rules') throw new Error(turn.result.kind);
  expect(turn.events).toEqual([]);
  expect(
    turn.result.rules.map(({ subscriptionName, ruleName, outcome }) => [
      subscriptionName,
      ruleName,
      outcome.kind,
    ]),
  ).toEqual([
    ['eu', 'blue', 'matched'],
    ['us', 'red', 'not-matched'],
    ['us', 'wrong', 'error'],
  ]);
  expect(bus.peek(pathOf('eu'))).toEqual([]);
});

it('a message is not tried on rules that would look through more of its text than one turn may', () => {
  const bus = withTopic();
  const rules = Array.from({ length: 1500 }, (_, index) =>
    sqlRule(`r${index}`, `text LIKE '%${'_x'.repeat(400)}'`),
  );
  subscribe(bus, 'all', {}, rules);
  const message = event({ user: { text: 'x'.repeat(30_000) } });
  const { result } = bus.execute({ kind: 'test-rules', topicName: TOPIC, message });
  expect(result).toMatchObject({ kind: 'failed', error: { reason: 'quota-exceeded' } });
});
