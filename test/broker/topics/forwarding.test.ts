// Entities that send their messages on: to queues and topics, from dead-letter queues, and what becomes of those not taken.

import { describe, expect, it } from 'vitest';
import {
  describeSubscription,
  describeTopic,
} from '../../../src/broker/contract/entities/topic-description.js';
import {
  BrokerUnderTest,
  changesOf,
  failureOf,
  messageOf,
  messageOfSize,
  START,
} from '../../support/broker-builders.js';
import { detachedIn } from '../../support/session-builders.js';
import {
  event,
  numbersIn,
  pathOf,
  publish,
  sqlRule,
  subscribe,
  TOPIC,
  trySubscribe,
  withTopic,
} from '../../support/topic-builders.js';

const SECOND = 1000;
const DEAD = '/$DeadLetterQueue';

/** Queues of these names, each forwarding to the next. */
function chain(...names: string[]): BrokerUnderTest {
  const bus = new BrokerUnderTest();
  for (const [index, name] of names.toReversed().entries()) {
    const next = names[names.length - index];
    bus.putQueue(name, next === undefined ? {} : { forwardTo: next });
  }
  return bus;
}

/** Hop by hop, until nothing moves any more; answers the events of each turn. */
function runHops(bus: BrokerUnderTest): number[] {
  const counts: number[] = [];
  while (bus.broker.nextDeadline() === bus.now + 1) {
    expect(counts.length).toBeLessThan(100);
    counts.push(bus.tickAfter(1).events.length);
  }
  return counts;
}

function reasonIn(bus: BrokerUnderTest, path: string): unknown {
  const [dead] = bus.peek(path);
  return dead?.properties.propertyChanges?.find(({ name }) => name === 'DeadLetterReason')?.value;
}

describe('a queue that forwards', () => {
  it('holds nothing: its messages are at the destination in the same turn, durable [FWD-01, FWD-05, M31, M32]', () => {
    const bus = chain('a', 'b');
    bus.passTime(5);
    const turn = bus.send('a', 'one', 'two');
    expect(turn.result).toEqual({ kind: 'sent', sequenceNumbers: [1, 2] });
    expect(bus.peek('a')).toEqual([]);
    expect(
      bus
        .restarted()
        .receive('b', 9)
        .map(({ properties }) => properties),
    ).toMatchObject([
      { sequenceNumber: 1, enqueuedSequenceNumber: 1, deliveryCount: 0, enqueuedTime: START + 5 },
      { sequenceNumber: 2, enqueuedSequenceNumber: 2 },
    ]);
    expect(bus.queueInfo('a').sizeBytes).toBe(0);
    expect(bus.queueInfo('b').sizeBytes).toBe(6);
  });

  it('sends on at once the messages that were behind a deleted one [FWD-04, DEL-01]', () => {
    const bus = chain('a', 'b', 'c');
    bus.send('a', 'one'); // it rests in b, for a hop is a turn of its own
    bus.send('b', 'two');
    expect(bus.peek('c')).toEqual([]);
    bus.deleteMessages('b', 1, bus.now + 1);
    expect(bus.peek('c').map((message) => bus.textOf(message))).toEqual(['two']);
  });

  it('sends on the messages that were waiting when it began, in order, and those that return from a lock [FWD-01, FWD-04]', () => {
    const bus = new BrokerUnderTest();
    for (const name of ['a', 'b']) bus.putQueue(name);
    bus.send('a', 'one', 'two', 'three');
    const held = bus.receiveOne('a');
    bus.putQueue('a', { forwardTo: 'b' });
    expect(numbersIn(bus, 'b')).toEqual([2, 3]);
    bus.settle('a', held, { kind: 'abandon', changes: [] });
    expect(numbersIn(bus, 'b')).toEqual([2, 3, 1]);
    expect(bus.peek('b')[2]?.properties.deliveryCount).toBe(0);
  });

  it('keeps its first number, however far it goes [FWD-05]', () => {
    const bus = chain('a', 'b', 'c');
    bus.send('c', 'first');
    bus.send('a', 'one');
    runHops(bus);
    expect(numbersIn(bus, 'c')).toEqual([undefined, 1]);
  });

  it('sends on a scheduled message when its time has come [FWD-06, SCH-12]', () => {
    const bus = chain('a', 'b');
    bus.send('a', messageOf('one', { scheduledEnqueueTime: START + 5000 }));
    expect(bus.peek('a')).toHaveLength(1);
    bus.tickAfter(5000);
    expect(bus.peek('a')).toEqual([]);
    expect(bus.peek('b')).toHaveLength(1);
  });

  it('no longer delivers to receivers, which are detached [RCV-11, FWD-10]', () => {
    const bus = new BrokerUnderTest();
    for (const name of ['a', 'b']) bus.putQueue(name);
    const linkId = bus.attachReceiver('a');
    expect(detachedIn(bus.putQueue('a', { forwardTo: 'b' }))).toEqual([{ linkId, reason: 'not-allowed' }]);
    expect(() => bus.attachReceiver('a')).toThrow('auto-forwarding enabled');
    bus.putQueue('a');
    bus.send('a', 'one');
    expect(bus.receive('a')).toHaveLength(1);
  });

  it('is never idle [IDL-06, FWD-09]', () => {
    const bus = new BrokerUnderTest();
    bus.putQueue('b');
    bus.putQueue('a', { forwardTo: 'b', autoDeleteOnIdleMs: 300 * SECOND });
    bus.tickAfter(300 * SECOND);
    bus.tickAfter(300 * SECOND);
    expect(bus.queueInfo('a').description.name).toBe('a');
  });

  it('needs an existing destination, and no sessions unless it is partitioned [FWD-02, SES-19]', () => {
    const bus = new BrokerUnderTest();
    expect(failureOf(bus.putQueue('a', { forwardTo: 'b' }))?.message).toContain(
      "'b', and there is no such queue",
    );
    bus.putQueue('b');
    expect(failureOf(bus.putQueue('a', { forwardTo: 'b', requiresSession: true }))?.reason).toBe(
      'not-allowed',
    );
    const description = { requiresSession: true, enablePartitioning: true };
    bus.putQueue('a', description);
    bus.send('a', event({ sessionId: 'x' }), event({ sessionId: 'y' }));
    expect(bus.putQueue('a', { ...description, forwardTo: 'b' }).result).toMatchObject({
      entity: { description: { forwardTo: 'b' } },
    });
    expect(bus.peek('b')).toHaveLength(2);
    const basic = new BrokerUnderTest({ limits: { hasForwarding: false } });
    basic.putQueue('b');
    expect(failureOf(basic.putQueue('a', { forwardTo: 'b' }))?.reason).toBe('not-allowed');
  });
});

