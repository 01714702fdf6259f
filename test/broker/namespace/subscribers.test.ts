// The subscriptions of JMS programs: made by their consumers, resumed by their names, gone with the last consumer or when unsubscribed.

import { describe, expect, test, vi } from 'vitest';
import type { Command, WantedSubscriber } from '../../../src/broker/contract/command.js';
import { parseSubscriberName, subscriberName } from '../../../src/broker/contract/entities/subscriber.js';
import {
  describeSubscription,
  describeTopic,
} from '../../../src/broker/contract/entities/topic-description.js';
import { NEVER } from '../../../src/broker/contract/instant.js';
import { DEFAULT_RULE, type RuleDescription } from '../../../src/broker/contract/rule-description.js';
import { MessageLocks } from '../../../src/broker/queue/message-lock.js';
import { isSameSelector } from '../../../src/broker/selectors/selector-parser.js';
import { Queue } from '../../../src/broker/store/queue.js';
import {
  BrokerUnderTest,
  COMPLETE,
  deliveriesTo,
  failureOf,
  newMessage,
} from '../../support/broker-builders.js';
import { contentOf } from '../../support/json-reader.js';

type Given = Partial<WantedSubscriber> & {
  readonly topicName?: string;
  readonly autoDeleteOnIdleMs?: number;
  readonly mayCreate?: boolean;
};

const BILLING = 'events/Subscriptions/billing$app$D';
const RED = "color = 'red'";
const BLUE = "color = 'blue'";

class Bus extends BrokerUnderTest {
  attach({ topicName = 'events', autoDeleteOnIdleMs = NEVER, mayCreate = true, ...wanted }: Given = {}) {
    const linkId = this.nextLinkId();
    const subscriber = { name: 'billing', clientId: 'app', isDurable: true, isShared: false, ...wanted };
    const command: Command = {
      ...{ kind: 'attach-subscriber', linkId, topicName, subscriber },
      ...{ receiveMode: 'peek-lock', autoDeleteOnIdleMs, mayCreate },
    };
    return { linkId, turn: this.execute(command) };
  }

  /** The link of a consumer that is attached. */
  consumer(given: Given = {}): number {
    const { linkId, turn } = this.attach(given);
    if (turn.result.kind === 'failed') throw turn.result.error;
    return linkId;
  }

  detach(linkId: number) {
    return this.execute({ kind: 'detach', linkId, unsettled: 'release' });
  }

  /** The texts of what the consumer is given. */
  take(linkId: number): readonly string[] {
    const given = deliveriesTo(linkId, this.setCredit(linkId, 10));
    return given.map(({ contentId }) => new TextDecoder().decode(this.rows.contents.get(contentId)));
  }

  unsubscribe(name = 'billing', clientId = 'app') {
    return this.execute({ kind: 'unsubscribe', name, clientId });
  }

  rules(): readonly RuleDescription[] {
    const { result } = this.execute({ kind: 'list-rules', entityPath: BILLING, skip: 0, maxCount: 100 });
    return result.kind === 'rules' ? result.rules.map(({ description }) => description) : [];
  }

  size(): number | undefined {
    const { result } = this.execute({ kind: 'get-entity', entityPath: 'events' });
    return result.kind === 'entity-info' ? result.entity.sizeBytes : undefined;
  }

  names(topicName = 'events'): readonly string[] {
    const page = { skip: 0, maxCount: 100 };
    const { result } = this.execute({ kind: 'list-entities', type: 'subscription', topicName, ...page });
    return result.kind === 'entities' ? result.entities.map(({ description }) => description.name) : [];
  }
}

/** A message of each color to the topic. */
function sendColors(bus: Bus, ...colors: readonly string[]): void {
  const messages = colors.map((color) => newMessage(contentOf({ user: { color } })));
  bus.execute({ kind: 'send', entityPath: 'events', messages });
}

function open(): Bus {
  const bus = new Bus();
  for (const name of ['events', 'others']) {
    bus.execute({ kind: 'put-entity', type: 'topic', description: describeTopic(name) });
  }
  return bus;
}

