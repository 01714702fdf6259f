// A message whose copies cost more than one command may: the rest is made in later turns, behind the acceptance.

import { describe, expect, it } from 'vitest';
import type { Turn } from '../../../src/broker/broker.js';
import type { Command } from '../../../src/broker/contract/command.js';
import { describeSubscription } from '../../../src/broker/contract/entities/topic-description.js';
import type { NewMessage } from '../../../src/broker/contract/message-properties.js';
import { DEFAULT_RULE } from '../../../src/broker/contract/rule-description.js';
import {
  BrokerUnderTest,
  changesOf,
  deliveriesTo,
  failureOf,
  messagesOf,
  START,
} from '../../support/broker-builders.js';
import type { JsonMessage } from '../../support/json-reader.js';
import { CONNECTION } from '../../support/session-builders.js';
import {
  addRule,
  event,
  numbersIn,
  pathOf,
  publish,
  removeRule,
  sqlRule,
  subscribe,
  succeed,
  TOPIC,
  trySubscribe,
  withTopic,
} from '../../support/topic-builders.js';

/** A turn makes two copies by a rule without an action. */
const TWO_COPIES = { behaviour: { maxFanOutCost: 2.4 } };
const NAMES = ['a', 'b', 'c', 'd', 'e'];
const MEGABYTE = 2 ** 20;
const DEAD = '/$DeadLetterQueue';

/** A topic with five subscriptions, in which a turn makes two copies. */
function withFive(given: Parameters<typeof withTopic>[0] = {}): BrokerUnderTest {
  const bus = withTopic(given, TWO_COPIES);
  for (const name of NAMES) subscribe(bus, name);
  return bus;
}

/** The number of messages in each subscription. */
function counts(bus: BrokerUnderTest, names: readonly string[] = NAMES): readonly number[] {
  return names.map((name) => bus.peek(pathOf(name)).length);
}

/** Lets a millisecond pass after the other until nothing is due. Returns the turns. */
function finish(bus: BrokerUnderTest): readonly Turn[] {
  const turns: Turn[] = [];
  while (bus.broker.nextDeadline() <= bus.now + 1) turns.push(bus.tickAfter(1));
  return turns;
}

function messages(count: number, message: JsonMessage = {}): readonly NewMessage[] {
  return Array.from({ length: count }, () => event(message));
}

function topicOf(bus: BrokerUnderTest) {
  const { result } = bus.execute({ kind: 'get-entity', entityPath: TOPIC });
  if (result.kind !== 'entity-info' || result.entity.type !== 'topic') throw new Error(result.kind);
  return result.entity;
}

function setRules(bus: BrokerUnderTest, name: string, ...rules: (typeof DEFAULT_RULE)[]): Turn {
  return bus.execute({ kind: 'set-rules', entityPath: pathOf(name), rules });
}

describe('a fan-out', () => {
  it('of 2,500 is made in the turn of its command, and what is beyond it 2,000 at a time [TOP-15]', () => {
    const bus = withTopic();
    for (let index = 0; index < 50; index++) subscribe(bus, `s${index}`, {}, [sqlRule('all', '1=1')]);
    const { result } = publish(bus, ...messages(450));
    const copyCount = () =>
      [...bus.rows.messages()].filter(({ message }) => message.details?.copiedTo === undefined).length;
    const first = copyCount();
    expect(result.kind === 'sent' && result.sequenceNumbers.length).toBe(450);
    expect(first).toBeGreaterThan(2_000);
    expect(first).toBeLessThan(2_500);
    bus.tickAfter(1);
    expect(copyCount() - first).toBeGreaterThan(1000);
    expect(copyCount() - first).toBeLessThan(2000);
    finish(bus);
    expect(counts(bus, ['s0', 's49'])).toEqual([450, 450]);
    expect(bus.rows.messageCount).toBe(450 * 50);
  });

  it('below the limit is whole in its turn, also for each of several commands', () => {
    const bus = withTopic({}, TWO_COPIES);
    subscribe(bus, 'a');
    subscribe(bus, 'b');
    publish(bus, {});
    publish(bus, {});
    expect(counts(bus, ['a', 'b'])).toEqual([2, 2]);
  });

  it('costs what LIKE looks through, and what actions write', () => {
    const bus = withTopic({}, { behaviour: { maxFanOutCost: 10 } });
    for (const name of NAMES) {
      subscribe(bus, name, {}, [sqlRule('r', `color LIKE '%${name}%'`)]);
      subscribe(bus, `${name}2`, {}, [sqlRule('r', '1 = 1', "SET mark = 'x'")]);
    }
    publish(bus, { user: { color: `${NAMES}` } });
    expect(counts(bus)).toEqual([1, 0, 0, 0, 0]);
    finish(bus);
    publish(bus, { user: { color: `${NAMES}${'-'.repeat(3000)}` } });
    expect(counts(bus, ['a', 'a2'])).toEqual([1, 1]);
    finish(bus);
    expect(counts(bus)).toEqual([2, 2, 2, 2, 2]);
    expect(counts(bus, ['a2', 'e2'])).toEqual([2, 2]);
  });
});

