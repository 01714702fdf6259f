// Messages that are deleted, dead-lettered, moved, resubmitted and activated by hand, and locks that are ended by hand.

import { describe, expect, it } from 'vitest';
import type {
  ManagedMessages,
  MessageAction,
  MessageSelection,
} from '../../../src/broker/contract/management.js';
import {
  ABANDON,
  type BrokerUnderTest,
  COMPLETE,
  changesOf,
  DEAD_LETTER,
  DEFER,
  failureOf,
  messageOf,
  sequenceNumbersTo,
  withQueue,
} from '../../support/broker-builders.js';
import {
  accept,
  CONNECTION,
  detach,
  detachedIn,
  messageIn,
  withSessionQueue,
} from '../../support/session-builders.js';
import {
  event,
  pathOf,
  publish,
  sqlRule,
  subscribe,
  TOPIC,
  withTopic,
} from '../../support/topic-builders.js';
import { FAILED, fill, textsIn, transfer, withFull, withVia } from '../../support/transfer-builders.js';

const DEAD = 'orders/$DeadLetterQueue';
const ALL: MessageSelection = { kind: 'matching', fromSequenceNumber: 0 };
const MINUTE = 60_000;

const numbers = (...sequenceNumbers: number[]): MessageSelection => ({ kind: 'numbers', sequenceNumbers });
const matching = (filter: string): MessageSelection => ({ ...ALL, filter });

function turnOf(bus: BrokerUnderTest, entityPath: string, action: MessageAction, selection = ALL) {
  return bus.execute({ kind: 'manage-messages', entityPath, action, selection });
}

function manage(
  bus: BrokerUnderTest,
  entityPath: string,
  action: MessageAction,
  selection = ALL,
): ManagedMessages {
  const { result } = turnOf(bus, entityPath, action, selection);
  if (result.kind === 'failed') throw result.error;
  if (result.kind !== 'managed-messages') throw new Error(`answered ${result.kind}`);
  return result;
}

const codesOf = ({ skipped }: ManagedMessages) =>
  skipped.map(({ sequenceNumber, code }) => [sequenceNumber, code]);
const numbersIn = (bus: BrokerUnderTest, path: string) =>
  bus.peek(path).map(({ properties }) => properties.sequenceNumber);

/** One message of each condition, in this order: active, locked, scheduled, deferred. */
function withEach() {
  const bus = withQueue();
  bus.send('orders', 'deferred', 'locked', 'active');
  bus.settle('orders', bus.receiveOne('orders'), DEFER);
  const { lockToken } = bus.receiveOne('orders');
  bus.send('orders', messageOf('scheduled', { scheduledEnqueueTime: bus.now + MINUTE }));
  return { bus, lockToken };
}

/** Messages in the dead-letter queue of `orders`. */
function withDead(...texts: string[]): BrokerUnderTest {
  const bus = withQueue();
  bus.send('orders', ...texts);
  for (const _ of texts) bus.settle('orders', bus.receiveOne('orders'), DEAD_LETTER);
  return bus;
}

