// Contents that cannot be read: their messages become dead letters with an empty body, and nothing else notices.

import { describe, expect, it } from 'vitest';
import type { FoundMessage } from '../../../src/broker/contract/result.js';
import {
  ABANDON,
  type BrokerUnderTest,
  COMPLETE,
  changesOf,
  DEAD_LETTER,
  DEFER,
  deliveriesTo,
  failureOf,
  messageOf,
  sequenceNumbersTo,
  withQueue,
} from '../../support/broker-builders.js';
import { accept, CONNECTION, messageIn, withSessionQueue } from '../../support/session-builders.js';
import {
  event,
  pathOf,
  publish,
  sqlRule,
  subscribe,
  TOPIC,
  withSubscriptions,
  withTopic,
} from '../../support/topic-builders.js';
import { FAILED, transfer, withFull } from '../../support/transfer-builders.js';

const DEAD = 'orders/$DeadLetterQueue';
const HOUR = 3_600_000;

function firstOf(bus: BrokerUnderTest, entityPath: string): FoundMessage {
  const [first] = bus.peek(entityPath);
  if (first === undefined) throw new Error(`'${entityPath}' is empty`);
  return first;
}

/** The numbers, reasons and texts of the messages of a store. */
function shownIn(bus: BrokerUnderTest, entityPath: string): unknown[] {
  return bus.peek(entityPath).map((message) => {
    const reason = changesOf({ ...message, lockToken: undefined }).DeadLetterReason;
    return [message.properties.sequenceNumber, reason, bus.textOf(message)];
  });
}

const EMPTIED = (sequenceNumber: number) => [sequenceNumber, 'ContentUnreadable', ''];

/** No turn can read any content that is stored now. */
function breakContents(bus: BrokerUnderTest): void {
  for (const contentId of bus.rows.contents.keys()) bus.broken.add(contentId);
}