describe('a message of which copies wait', () => {
  it('keeps the number and the time of its acceptance, from which its time to live counts [TOP-15, TTL-03, SEQ-05]', () => {
    const bus = withFive();
    publish(bus, event({}, { timeToLiveMs: 5000 }));
    expect(counts(bus)).toEqual([1, 1, 0, 0, 0]);
    bus.passTime(1000);
    finish(bus);
    for (const name of NAMES) {
      expect(bus.peek(pathOf(name)).map(({ properties }) => properties)).toMatchObject([
        { sequenceNumber: 1, enqueuedSequenceNumber: 1, enqueuedTime: START, expiresAt: START + 5000 },
      ]);
    }
  });

  it('is neither scheduled nor to be cancelled, and the topic does not show it', () => {
    const bus = withFive();
    publish(bus, {});
    expect(topicOf(bus).counts).toMatchObject({ active: 0, scheduled: 0, deadLetter: 0 });
    expect(bus.peek(TOPIC)).toEqual([]);
    expect(failureOf(bus.cancelScheduled(TOPIC, 1))?.reason).toBe('message-not-found');
    const { result } = bus.execute({ kind: 'inspect-namespace', path: TOPIC });
    expect(result).toMatchObject({ entities: [{ counts: { active: 0, scheduled: 0, deadLetter: 0 } }] });
    for (const path of [TOPIC + DEAD, `${TOPIC}/$Transfer`]) {
      const { result: shown } = bus.execute({
        kind: 'inspect-messages',
        entityPath: path,
        fromSequenceNumber: 0,
        maxCount: 9,
      });
      expect(shown).toMatchObject({ kind: 'failed', error: { reason: 'entity-not-found' } });
    }
  });

  it('is work in progress, which keeps the topic from being deleted as idle', () => {
    const bus = withFive({ autoDeleteOnIdleMs: 300_000 });
    publish(bus, {});
    const { result } = bus.execute({ kind: 'inspect-work' });
    expect(result).toMatchObject({ work: { moving: [{ path: TOPIC, count: 1, destination: undefined }] } });
    bus.tickAfter(400_000);
    expect(topicOf(bus).description.name).toBe(TOPIC);
  });

  it('counts in the size of the topic until the last copy is made [CNT-02, LIM-05]', () => {
    const bus = withFive();
    const message = event({ body: 'x'.repeat(100) });
    publish(bus, message, message);
    const { length } = message.content;
    expect(topicOf(bus).sizeBytes).toBe(3 * length);
    finish(bus);
    expect(topicOf(bus).sizeBytes).toBe(2 * length);
    const full = withTopic(
      { maxSizeInMegabytes: 1 },
      { ...TWO_COPIES, limits: { maxMessageSizeBytes: MEGABYTE } },
    );
    for (const name of NAMES) subscribe(full, name);
    publish(full, event({ body: 'x'.repeat(MEGABYTE / 2) }));
    expect(failureOf(publish(full, {}))?.reason).toBe('quota-exceeded');
    finish(full);
    expect(publish(full, {}).result.kind).toBe('sent');
  });

  it('is released with the last copy, and leaves nothing', () => {
    const bus = withFive();
    publish(bus, { body: 'one' }, { body: 'two' });
    finish(bus);
    expect(bus.rows.messageCount).toBe(10);
    for (const name of NAMES) bus.receive(pathOf(name), 2, 'receive-and-delete');
    expect(bus.rows.contents.size).toBe(0);
    expect(bus.rows.messageCount).toBe(0);
  });

  it('is delivered where its copy is made', () => {
    const bus = withFive();
    const linkId = bus.attachReceiver(pathOf('e'));
    bus.setCredit(linkId, 5);
    publish(bus, {});
    expect(finish(bus).flatMap((turn) => deliveriesTo(linkId, turn))).toHaveLength(1);
  });

  it('that nobody takes is said to be unmatched once, when all rules are judged [TOP-05]', () => {
    const bus = withTopic({}, { behaviour: { maxFanOutCost: 0.5 } });
    for (const name of NAMES) subscribe(bus, name, {}, [sqlRule('red', "color = 'red'")]);
    subscribe(bus, 'last', {}, [sqlRule('blue', "color = 'blue'")]);
    bus.broker.recordsActivities = true;
    const unmatched = (color: string) => {
      const turns = [publish(bus, { user: { color } }), ...finish(bus)];
      const all = turns.flatMap(({ activities }) => activities?.all ?? []);
      return all.filter(({ kind }) => kind === 'unmatched').length;
    };
    expect([unmatched('green'), unmatched('red'), unmatched('blue')]).toEqual([1, 0, 0]);
    for (const name of [...NAMES, 'last']) bus.receive(pathOf(name), 9, 'receive-and-delete');
    expect(bus.rows.contents.size).toBe(0);
  });
});