describe('deleted messages', () => {
  it('are those of any condition, and whoever holds one has lost its lock', () => {
    const { bus, lockToken } = withEach();
    expect(manage(bus, 'orders', { kind: 'delete' }).sequenceNumbers).toEqual([1, 2, 3, 4]);
    expect(failureOf(bus.settle('orders', { lockToken }, COMPLETE))?.reason).toBe('message-lock-lost');
    expect(bus.queueInfo('orders')).toMatchObject({ counts: { active: 0, scheduled: 0 }, sizeBytes: 0 });
    expect(bus.rows.contents.size).toBe(0);
    bus.tickAfter(MINUTE);
    expect(numbersIn(bus.restarted(), 'orders')).toEqual([]);
  });

  it('are those of the named conditions', () => {
    const { bus } = withEach();
    const selection = { ...ALL, conditions: ['scheduled', 'locked'] } as const;
    expect(manage(bus, 'orders', { kind: 'delete' }, selection).sequenceNumbers).toEqual([2, 4]);
    expect(numbersIn(bus, 'orders')).toEqual([1, 3]);
  });

  it('are those with the named numbers; a number without a message is told', () => {
    const { bus } = withEach();
    const managed = manage(bus, 'orders', { kind: 'delete' }, numbers(3, 9, 3, 1));
    expect(managed.sequenceNumbers).toEqual([3, 1]);
    expect(managed.skipped).toEqual([
      { sequenceNumber: 9, code: 'message-not-found', text: "'orders' has no message 9." },
    ]);
  });

  it('are those that a filter matches, by what they have now', () => {
    const bus = withQueue();
    bus.send('orders', event({ user: { region: 'EU' } }), event({ user: { region: 'US' } }), event());
    const abandon = {
      kind: 'abandon',
      changes: [{ name: 'region', value: new TextEncoder().encode('"EU"') }],
    } as const;
    const [, second] = bus.receive('orders', 2);
    bus.settle('orders', { lockToken: second?.lockToken ?? '' }, abandon);
    bus.tickAfter(MINUTE); // the lock of the first
    const filter = "region = 'EU' AND sys.DeliveryCount = 1 AND sys.SequenceNumber > 1";
    expect(manage(bus, 'orders', { kind: 'delete' }, matching(filter)).sequenceNumbers).toEqual([2]);
    expect(numbersIn(bus, 'orders')).toEqual([1, 3]);
  });

  it('are none of those for which the filter fails, and each of them is told', () => {
    const bus = withQueue();
    bus.send('orders', event({ user: { amount: 1 } }), event({ user: { amount: 'x' } }));
    const managed = manage(bus, 'orders', { kind: 'delete' }, matching('amount / 0 > 1'));
    expect(managed.sequenceNumbers).toEqual([]);
    expect(codesOf(managed)[0]).toEqual([1, 'filter-failed']);
  });

  it('may be waiting transfers', () => {
    const bus = withFull();
    transfer(bus, ['a', 'b']);
    expect(manage(bus, 'via/$Transfer', { kind: 'delete' }).sequenceNumbers).toEqual([1, 2]);
    expect(bus.queueInfo('via').counts.transfer).toBe(0);
  });

  it('may be locked with a session, whose lock continues', () => {
    const bus = withSessionQueue();
    bus.send('orders', messageIn('s', 'a'), messageIn('s', 'b'));
    const linkId = accept(bus, 's');
    const { lockToken } = bus.receiveOneAs(linkId);
    expect(manage(bus, 'orders', { kind: 'delete' }).sequenceNumbers).toEqual([1, 2]);
    expect(failureOf(bus.settle('orders', { lockToken }, COMPLETE))?.reason).toBe('session-lock-lost');
    bus.setCredit(linkId, 2);
    expect(sequenceNumbersTo(linkId, bus.send('orders', messageIn('s', 'c')))).toEqual([3]);
  });
});

describe('a large selection', () => {
  it('takes as many messages as a turn does, and none that came after it began', () => {
    const bus = withQueue();
    bus.send('orders', ...Array.from({ length: 2500 }, (_, index) => `m${index}`));
    const first = manage(bus, 'orders', { kind: 'delete' });
    expect(first.sequenceNumbers).toHaveLength(400);
    bus.send('orders', 'later');
    let next = first;
    while (next.rest !== undefined) next = manage(bus, 'orders', { kind: 'delete' }, next.rest);
    expect(next.sequenceNumbers).toHaveLength(100);
    expect(numbersIn(bus, 'orders')).toEqual([2501]);
  });

  it('has a bound for each partition', () => {
    const bus = withQueue({ enablePartitioning: true });
    const inPartition = (key: string) => messageOf(key, { partitionKey: key });
    bus.send('orders', ...Array.from({ length: 1100 }, (_, index) => inPartition(String(index))));
    let { rest } = manage(bus, 'orders', { kind: 'delete' });
    bus.send('orders', ...Array.from({ length: 64 }, (_, index) => inPartition(String(index))));
    while (rest !== undefined) ({ rest } = manage(bus, 'orders', { kind: 'delete' }, rest));
    expect(numbersIn(bus, 'orders')).toHaveLength(64);
  });

  it('reads four megabytes of contents a turn', () => {
    const bus = withQueue({}, { limits: { maxMessageSizeBytes: 10_000_000 } });
    bus.putQueue('other');
    const large = event({ body: 'x'.repeat(3_000_000) });
    for (const message of [large, large, event()]) bus.send('orders', message);
    const { sequenceNumbers, rest } = manage(bus, 'orders', { kind: 'move', destination: 'other' });
    expect(sequenceNumbers).toEqual([1, 2]);
    expect(manage(bus, 'orders', { kind: 'move', destination: 'other' }, rest).sequenceNumbers).toEqual([3]);
    expect(manage(bus, 'other', { kind: 'delete' }).sequenceNumbers).toHaveLength(3);
  });
});

