// Transactions in the broker: what is enlisted is held, and takes effect as a whole or not at all.

import { describe, expect, it } from 'vitest';
import type { Turn } from '../../../src/broker/broker.js';
import type { StepCommand } from '../../../src/broker/contract/command.js';
import {
  describeSubscription,
  describeTopic,
} from '../../../src/broker/contract/entities/topic-description.js';
import { LIMITS_OF_TIER, withoutSizes } from '../../../src/broker/contract/limits.js';
import {
  ABANDON,
  type BrokerUnderTest,
  COMPLETE,
  DEFER,
  deliveriesTo,
  type LockedDelivery,
  messageOf,
  messageOfSize,
  withQueue,
} from '../../support/broker-builders.js';
import { accept, CONNECTION, messageIn, withSessionQueue } from '../../support/session-builders.js';

const ORDERS = 'orders';
const OTHER = 'invoices';
const MINUTE = 60_000;

type Extra = { readonly via?: string; readonly isForgotten?: boolean; readonly connectionId?: number };

function declare(bus: BrokerUnderTest, connectionId = CONNECTION): number {
  const { result } = bus.execute({ kind: 'declare-transaction', connectionId });
  if (result.kind === 'failed') throw result.error;
  if (result.kind !== 'declared') throw new Error(result.kind);
  return result.transactionId;
}

function enlist(bus: BrokerUnderTest, transactionId: number, command: StepCommand, extra: Extra = {}): Turn {
  return bus.execute({ kind: 'enlist', transactionId, connectionId: CONNECTION, command, ...extra });
}

function end(
  bus: BrokerUnderTest,
  transactionId: number,
  isFailed: boolean,
  connectionId = CONNECTION,
): Turn {
  return bus.execute({ kind: 'discharge', transactionId, connectionId, isFailed });
}

const commit = (bus: BrokerUnderTest, id: number) => end(bus, id, false);
const rollBack = (bus: BrokerUnderTest, id: number) => end(bus, id, true);

function send(...texts: string[]): StepCommand {
  return { kind: 'send', entityPath: ORDERS, messages: texts.map((text) => messageOf(text)) };
}

function sendTo(entityPath: string, text = 'a'): StepCommand {
  return { kind: 'send', entityPath, messages: [messageOf(text)] };
}

function complete({ lockToken }: { readonly lockToken: string }, entityPath = ORDERS): StepCommand {
  return { kind: 'settle', entityPath, lockToken, outcome: COMPLETE };
}

/** With numbers that are told at once. */
function scheduled(scheduledEnqueueTime: number, ...texts: string[]): StepCommand {
  const messages = texts.map((text) => messageOf(text, { scheduledEnqueueTime }));
  return { kind: 'send', entityPath: ORDERS, messages, reservesNumbers: true };
}

function left(bus: BrokerUnderTest, entityPath = ORDERS): readonly number[] {
  return bus.peek(entityPath).map(({ properties }) => properties.sequenceNumber);
}

function reasonOf({ result }: Turn): string {
  return result.kind === 'failed' ? result.error.reason : result.kind;
}

/** A message that was sent, and is received under a lock. */
function received(bus: BrokerUnderTest, text: string): LockedDelivery {
  bus.send(ORDERS, text);
  return bus.receiveOne(ORDERS);
}