describe('a message whose content cannot be read', () => {
  it('goes to the dead-letter queue with its number and an empty body, and others stay [M40]', () => {
    const bus = withQueue();
    bus.send('orders', 'a', 'b');
    const { enqueuedTime } = firstOf(bus, 'orders').properties;
    bus.passTime(1000);
    const { faults } = bus.reportUnreadable(firstOf(bus, 'orders'));
    expect(shownIn(bus, 'orders')).toEqual([[2, undefined, 'b']]);
    expect(shownIn(bus, DEAD)).toEqual([EMPTIED(1)]);
    const dead = firstOf(bus, DEAD);
    expect(dead.properties).toMatchObject({ enqueuedTime, deliveryCount: 0 });
    expect(dead.properties.generatedMessageId).toMatch(/^[0-9a-f]{32}$/); // the JavaScript SDK settles no message without an id
    expect(changesOf(dead)).toMatchObject({
      DeadLetterErrorDescription: 'The content of the message cannot be read: content 1 is missing.',
    });
    expect(faults).toEqual([
      "The content of 'orders' #1 cannot be read: content 1 is missing. The message is in the dead-letter queue, with an empty body.",
    ]);
  });

  it('is the same after a restart, and its old content is released', () => {
    const bus = withQueue();
    bus.send('orders', 'a');
    const { events } = bus.reportUnreadable(firstOf(bus, 'orders'));
    expect(events).toContainEqual({ kind: 'content-released', contentId: 1 });
    const restarted = bus.restarted();
    expect(shownIn(restarted, DEAD)).toEqual([EMPTIED(1)]);
    expect(restarted.queueInfo('orders')).toMatchObject({
      sizeBytes: 0,
      counts: { active: 0, deadLetter: 1 },
    });
  });

  it('is reported to no effect when the message has gone, or has another content', () => {
    const bus = withQueue();
    bus.send('orders', 'a');
    const found = firstOf(bus, 'orders');
    bus.reportUnreadable(found);
    for (const message of [found, { ...found, storeId: 99 }]) {
      expect(bus.reportUnreadable(message)).toEqual({ result: { kind: 'done' }, events: [], effects: [] });
    }
    expect(shownIn(bus, DEAD)).toEqual([EMPTIED(1)]);
  });

  it('loses its lock, and its receiver gets the next message with more credit', () => {
    const bus = withQueue();
    bus.send('orders', 'a', 'b');
    const linkId = bus.attachReceiver('orders');
    const [delivery] = deliveriesTo(linkId, bus.setCredit(linkId, 1));
    if (delivery === undefined) throw new Error('nothing is delivered');
    bus.reportUnreadable(delivery);
    expect(bus.broker.holdsLock(delivery.lockToken ?? '', bus.now)).toBe(false);
    expect(sequenceNumbersTo(linkId, bus.setCredit(linkId, 2))).toEqual([2]);
    expect(shownIn(bus, DEAD)).toEqual([EMPTIED(1)]);
  });

  it('is put into the dead-letter queue anew when receive-and-delete has removed it', () => {
    const bus = withQueue();
    bus.send('orders', 'a', 'b');
    const [delivery] = bus.receive('orders', 1, 'receive-and-delete');
    if (delivery === undefined) throw new Error('nothing is delivered');
    bus.reportUnreadable(delivery);
    expect(shownIn(bus, DEAD)).toEqual([EMPTIED(1)]);
    expect(bus.queueInfo('orders')).toMatchObject({ sizeBytes: 1, counts: { active: 1, deadLetter: 1 } });
    const [dead] = bus.receive(DEAD, 1, 'receive-and-delete');
    if (dead === undefined) throw new Error('nothing is delivered');
    bus.reportUnreadable(dead);
    expect(shownIn(bus, DEAD)).toEqual([EMPTIED(1)]);
  });

  it('stays gone when the queue it was removed from is deleted, also under a new queue of that name', () => {
    const bus = withQueue();
    bus.send('orders', 'a');
    const [delivery] = bus.receive('orders', 1, 'receive-and-delete');
    bus.execute({ kind: 'delete-entity', entityPath: 'orders' });
    bus.putQueue('orders');
    if (delivery !== undefined) bus.reportUnreadable(delivery);
    expect(shownIn(bus, DEAD)).toEqual([]);
  });

  it('leaves the deferred and the scheduled messages, under their numbers', () => {
    const bus = withQueue();
    bus.send('orders', 'a', messageOf('b', { scheduledEnqueueTime: bus.now + HOUR }));
    bus.settle('orders', bus.receiveOne('orders'), DEFER);
    for (const message of bus.peek('orders')) bus.reportUnreadable(message);
    expect(shownIn(bus, DEAD)).toEqual([EMPTIED(1), EMPTIED(2)]);
    expect(failureOf(bus.receiveDeferred('orders', [1]))?.reason).toBe('message-not-found');
    expect(failureOf(bus.cancelScheduled('orders', 2))?.reason).toBe('message-not-found');
    bus.tickAfter(2 * HOUR);
    expect(bus.peek('orders')).toEqual([]);
  });

  it('is put back into the dead-letter queue when received from the deferred ones and deleted', () => {
    const bus = withQueue();
    bus.send('orders', 'a');
    bus.settle('orders', bus.receiveOne('orders'), DEFER);
    const { result } = bus.receiveDeferred('orders', [1], 'receive-and-delete');
    if (result.kind === 'messages') for (const message of result.messages) bus.reportUnreadable(message);
    expect(shownIn(bus, DEAD)).toEqual([EMPTIED(1)]);
  });

  it('stays in its dead-letter queue with an empty body, says why it had come there, and can be received [M40]', () => {
    const bus = withQueue({ maxDeliveryCount: 1 });
    bus.send('orders', 'a');
    bus.settle('orders', bus.receiveOne('orders'), ABANDON);
    const held = bus.receiveOne(DEAD);
    bus.reportUnreadable(held);
    expect(failureOf(bus.settle(DEAD, held, COMPLETE))?.reason).toBe('message-lock-lost');
    expect(shownIn(bus, DEAD)).toEqual([EMPTIED(1)]);
    expect(changesOf(bus.receiveOne(DEAD)).DeadLetterErrorDescription).toBe(
      'The content of the message cannot be read: content 1 is missing. It was dead-lettered before: MaxDeliveryCountExceeded.',
    );
  });

  it('makes the transaction that settles it fail', () => {
    const bus = withQueue();
    bus.send('orders', 'a');
    const { lockToken, ...found } = bus.receiveOne('orders');
    const { result } = bus.execute({ kind: 'declare-transaction', connectionId: CONNECTION });
    if (result.kind !== 'declared') throw new Error('no transaction');
    const { transactionId } = result;
    const transaction = { transactionId, connectionId: CONNECTION };
    const command = { kind: 'settle', entityPath: 'orders', lockToken, outcome: COMPLETE } as const;
    bus.execute({ kind: 'enlist', ...transaction, command });
    bus.reportUnreadable(found);
    const discharged = bus.execute({ kind: 'discharge', ...transaction, isFailed: false });
    expect(failureOf(discharged)?.reason).toBe('transaction-rolled-back');
    expect(shownIn(bus, DEAD)).toEqual([EMPTIED(1)]);
  });

  it('of a session keeps its session id, and the session goes on with its next message', () => {
    const bus = withSessionQueue();
    bus.send('orders', messageIn('s', 'a'), messageIn('s', 'b'));
    const linkId = accept(bus, 's');
    const [delivery] = deliveriesTo(linkId, bus.setCredit(linkId, 1));
    if (delivery === undefined) throw new Error('nothing is delivered');
    bus.reportUnreadable(delivery);
    expect(sequenceNumbersTo(linkId, bus.setCredit(linkId, 2))).toEqual([2]);
    expect(firstOf(bus, DEAD).properties.systemChanges).toEqual({ sessionId: 's' });
  });
});