describe('a message that is forwarded', () => {
  it('is sent anew: duplicates are found and time to live begins again [FWD-03, DUP-08, TTL-01]', () => {
    const bus = new BrokerUnderTest();
    bus.putQueue('b', { requiresDuplicateDetection: true });
    bus.putQueue('a', { forwardTo: 'b' });
    const message = event({ messageId: 'same' });
    bus.send('a', message, message);
    expect(bus.peek('b')).toHaveLength(1);
    expect(bus.rows.contents.size).toBe(1);
  });

  it('is no duplicate of itself where it comes back to its own queue or topic, also from a dead-letter queue [DUP-08, FWD-02]', () => {
    const bus = new BrokerUnderTest();
    const detecting = { requiresDuplicateDetection: true };
    bus.putQueue('a', detecting);
    bus.putQueue('a', { ...detecting, forwardTo: 'a' });
    bus.putQueue('dead', detecting);
    bus.putQueue('dead', { ...detecting, maxDeliveryCount: 1, forwardDeadLetteredMessagesTo: 'dead' });
    bus.execute({ kind: 'put-entity', type: 'topic', description: describeTopic('t', detecting) });
    const description = describeSubscription('s', { forwardTo: 't' });
    bus.execute({ kind: 'put-entity', type: 'subscription', topicName: 't', description });
    const message = event({ messageId: 'same' });
    for (const name of ['a', 't', 'dead']) bus.send(name, message, message);
    runHops(bus);
    for (const path of ['a', 't/Subscriptions/s']) {
      expect(bus.peek(`${path}${DEAD}`)).toHaveLength(1);
      expect(reasonIn(bus, `${path}${DEAD}`)).toBe('MaxTransferHopCountExceeded');
    }
    bus.passTime(5 * SECOND);
    bus.settle('dead', bus.receiveOne('dead'), { kind: 'abandon', changes: [] });
    expect(bus.peek('dead')).toHaveLength(1);
    // The id is still noted, as of when it was first accepted (DUP-04).
    const restarted = bus.restarted();
    restarted.send('dead', message);
    expect(restarted.peek('dead')).toHaveLength(1);
    restarted.tickAfter(START + 600 * SECOND - restarted.now);
    restarted.send('dead', message);
    expect(restarted.peek('dead')).toHaveLength(2);
  });

  it('goes through four entities and no further: a fifth is too many [FWD-07, M33]', () => {
    const bus = chain('a', 'b', 'c', 'd');
    bus.send('a', 'one');
    runHops(bus);
    expect(bus.peek('d')).toHaveLength(1);
    const longer = chain('a', 'b', 'c', 'd', 'e');
    longer.putQueue('x');
    longer.putQueue('d', { forwardTo: 'e', forwardDeadLetteredMessagesTo: 'x' });
    longer.send('a', 'one');
    runHops(longer);
    expect(longer.peek('e')).toEqual([]);
    expect(longer.peek('x')).toEqual([]);
    expect(reasonIn(longer, `d${DEAD}`)).toBe('MaxTransferHopCountExceeded');
  });

  it('stops in a circle too [FWD-07]', () => {
    const bus = chain('a', 'b');
    bus.putQueue('b', { forwardTo: 'a' });
    bus.send('a', 'one');
    runHops(bus);
    expect(reasonIn(bus, `b${DEAD}`)).toBe('MaxTransferHopCountExceeded');
    expect(bus.peek('a')).toEqual([]);
    expect(bus.peek('b')).toEqual([]);
  });

  it('may come back to where it was: the fourth time it is dead-lettered, a turn for each, restarts in between or not [FWD-02, FWD-07]', () => {
    const bus = new BrokerUnderTest();
    expect(bus.putQueue('a', { forwardTo: 'A' }).result).toMatchObject({
      entity: { description: { forwardTo: 'A' } },
    });
    bus.send('a', 'one', 'two');
    const hops = [];
    let next = bus;
    for (; next.queueInfo('a').counts.deadLetter === 0; next = next.restarted()) {
      hops.push(next.peek('a').map(({ properties }) => properties.sequenceNumber));
      next.tickAfter(1);
    }
    expect(hops).toEqual([
      [3, 4],
      [5, 6],
      [7, 8],
    ]);
    expect(reasonIn(next, `a${DEAD}`)).toBe('MaxTransferHopCountExceeded');
    expect(next.queueInfo('a').counts).toMatchObject({ active: 0, scheduled: 0, deadLetter: 2 });
  });

  it('goes on in its order, behind what waits for its next hop [FWD-04, FWD-07]', () => {
    const bus = chain('a', 'b', 'c');
    bus.send('a', 'first');
    bus.send('b', 'second');
    expect(bus.peek('c')).toEqual([]);
    bus.tickAfter(1);
    expect(bus.receive('c', 2).map(({ properties }) => properties.enqueuedSequenceNumber)).toEqual([1, 2]);
  });

  it('is dead-lettered where it is when the destination does not take it [FWD-08, M34]', () => {
    const bus = chain('a', 'b');
    bus.putQueue('b', { status: 'SendDisabled' });
    bus.send('a', 'one');
    expect(reasonIn(bus, `a${DEAD}`)).toBe('MessagingEntityDisabledException');
    bus.execute({ kind: 'delete-entity', entityPath: 'b' });
    bus.send('a', 'two');
    const dead = bus.receive(`a${DEAD}`, 2);
    expect(dead.map((one) => changesOf(one).DeadLetterReason)).toEqual([
      'MessagingEntityDisabledException',
      'MessagingEntityNotFoundException',
    ]);
  });

  it('has the room of what expires at its destination in the same turn [FWD-08, TTL-07]', () => {
    const megabyte = 2 ** 20;
    const bus = new BrokerUnderTest({ limits: { maxMessageSizeBytes: megabyte } });
    bus.putQueue('b', { maxSizeInMegabytes: 1 });
    bus.putQueue('a', { forwardTo: 'b' });
    const expiring = { ...messageOfSize(megabyte), timeToLiveMs: 0 };
    const turn = bus.execute({
      kind: 'step',
      commands: [
        { kind: 'send', entityPath: 'a', messages: [messageOf('one')] },
        { kind: 'send', entityPath: 'b', messages: [expiring] },
      ],
    });
    expect(turn.result.kind).toBe('step');
    expect(bus.peek('b').map((message) => bus.textOf(message))).toEqual(['one']);
  });

  it('needs a session id where sessions are required; else its source keeps it, dead-lettered [SES-19, FWD-03]', () => {
    const bus = new BrokerUnderTest();
    bus.putQueue('b', { requiresSession: true });
    bus.putQueue('a', { forwardTo: 'b' });
    bus.send('a', event({ sessionId: 's' }), event({}));
    expect(bus.peek('b')).toHaveLength(1);
    expect(reasonIn(bus, `a${DEAD}`)).toMatch(/^The SessionId was not set/);
  });
});

