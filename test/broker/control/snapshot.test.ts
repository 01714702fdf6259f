// A snapshot of the broker, and its restore: what comes back, what goes on, and what a link notices.

import { describe, expect, it } from 'vitest';
import type { Command } from '../../../src/broker/contract/command.js';
import { MAX_SNAPSHOT_ROWS, type Snapshot } from '../../../src/broker/contract/snapshot.js';
import {
  ABANDON,
  BrokerUnderTest,
  COMPLETE,
  DEAD_LETTER,
  DEFER,
  failureOf,
  messageOf,
  START,
  sequenceNumbersTo,
  withQueue,
} from '../../support/broker-builders.js';
import {
  accept,
  CONNECTION,
  getState,
  messageIn,
  setState,
  stateOf,
  withSessionQueue,
} from '../../support/session-builders.js';
import {
  event,
  numbersIn,
  pathOf,
  publish,
  ruleNames,
  sqlRule,
  subscribe,
  TOPIC,
  withSubscriptions,
} from '../../support/topic-builders.js';
import { FAILED, textsIn, transfer, withFull } from '../../support/transfer-builders.js';

type Taken = Extract<Command, { readonly kind: 'restore-snapshot' }>;

function take(bus: BrokerUnderTest): Taken {
  const { result } = bus.execute({ kind: 'take-snapshot' });
  if (result.kind !== 'snapshot') throw new Error(result.kind);
  return { kind: 'restore-snapshot', snapshot: result.snapshot, contents: new Map(bus.rows.contents) };
}

function restore(bus: BrokerUnderTest, taken: Taken) {
  const turn = bus.execute(taken);
  if (turn.result.kind === 'failed') throw turn.result.error;
  return turn;
}

/** What is stored, without the ids that a broker gives out itself, and with times counted from the snapshot. */
function shown({ snapshot }: { readonly snapshot: Snapshot }): readonly string[] {
  const { takenAt, stored } = snapshot;
  const names = new Map<number, string>();
  for (const each of stored) {
    if (each.kind !== 'entity-put') continue;
    const { storeId, deadLetterStoreId, type, description } = each.entity;
    names.set(storeId, `${type} ${description.name}`);
    names.set(deadLetterStoreId, `${type} ${description.name} dead`);
  }
  return stored
    .map((each) => {
      const at = 'storeId' in each ? names.get(each.storeId) : '';
      return JSON.stringify({ ...each, storeId: undefined, at }, (name, value) => {
        if (/StoreId$|^storeId$|^contentId$|^createdTime$|^updatedTime$/.test(name)) return undefined;
        return /(Time|At)$/.test(name) && typeof value === 'number' ? value - takenAt : value;
      });
    })
    .sort();
}

const waiting = (bus: BrokerUnderTest) => bus.queueInfo('via').counts.transfer;
const bodies = (bus: BrokerUnderTest, path: string) => bus.peek(path).map((found) => bus.textOf(found));

