// Several commands as one step: each is checked before the first is applied, so all of them happen or none.

import { describe, expect, it } from 'vitest';
import type { Turn } from '../../src/broker/broker.js';
import type { StepCommand } from '../../src/broker/contract/command.js';
import { describeQueue } from '../../src/broker/contract/entities/queue-description.js';
import { describeSubscription, describeTopic } from '../../src/broker/contract/entities/topic-description.js';
import {
  ABANDON,
  BrokerUnderTest,
  COMPLETE,
  DEAD_LETTER,
  DEFER,
  messageOf,
  messageOfSize,
  withQueue,
} from '../support/broker-builders.js';
import { accept, CONNECTION, messageIn, withSessionQueue } from '../support/session-builders.js';

const ORDERS = 'orders';

/** What is in the queue, by its numbers. */
function left(bus: BrokerUnderTest): readonly number[] {
  return bus.peek(ORDERS).map(({ properties }) => properties.sequenceNumber);
}

function step(bus: BrokerUnderTest, ...commands: StepCommand[]): Turn {
  return bus.execute({ kind: 'step', commands });
}

function send(...texts: string[]): StepCommand {
  return { kind: 'send', entityPath: ORDERS, messages: texts.map((text) => messageOf(text)) };
}

function complete({ lockToken }: { readonly lockToken: string }): StepCommand {
  return { kind: 'settle', entityPath: ORDERS, lockToken, outcome: COMPLETE };
}

/** Why the step was refused; it has changed nothing. */
function refusalOf(bus: BrokerUnderTest, ...commands: StepCommand[]): string {
  const { result, events, effects } = step(bus, ...commands);
  expect([...events, ...effects]).toEqual([]);
  return result.kind === 'failed' ? result.error.reason : result.kind;
}