describe('a message dead-lettered by hand', () => {
  it('has the given reason, and its receiver has lost it', () => {
    const { bus, lockToken } = withEach();
    const action = { kind: 'dead-letter', reason: 'Poison', description: 'by hand' } as const;
    expect(manage(bus, 'orders', action).sequenceNumbers).toEqual([1, 2, 3]);
    expect(failureOf(bus.settle('orders', { lockToken }, COMPLETE))?.reason).toBe('message-lock-lost');
    const [dead] = bus.receive(DEAD, 3);
    expect(dead && changesOf(dead)).toEqual({
      DeadLetterReason: 'Poison',
      DeadLetterErrorDescription: 'by hand',
    });
    expect(bus.queueInfo('orders').counts).toMatchObject({ active: 0, scheduled: 1, deadLetter: 3 });
  });

  it('has no reason if none was given', () => {
    const bus = withQueue();
    bus.send('orders', 'a');
    manage(bus, 'orders', { kind: 'dead-letter' });
    expect(changesOf(bus.receiveOne(DEAD))).toEqual({});
  });

  it.each([
    [DEAD, 'in a dead-letter queue already'],
    [TOPIC, 'is a topic'],
  ])('is none of %s', (path, text) => {
    const bus = withTopic();
    bus.putQueue('orders');
    const refused = failureOf(turnOf(bus, path, { kind: 'dead-letter' }));
    expect(refused).toMatchObject({ reason: 'not-allowed', message: expect.stringContaining(text) });
  });

  it('is told if it is scheduled, and a filter for scheduled ones is refused', () => {
    const { bus } = withEach();
    const action = { kind: 'dead-letter' } as const;
    expect(codesOf(manage(bus, 'orders', action, numbers(4)))).toEqual([[4, 'wrong-state']]);
    const selection = { ...ALL, conditions: ['scheduled'] } as const;
    expect(failureOf(turnOf(bus, 'orders', action, selection))).toMatchObject({ reason: 'argument' });
  });
});