describe('a restored snapshot', () => {
  it('has messages of every state with their numbers and delivery counts, and no locks', () => {
    const bus = withQueue({ lockDurationMs: 60_000 });
    bus.send(
      'orders',
      'dead',
      'deferred',
      'tried',
      'locked',
      messageOf('later', { scheduledEnqueueTime: START + 500 }),
    );
    bus.settle('orders', bus.receiveOne('orders'), DEAD_LETTER);
    bus.settle('orders', bus.receiveOne('orders'), DEFER);
    bus.settle('orders', bus.receiveOne('orders'), ABANDON);
    const held = bus.receive('orders', 2);
    const taken = take(bus);
    bus.send('orders', 'new');
    bus.settle('orders', { lockToken: held[0]?.lockToken ?? '' }, COMPLETE);

    expect(restore(bus, taken).result).toEqual({ kind: 'restored', count: 5 });
    for (const { lockToken = '' } of held) expect(bus.broker.holdsLock(lockToken, bus.now)).toBe(false);
    expect(bodies(bus, 'orders')).toEqual(['deferred', 'tried', 'locked', 'later']);
    expect(bus.peek('orders').map(({ properties }) => properties.sequenceNumber)).toEqual([2, 3, 4, 5]);
    expect(bus.peek('orders').map(({ properties }) => properties.deliveryCount)).toEqual([1, 1, 0, 0]);
    expect(bodies(bus, 'orders/$DeadLetterQueue')).toEqual(['dead']);
    expect(shown(take(bus)).filter((each) => !each.includes('sequence-put'))).toEqual(
      shown(taken).filter((each) => !each.includes('sequence-put')),
    );
  });

  it('lets no counter go back [SEQ-11]', () => {
    const bus = withQueue();
    bus.send('orders', 'a');
    const taken = take(bus);
    bus.send('orders', 'b', 'c');
    restore(bus, taken);
    expect(bus.send('orders', 'd').result).toEqual({ kind: 'sent', sequenceNumbers: [4] });
    bus.execute({ kind: 'delete-entity', entityPath: 'orders' });
    restore(bus, taken);
    expect(bus.send('orders', 'd').result).toEqual({ kind: 'sent', sequenceNumbers: [2] });
    expect(bus.restarted().send('orders', 'd').result).toEqual({ kind: 'sent', sequenceNumbers: [3] });
  });

  it('has the times that were left: to live, until the schedule, in the window of duplicates', () => {
    const bus = withQueue({
      requiresDuplicateDetection: true,
      duplicateDetectionHistoryTimeWindowMs: 60_000,
    });
    bus.send('orders', messageOf('short', { timeToLiveMs: 10_000 }));
    bus.send('orders', messageOf('later', { scheduledEnqueueTime: START + 20_000 }));
    bus.passTime(5000);
    const taken = take(bus);
    bus.tickAfter(3_600_000);
    expect(bodies(bus, 'orders')).toEqual(['later']);

    restore(bus, taken);
    bus.tickAfter(4999);
    expect(bodies(bus, 'orders')).toEqual(['short', 'later']);
    expect(bus.send('orders', 'short').result).toEqual({ kind: 'sent', sequenceNumbers: [1] });
    bus.tickAfter(1);
    expect(bodies(bus, 'orders')).toEqual(['later']);
    expect(bus.receive('orders')).toEqual([]);
    bus.tickAfter(10_000);
    expect(bus.receiveOne('orders').properties.sequenceNumber).toBe(4); // SCH-03: a new number, and 3 was given before the restore
    bus.tickAfter(40_001);
    expect(bus.send('orders', 'short').result).not.toEqual({ kind: 'sent', sequenceNumbers: [1] });
  });

  it('keeps the links: receivers go on, and a session that is held stays so', () => {
    const bus = withSessionQueue();
    const holder = accept(bus, 'a');
    bus.putQueue('plain');
    bus.send('plain', 'x');
    bus.send('orders', messageIn('a', 'one'));
    const linkId = bus.attachReceiver('plain');
    const taken = take(bus);
    bus.execute({ kind: 'reset' });
    bus.setCredit(linkId, 1);
    expect(sequenceNumbersTo(linkId, restore(bus, taken))).toEqual([1]);
    expect(sequenceNumbersTo(holder, bus.setCredit(holder, 1))).toEqual([1]);
  });

  it('has the states of sessions, also one that was cleared since', () => {
    const bus = withSessionQueue();
    accept(bus, 'a');
    setState(bus, 'a', 'step 3');
    const taken = take(bus);
    setState(bus, 'a', undefined);
    restore(bus, taken);
    expect(getState(bus, 'a').result).toMatchObject({ kind: 'session-state' });
    expect(stateOf(bus, 'a')).toBe('step 3');
  });

  it('ends transactions', () => {
    const bus = withQueue();
    const taken = take(bus);
    const declared = bus.execute({ kind: 'declare-transaction', connectionId: CONNECTION });
    const transactionId = declared.result.kind === 'declared' ? declared.result.transactionId : 0;
    const asked = { transactionId, connectionId: CONNECTION } as const;
    bus.execute({
      kind: 'enlist',
      ...asked,
      command: { kind: 'send', entityPath: 'orders', messages: [messageOf('a')] },
    });
    restore(bus, taken);
    const commit = bus.execute({ kind: 'discharge', ...asked, isFailed: false });
    expect(failureOf(commit)?.reason).toBe('transaction-timeout'); // as after a reset
    expect(bodies(bus, 'orders')).toEqual([]);
  });

  it('has its entities and rules and no others; one with another fixed property is made anew', () => {
    const bus = withSubscriptions('mail');
    subscribe(bus, 'red', {}, [sqlRule('is-red', "color = 'red'")]);
    bus.putQueue('orders', { maxDeliveryCount: 3 });
    publish(bus, { user: { color: 'red' } });
    const taken = take(bus);
    bus.execute({ kind: 'delete-entity', entityPath: pathOf('mail') });
    bus.execute({ kind: 'remove-rule', entityPath: pathOf('red'), name: 'is-red' });
    bus.execute({ kind: 'delete-entity', entityPath: 'orders' });
    bus.putQueue('orders', { requiresSession: true });
    bus.putQueue('other');

    const turn = restore(bus, taken);
    expect(turn.effects).toEqual([]);
    expect(bus.queueInfo('orders').description).toMatchObject({
      requiresSession: false,
      maxDeliveryCount: 3,
    });
    expect(failureOf(bus.execute({ kind: 'get-entity', entityPath: 'other' }))?.reason).toBe(
      'entity-not-found',
    );
    expect(ruleNames(bus, 'red')).toEqual(['is-red']);
    expect(ruleNames(bus, 'mail')).toEqual(['$Default']);
    publish(bus, { user: { color: 'blue' } });
    expect(numbersIn(bus, pathOf('mail'))).toEqual([1, 2]);
    expect(numbersIn(bus, pathOf('red'))).toEqual([1]);
    expect(shown(take(bus.restarted()))).toEqual(shown(take(bus)));
  });

  it('detaches links of an entity that goes, and of one whose fixed property is another', () => {
    const bus = withQueue();
    const taken = take(bus);
    bus.putQueue('other');
    const gone = bus.attachReceiver('other');
    bus.execute({ kind: 'delete-entity', entityPath: 'orders' });
    bus.putQueue('orders', { requiresDuplicateDetection: true });
    const anew = bus.attachReceiver('orders');
    const { effects } = restore(bus, taken);
    expect(effects.map(({ kind, linkId }) => `${kind} ${linkId}`).sort()).toEqual(
      [`detach ${gone}`, `detach ${anew}`].sort(),
    );
  });

  it('counts what the copies of a topic share once, before and after, and releases it with the last', () => {
    const bus = withSubscriptions('a', 'b');
    publish(bus, event({ user: { color: 'red' } }));
    const taken = take(bus);
    const sizeBefore = bus.info(TOPIC).sizeBytes;
    restore(bus, taken);
    expect(bus.info(TOPIC).sizeBytes).toBe(sizeBefore);
    for (const name of ['a', 'b']) bus.settle(pathOf(name), bus.receiveOne(pathOf(name)), COMPLETE);
    while (bus.broker.nextDeadline() - bus.now < 10) bus.tickAfter(bus.broker.nextDeadline() - bus.now);
    expect(bus.info(TOPIC).sizeBytes).toBe(0);
    expect(bus.rows.contents.size).toBe(0);
  });

  it('has messages that wait to be transferred, and those that could not be', () => {
    const bus = withFull();
    transfer(bus, ['a', 'b']);
    const taken = take(bus);
    bus.execute({ kind: 'reset' });
    restore(bus, taken);
    expect(waiting(bus)).toBe(2);
    const other = new BrokerUnderTest();
    restore(other, taken);
    expect(waiting(other)).toBe(2);
    expect(textsIn(other, `via${FAILED}`)).toEqual([]);
  });

  it('is in an empty broker of another time what it was, also after a crash', () => {
    const bus = withSessionQueue();
    bus.putQueue('parts', { enablePartitioning: true, requiresDuplicateDetection: true });
    bus.send('orders', messageIn('a', 'one'), messageIn('b', 'two'));
    bus.send('parts', messageOf('x', { partitionKey: 'k', timeToLiveMs: 5000 }), 'y', 'z');
    const taken = take(bus);
    const other = new BrokerUnderTest();
    other.now -= 86_400_000;
    restore(other, taken);
    expect(shown(take(other))).toEqual(shown(taken));
    expect(shown(take(other.restarted()))).toEqual(shown(taken));
  });
});