describe('a content that copies of a topic share', () => {
  it('takes each copy to the dead-letter queue of its subscription when it is read itself', () => {
    const bus = withSubscriptions('a', 'b');
    publish(bus, {}, {});
    const held = bus.receiveOne(pathOf('b'));
    bus.reportUnreadable(firstOf(bus, pathOf('a')));
    expect(shownIn(bus, `${pathOf('a')}/$DeadLetterQueue`)).toEqual([EMPTIED(1)]);
    expect(bus.rows.contents.has(held.contentId)).toBe(true);
    bus.reportUnreadable(held);
    expect(shownIn(bus, `${pathOf('b')}/$DeadLetterQueue`)).toEqual([EMPTIED(1)]);
    expect(bus.rows.contents.has(held.contentId)).toBe(false);
    for (const name of ['a', 'b']) {
      expect(bus.peek(pathOf(name)).map(({ properties }) => properties.sequenceNumber)).toEqual([2]);
    }
  });

  it('leaves a copy to the receiver that has got it', () => {
    const bus = withSubscriptions('a', 'b');
    publish(bus, {});
    const held = bus.receiveOne(pathOf('b'));
    bus.reportUnreadable(firstOf(bus, pathOf('a')));
    expect(bus.settle(pathOf('b'), held, COMPLETE).result.kind).toBe('done');
    expect(bus.rows.contents.size).toBe(1); // the empty one of the dead letter
  });
});

describe('a scheduled message of a topic whose content cannot be read', () => {
  function withScheduled(...names: string[]): BrokerUnderTest {
    const bus = withTopic();
    for (const name of names) subscribe(bus, name, {}, [sqlRule('red', "color = 'red'")]);
    publish(bus, event({}, { scheduledEnqueueTime: bus.now + HOUR }));
    return bus;
  }

  it('becomes a dead letter in each subscription when it comes due, and what is due with it goes on', () => {
    const bus = withScheduled('a', 'b');
    breakContents(bus);
    publish(bus, event({ user: { color: 'red' } }, { scheduledEnqueueTime: bus.now + HOUR }));
    const { faults } = bus.tickAfter(HOUR);
    for (const name of ['a', 'b']) {
      expect(shownIn(bus, `${pathOf(name)}/$DeadLetterQueue`)).toEqual([EMPTIED(2)]);
      expect(bus.peek(pathOf(name))).toHaveLength(1);
    }
    expect(faults).toEqual([
      "The content of 'events' #1 cannot be read: content 1 is missing. Each subscription has a dead letter in its place, with an empty body.",
    ]);
    expect(bus.restarted().peek(TOPIC)).toEqual([]);
  });

  it('does so at once when a reader finds out before', () => {
    const bus = withScheduled('a');
    bus.reportUnreadable(firstOf(bus, TOPIC));
    expect(shownIn(bus, `${pathOf('a')}/$DeadLetterQueue`)).toEqual([EMPTIED(1)]);
    expect(bus.peek(TOPIC)).toEqual([]);
  });

  it('is gone without a subscription, as any other message that nobody takes', () => {
    const bus = withScheduled();
    breakContents(bus);
    bus.broker.recordsActivities = true;
    const { activities } = bus.tickAfter(HOUR);
    expect(activities?.all.map(({ kind }) => kind)).toContain('unmatched');
    expect(bus.rows.contents.size).toBe(0);
  });
});