function reopened(bus: Bus): Bus {
  const again = new Bus({ rows: bus.rows, nextGuid: countedFrom(1000) });
  again.now = bus.now;
  return again;
}

function countedFrom(first: number): () => string {
  let count = first;
  return () => (count++).toString(16).padStart(32, '0');
}

describe('the name of a subscription', () => {
  test.each([
    [{ name: 'billing', clientId: 'app', isDurable: true }, 'billing$app$D'],
    [{ name: 'billing', clientId: '', isDurable: false }, 'billing$$ND'],
    [{ name: 'a/b$c~d', clientId: 'ü €', isDurable: true }, 'a~2Fb~24c~7Ed$~C3~BC~20~E2~82~AC$D'],
  ])('%j is %s [JMS-15]', (identity, shown) => {
    expect(subscriberName(identity)).toBe(shown);
    expect(parseSubscriberName(shown)).toEqual(identity);
  });

  test.each(['billing', 'a$b', 'a$b$X', 'a~2fb$c$D', 'a~zz$c$D', '$c$D'])('%s is none [JMS-15]', (shown) => {
    expect(parseSubscriberName(shown)).toBeUndefined();
  });
});

describe('a consumer of a topic', () => {
  test('makes its subscription, which has what comes from then on [JMS-50, JMS-51]', () => {
    const bus = open();
    bus.send('events', 'before');
    const linkId = bus.consumer();
    bus.send('events', 'after');
    expect(bus.take(linkId)).toEqual(['after']);
    expect(bus.names()).toEqual(['billing$app$D']);
  });

  test('resumes a durable one, which has gathered what came meanwhile [JMS-50, JMS-57]', () => {
    const bus = open();
    const first = bus.consumer();
    bus.send('events', 'one');
    expect(bus.take(first)).toEqual(['one']);
    bus.detach(first);
    bus.send('events', 'two');
    expect(bus.take(bus.consumer())).toEqual(['one', 'two']);
  });

  test('finds it again after a restart [JMS-50, JMS-57]', () => {
    const bus = open();
    bus.detach(bus.consumer({ isShared: true }));
    bus.send('events', 'one');
    const again = reopened(bus);
    expect(failureOf(again.attach({ isShared: false }).turn)).toMatchObject({ reason: 'not-allowed' });
    expect(again.take(again.consumer({ isShared: true }))).toEqual(['one']);
  });

  test('is alone on one that is not shared, whatever the topic [JMS-52]', () => {
    const bus = open();
    bus.consumer();
    for (const topicName of ['events', 'others']) {
      expect(failureOf(bus.attach({ topicName }).turn)).toEqual({
        reason: 'not-allowed',
        message:
          "Cannot create a new consumer on subscriber 'billing$app$D' because there is already a subscriber using the same name " +
          'with an active consumer on the same or different topic.',
      });
    }
  });

  test('shares one with others, and each message goes to one of them [JMS-53]', () => {
    const bus = open();
    const links = [bus.consumer({ isShared: true }), bus.consumer({ isShared: true })];
    for (const linkId of links) bus.setCredit(linkId, 1);
    const { effects } = bus.send('events', 'one', 'two');
    expect(effects.map((effect) => effect.linkId).sort()).toEqual(links);
    expect(failureOf(bus.attach({ isShared: true, topicName: 'others' }).turn)).toMatchObject({
      reason: 'not-allowed',
    });
  });

  test('has another one under another client id, in another case, or without durability [JMS-15, JMS-53]', () => {
    const bus = open();
    bus.consumer();
    bus.consumer({ clientId: 'App' });
    bus.consumer({ clientId: '' });
    bus.consumer({ isDurable: false, isShared: true });
    expect([...bus.names()].sort()).toEqual([
      'billing$$D',
      'billing$App$D',
      'billing$app$D',
      'billing$app$ND',
    ]);
    bus.send('events', 'one');
    expect(bus.info('EVENTS/subscriptions/billing$App$D').counts.active).toBe(1);
  });

  test.each([
    [true, false],
    [false, true],
  ])('cannot change whether it is shared, from %s to %s, used or not [JMS-55]', (isShared, other) => {
    const bus = open();
    const linkId = bus.consumer({ isShared });
    expect(failureOf(bus.attach({ isShared: other }).turn)).toMatchObject({ reason: 'not-allowed' });
    bus.detach(linkId);
    expect(failureOf(bus.attach({ isShared: other }).turn)?.message).toMatch(
      /is (not )?shared, and this consumer/,
    );
  });

  test('of another topic makes it anew when nobody uses it [JMS-56]', () => {
    const bus = open();
    bus.detach(bus.consumer());
    bus.send('events', 'lost');
    const linkId = bus.consumer({ topicName: 'others' });
    expect([bus.names('events'), bus.names('others')]).toEqual([[], ['billing$app$D']]);
    bus.send('others', 'new');
    expect(bus.take(linkId)).toEqual(['new']);
  });

  test('with a selector has what it takes, which administrators see as the default rule [JMS-18, JMS-51]', () => {
    const bus = open();
    const linkId = bus.consumer({ selector: RED });
    sendColors(bus, 'red', 'blue');
    expect(deliveriesTo(linkId, bus.setCredit(linkId, 10))).toHaveLength(1);
    expect(bus.rules()).toMatchObject([
      { name: '$Default', filter: { kind: 'selector', expression: RED }, action: undefined },
    ]);
  });

  test.each([
    ['another selector', RED, BLUE, 1],
    ['a selector', undefined, RED, 1],
    ['no selector', RED, undefined, 2],
  ])('with %s makes it anew when nobody uses it, shared or not [JMS-56]', (_, selector, other, count) => {
    for (const isShared of [false, true]) {
      const bus = open();
      const first = bus.consumer({ isShared, selector });
      const refused = failureOf(bus.attach({ isShared, selector: other }).turn);
      expect(refused?.message).toContain('with an active consumer on the same or different topic.');
      sendColors(bus, 'red', 'blue');
      bus.detach(first);
      const second = bus.consumer({ isShared, selector: other });
      expect(bus.info(BILLING).counts.active).toBe(0);
      sendColors(bus, 'red', 'blue');
      bus.detach(second);
      const again = reopened(bus);
      again.consumer({ isShared, selector: other });
      expect(again.rules()).toEqual(bus.rules());
      expect(again.info(BILLING).counts.active).toBe(count);
    }
  });

  test.each([
    ["color='red'", true],
    ["  color = ('red') -- of paint", true],
    ["Color = 'red'", false],
    ["color = 'RED'", false],
    ["color <> 'red'", false],
  ])('with the selector written as %s has the same: %s [JMS-56]', (selector, isSame) => {
    const bus = open();
    bus.detach(bus.consumer({ selector: RED }));
    sendColors(bus, 'red');
    bus.consumer({ selector });
    expect(bus.info(BILLING).counts.active).toBe(isSame ? 1 : 0);
  });

  test.each([
    ['size BETWEEN 1 AND 12', 'size between 1 and 0x0C', true],
    ['size > 1 OR size IS NULL', 'size>1 or(size is null)', true],
    ['size = 1', 'size = 1.0', false],
    ['size - 1 = 2', '-1 = 2', false],
  ])('with %s and %s has the same selector: %s [JMS-56]', (first, second, isSame) => {
    expect(isSameSelector(first, second)).toBe(isSame);
  });

  test('is compared with the selector of the first, not with the rules [JMS-18, JMS-56]', () => {
    const bus = open();
    bus.detach(bus.consumer({ selector: RED }));
    bus.execute({ kind: 'set-rules', entityPath: BILLING, rules: [DEFAULT_RULE] });
    sendColors(bus, 'blue');
    const linkId = bus.consumer({ selector: RED });
    expect(deliveriesTo(linkId, bus.setCredit(linkId, 10))).toHaveLength(1);
  });

  test('with a selector that cannot be parsed is refused, and leaves the old one [JMS-85]', () => {
    const bus = open();
    bus.detach(bus.consumer({ selector: RED }));
    expect(failureOf(bus.attach({ selector: 'color =' }).turn)).toMatchObject({ reason: 'argument' });
    expect(bus.rules()).toMatchObject([{ filter: { expression: RED } }]);
  });

  test('may not make one without the right, but use it [JMS-11]', () => {
    const bus = open();
    expect(failureOf(bus.attach({ mayCreate: false }).turn)).toMatchObject({ reason: 'unauthorized' });
    bus.detach(bus.consumer());
    bus.consumer({ mayCreate: false });
  });

  test('of a name or a client id that is too long is refused [JMS-15]', () => {
    const bus = open();
    for (const given of [{ name: 'n'.repeat(51) }, { clientId: 'c'.repeat(129) }, { name: '' }]) {
      expect(failureOf(bus.attach(given).turn)).toMatchObject({ reason: 'argument' });
    }
    bus.consumer({ name: '§'.repeat(50), clientId: '§'.repeat(128) });
  });

  test('of a topic with as many subscriptions as it may have is refused [JMS-61]', () => {
    const bus = new Bus({ limits: { maxSubscriptionsPerTopic: 1 } });
    bus.execute({ kind: 'put-entity', type: 'topic', description: describeTopic('events') });
    bus.detach(bus.consumer());
    expect(failureOf(bus.attach({ name: 'second' }).turn)).toMatchObject({ reason: 'quota-exceeded' });
    bus.consumer({ selector: RED }); // in place of the first
  });

  test('counts its selector among the filters of its topic [JMS-61, LIM-10]', () => {
    const bus = new Bus({ limits: { maxSqlFiltersPerTopic: 1 } });
    bus.execute({ kind: 'put-entity', type: 'topic', description: describeTopic('events') });
    bus.consumer({ selector: RED });
    expect(failureOf(bus.attach({ name: 'second', selector: RED }).turn)).toMatchObject({
      reason: 'quota-exceeded',
    });
  });
});