it('is refused with the number of messages if there are too many', () => {
  const bus = withQueue();
  for (let sent = 0; sent <= MAX_SNAPSHOT_ROWS; sent += 4000) {
    bus.send(
      'orders',
      ...Array.from({ length: 4000 }, (_, index) => messageOf('', { messageId: `${index}` })),
    );
  }
  expect(failureOf(bus.execute({ kind: 'take-snapshot' }))).toEqual({
    reason: 'quota-exceeded',
    message:
      'A snapshot may hold 100000 messages, sessions and noted message-ids, but there are 104000. Purge what you do not need, or copy the data directory of a stopped emulator.',
  });
});

it('is refused while copies of a message are being made [TOP-15]', () => {
  const bus = withSubscriptions(...Array.from({ length: 30 }, (_, index) => `s${index}`));
  const { result } = bus.execute({
    kind: 'send',
    entityPath: TOPIC,
    messages: Array.from({ length: 200 }, () => event()),
  });
  expect(result.kind).toBe('sent');
  expect(failureOf(bus.execute({ kind: 'take-snapshot' }))?.reason).toBe('server-busy');
  for (let left = 20; left > 0; left--) bus.tickAfter(1);
  expect(bus.execute({ kind: 'take-snapshot' }).result.kind).toBe('snapshot');
});