describe('a transaction', () => {
  it('shows none of its changes before the commit, and then all of them in one batch [TXN-04, TXN-07]', () => {
    const bus = withQueue();
    const one = received(bus, 'one');
    const id = declare(bus);
    for (const command of [send('two'), complete(one), send('three', 'four')]) {
      const { result, events, effects } = enlist(bus, id, command);
      expect([result.kind, events, effects]).toEqual(['enlisted', [], []]);
    }
    expect(left(bus)).toEqual([1]);
    expect(bus.queueInfo(ORDERS).counts.active).toBe(1);
    const { result, events } = commit(bus, id);
    expect(result.kind).toBe('done');
    expect(events.filter(({ kind }) => kind === 'message-put')).toHaveLength(3);
    expect(left(bus)).toEqual([2, 3, 4]);
    expect(left(bus.restarted())).toEqual([2, 3, 4]);
  });

  it('leaves everything as it was when it is rolled back, and the token is good again [TXN-04, TXN-05, M39, SEQ-04, DLV-02]', () => {
    const bus = withQueue();
    const one = received(bus, 'one');
    const id = declare(bus);
    enlist(bus, id, send('two'));
    enlist(bus, id, complete(one));
    expect(rollBack(bus, id).events).toEqual([]);
    expect(left(bus)).toEqual([1]);
    expect(bus.settle(ORDERS, one, COMPLETE).result.kind).toBe('done');
    expect(bus.send(ORDERS, 'two').result).toEqual({ kind: 'sent', sequenceNumbers: [2] });
  });

  it('is gone after its commit with the tokens it has settled [TXN-01, TXN-05]', () => {
    const bus = withQueue();
    const one = received(bus, 'one');
    const id = declare(bus);
    enlist(bus, id, complete(one));
    commit(bus, id);
    expect(reasonOf(bus.settle(ORDERS, one, COMPLETE))).toBe('message-lock-lost');
    expect(reasonOf(enlist(bus, id, send('two')))).toBe('transaction-unknown');
    expect(reasonOf(commit(bus, id))).toBe('transaction-unknown');
  });

  it('is known to its own connection alone, and not doomed by another [TXN-01]', () => {
    const bus = withQueue();
    const id = declare(bus);
    expect(reasonOf(enlist(bus, id, send('one'), { connectionId: 2 }))).toBe('transaction-unknown');
    expect(reasonOf(end(bus, id, false, 2))).toBe('transaction-unknown');
    enlist(bus, id, send('two'));
    expect(reasonOf(commit(bus, id))).toBe('done');
    expect(left(bus)).toEqual([1]);
  });

  it('cannot be committed when one of its operations was refused', () => {
    const bus = withQueue();
    const id = declare(bus);
    enlist(bus, id, send('one'));
    expect(reasonOf(enlist(bus, id, complete({ lockToken: 'f'.repeat(32) })))).toBe('message-lock-lost');
    expect(reasonOf(commit(bus, id))).toBe('transaction-rolled-back');
    expect(left(bus)).toEqual([]);
  });

  it('keeps the messages that it settles from all receivers, and locked for longer than their lock [TXN-06, M38]', () => {
    const bus = withQueue({ lockDurationMs: 30_000 });
    const [one, two] = [received(bus, 'one'), received(bus, 'two')];
    const id = declare(bus);
    enlist(bus, id, complete(one));
    expect(reasonOf(bus.settle(ORDERS, one, ABANDON))).toBe('message-lock-lost');
    expect(reasonOf(bus.renew(ORDERS, two.lockToken))).toBe('renewed');
    bus.tickAfter(MINUTE);
    expect(bus.broker.holdsLock(one.lockToken, bus.now)).toBe(true);
    expect(bus.receive(ORDERS, 5).map(({ properties }) => properties.sequenceNumber)).toEqual([2]);
    expect(reasonOf(commit(bus, id))).toBe('done');
    expect(left(bus)).toEqual([2]);
  });

  it('ends a lock at its roll back that would have run out meanwhile, and counts the delivery [TXN-06]', () => {
    const bus = withQueue({ lockDurationMs: 30_000 });
    const one = received(bus, 'one');
    const id = declare(bus);
    enlist(bus, id, complete(one));
    bus.tickAfter(MINUTE);
    rollBack(bus, id);
    expect(reasonOf(bus.settle(ORDERS, one, COMPLETE))).toBe('message-lock-lost');
    expect(bus.receiveOne(ORDERS).properties.deliveryCount).toBe(1);
  });

  it('returns at its roll back, counted, the messages that the client has settled already [TXN-05]', () => {
    const bus = withQueue();
    const one = received(bus, 'one');
    const id = declare(bus);
    enlist(bus, id, complete(one), { isForgotten: true });
    rollBack(bus, id);
    expect(bus.receiveOne(ORDERS).properties.deliveryCount).toBe(1);
  });

  it('is rolled back two minutes after its first operation, and not for resting before that [JMS-72, TXN-08, LIM-15]', () => {
    const bus = withQueue({ lockDurationMs: 5 * MINUTE });
    const id = declare(bus);
    bus.tickAfter(10 * MINUTE);
    const one = received(bus, 'one');
    enlist(bus, id, complete(one));
    expect(bus.broker.nextDeadline()).toBe(bus.now + 2 * MINUTE);
    bus.tickAfter(2 * MINUTE - 1);
    expect(reasonOf(enlist(bus, id, send('two')))).toBe('enlisted');
    bus.tickAfter(1);
    expect(reasonOf(enlist(bus, id, send('three')))).toBe('transaction-timeout');
    expect(reasonOf(commit(bus, id))).toBe('transaction-timeout');
    expect(reasonOf(rollBack(bus, id))).toBe('done');
    expect(left(bus)).toEqual([1]);
    expect(reasonOf(bus.settle(ORDERS, one, COMPLETE))).toBe('done');
  });

  it('writes nothing when it is empty [JMS-72]', () => {
    const bus = withQueue();
    expect(commit(bus, declare(bus))).toMatchObject({ result: { kind: 'done' }, events: [], effects: [] });
  });

  it('numbers its messages in the order in which they came, when it is committed [TXN-07]', () => {
    const bus = withQueue({ requiresDuplicateDetection: true });
    const id = declare(bus);
    enlist(bus, id, send('b'));
    enlist(bus, id, send('a', 'b'));
    bus.send(ORDERS, 'between');
    commit(bus, id);
    const bodies = bus.peek(ORDERS).map(({ contentId }) => String(bus.rows.contents.get(contentId)));
    expect(bodies.map((codes) => String.fromCharCode(...codes.split(',').map(Number)))).toEqual([
      'between',
      'b',
      'a',
    ]);
  });

  it('answers the numbers of its scheduled messages at once, and no other message gets them [SCH-04, TXN-02]', () => {
    const bus = withQueue();
    const schedule = (text: string) => scheduled(bus.now + MINUTE, text);
    const [first, second] = [declare(bus), declare(bus)];
    expect(enlist(bus, first, schedule('a')).result).toEqual({ kind: 'sent', sequenceNumbers: [1] });
    expect(enlist(bus, second, schedule('b')).result).toEqual({ kind: 'sent', sequenceNumbers: [2] });
    rollBack(bus, first);
    const after = bus.restarted();
    expect(after.send(ORDERS, 'c').result).toEqual({ kind: 'sent', sequenceNumbers: [3] });
    commit(bus, second);
    expect(left(bus)).toEqual([2]);
  });

  it('numbers messages that are due by the commit after those sent before it [SCH-03, TXN-07]', () => {
    const bus = withQueue();
    const id = declare(bus);
    enlist(bus, id, send('sent'));
    expect(enlist(bus, id, scheduled(bus.now, 'due')).result).toMatchObject({ sequenceNumbers: [1] });
    commit(bus, id);
    expect(left(bus)).toEqual([2, 3]);
    expect(bus.receive(ORDERS, 2).map((one) => bus.textOf(one))).toEqual(['sent', 'due']);
  });

  it('takes a new number for a message that repeated another when it was scheduled, and repeats none when it is committed [SCH-04, DUP-05]', () => {
    const bus = withQueue({
      requiresDuplicateDetection: true,
      duplicateDetectionHistoryTimeWindowMs: MINUTE,
    });
    bus.send(ORDERS, 'a');
    bus.passTime(MINUTE - 1);
    const id = declare(bus);
    const again = enlist(bus, id, scheduled(bus.now + MINUTE, 'a', 'b'));
    expect(again.result).toEqual({ kind: 'sent', sequenceNumbers: [1, 2] });
    bus.passTime(1);
    expect(reasonOf(commit(bus, id))).toBe('done');
    expect(left(bus)).toEqual([1, 2, 3]);
  });

  it('lets messages that were to be cancelled come due in the order of their times when it is rolled back [SCH-02]', () => {
    const bus = withQueue();
    for (const [text, ms] of [
      ['late', 2],
      ['early', 1],
    ] as const) {
      bus.send(ORDERS, messageOf(text, { scheduledEnqueueTime: bus.now + ms * MINUTE }));
    }
    const id = declare(bus);
    for (const sequenceNumber of [1, 2]) {
      bus.passTime(1);
      enlist(bus, id, { kind: 'cancel-scheduled', entityPath: ORDERS, sequenceNumbers: [sequenceNumber] });
    }
    bus.tickAfter(2 * MINUTE); // and it runs out of time itself
    const texts = bus.peek(ORDERS).map(({ contentId }) => bus.rows.contents.get(contentId));
    expect(texts.map((bytes) => new TextDecoder().decode(bytes))).toEqual(['early', 'late']);
  });

  it('cancels scheduled messages with its commit, and until then they do not come due [TXN-02]', () => {
    const bus = withQueue();
    bus.send(ORDERS, messageOf('one', { scheduledEnqueueTime: bus.now + MINUTE }));
    const cancel: StepCommand = { kind: 'cancel-scheduled', entityPath: ORDERS, sequenceNumbers: [1] };
    const [first, second] = [declare(bus), declare(bus)];
    expect(reasonOf(enlist(bus, first, cancel))).toBe('enlisted');
    expect(reasonOf(bus.cancelScheduled(ORDERS, 1))).toBe('message-not-found');
    expect(bus.queueInfo(ORDERS).counts).toMatchObject({ active: 0, scheduled: 1 });
    bus.tickAfter(MINUTE + 1);
    expect(bus.queueInfo(ORDERS).counts).toMatchObject({ active: 0, scheduled: 1 });
    rollBack(bus, first);
    expect(bus.queueInfo(ORDERS).counts).toMatchObject({ active: 1, scheduled: 0 });
    expect(reasonOf(enlist(bus, second, cancel))).toBe('message-not-found');
  });

  it('settles a deferred message with its commit; rolled back, that can be settled again [TXN-05]', () => {
    const bus = withQueue();
    bus.send(ORDERS, 'one');
    bus.settle(ORDERS, bus.receiveOne(ORDERS), DEFER);
    const deferred = bus.receiveOneDeferred(ORDERS, 1);
    const settle = { kind: 'settle-many', entityPath: ORDERS, lockTokens: [deferred.lockToken] } as const;
    for (const isFailed of [true, false]) {
      const id = declare(bus);
      expect(reasonOf(enlist(bus, id, { ...settle, outcome: COMPLETE }))).toBe('enlisted');
      end(bus, id, isFailed);
    }
    expect(left(bus)).toEqual([]);
  });

  it('renews a lock at once, whatever becomes of it [TXN-02]', () => {
    const bus = withQueue({ lockDurationMs: MINUTE });
    const one = received(bus, 'one');
    const { lockToken } = one;
    bus.passTime(30_000);
    const id = declare(bus);
    const renew: StepCommand = { kind: 'renew-lock', entityPath: ORDERS, lockTokens: [lockToken] };
    expect(enlist(bus, id, renew).result).toEqual({ kind: 'renewed', lockedUntil: [bus.now + MINUTE] });
    rollBack(bus, id);
    bus.tickAfter(MINUTE - 1);
    expect(bus.broker.holdsLock(lockToken, bus.now)).toBe(true);
  });

  it('is about one entity, of a subscription its topic [TXN-03]', () => {
    const bus = withQueue();
    bus.putQueue(OTHER);
    const id = declare(bus);
    enlist(bus, id, send('one'));
    const refused = enlist(bus, id, sendTo(OTHER)).result;
    expect(refused).toMatchObject({
      kind: 'failed',
      error: {
        reason: 'not-allowed',
        message: 'Local transactions cannot span multiple entities or partitions.',
      },
    });
    expect(reasonOf(commit(bus, id))).toBe('transaction-rolled-back');
    bus.execute({ kind: 'put-entity', type: 'topic', description: describeTopic('news') });
    for (const name of ['a', 'b']) {
      bus.execute({
        kind: 'put-entity',
        type: 'subscription',
        topicName: 'news',
        description: describeSubscription(name),
      });
    }
    bus.send('news', 'one');
    const both = ['news/Subscriptions/a', 'news/Subscriptions/b'];
    const second = declare(bus);
    for (const path of both)
      expect(reasonOf(enlist(bus, second, complete(bus.receiveOne(path), path)))).toBe('enlisted');
    expect(reasonOf(enlist(bus, second, sendTo('news')))).toBe('enlisted');
    expect(reasonOf(commit(bus, second))).toBe('done');
    expect(both.map((path) => left(bus, path))).toEqual([[2], [2]]);
  });

  it('is about any entities where limits are off', () => {
    const bus = withQueue({}, { limits: withoutSizes(LIMITS_OF_TIER.standard) });
    bus.putQueue(OTHER);
    const id = declare(bus);
    enlist(bus, id, send('one'));
    enlist(bus, id, sendTo(OTHER));
    expect(reasonOf(commit(bus, id))).toBe('done');
    expect([left(bus), left(bus, OTHER)]).toEqual([[1], [1]]);
  });

  it('is about one partition of a partitioned entity; a message that cannot be settled in it stays locked [TXN-03, PRT-04]', () => {
    const bus = withQueue({ enablePartitioning: true });
    bus.send(ORDERS, messageOf('one', { partitionKey: '1' }), messageOf('two', { partitionKey: '2' }));
    const [one, two] = [bus.receiveOne(ORDERS), bus.receiveOne(ORDERS)];
    const id = declare(bus);
    enlist(bus, id, complete(one));
    expect(reasonOf(enlist(bus, id, complete(two)))).toBe('not-allowed');
    rollBack(bus, id);
    expect([one, two].map((message) => reasonOf(bus.settle(ORDERS, message, COMPLETE)))).toEqual([
      'done',
      'done',
    ]);
    const keyed = (partitionKey: string): StepCommand => ({
      kind: 'send',
      entityPath: ORDERS,
      messages: [messageOf(partitionKey, { partitionKey })],
    });
    const second = declare(bus);
    enlist(bus, second, keyed('1'));
    expect(reasonOf(enlist(bus, second, keyed('2')))).toBe('not-allowed');
  });

  it('has one message-id where a partitioned entity detects duplicates [PRT-04, PRT-02]', () => {
    const bus = withQueue({ enablePartitioning: true, requiresDuplicateDetection: true });
    const id = declare(bus);
    const named = (messageId: string): StepCommand => ({
      kind: 'send',
      entityPath: ORDERS,
      messages: [messageOf('m', { messageId })],
    });
    enlist(bus, id, named('1'));
    expect(reasonOf(enlist(bus, id, named('2')))).toBe('not-allowed');
  });

  it('takes no batch with two keys for another entity that is partitioned [PRT-06, TXN-10]', () => {
    const bus = withQueue();
    bus.putQueue(OTHER, { enablePartitioning: true });
    const batchOf = (...keys: string[]): StepCommand => ({
      kind: 'send',
      entityPath: OTHER,
      messages: keys.map((partitionKey) => messageOf('m', { partitionKey })),
      isBatch: true,
    });
    const id = declare(bus);
    expect(reasonOf(enlist(bus, id, batchOf('1', '2'), { via: ORDERS }))).toBe('not-allowed');
    expect(reasonOf(enlist(bus, id, batchOf('1', '1'), { via: ORDERS }))).toBe('enlisted');
  });

  it('sends up to 100 messages, those of a batch counted [TXN-09, LIM-14]', () => {
    const bus = withQueue();
    const id = declare(bus);
    enlist(bus, id, send(...Array.from({ length: 99 }, (_, index) => `m${index}`)));
    expect(reasonOf(enlist(bus, id, send('a', 'b')))).toBe('quota-exceeded');
    expect(reasonOf(commit(bus, id))).toBe('transaction-rolled-back');
  });

  it('counts its messages against the size of the entity, when they come and when it is committed', () => {
    const bus = withQueue({ maxSizeInMegabytes: 1 }, { limits: { maxMessageSizeBytes: 2 ** 20 } });
    const half: StepCommand = { kind: 'send', entityPath: ORDERS, messages: [messageOfSize(2 ** 19)] };
    const [first, second] = [declare(bus), declare(bus)];
    enlist(bus, first, half);
    enlist(bus, first, half);
    expect(reasonOf(enlist(bus, first, half))).toBe('quota-exceeded');
    enlist(bus, second, half);
    bus.send(ORDERS, messageOfSize(2 ** 20));
    expect(reasonOf(commit(bus, second))).toBe('transaction-rolled-back');
    expect(left(bus)).toEqual([1]);
  });

  it('fails when the session of a message it settles is lost, or given up with its link', () => {
    for (const isLost of [true, false]) {
      const bus = withSessionQueue({ lockDurationMs: MINUTE });
      bus.send(ORDERS, messageIn('s', 'one'));
      const linkId = accept(bus, 's');
      const one = bus.receiveOneAs(linkId);
      const id = declare(bus);
      expect(reasonOf(enlist(bus, id, complete(one)))).toBe('enlisted');
      if (isLost) bus.tickAfter(MINUTE);
      else bus.execute({ kind: 'detach', linkId });
      expect(reasonOf(commit(bus, id))).toBe('transaction-rolled-back');
      expect(left(bus)).toEqual([1]);
    }
  });

  it('sets the state of a session with its commit', () => {
    const bus = withSessionQueue();
    bus.send(ORDERS, messageIn('s', 'one'));
    accept(bus, 's');
    const session = { sessionId: 's', connectionId: CONNECTION };
    const state = Uint8Array.of(1, 2, 3);
    const id = declare(bus);
    enlist(bus, id, { kind: 'set-session-state', entityPath: ORDERS, session, state });
    const get = { kind: 'get-session-state', entityPath: ORDERS, session } as const;
    expect(bus.execute(get).result).toEqual({ kind: 'session-state', contentId: undefined });
    commit(bus, id);
    expect(bus.execute(get).result).not.toEqual({ kind: 'session-state', contentId: undefined });
  });

  it('counts the last state of a session against the quota, also after a purge [LIM-16]', () => {
    const bus = withSessionQueue({ maxSizeInMegabytes: 1 }, { limits: { maxMessageSizeBytes: 2 ** 20 } });
    accept(bus, 's');
    bus.send(ORDERS, messageIn('s', 'one'));
    const session = { sessionId: 's', connectionId: CONNECTION };
    const set = { kind: 'set-session-state', entityPath: ORDERS, session } as const;
    const id = declare(bus);
    expect(reasonOf(enlist(bus, id, { ...set, state: new Uint8Array(2 ** 20) }))).toBe('enlisted');
    bus.execute({ kind: 'purge', entityPath: ORDERS });
    expect(reasonOf(enlist(bus, id, { ...set, state: undefined }))).toBe('enlisted');
    const sent: StepCommand = { kind: 'send', entityPath: ORDERS, messages: [messageIn('s', 'two')] };
    expect(reasonOf(enlist(bus, id, sent))).toBe('enlisted');
  });

  it('does not set the state of a session that was given up and accepted again before the commit', () => {
    const bus = withSessionQueue();
    bus.send(ORDERS, messageIn('s', 'one'));
    const linkId = accept(bus, 's');
    const session = { sessionId: 's', connectionId: CONNECTION };
    const id = declare(bus);
    enlist(bus, id, { kind: 'set-session-state', entityPath: ORDERS, session, state: Uint8Array.of(1) });
    bus.execute({ kind: 'detach', linkId });
    accept(bus, 's');
    expect(reasonOf(commit(bus, id))).toBe('transaction-rolled-back');
  });

  it('is a use of its entity when it is enlisted: an idle queue is not deleted under it [IDL-03]', () => {
    const bus = withQueue({ autoDeleteOnIdleMs: 5 * MINUTE });
    bus.tickAfter(4 * MINUTE);
    const id = declare(bus);
    enlist(bus, id, send('one'));
    bus.tickAfter(MINUTE + 30_000);
    expect(reasonOf(commit(bus, id))).toBe('done');
  });

  it('holds up to 10,000 operations', () => {
    const bus = withQueue();
    const id = declare(bus);
    const nothing: StepCommand = { kind: 'send', entityPath: ORDERS, messages: [] };
    for (let count = 0; count < 10_000; count++) enlist(bus, id, nothing);
    expect(reasonOf(enlist(bus, id, nothing))).toBe('quota-exceeded');
  });

  it('is about up to 100,000 messages, however few its operations are', () => {
    const bus = withQueue({}, { limits: withoutSizes(LIMITS_OF_TIER.premium) });
    const id = declare(bus);
    const messages = Array.from({ length: 50_000 }, () => messageOf('x'));
    const half: StepCommand = { kind: 'send', entityPath: ORDERS, messages };
    expect([half, half, half].map((operation) => reasonOf(enlist(bus, id, operation)))).toEqual([
      'enlisted',
      'enlisted',
      'quota-exceeded',
    ]);
    expect(reasonOf(commit(bus, id))).toBe('transaction-rolled-back');
  });

  it('settles a message that is addressed by another sub-queue of its entity, also one that nothing was ever in', () => {
    const bus = withQueue();
    const one = received(bus, 'one');
    const id = declare(bus);
    enlist(bus, id, complete(one, `${ORDERS}/$Transfer/$DeadLetterQueue`));
    expect(reasonOf(commit(bus, id))).toBe('done');
    expect(left(bus)).toEqual([]);
  });

  it('survives the detach of a plain link, and settles what that has received', () => {
    for (const releaseLocksOnDetach of [true, false]) {
      const bus = withQueue({}, { behaviour: { releaseLocksOnDetach } });
      bus.send(ORDERS, 'one');
      const linkId = bus.attachReceiver(ORDERS);
      const one = bus.receiveOneAs(linkId);
      const id = declare(bus);
      enlist(bus, id, complete(one));
      bus.execute({ kind: 'detach', linkId });
      expect(reasonOf(commit(bus, id))).toBe('done');
      expect(left(bus)).toEqual([]);
    }
  });

  it('fails when its entity is deleted or disabled before the commit', () => {
    const bus = withQueue();
    const [first, second] = [declare(bus), declare(bus)];
    enlist(bus, first, send('one'));
    enlist(bus, second, send('two'));
    bus.putQueue(ORDERS, { status: 'SendDisabled' });
    expect(reasonOf(commit(bus, first))).toBe('transaction-rolled-back');
    bus.execute({ kind: 'delete-entity', entityPath: ORDERS });
    expect(reasonOf(commit(bus, second))).toBe('transaction-rolled-back');
  });

  it('schedules under an early number what comes later: a batch delete still finds it [DEL-01]', () => {
    const bus = withQueue();
    const id = declare(bus);
    enlist(bus, id, scheduled(bus.now + MINUTE, 'one'));
    bus.send(ORDERS, 'two');
    bus.passTime(1);
    commit(bus, id);
    const enqueuedBefore = bus.now;
    bus.execute({ kind: 'delete-messages', entityPath: ORDERS, maxCount: 10, enqueuedBefore });
    expect(left(bus)).toEqual([1]);
  });

  it('fails when another entity has the name of its entity by then [SEQ-04]', () => {
    const bus = withQueue();
    const id = declare(bus);
    bus.send(ORDERS, 'one');
    enlist(bus, id, { ...send('two'), reservesNumbers: true } as StepCommand);
    bus.execute({ kind: 'delete-entity', entityPath: ORDERS });
    bus.putQueue(ORDERS);
    expect(reasonOf(commit(bus, id))).toBe('transaction-rolled-back');
    expect(bus.send(ORDERS, 'three', 'four').result).toEqual({ kind: 'sent', sequenceNumbers: [1, 2] });
  });

  it('is not available in the Basic tier, nor as the thousand and first on one connection [TXN-02]', () => {
    const basic = withQueue({}, { limits: LIMITS_OF_TIER.basic });
    expect(reasonOf(basic.execute({ kind: 'declare-transaction', connectionId: 1 }))).toBe('not-allowed');
    const bus = withQueue();
    const ids = Array.from({ length: 1000 }, () => declare(bus));
    expect(reasonOf(bus.execute({ kind: 'declare-transaction', connectionId: CONNECTION }))).toBe(
      'quota-exceeded',
    );
    expect(declare(bus, 2)).toBeGreaterThan(0);
    rollBack(bus, ids[0] ?? 0);
    expect(declare(bus)).toBeGreaterThan(0);
  });

  it('delivers its messages to waiting receivers in the turn of its commit', () => {
    const bus = withQueue();
    const linkId = bus.attachReceiver(ORDERS);
    bus.setCredit(linkId, 5);
    const id = declare(bus);
    enlist(bus, id, send('one', 'two'));
    expect(deliveriesTo(linkId, commit(bus, id))).toHaveLength(2);
  });
});
