// Inspection of entities: exact counts by condition, links, sessions and rules, without any effect on what is inspected.

import { describe, expect, it } from 'vitest';
import type { InspectedEntity } from '../../../src/broker/contract/inspection.js';
import {
  type BrokerUnderTest,
  DEAD_LETTER,
  DEFER,
  failureOf,
  messageOf,
  withQueue,
} from '../../support/broker-builders.js';

function inspect(bus: BrokerUnderTest, path?: string): readonly InspectedEntity[] {
  const { result, events } = bus.execute({ kind: 'inspect-namespace', path });
  if (result.kind !== 'inspected-entities') throw new Error(`no entities but ${result.kind}`);
  expect(events).toEqual([]);
  return result.entities;
}

describe('counts of an inspected queue', () => {
  it('name each message once, by its condition', () => {
    const bus = withQueue();
    bus.send('orders', 'a', 'b', 'c', 'd', 'e');
    bus.send('orders', messageOf('later', { scheduledEnqueueTime: bus.now + 60_000 }));
    const [locked, deferred, dead] = bus.receive('orders', 3);
    for (const [delivery, outcome] of [[deferred, DEFER] as const, [dead, DEAD_LETTER] as const]) {
      bus.settle('orders', { lockToken: delivery?.lockToken ?? '' }, outcome);
    }
    expect(inspect(bus)).toMatchObject([
      {
        kind: 'queue',
        path: 'orders',
        sizeBytes: 10,
        accessedTime: bus.now,
        counts: { active: 2, locked: 1, scheduled: 1, deferred: 1, deadLetter: 1, transfer: 0 },
        oldestActiveTime: bus.now,
        sessions: undefined,
      },
    ]);
    bus.receiveOneDeferred('orders', deferred?.properties.sequenceNumber ?? 0);
    expect(inspect(bus)).toMatchObject([{ counts: { active: 2, locked: 2, deferred: 0 } }]);
    bus.tickAfter(60_000);
    expect(locked?.lockedUntil).toBe(bus.now);
    expect(inspect(bus)).toMatchObject([{ counts: { active: 4, locked: 0, scheduled: 0, deferred: 1 } }]);
  });

  it('are the same after a restart, except that nothing is locked', () => {
    const bus = withQueue();
    bus.send('orders', 'a', 'b');
    bus.receive('orders');
    expect(inspect(bus.restarted())).toMatchObject([{ counts: { active: 2, locked: 0 } }]);
  });

  it('have the time of the oldest active message of every partition', () => {
    const bus = withQueue({ enablePartitioning: true });
    bus.send('orders', messageOf('first', { partitionKey: 'b' }));
    bus.passTime(1000);
    for (const partitionKey of ['a', 'c', 'd', 'e', 'f'])
      bus.send('orders', messageOf('x', { partitionKey }));
    expect(inspect(bus)).toMatchObject([{ counts: { active: 6 }, oldestActiveTime: bus.now - 1000 }]);
  });
});

it('an inspection is no use of a queue [IDL-03]', () => {
  const bus = withQueue({ autoDeleteOnIdleMs: 5 * 60_000 });
  bus.passTime(4 * 60_000);
  expect(inspect(bus)).toMatchObject([{ accessedTime: undefined }]);
  bus.execute({ kind: 'inspect-messages', entityPath: 'orders', fromSequenceNumber: 0, maxCount: 1 });
  bus.tickAfter(60_000);
  expect(inspect(bus)).toEqual([]);
});

it('links are counted with those of the dead-letter queue', () => {
  const bus = withQueue();
  bus.attachReceiver('orders');
  bus.attachReceiver('orders/$DeadLetterQueue');
  bus.execute({ kind: 'attach-sender', linkId: bus.nextLinkId(), entityPath: 'orders' });
  bus.execute({ kind: 'attach-browser', linkId: bus.nextLinkId(), entityPath: 'orders' });
  bus.putQueue('alone');
  expect(inspect(bus)).toMatchObject([
    { path: 'alone', attached: { senders: 0, receivers: 0, browsers: 0 } },
    { path: 'orders', attached: { senders: 1, receivers: 2, browsers: 1 } },
  ]);
});

it('a missing entity is refused without a record, as a look changes nothing', () => {
  const bus = withQueue();
  bus.broker.recordsActivities = true;
  const turn = bus.execute({ kind: 'inspect-namespace', path: 'nothing' });
  expect(failureOf(turn)?.reason).toBe('entity-not-found');
  expect(turn.activities?.all ?? []).toEqual([]);
});