describe('a dead-letter queue that forwards', () => {
  it('sends dead letters on, with the name of their source [DLQ-07, DLQ-12, FWD-01]', () => {
    const bus = new BrokerUnderTest();
    bus.putQueue('graveyard');
    bus.putQueue('a', { forwardDeadLetteredMessagesTo: 'graveyard' });
    bus.send('a', 'one');
    bus.settle('a', bus.receiveOne('a'), { kind: 'dead-letter', changes: [] });
    expect(bus.peek(`a${DEAD}`)).toEqual([]);
    expect(bus.receiveOne('graveyard').properties).toMatchObject({
      deadLetterSource: 'a',
      enqueuedSequenceNumber: 1,
      deliveryCount: 0,
    });
    expect(() => bus.attachReceiver(`a${DEAD}`)).toThrow('auto-forwarding enabled');
  });

  it('names their source in lower case, and its own destination as it was given [ENT-02, DLQ-07]', () => {
    const bus = new BrokerUnderTest();
    bus.putQueue('Graveyard');
    bus.putQueue('Source', { forwardDeadLetteredMessagesTo: 'GraveYard' });
    bus.send('Source', 'one');
    bus.settle('Source', bus.receiveOne('Source'), { kind: 'dead-letter', changes: [] });
    expect(bus.receiveOne('graveyard').properties).toMatchObject({ deadLetterSource: 'source' });
    expect(bus.queueInfo('source').description.forwardDeadLetteredMessagesTo).toBe('GraveYard');
  });

  it('does not let a refused message block others [FWD-08]', () => {
    const bus = new BrokerUnderTest();
    bus.putQueue('graveyard', { requiresSession: true });
    bus.putQueue('a', { forwardDeadLetteredMessagesTo: 'graveyard' });
    bus.send('a', event({ body: '1' }), event({ sessionId: 's', body: '2' }));
    for (const { lockToken = '' } of bus.receive('a', 2)) {
      bus.settle('a', { lockToken }, { kind: 'dead-letter', changes: [] });
    }
    bus.tickAfter(SECOND);
    expect(bus.peek('graveyard')).toHaveLength(1);
    expect(bus.peek(`a${DEAD}`)).toHaveLength(1);
  });

  it('tries anew at once when its destination is changed [FWD-08]', () => {
    const bus = new BrokerUnderTest();
    bus.putQueue('closed', { status: 'SendDisabled' });
    bus.putQueue('open');
    bus.putQueue('a', { forwardDeadLetteredMessagesTo: 'closed' });
    bus.send('a', 'one');
    bus.settle('a', bus.receiveOne('a'), { kind: 'dead-letter', changes: [] });
    bus.tickAfter(SECOND);
    bus.putQueue('a', { forwardDeadLetteredMessagesTo: 'open' });
    expect(bus.peek('open')).toHaveLength(1);
  });

  it('sends on the messages that are there when it begins [FWD-01]', () => {
    const bus = new BrokerUnderTest();
    for (const name of ['graveyard', 'a']) bus.putQueue(name);
    bus.send('a', 'one');
    bus.settle('a', bus.receiveOne('a'), { kind: 'dead-letter', changes: [] });
    bus.putQueue('a', { forwardDeadLetteredMessagesTo: 'graveyard' });
    expect(bus.peek('graveyard')).toHaveLength(1);
  });

  it('keeps refused messages and retries, less and less often [FWD-08]', () => {
    const bus = new BrokerUnderTest();
    bus.putQueue('graveyard', { status: 'SendDisabled' });
    bus.putQueue('a', { forwardDeadLetteredMessagesTo: 'graveyard' });
    bus.send('a', 'one');
    bus.settle('a', bus.receiveOne('a'), { kind: 'dead-letter', changes: [] });
    const pauses: number[] = [];
    for (let tries = 0; tries < 7; tries++) {
      const pause = bus.broker.nextDeadline() - bus.now;
      pauses.push(pause / SECOND);
      bus.tickAfter(pause);
    }
    expect(pauses).toEqual([1, 2, 4, 8, 16, 30, 30]);
    bus.putQueue('graveyard');
    bus.tickAfter(30 * SECOND);
    expect(bus.peek('graveyard')).toHaveLength(1);
    expect(bus.peek(`a${DEAD}`)).toEqual([]);
  });
});