describe('a subscription that is not durable', () => {
  const plain = { name: undefined, isShared: false, isDurable: false } as unknown as Given;

  test('has a name of its own, and goes with its consumer [JMS-58]', () => {
    const bus = open();
    const linkId = bus.consumer(plain);
    expect(bus.names()).toEqual([expect.stringMatching(/^[0-9a-f]{32}\$app\$ND$/)]);
    bus.consumer(plain);
    expect(bus.names()).toHaveLength(2);
    bus.send('events', 'one');
    bus.detach(linkId);
    expect(bus.names()).toHaveLength(1);
  });

  test('goes with the last of those that share it, with its dead letters [JMS-58]', () => {
    const bus = open();
    const given = { isDurable: false, isShared: true };
    const [first, second] = [bus.consumer(given), bus.consumer(given)];
    bus.send('events', 'one');
    const held = bus.receiveOneAs(first);
    bus.settle('events/Subscriptions/billing$app$ND', held, { kind: 'dead-letter', changes: [] });
    bus.detach(first);
    expect(bus.names()).toEqual(['billing$app$ND']);
    bus.detach(second);
    expect(bus.names()).toEqual([]);
    bus.tickAfter(10);
    expect(bus.rows.stored().filter(({ kind }) => kind === 'message-put' || kind === 'rule-put')).toEqual([]);
  });

  test('goes with hundreds of others, with its part of the size of the topic and without a look at them [JMS-58]', () => {
    const bus = open();
    const consumers = Array.from({ length: 200 }, () => bus.consumer(plain));
    bus.send('events', 'one', 'two');
    for (const linkId of consumers) bus.setCredit(linkId, 1);
    const looks = vi.spyOn(Queue.prototype, 'stores', 'get');
    const searches = vi.spyOn(MessageLocks.prototype, 'held');
    for (const linkId of consumers.slice(1)) bus.detach(linkId);
    expect(bus.size()).toBe('one'.length + 'two'.length);
    for (const linkId of consumers.slice(0, 1)) bus.detach(linkId);
    expect(bus.size()).toBe(0);
    expect(looks.mock.calls.length).toBeLessThan(10 * consumers.length);
    expect(searches).not.toHaveBeenCalled();
    vi.restoreAllMocks();
  });

  test('is gone after a restart [JMS-58]', () => {
    const bus = open();
    bus.consumer(plain);
    bus.send('events', 'one');
    expect(reopened(bus).names()).toEqual([]);
  });
});