describe('a resubmitted message', () => {
  const RESUBMIT = { kind: 'resubmit' } as const;

  it('is new in its queue: with a new number, never delivered, without the reason, and with its content', () => {
    const bus = withQueue({ maxDeliveryCount: 1 });
    bus.send('orders', 'a');
    bus.settle('orders', bus.receiveOne('orders'), ABANDON);
    bus.passTime(1000);
    expect(manage(bus, DEAD, RESUBMIT).sequenceNumbers).toEqual([1]);
    expect(numbersIn(bus, DEAD)).toEqual([]);
    const again = bus.restarted();
    const delivery = again.receiveOne('orders');
    expect(again.textOf(delivery)).toBe('a');
    expect(changesOf(delivery)).toEqual({});
    expect(delivery.properties).toMatchObject({
      sequenceNumber: 2,
      deliveryCount: 0,
      enqueuedTime: bus.now,
      deadLetterSource: undefined,
      generatedMessageId: undefined,
    });
  });

  it('may be locked; whoever holds it has lost it', () => {
    const bus = withDead('a');
    const lock = bus.receiveOne(DEAD);
    manage(bus, DEAD, RESUBMIT);
    expect(failureOf(bus.settle(DEAD, lock, COMPLETE))?.reason).toBe('message-lock-lost');
    expect(numbersIn(bus, 'orders')).toEqual([2]);
  });

  it('is no duplicate of itself, and takes no more room in a full queue', () => {
    const bus = withVia({ there: { requiresDuplicateDetection: true } });
    fill(bus, 'there');
    bus.settle('there', bus.receiveOne('there'), DEAD_LETTER);
    expect(failureOf(bus.send('there', 'b'))?.reason).toBe('quota-exceeded');
    expect(manage(bus, 'there/$DeadLetterQueue', RESUBMIT).skipped).toEqual([]);
    expect(numbersIn(bus, 'there')).toEqual([2]);
  });

  it('loses a reason that its sender wrote into it as well', () => {
    const bus = withQueue();
    bus.send('orders', event({ user: { DeadLetterReason: 'old', kept: 'x' } }));
    bus.settle('orders', bus.receiveOne('orders'), DEAD_LETTER);
    manage(bus, DEAD, RESUBMIT);
    expect(changesOf(bus.receiveOne('orders'))).toEqual({ DeadLetterReason: null });
  });

  it('returns to its subscription only, as the copy that it was', () => {
    const bus = withTopic();
    subscribe(bus, 'eu', {}, [sqlRule('eu', "region = 'EU'", "SET size = 'xl'; SET sys.Label = 'changed'")]);
    subscribe(bus, 'all');
    publish(bus, { user: { region: 'EU' } });
    bus.settle(pathOf('eu'), bus.receiveOne(pathOf('eu')), DEAD_LETTER);
    manage(bus, `${pathOf('eu')}/$DeadLetterQueue`, RESUBMIT);
    const delivery = bus.receiveOne(pathOf('eu'));
    expect(Object.keys(changesOf(delivery))).toEqual(['size', 'RuleName']);
    expect(delivery.properties).toMatchObject({
      sequenceNumber: 2,
      enqueuedSequenceNumber: 1,
      systemChanges: { subject: 'changed' },
    });
    expect(numbersIn(bus, pathOf('all'))).toEqual([1]);
  });

  it('returns to its session', () => {
    const bus = withSessionQueue();
    bus.send('orders', { ...event({ sessionId: 's' }), sessionId: 's' });
    const linkId = accept(bus, 's');
    bus.settle('orders', bus.receiveOneAs(linkId), DEAD_LETTER);
    detach(bus, linkId);
    manage(bus, DEAD, RESUBMIT);
    expect(bus.receiveOneAs(accept(bus, 's')).properties.sequenceNumber).toBe(2);
  });

  it('goes to the entity whose dead letters were forwarded, or stays if that is gone', () => {
    const bus = withQueue();
    bus.putQueue('errors');
    bus.putQueue('orders', { forwardDeadLetteredMessagesTo: 'errors' });
    bus.send('orders', 'a', 'b');
    for (const delivery of bus.receive('orders', 2)) {
      bus.settle('orders', { lockToken: delivery.lockToken ?? '' }, DEAD_LETTER);
    }
    bus.send('errors', 'own');
    expect(manage(bus, 'errors', RESUBMIT, numbers(1, 3))).toMatchObject({
      sequenceNumbers: [1],
      skipped: [{ sequenceNumber: 3, code: 'wrong-state' }],
    });
    expect(numbersIn(bus, 'orders')).toEqual([3]);
    bus.execute({ kind: 'delete-entity', entityPath: 'orders' });
    expect(codesOf(manage(bus, 'errors', RESUBMIT))).toEqual([[2, 'entity-not-found']]);
    expect(numbersIn(bus, 'errors')).toEqual([2, 3]);
  });

  it('is one that could not be transferred, and goes to the entity that it was sent through', () => {
    const bus = withFull();
    transfer(bus, ['a']);
    bus.execute({ kind: 'delete-entity', entityPath: 'there' });
    bus.tickAfter(MINUTE);
    expect(textsIn(bus, `via${FAILED}`)).toEqual(['a']);
    manage(bus, `via${FAILED}`, RESUBMIT);
    expect([textsIn(bus, `via${FAILED}`), textsIn(bus, 'via')]).toEqual([[], ['a']]);
  });

  it('stays if its entity refuses it', () => {
    const bus = withDead('a');
    bus.putQueue('orders', { status: 'SendDisabled' });
    expect(codesOf(manage(bus, DEAD, RESUBMIT))).toEqual([[1, 'entity-disabled']]);
    expect(numbersIn(bus, DEAD)).toEqual([1]);
  });
});