describe('a subscription that forwards', () => {
  it('sends on its copies as its rules have changed them [FWD-01, TOP-10, DUP-08]', () => {
    const bus = withTopic();
    bus.putQueue('b', { requiresDuplicateDetection: true });
    subscribe(bus, 'one', { forwardTo: 'b' }, [
      sqlRule('r', '1 = 1', "SET sys.MessageId = 'same'; SET seen = 1"),
    ]);
    publish(bus, { messageId: 'x' }, { messageId: 'y' });
    expect(bus.peek(pathOf('one'))).toEqual([]);
    const [copy, ...others] = bus.receive('b', 9);
    expect(others).toEqual([]);
    expect(Object.keys(copy ? changesOf(copy) : {})).toEqual(['seen', 'RuleName']);
    expect(copy?.properties.enqueuedSequenceNumber).toBe(1);
  });

  it('moves some thousands of copies in a turn, and the rest a millisecond later [FWD-01]', () => {
    const bus = withTopic({}, { limits: { maxBatchCount: 10_000 } });
    bus.putQueue('b');
    for (let index = 0; index < 8; index++) subscribe(bus, `s${index}`, { forwardTo: 'b' });
    const turn = publish(bus, ...Array.from({ length: 4000 }, () => event({})));
    expect(turn.events.length).toBeLessThan(200_000);
    for (let count = 0; bus.broker.nextDeadline() === bus.now + 1; count++) {
      expect(count).toBeLessThan(200);
      bus.tickAfter(1);
    }
    expect(bus.queueInfo('b').counts.active).toBe(32_000);
  });

  it('to a topic: the rules there see what rules here have set [FWD-01, FWD-03]', () => {
    const bus = withTopic();
    bus.execute({
      kind: 'put-entity',
      type: 'topic',
      description: describeTopic('second'),
    });
    subscribe(bus, 'one', { forwardTo: 'second' }, [sqlRule('r', '1 = 1', "SET color = 'red'")]);
    bus.execute({
      kind: 'put-entity',
      type: 'subscription',
      topicName: 'second',
      description: describeSubscription('red'),
      rules: [sqlRule('red', "color = 'red'")],
    });
    publish(bus, { user: { color: 'blue' } });
    expect(bus.peek('second/Subscriptions/red')).toHaveLength(1);
    expect(bus.rows.contents.size).toBe(1);
  });

  it('is never deleted for being idle, and says so [FWD-09]', () => {
    const bus = withTopic();
    bus.putQueue('b');
    subscribe(bus, 'one', { forwardTo: 'b', autoDeleteOnIdleMs: 600 * SECOND });
    expect(subscriptionDescription(bus).autoDeleteOnIdleMs).toBe(Number.POSITIVE_INFINITY);
    expect(subscriptionDescription(bus.restarted()).autoDeleteOnIdleMs).toBe(Number.POSITIVE_INFINITY);
  });

  it('to its own topic: hop by hop each copy makes as many as there are subscriptions, none of them in too large a turn [FWD-02, FWD-07]', () => {
    const bus = withTopic();
    const names = Array.from({ length: 12 }, (_, index) => `s${index}`);
    for (const name of names) subscribe(bus, name, { forwardTo: TOPIC });
    publish(bus, event({}));
    const counts = [];
    do {
      counts.push(names.reduce((sum, name) => sum + subscriptionInfo(bus, name).counts.active, 0));
      expect(bus.tickAfter(1).events.length).toBeLessThan(51_000);
    } while (bus.broker.nextDeadline() === bus.now + 1);
    expect(counts[0]).toBe(12 ** 2);
    expect(Math.max(...counts)).toBeGreaterThan(12 ** 3);
    const dead = names.map((name) => subscriptionInfo(bus, name).counts.deadLetter);
    expect(dead).toEqual(names.map(() => 12 ** 3));
    expect(reasonIn(bus, `${pathOf('s0')}${DEAD}`)).toBe('MaxTransferHopCountExceeded');
  });

  it('needs an existing destination [FWD-02]', () => {
    const bus = withTopic();
    expect(failureOf(trySubscribe(bus, 'one', { forwardTo: 'nowhere' }))?.message).toContain('nowhere');
  });
});

function subscriptionInfo(bus: BrokerUnderTest, name: string) {
  return bus.info(pathOf(name));
}

function subscriptionDescription(bus: BrokerUnderTest) {
  const { description } = subscriptionInfo(bus, 'one');
  if (!('forwardTo' in description)) throw new Error('no subscription');
  return description;
}