describe('behind a message of which copies wait', () => {
  it('wait later sends, forwarded messages and due schedules, so that each subscription has them in order [TOP-15]', () => {
    const bus = withFive();
    bus.putQueue('in', { forwardTo: TOPIC });
    publish(bus, event({}, { scheduledEnqueueTime: START + 1 }));
    publish(bus, {}, {});
    publish(bus, {});
    bus.send('in', event({}));
    finish(bus);
    // The forwarded message shows its number in the queue, and the scheduled one has a new number.
    for (const name of NAMES) expect(numbersIn(bus, pathOf(name))).toEqual([2, 3, 4, 1, 6]);
    expect(bus.rows.messageCount).toBe(25);
  });

  it('nothing of another topic waits', () => {
    const bus = withFive();
    bus.execute({
      kind: 'put-entity',
      type: 'topic',
      description: { ...topicOf(bus).description, name: 'other' },
    });
    const description = describeSubscription('s');
    bus.execute({ kind: 'put-entity', type: 'subscription', topicName: 'other', description });
    publish(bus, {});
    bus.tickAfter(1);
    bus.send('other', event({}));
    expect(bus.peek('other/Subscriptions/s')).toHaveLength(1);
  });

  it('two topics take turns, and a queue that forwards has its own', () => {
    const bus = new BrokerUnderTest();
    for (const topicName of ['one', 'two']) {
      bus.execute({
        kind: 'put-entity',
        type: 'topic',
        description: { ...topicOf(withTopic()).description, name: topicName },
      });
      for (let index = 0; index < 100; index++) {
        const description = describeSubscription(`s${index}`);
        bus.execute({ kind: 'put-entity', type: 'subscription', topicName, description });
      }
    }
    bus.putQueue('to');
    bus.putQueue('in', { forwardTo: 'to' });
    for (const topicName of ['one', 'two']) bus.send(topicName, ...messages(400));
    bus.send('in', 'a');
    const waiting = (topicName: string) => {
      const { storeId } = bus.rows.findSubscription(topicName, 's99') ?? { storeId: 0 };
      return [...bus.rows.messages()].filter((row) => row.storeId === storeId).length;
    };
    const before = [waiting('one'), waiting('two')];
    for (let count = 0; count < 8; count++) bus.tickAfter(1);
    expect(bus.peek('to')).toHaveLength(1);
    const after = [waiting('one'), waiting('two')];
    for (const index of [0, 1]) expect(after[index] ?? 0).toBeGreaterThan((before[index] ?? 0) + 20);
  });
});