describe('a step', () => {
  it('settles two messages and sends three in one turn, with one result for each command', () => {
    const bus = withQueue();
    bus.send(ORDERS, 'one', 'two');
    const [one, two] = [bus.receiveOne(ORDERS), bus.receiveOne(ORDERS)];
    const { result, events } = step(bus, complete(one), send('three'), complete(two), send('four', 'five'));
    expect(result).toEqual({
      kind: 'step',
      results: [
        { kind: 'done' },
        { kind: 'sent', sequenceNumbers: [3] },
        { kind: 'done' },
        { kind: 'sent', sequenceNumbers: [4, 5] },
      ],
    });
    expect(events.filter(({ kind }) => kind === 'message-removed')).toHaveLength(2);
    expect(events.filter(({ kind }) => kind === 'message-put')).toHaveLength(3);
    expect(left(bus.restarted())).toEqual([3, 4, 5]);
  });

  it('changes nothing when its last command is refused: no message, no lock, no number', () => {
    const bus = withQueue();
    bus.send(ORDERS, 'one');
    const one = bus.receiveOne(ORDERS);
    expect(refusalOf(bus, send('two'), complete(one), complete({ lockToken: 'f'.repeat(32) }))).toBe(
      'message-lock-lost',
    );
    expect(bus.broker.holdsLock(one.lockToken, bus.now)).toBe(true);
    expect(bus.send(ORDERS, 'two').result).toEqual({ kind: 'sent', sequenceNumbers: [2] });
  });

  it('is refused when it settles a lock twice, by any command', () => {
    const bus = withQueue();
    bus.send(ORDERS, 'one');
    const one = bus.receiveOne(ORDERS);
    const { lockToken } = one;
    const many = {
      kind: 'settle-many',
      entityPath: ORDERS,
      lockTokens: [lockToken],
      outcome: ABANDON,
    } as const;
    const renew = { kind: 'renew-lock', entityPath: ORDERS, lockTokens: [lockToken] } as const;
    for (const second of [complete(one), many, renew]) {
      expect(refusalOf(bus, complete(one), second)).toBe('message-lock-lost');
    }
    expect(step(bus, renew, complete(one)).result.kind).toBe('step');
  });

  it('stores a message-id once with duplicate detection', () => {
    const bus = withQueue({ requiresDuplicateDetection: true });
    const { result } = step(bus, send('same'), send('other', 'same'));
    expect(result).toEqual({
      kind: 'step',
      results: [
        { kind: 'sent', sequenceNumbers: [1] },
        { kind: 'sent', sequenceNumbers: [2, 1] },
      ],
    });
    expect(left(bus)).toEqual([1, 2]);
  });

  it('counts the messages of its earlier commands towards the size of the entity', () => {
    const bus = withQueue({ maxSizeInMegabytes: 1 }, { limits: { maxMessageSizeBytes: 2 ** 20 } });
    const half = { kind: 'send', entityPath: ORDERS, messages: [messageOfSize(2 ** 19)] } as const;
    expect(refusalOf(bus, half, half, half)).toBe('quota-exceeded');
    expect(step(bus, half, half).result.kind).toBe('step');
  });

  it('cancels or receives a message by its number once', () => {
    const bus = withQueue();
    bus.send(ORDERS, messageOf('later', { scheduledEnqueueTime: bus.now + 1000 }), 'now');
    bus.settle(ORDERS, bus.receiveOne(ORDERS), DEFER);
    const cancel = { kind: 'cancel-scheduled', entityPath: ORDERS, sequenceNumbers: [1] } as const;
    const receive = {
      kind: 'receive-deferred',
      entityPath: ORDERS,
      sequenceNumbers: [2],
      receiveMode: 'receive-and-delete',
    } as const;
    const sweep = {
      kind: 'delete-messages',
      entityPath: ORDERS,
      maxCount: 5,
      enqueuedBefore: bus.now + 1,
    } as const;
    expect(refusalOf(bus, cancel, cancel)).toBe('message-not-found');
    expect(refusalOf(bus, receive, receive)).toBe('message-not-found');
    expect(refusalOf(bus, sweep, receive)).toBe('message-not-found');
    expect(step(bus, cancel, receive, sweep).result).toMatchObject({
      results: [{ kind: 'done' }, { kind: 'messages' }, { kind: 'deleted', count: 0 }],
    });
  });

  it('uses the state of a session as its earlier commands have set it', () => {
    const bus = withSessionQueue({ maxSizeInMegabytes: 1 }, { limits: { maxMessageSizeBytes: 2 ** 20 } });
    bus.send(ORDERS, messageIn('a'));
    accept(bus, 'a');
    const session = { sessionId: 'a', connectionId: CONNECTION };
    const setting = (bytes: number | undefined) =>
      ({
        kind: 'set-session-state',
        entityPath: ORDERS,
        session,
        state: bytes === undefined ? undefined : new Uint8Array(bytes),
      }) as const;
    const filling = {
      kind: 'send',
      entityPath: ORDERS,
      messages: [{ ...messageOfSize(2 ** 20), sessionId: 'a' }],
    } as const;
    bus.execute(setting(2 ** 19));
    expect(refusalOf(bus, setting(undefined), filling, setting(2 ** 19))).toBe('quota-exceeded');
    expect(step(bus, setting(2 ** 19), setting(undefined), setting(2 ** 19)).result.kind).toBe('step');
  });

  it('may use the space that its earlier commands free', () => {
    const bus = withQueue({ maxSizeInMegabytes: 1 }, { limits: { maxMessageSizeBytes: 2 ** 20 } });
    const large = { kind: 'send', entityPath: ORDERS, messages: [messageOfSize(2 ** 20)] } as const;
    bus.execute(large);
    expect(refusalOf(bus, send('a'))).toBe('quota-exceeded');
    expect(step(bus, complete(bus.receiveOne(ORDERS)), large).result.kind).toBe('step');
  });

  it('refuses commands for an entity that it has already created, changed or deleted', () => {
    const bus = withQueue();
    const put = {
      kind: 'put-entity',
      type: 'queue',
      description: describeQueue(ORDERS, { maxDeliveryCount: 3 }),
    } as const;
    const fresh = { kind: 'put-entity', type: 'queue', description: describeQueue('fresh') } as const;
    const topic = { kind: 'put-entity', type: 'topic', description: describeTopic('FRESH') } as const;
    const remove = { kind: 'delete-entity', entityPath: 'Orders' } as const;
    const forwarding = {
      kind: 'put-entity',
      type: 'queue',
      description: describeQueue('source', { forwardTo: ORDERS }),
    } as const;
    for (const second of [
      send('a'),
      put,
      remove,
      { kind: 'get-entity', entityPath: ORDERS } as const,
      forwarding,
    ]) {
      expect(refusalOf(bus, put, second)).toBe('not-allowed');
      expect(refusalOf(bus, remove, second)).toBe('not-allowed');
    }
    expect(refusalOf(bus, fresh, topic)).toBe('not-allowed');
    expect(refusalOf(bus, remove, { ...topic, description: describeTopic(ORDERS) })).toBe('not-allowed');
    const subscribe = { topicName: 'fresh', description: describeSubscription('a') } as const;
    expect(refusalOf(bus, topic, { kind: 'put-entity', type: 'subscription', ...subscribe })).toBe(
      'not-allowed',
    );
    expect(step(bus, send('a'), fresh, remove).result).toMatchObject({
      results: [{ kind: 'sent' }, { kind: 'entity-info' }, { kind: 'done' }],
    });
    expect([...bus.rows.stored()].filter(({ kind }) => kind === 'entity-put')).toHaveLength(1);
  });

  it('changes the rules of a topic once, whose number is limited as a whole', () => {
    const bus = new BrokerUnderTest();
    bus.execute({ kind: 'put-entity', type: 'topic', description: describeTopic('news') });
    const subscribe = (name: string) =>
      ({
        kind: 'put-entity',
        type: 'subscription',
        topicName: 'news',
        description: describeSubscription(name),
      }) as const;
    expect(refusalOf(bus, subscribe('a'), subscribe('b'))).toBe('not-allowed');
    bus.execute({ kind: 'put-entity', type: 'topic', description: describeTopic('olds') });
    const gone = {
      kind: 'put-entity',
      type: 'subscription',
      topicName: 'olds',
      description: describeSubscription('a'),
    } as const;
    expect(step(bus, gone, { kind: 'delete-entity', entityPath: 'olds' }).result.kind).toBe('step');
    bus.execute(subscribe('a'));
    const entityPath = 'news/Subscriptions/a';
    const rule = { name: 'all', filter: { kind: 'true' }, action: undefined } as const;
    const add = { kind: 'add-rule', entityPath, rule } as const;
    expect(refusalOf(bus, { kind: 'remove-rule', entityPath, name: '$Default' }, add)).toBe('not-allowed');
    expect(refusalOf(bus, { kind: 'delete-entity', entityPath: 'news' }, add)).toBe('not-allowed');
    expect(refusalOf(bus, add, { kind: 'get-rule', entityPath, name: 'all' })).toBe('not-allowed');
  });

  it('does not end a lock that a lone refused dead-lettering would end [DLQ-08]', () => {
    const bus = withQueue();
    bus.send(ORDERS, 'one');
    bus.settle(ORDERS, bus.receiveOne(ORDERS), DEAD_LETTER);
    const dead = bus.receiveOne(`${ORDERS}/$DeadLetterQueue`);
    const again = {
      kind: 'settle',
      entityPath: ORDERS,
      lockToken: dead.lockToken,
      outcome: DEAD_LETTER,
    } as const;
    expect(refusalOf(bus, again)).toBe('not-allowed');
    expect(bus.broker.holdsLock(dead.lockToken, bus.now)).toBe(true);
    expect(bus.execute(again).result.kind).toBe('failed');
    expect(bus.broker.holdsLock(dead.lockToken, bus.now)).toBe(false);
  });

  it('does not count as access to an entity when it is refused [IDL-03]', () => {
    const bus = withQueue();
    const nothing = { kind: 'settle', entityPath: ORDERS, lockToken: 'none', outcome: COMPLETE } as const;
    expect(refusalOf(bus, send('one'), nothing)).toBe('message-lock-lost');
    expect(bus.queueInfo(ORDERS).accessedTime).toBeUndefined();
  });

  it('may be empty', () => {
    expect(step(withQueue()).result).toEqual({ kind: 'step', results: [] });
  });
});