describe('a durable subscription', () => {
  test('is deleted when idle for the time of the connection that made it, and is not idle with a consumer [JMS-58, JMS-61]', () => {
    const bus = open();
    const linkId = bus.consumer({ autoDeleteOnIdleMs: 300_000 });
    bus.tickAfter(600_000);
    expect(bus.names()).toEqual(['billing$app$D']);
    bus.detach(linkId);
    bus.tickAfter(300_000);
    expect(bus.names()).toEqual([]);
  });

  test('is one like any other for SDKs [JMS-16]', () => {
    const bus = open();
    bus.detach(bus.consumer());
    bus.send('events', 'one', 'two');
    expect(bus.peek(BILLING)).toHaveLength(2);
    bus.settle(BILLING, bus.receiveOne(BILLING), { kind: 'dead-letter', changes: [] });
    const held = bus.receiveOne(BILLING);
    expect(bus.settle(BILLING, held, COMPLETE).result.kind).toBe('done');
    expect(bus.info(BILLING)).toMatchObject({ type: 'subscription', counts: { active: 0, deadLetter: 1 } });
    expect(bus.receive(`${BILLING}/$DeadLetterQueue`)).toHaveLength(1);
    expect(bus.execute({ kind: 'delete-entity', entityPath: BILLING }).result.kind).toBe('done');
  });

  test('takes its consumer with it when an administrator deletes it, and the next one makes it anew [JMS-61]', () => {
    const bus = open();
    const linkId = bus.consumer();
    const { effects } = bus.execute({ kind: 'delete-entity', entityPath: 'events' });
    expect(effects).toMatchObject([{ kind: 'detach', linkId, error: { reason: 'entity-not-found' } }]);
    bus.execute({ kind: 'put-entity', type: 'topic', description: describeTopic('events') });
    bus.consumer();
    expect(bus.names()).toEqual(['billing$app$D']);
  });

  test('that an administrator has created is shared or not as its first consumer is [JMS-17]', () => {
    const bus = open();
    const put = (name: string, topicName = 'events') =>
      bus.execute({
        kind: 'put-entity',
        type: 'subscription',
        topicName,
        expected: 'absent',
        description: describeSubscription(name),
      });
    expect(put('billing$app$D').result.kind).toBe('entity-info');
    expect(failureOf(put('billing$app$D', 'others'))).toMatchObject({ reason: 'entity-already-exists' });
    for (const name of ['billing$app$ND', 'billing$app', '$app$D', 'a$b$C']) {
      expect(failureOf(put(name))).toMatchObject({ reason: 'argument' });
    }
    bus.detach(bus.consumer({ isShared: true }));
    expect(failureOf(reopened(bus).attach({ isShared: false }).turn)).toMatchObject({
      reason: 'not-allowed',
    });
  });

  const BLACK: RuleDescription = {
    name: 'black',
    filter: { kind: 'sql', expression: "color = 'black'" },
    action: undefined,
  };

  /** One that an administrator has created, with a message. */
  function openWithBilling(rules: readonly RuleDescription[]): Bus {
    const bus = open();
    const description = describeSubscription('billing$app$D');
    bus.execute({ kind: 'put-entity', type: 'subscription', topicName: 'events', description, rules });
    sendColors(bus, 'black');
    return bus;
  }

  test.each<[string, readonly RuleDescription[], object[], number]>([
    ['the default rule takes it', [DEFAULT_RULE], [{ filter: { kind: 'selector', expression: RED } }], 2],
    ['rules of its own stay', [BLACK], [{ name: 'black' }], 1],
  ])(
    'that an administrator has created has the selector of its first consumer, and loses no message: %s [JMS-17, JMS-56]',
    (_, rules, expected, count) => {
      const bus = openWithBilling(rules);
      bus.detach(bus.consumer({ selector: RED }));
      expect(bus.rules()).toMatchObject(expected);
      sendColors(bus, 'red', 'blue');
      const again = reopened(bus);
      expect(again.rules()).toMatchObject(expected);
      const linkId = again.consumer({ selector: RED });
      expect(deliveriesTo(linkId, again.setCredit(linkId, 10))).toHaveLength(count);
      again.detach(linkId);
      again.consumer({ selector: BLUE }); // no longer the first: it is made anew
      expect(again.info(BILLING).counts.active).toBe(0);
    },
  );

  test('that an administrator has created is as it was after a consumer that is refused [JMS-11, JMS-17, JMS-85]', () => {
    const bus = openWithBilling([DEFAULT_RULE]);
    const reasons = [{ selector: RED, mayCreate: false }, { selector: 'color =' }].map(
      (given) => failureOf(bus.attach(given).turn)?.reason,
    );
    expect(reasons).toEqual(['unauthorized', 'argument']);
    expect(bus.rules()).toEqual([DEFAULT_RULE]);
    bus.consumer({ isShared: true, mayCreate: false });
    expect(bus.info(BILLING).counts.active).toBe(1);
  });

  test('keeps its identity when an administrator changes it, and in a snapshot [JMS-16]', () => {
    const bus = open();
    bus.detach(bus.consumer({ isShared: true, selector: RED }));
    const description = describeSubscription('billing$app$D', { maxDeliveryCount: 3 });
    bus.execute({ kind: 'put-entity', type: 'subscription', topicName: 'events', description });
    const { result } = bus.execute({ kind: 'take-snapshot' });
    const other = new Bus();
    if (result.kind === 'snapshot') {
      other.execute({ kind: 'restore-snapshot', snapshot: result.snapshot, contents: new Map() });
    }
    expect(failureOf(other.attach({ isShared: false }).turn)).toMatchObject({ reason: 'not-allowed' });
    expect(other.take(other.consumer({ isShared: true, selector: RED }))).toEqual([]);
    expect(other.info(BILLING).description).toMatchObject({ maxDeliveryCount: 3 });
  });

  test('that requires sessions refuses a consumer [JMS-19]', () => {
    const bus = open();
    const description = describeSubscription('billing$app$D', { requiresSession: true });
    bus.execute({ kind: 'put-entity', type: 'subscription', topicName: 'events', description });
    expect(failureOf(bus.attach().turn)?.message).toContain('requires sessions');
  });
});