describe('in a transaction', () => {
  function enlistSend(bus: BrokerUnderTest): number {
    const { result } = bus.execute({ kind: 'declare-transaction', connectionId: CONNECTION });
    if (result.kind !== 'declared') throw new Error(result.kind);
    const { transactionId } = result;
    const command = { kind: 'send', entityPath: TOPIC, messages: messages(2) } as const;
    succeed(bus.execute({ kind: 'enlist', transactionId, connectionId: CONNECTION, command }));
    return transactionId;
  }

  it('a fan-out begins with the commit, and a rollback makes nothing [TXN-04]', () => {
    const bus = withFive();
    const [committed, rolledBack] = [enlistSend(bus), enlistSend(bus)];
    bus.tickAfter(1);
    expect(bus.rows.messageCount).toBe(0);
    const end = { kind: 'discharge', connectionId: CONNECTION } as const;
    succeed(bus.execute({ ...end, transactionId: rolledBack, isFailed: true }));
    expect(bus.rows.messageCount).toBe(0);
    succeed(bus.execute({ ...end, transactionId: committed, isFailed: false }));
    expect(counts(bus)).toEqual([1, 1, 0, 0, 0]);
    finish(bus);
    expect(counts(bus)).toEqual([2, 2, 2, 2, 2]);
  });
});

describe('while copies wait', () => {
  it('the rules of the topic cannot change, and can again when the last copy is made [TOP-15, TOP-08]', () => {
    const bus = withFive();
    succeed(addRule(bus, 'a', sqlRule('old', '1 = 2')));
    publish(bus, {});
    const rule = sqlRule('new', '1 = 1');
    const refused: readonly [string, () => Turn][] = [
      ['add a rule', () => addRule(bus, 'e', rule)],
      [
        'change a rule',
        () => bus.execute({ kind: 'update-rule', entityPath: pathOf('a'), rule: { ...rule, name: 'old' } }),
      ],
      ['remove a rule', () => removeRule(bus, 'e', '$Default')],
      ['set other rules', () => setRules(bus, 'e', rule)],
      ['set fewer rules', () => setRules(bus, 'e')],
      ['add a subscription', () => trySubscribe(bus, 'f')],
    ];
    for (const [what, attempt] of refused) {
      expect([what, failureOf(attempt())?.reason]).toEqual([what, 'server-busy']);
    }
    expect(failureOf(addRule(bus, 'e', rule))?.message).toBe(
      "The rules of topic 'events' cannot change now: copies of 1 messages that it has accepted are still being made by them. " +
        'Try again in a few seconds.',
    );
    finish(bus);
    for (const [, attempt] of refused) succeed(attempt());
  });

  it('rules and subscriptions may be put as they are', () => {
    const bus = withFive();
    publish(bus, {});
    succeed(setRules(bus, 'e', DEFAULT_RULE));
    succeed(trySubscribe(bus, 'e'));
    succeed(trySubscribe(bus, 'e', { maxDeliveryCount: 3 }));
  });

  it('a subscription may be deleted, also the one whose copies are being made; all others get theirs', () => {
    const bus = withTopic({}, TWO_COPIES);
    const actions = [1, 2, 3].map((index) => sqlRule(`r${index}`, '1 = 1', "SET mark = 'x'"));
    for (const name of NAMES) subscribe(bus, name, {}, actions);
    publish(bus, {});
    while (counts(bus)[1] !== 1) bus.tickAfter(1);
    bus.execute({ kind: 'delete-entity', entityPath: pathOf('b') });
    bus.execute({ kind: 'delete-entity', entityPath: pathOf('d') });
    const crashed = bus.restarted();
    for (const each of [bus, crashed]) {
      finish(each);
      expect(counts(each, ['a', 'c', 'e'])).toEqual([3, 3, 3]);
    }
  });

  it.each<[string, Command]>([
    ['deleting the topic', { kind: 'delete-entity', entityPath: TOPIC }],
    ['purging the topic', { kind: 'purge', entityPath: TOPIC }],
    ['a reset', { kind: 'reset' }],
  ])('%s ends it: nothing comes, and nothing is left', (_, command) => {
    const bus = withFive();
    publish(bus, ...messages(3));
    bus.tickAfter(1);
    succeed(bus.execute(command));
    bus.tickAfter(1000);
    finish(bus.restarted());
    while (bus.broker.nextDeadline() < bus.now + 1000) bus.tickAfter(2);
    expect(bus.rows.messageCount).toBe(0);
    expect(bus.rows.contents.size).toBe(0);
    if (command.kind === 'delete-entity') return;
    expect(topicOf(bus).sizeBytes).toBe(0);
    succeed(addRule(bus, 'a', sqlRule('new', '1 = 2')));
    publish(bus, {});
    finish(bus);
    expect(counts(bus)).toEqual([1, 1, 1, 1, 1]);
  });

  it('a content that cannot be read becomes a dead letter in each subscription without its copies', () => {
    const bus = withFive();
    publish(bus, { body: 'one' });
    publish(bus, { body: 'two' });
    bus.broken.add(1);
    const { faults } = bus.tickAfter(1);
    expect(faults).toEqual([
      "The content of 'events' #1 cannot be read: content 1 is missing. Each subscription without its copies has a dead letter in its place, with an empty body.",
    ]);
    finish(bus);
    expect(NAMES.map((name) => bus.peek(pathOf(name) + DEAD).length)).toEqual([0, 0, 1, 1, 1]);
    const [dead] = bus.peek(pathOf('e') + DEAD);
    expect(dead?.properties).toMatchObject({ enqueuedTime: START, enqueuedSequenceNumber: 1 });
    expect(counts(bus)).toEqual([2, 2, 1, 1, 1]);
  });
});