describe('a moved message', () => {
  const TO_OTHER = { kind: 'move', destination: 'other' } as const;

  it('is accepted by the destination as if it were sent, and keeps its schedule', () => {
    const { bus, lockToken } = withEach();
    bus.putQueue('other');
    expect(manage(bus, 'orders', TO_OTHER).sequenceNumbers).toEqual([1, 2, 3, 4]);
    expect(failureOf(bus.settle('orders', { lockToken }, COMPLETE))?.reason).toBe('message-lock-lost');
    expect(bus.queueInfo('orders').sizeBytes).toBe(0);
    expect(bus.queueInfo('other').counts).toMatchObject({ active: 3, scheduled: 1 });
    expect(textsIn(bus, 'other')).toEqual(['deferred', 'locked', 'active', 'scheduled']);
    expect(numbersIn(bus.restarted(), 'orders')).toEqual([]);
  });

  it('is copied to the subscriptions of a topic', () => {
    const bus = withTopic();
    subscribe(bus, 'one');
    subscribe(bus, 'two');
    bus.putQueue('orders');
    bus.send('orders', event());
    manage(bus, 'orders', { kind: 'move', destination: TOPIC });
    expect([numbersIn(bus, pathOf('one')), numbersIn(bus, pathOf('two'))]).toEqual([[1], [1]]);
  });

  it('stays if the destination has accepted its id', () => {
    const bus = withQueue();
    bus.putQueue('other', { requiresDuplicateDetection: true });
    const message = { ...event({ messageId: 'm' }), messageId: 'm' };
    bus.send('other', message);
    bus.send('orders', message);
    expect(codesOf(manage(bus, 'orders', TO_OTHER))).toEqual([[1, 'duplicate']]);
    expect(numbersIn(bus, 'orders')).toEqual([1]);
  });

  it('stays if the destination needs a session id', () => {
    const bus = withQueue();
    bus.putQueue('other', { requiresSession: true });
    bus.send('orders', event({ sessionId: 's' }), event());
    expect(manage(bus, 'orders', TO_OTHER)).toMatchObject({
      sequenceNumbers: [1],
      skipped: [{ sequenceNumber: 2, code: 'not-allowed' }],
    });
    expect(numbersIn(bus, 'orders')).toEqual([2]);
  });

  it('stays once the destination is full, and the next turn is refused', () => {
    const bus = withVia();
    bus.send('via', 'a', 'b');
    bus.send('there', 'x');
    const action = { kind: 'move', destination: 'there' } as const;
    const large = event({ body: 'x'.repeat(2 ** 19) });
    for (const message of [large, large, large]) bus.send('via', message);
    const { sequenceNumbers, rest } = manage(bus, 'via', action);
    expect(sequenceNumbers).toEqual([1, 2, 3, 4]);
    expect(failureOf(turnOf(bus, 'via', action, rest))?.reason).toBe('quota-exceeded');
    expect(numbersIn(bus, 'via')).toEqual([5]);
  });

  it.each([
    ['nowhere', 'entity-not-found'],
    ['orders', 'argument'],
    [DEAD, 'not-allowed'],
    [pathOf('one'), 'not-allowed'],
  ])('cannot go to %s', (destination, reason) => {
    const bus = withTopic();
    subscribe(bus, 'one');
    bus.putQueue('orders');
    expect(failureOf(turnOf(bus, 'orders', { kind: 'move', destination }))?.reason).toBe(reason);
  });

  it('may go from a dead-letter queue to its own queue, and says where it was a dead letter', () => {
    const bus = withDead('a', 'b');
    bus.putQueue('other');
    manage(bus, DEAD, { kind: 'move', destination: 'orders' }, numbers(1));
    manage(bus, DEAD, TO_OTHER, numbers(2));
    expect(numbersIn(bus, 'orders')).toEqual([3]);
    expect(bus.receiveOne('other').properties).toMatchObject({
      deadLetterSource: 'orders',
      enqueuedSequenceNumber: 2,
    });
  });
});

describe('an activated message', () => {
  const ACTIVATE = { kind: 'activate' } as const;

  it('is a scheduled one under a new number, or a deferred one under its own', () => {
    const { bus } = withEach();
    const linkId = bus.attachReceiver('orders');
    bus.setCredit(linkId, 1); // the active one
    const turn = turnOf(bus, 'orders', ACTIVATE);
    expect(turn.result).toMatchObject({ sequenceNumbers: [1, 4], skipped: [] });
    expect(sequenceNumbersTo(linkId, bus.setCredit(linkId, 9))).toEqual([1, 5]);
    expect(bus.queueInfo('orders').counts.scheduled).toBe(0);
  });

  it('goes to the receiver that waits for it, and is active after a crash', () => {
    const bus = withQueue();
    bus.send('orders', 'a');
    bus.settle('orders', bus.receiveOne('orders'), DEFER);
    manage(bus, 'orders', ACTIVATE);
    expect(bus.restarted().receiveOne('orders').properties.sequenceNumber).toBe(1);
    const linkId = bus.attachReceiver('orders');
    bus.settle('orders', bus.receiveOneAs(linkId), DEFER);
    bus.setCredit(linkId, 2);
    expect(sequenceNumbersTo(linkId, turnOf(bus, 'orders', ACTIVATE))).toEqual([1]);
  });

  it('is copied by its topic', () => {
    const bus = withTopic();
    subscribe(bus, 'one');
    publish(bus, event({}, { scheduledEnqueueTime: bus.now + MINUTE }));
    manage(bus, TOPIC, ACTIVATE);
    expect(numbersIn(bus, pathOf('one'))).toEqual([1]);
    expect(numbersIn(bus, TOPIC)).toEqual([]);
  });
});

