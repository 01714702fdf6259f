// Auto-delete on idle: what counts as use, and that an idle queue goes with all it holds.

import { describe, expect, it } from 'vitest';
import { NEVER } from '../../../src/broker/contract/instant.js';
import {
  type BrokerUnderTest,
  COMPLETE,
  failureOf,
  messageOf,
  START,
  withQueue,
} from '../../support/broker-builders.js';

const IDLE = 300_000;
const isThere = (bus: BrokerUnderTest) =>
  bus.execute({ kind: 'get-entity', entityPath: 'orders' }).result.kind === 'entity-info';

function withIdling(given = {}): BrokerUnderTest {
  return withQueue({ autoDeleteOnIdleMs: IDLE, ...given });
}

describe('an idle queue', () => {
  it('is deleted after its time, with its messages and everything about them [IDL-01, ENT-05]', () => {
    const bus = withIdling({ requiresDuplicateDetection: true });
    bus.send('orders', 'a', 'b');
    bus.settle('orders', bus.receiveOne('orders'), { kind: 'dead-letter', changes: [] });
    bus.tickAfter(IDLE - 1);
    expect(isThere(bus)).toBe(true);
    bus.tickAfter(1);
    expect(isThere(bus)).toBe(false);
    bus.tickAfter(1);
    expect(bus.rows.stored()).toEqual([]);
    expect(bus.rows.contents.size).toBe(0);
    expect(bus.broker.nextDeadline()).toBe(NEVER);
  });

  it('waits with hundreds of others for its turn, and stays if it is used before', () => {
    const withMany = () => {
      const bus = withIdling();
      for (let index = 0; index < 1450; index++) bus.putQueue(`q${index}`, { autoDeleteOnIdleMs: IDLE });
      bus.tickAfter(IDLE);
      return bus;
    };
    const left = (bus: BrokerUnderTest) => {
      return bus.rows.queues().map(({ description }) => description.name);
    };
    const other = withMany();
    expect(left(other)).toHaveLength(951);
    other.tickAfter(1);
    expect(left(other)).toHaveLength(451);
    const [last = ''] = left(other);
    const bus = withMany();
    expect(bus.send(last, 'a').result.kind).toBe('sent');
    bus.tickAfter(1);
    expect(left(bus)).toEqual([last]);
  });

  it('is never deleted where the time is not set [IDL-02]', () => {
    const bus = withQueue();
    bus.tickAfter(10 * 365 * 24 * 3_600_000);
    expect(isThere(bus)).toBe(true);
  });

  it('is deleted five minutes after its last use at the earliest: less is refused [IDL-01]', () => {
    expect(failureOf(withQueue().putQueue('other', { autoDeleteOnIdleMs: IDLE - 1 }))?.reason).toBe(
      'argument',
    );
  });

  it('is idle from the first turn after a restart [IDL-01]', () => {
    const bus = withIdling();
    bus.passTime(IDLE - 1);
    const restarted = bus.restarted();
    restarted.tickAfter(1000);
    expect(restarted.broker.nextDeadline()).toBe(restarted.now + IDLE);
    restarted.tickAfter(IDLE - 1);
    expect(isThere(restarted)).toBe(true);
    restarted.tickAfter(1);
    expect(isThere(restarted)).toBe(false);
  });

  it('can be made again, and starts from the first number', () => {
    const bus = withIdling();
    bus.send('orders', 'a');
    bus.tickAfter(IDLE);
    bus.putQueue('orders');
    expect(bus.send('orders', 'b').result).toEqual({ kind: 'sent', sequenceNumbers: [1] });
    expect(bus.restarted().receive('orders', 9)).toHaveLength(1);
  });
});

describe('a queue is used', () => {
  const path = 'orders';
  const uses: readonly (readonly [string, (bus: BrokerUnderTest) => unknown])[] = [
    ['a send', (bus) => bus.send(path, 'a')],
    ['a receiver that comes', (bus) => bus.attachReceiver(path)],
    ['a receive', (bus) => bus.receive(path)],
    ['a peek', (bus) => bus.peek(path)],
    ['a peek at its dead-letter queue', (bus) => bus.peek(`${path}/$DeadLetterQueue`)],
    ['a change', (bus) => bus.putQueue(path, { autoDeleteOnIdleMs: IDLE, maxDeliveryCount: 3 })],
    ['a purge', (bus) => bus.execute({ kind: 'purge', entityPath: path })],
    ['a settlement', (bus) => bus.settle(path, { lockToken: 'x' }, COMPLETE)],
    ['a batch delete', (bus) => bus.deleteMessages(path, 1)],
    ['a receive by number', (bus) => bus.receiveDeferred(path, [])],
  ];

  it.each(uses)('by %s [IDL-03]', (_words, use) => {
    const bus = withIdling();
    bus.passTime(IDLE - 1);
    use(bus);
    bus.tickAfter(IDLE - 1);
    expect(isThere(bus)).toBe(true);
    bus.tickAfter(1);
    expect(isThere(bus)).toBe(false);
  });

  it.each([path, `${path}/$DeadLetterQueue`, `${path}/$Transfer/$DeadLetterQueue`])(
    'as long as a receiver waits for messages of %s, and from when it goes [IDL-03]',
    (attachedPath) => {
      const bus = withIdling();
      const linkId = bus.attachReceiver(attachedPath);
      bus.setCredit(linkId, 1);
      bus.tickAfter(10 * IDLE);
      bus.tickAfter(IDLE / 2);
      bus.execute({ kind: 'detach', linkId });
      bus.tickAfter(IDLE - 1);
      expect(isThere(bus)).toBe(true);
      bus.tickAfter(1);
      expect(isThere(bus)).toBe(false);
    },
  );

  it('as long as a message is scheduled in it [IDL-03]', () => {
    const bus = withIdling();
    bus.send(path, messageOf('a', { scheduledEnqueueTime: START + 5 * IDLE }));
    bus.tickAfter(4 * IDLE);
    expect(isThere(bus)).toBe(true);
    bus.tickAfter(IDLE);
    bus.tickAfter(IDLE - 1);
    expect(isThere(bus)).toBe(true);
    bus.tickAfter(1);
    expect(isThere(bus)).toBe(false);
  });
});