describe('a subscription whose rules cost more than a turn', () => {
  const actions = Array.from({ length: 20 }, (_, index) =>
    sqlRule(`r${10 + index}`, '1 = 1', "SET mark = 'x'"),
  );

  it('has its copies after several turns, each once, whenever there is a crash', () => {
    const bus = withTopic({}, { behaviour: { maxFanOutCost: 50 } });
    subscribe(bus, 'a', {}, actions);
    subscribe(bus, 'b');
    publish(bus, {});
    const crashed: BrokerUnderTest[] = [];
    const seen = new Set<number>();
    while (bus.broker.nextDeadline() <= bus.now + 1) {
      const rows = bus.rows.copy();
      const after = new BrokerUnderTest({ rows, behaviour: { maxFanOutCost: 50 } });
      after.now = bus.now;
      crashed.push(after);
      bus.tickAfter(1);
      seen.add(counts(bus, ['a'])[0] ?? 0);
    }
    expect(seen.size).toBeGreaterThan(4);
    for (const each of [bus, ...crashed]) {
      finish(each);
      const copies = each.receive(pathOf('a'), 99);
      expect(copies.map((copy) => changesOf(copy).RuleName)).toEqual(actions.map(({ name }) => name));
      expect(counts(each, ['b'])).toEqual([1]);
    }
  });

  it('has a dead letter alone if the last rule fails [TOP-09]', () => {
    const bus = withTopic({}, { behaviour: { maxFanOutCost: 50 } });
    subscribe(bus, 'a', {}, [...actions, sqlRule('z', '1 / amount = 1')]);
    publish(bus, { user: { amount: 0 } });
    finish(bus);
    expect(bus.peek(pathOf('a'))).toEqual([]);
    expect(bus.peek(pathOf('a') + DEAD)).toHaveLength(1);
  });
});

it('a step that sends and then changes rules makes all copies by the rules before', () => {
  const bus = withFive();
  const { result } = bus.execute({
    kind: 'step',
    commands: [
      { kind: 'send', entityPath: TOPIC, messages: messages(2) },
      { kind: 'remove-rule', entityPath: pathOf('e'), name: '$Default' },
    ],
  });
  expect(result.kind).toBe('step');
  expect(counts(bus)).toEqual([2, 2, 2, 2, 2]);
  publish(bus, {});
  const step = bus.execute({
    kind: 'step',
    commands: [{ kind: 'remove-rule', entityPath: pathOf('a'), name: '$Default' }],
  });
  expect(failureOf(step)?.reason).toBe('server-busy');
});

it('in a partitioned topic each partition has its messages in order', () => {
  const bus = withFive({ enablePartitioning: true });
  for (let index = 0; index < 20; index++) {
    publish(bus, event({}, { partitionKey: `${index % 4}` }));
    if (index % 7 === 0) bus.tickAfter(1);
  }
  finish(bus);
  for (const name of NAMES) {
    const numbers = bus.peek(pathOf(name)).map(({ properties }) => properties.enqueuedSequenceNumber ?? 0);
    expect(numbers).toHaveLength(20);
    expect(numbers).toEqual(numbers.toSorted((a, b) => a - b));
  }
  expect(
    messagesOf(bus.execute({ kind: 'peek', entityPath: TOPIC, fromSequenceNumber: 0, maxCount: 9 })),
  ).toEqual([]);
});