describe('a program unsubscribes', () => {
  const find = (bus: Bus, name = 'billing', clientId = 'app') =>
    bus.execute({ kind: 'find-subscriber', name, clientId });

  test('by its name and client id, on whatever topic [JMS-59]', () => {
    const bus = open();
    bus.detach(bus.consumer({ topicName: 'others' }));
    bus.send('others', 'one');
    expect(find(bus).result).toMatchObject({
      kind: 'subscriber',
      topicName: 'others',
      subscriber: { isShared: false },
    });
    expect(bus.names('others')).toEqual(['billing$app$D']);
    expect(bus.unsubscribe().result.kind).toBe('done');
    expect(bus.names('others')).toEqual([]);
  });

  test('not from what is unknown or not durable [JMS-60]', () => {
    const bus = open();
    bus.consumer({ isDurable: false, isShared: true });
    for (const turn of [find(bus), bus.unsubscribe(), bus.unsubscribe('billing', '')]) {
      expect(failureOf(turn)).toMatchObject({ reason: 'entity-not-found' });
    }
  });

  test('not while it is consumed from, nor while a transaction settles a message of it [JMS-60]', () => {
    const bus = open();
    const linkId = bus.consumer();
    expect(failureOf(bus.unsubscribe())).toMatchObject({ reason: 'not-allowed' });
    bus.send('events', 'one');
    const { lockToken } = bus.receiveOneAs(linkId);
    const declared = bus.execute({ kind: 'declare-transaction', connectionId: 1 }).result;
    const transactionId = declared.kind === 'declared' ? declared.transactionId : -1;
    const command = { kind: 'settle', entityPath: BILLING, lockToken, outcome: COMPLETE } as const;
    bus.execute({ kind: 'enlist', transactionId, connectionId: 1, command });
    bus.detach(linkId);
    expect(failureOf(find(bus))).toMatchObject({ reason: 'not-allowed' });
    bus.execute({ kind: 'discharge', transactionId, connectionId: 1, isFailed: false });
    expect(bus.unsubscribe().result.kind).toBe('done');
  });
});