describe('a lock ended by hand', () => {
  const END = { kind: 'end-lock' } as const;

  it('counts as one that expired, up to the dead-letter queue', () => {
    const bus = withQueue({ maxDeliveryCount: 2 });
    bus.send('orders', 'a');
    const lock = bus.receiveOne('orders');
    expect(manage(bus, 'orders', END, numbers(1)).sequenceNumbers).toEqual([1]);
    expect(failureOf(bus.settle('orders', lock, COMPLETE))?.reason).toBe('message-lock-lost');
    expect(bus.receiveOne('orders').properties.deliveryCount).toBe(1);
    manage(bus, 'orders', END, numbers(1));
    expect(numbersIn(bus, DEAD)).toEqual([1]);
  });

  it('must be there, and none of a session', () => {
    const bus = withSessionQueue();
    bus.send('orders', messageIn('s', 'a'), messageIn('s', 'b'));
    bus.receiveOneAs(accept(bus, 's'));
    expect(codesOf(manage(bus, 'orders', END, numbers(1, 2)))).toEqual([
      [1, 'wrong-state'],
      [2, 'wrong-state'],
    ]);
  });

  it('of a session detaches its receiver, and its deliveries count', () => {
    const bus = withSessionQueue();
    bus.send('orders', messageIn('s', 'a'));
    const linkId = accept(bus, 's');
    bus.receiveOneAs(linkId);
    const command = { kind: 'end-session', entityPath: 'orders', sessionId: 's' } as const;
    const turn = bus.execute(command);
    expect(turn.result).toEqual({ kind: 'session-ended', wasHeld: true });
    expect(detachedIn(turn)).toEqual([{ linkId, reason: 'session-lock-lost' }]);
    expect(bus.receiveOneAs(accept(bus, 's')).properties.deliveryCount).toBe(1);
    expect(bus.execute({ ...command, sessionId: 'x' }).result).toMatchObject({ wasHeld: false });
    bus.putQueue('plain');
    expect(failureOf(bus.execute({ ...command, entityPath: 'plain' }))?.reason).toBe('not-allowed');
  });
});

it('a message that an open transaction settles or cancels is left alone', () => {
  const { bus, lockToken } = withEach();
  const { result } = bus.execute({ kind: 'declare-transaction', connectionId: CONNECTION });
  const transactionId = result.kind === 'declared' ? result.transactionId : 0;
  const transaction = { transactionId, connectionId: CONNECTION };
  const settle = { kind: 'settle', entityPath: 'orders', lockToken, outcome: COMPLETE } as const;
  const cancel = { kind: 'cancel-scheduled', entityPath: 'orders', sequenceNumbers: [4] } as const;
  for (const command of [settle, cancel]) bus.execute({ kind: 'enlist', ...transaction, command });
  bus.putQueue('other');
  for (const action of [
    { kind: 'delete' },
    { kind: 'move', destination: 'other' },
    { kind: 'activate' },
    { kind: 'end-lock' },
  ] as const) {
    const { skipped } = manage(bus, 'orders', action, numbers(2, 4));
    expect(skipped.every(({ code }) => code === 'in-use' || code === 'wrong-state')).toBe(true);
  }
  expect(codesOf(manage(bus, 'orders', { kind: 'delete' }))).toEqual([
    [2, 'in-use'],
    [4, 'in-use'],
  ]);
  expect(bus.execute({ kind: 'discharge', ...transaction, isFailed: false }).result.kind).toBe('done');
  expect(numbersIn(bus, 'orders')).toEqual([]);
});

it('a filter that cannot be read is refused with the place of the mistake', () => {
  const refused = failureOf(turnOf(withQueue(), 'orders', { kind: 'delete' }, matching('a = = 1')));
  expect(refused).toMatchObject({ reason: 'argument', message: expect.stringContaining('column') });
});