describe('a message that goes on to another entity, and whose content a turn cannot read', () => {
  it('becomes a dead letter where it is, and those behind it are forwarded', () => {
    const bus = withQueue();
    bus.putQueue('there');
    bus.send('orders', 'a');
    breakContents(bus);
    bus.send('orders', 'b');
    bus.putQueue('orders', { forwardTo: 'there' });
    expect(shownIn(bus, DEAD)).toEqual([EMPTIED(1)]);
    expect(shownIn(bus, 'there')).toEqual([[1, undefined, 'b']]);
  });

  it('is forwarded from a dead-letter queue with its empty body', () => {
    const bus = withQueue();
    bus.putQueue('there');
    bus.send('orders', 'a');
    bus.settle('orders', bus.receiveOne('orders'), DEAD_LETTER);
    breakContents(bus);
    bus.putQueue('orders', { forwardDeadLetteredMessagesTo: 'there' });
    expect(shownIn(bus, 'there')).toEqual([EMPTIED(1)]);
    expect(firstOf(bus, 'there').properties.deadLetterSource).toBe('orders');
  });

  it('goes to the transfer dead-letter queue when its destination has room again', () => {
    const bus = withFull();
    transfer(bus, ['a']);
    breakContents(bus);
    bus.receive('there', 1, 'receive-and-delete');
    bus.tickAfter(1000);
    expect(shownIn(bus, `via${FAILED}`)).toEqual([EMPTIED(1)]);
    expect(bus.peek('there')).toEqual([]);
  });
});

describe('a message managed by hand whose content cannot be read', () => {
  it('is skipped with the reason, and the others are treated', () => {
    const bus = withQueue();
    bus.putQueue('there');
    bus.send('orders', 'a');
    breakContents(bus);
    bus.send('orders', 'b');
    const { result } = bus.execute({
      kind: 'manage-messages',
      entityPath: 'orders',
      action: { kind: 'move', destination: 'there' },
      selection: { kind: 'matching', fromSequenceNumber: 0 },
    });
    expect(result).toMatchObject({
      sequenceNumbers: [2],
      skipped: [{ sequenceNumber: 1, code: 'content-unreadable' }],
    });
    expect(shownIn(bus, DEAD)).toEqual([EMPTIED(1)]);
    expect(shownIn(bus, 'there')).toEqual([[1, undefined, 'b']]);
  });

  it('is deleted without being read', () => {
    const bus = withQueue();
    bus.send('orders', 'a');
    breakContents(bus);
    const selection = { kind: 'numbers', sequenceNumbers: [1] } as const;
    bus.execute({ kind: 'manage-messages', entityPath: 'orders', action: { kind: 'delete' }, selection });
    expect([bus.peek('orders'), bus.peek(DEAD)]).toEqual([[], []]);
  });

  it('of a topic is not activated, but a dead letter in each subscription', () => {
    const bus = withSubscriptions('a');
    publish(bus, event({}, { scheduledEnqueueTime: bus.now + HOUR }));
    breakContents(bus);
    const selection = { kind: 'numbers', sequenceNumbers: [1] } as const;
    const action = { kind: 'activate' } as const;
    const { result } = bus.execute({ kind: 'manage-messages', entityPath: TOPIC, action, selection });
    expect(result).toMatchObject({ skipped: [{ code: 'content-unreadable' }] });
    expect(shownIn(bus, `${pathOf('a')}/$DeadLetterQueue`)).toEqual([EMPTIED(1)]);
  });
});
