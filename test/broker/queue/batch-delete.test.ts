// Batch delete: the oldest messages go unread, those that are locked or still scheduled stay.

import { describe, expect, it } from 'vitest';
import { DEAD_LETTER, DEFER, failureOf, messageOf, START, withQueue } from '../../support/broker-builders.js';

const DLQ = 'orders/$DeadLetterQueue';

describe('batch delete', () => {
  it('deletes the oldest first, up to the count, and says how many [DEL-01, M30]', () => {
    const bus = withQueue();
    bus.send('orders', 'a', 'b', 'c');
    bus.passTime(1);
    const turn = bus.deleteMessages('orders', 2);
    expect(turn.result).toEqual({ kind: 'deleted', count: 2 });
    expect(turn.events.map(({ kind }) => kind)).toEqual([
      'message-removed',
      'content-released',
      'message-removed',
      'content-released',
    ]);
    expect(bus.receive('orders', 9).map((one) => bus.textOf(one))).toEqual(['c']);
  });

  it('deletes the messages enqueued before the time, not those at it [DEL-01]', () => {
    const bus = withQueue();
    bus.send('orders', 'old');
    bus.passTime(10);
    bus.send('orders', 'new');
    expect(bus.deleteMessages('orders', 9, START + 10).result).toEqual({ kind: 'deleted', count: 1 });
    expect(bus.peek('orders').map((one) => bus.textOf(one))).toEqual(['new']);
  });

  it('leaves locked and scheduled messages, and takes deferred ones [DEL-01, DEL-02]', () => {
    const bus = withQueue();
    bus.send('orders', 'deferred', 'deferred and locked', 'locked', 'active');
    bus.send('orders', messageOf('scheduled', { scheduledEnqueueTime: START + 99_000 }));
    for (let count = 0; count < 2; count++) bus.settle('orders', bus.receiveOne('orders'), DEFER);
    bus.receiveOneDeferred('orders', 2);
    bus.receiveOne('orders');
    bus.passTime(1);
    expect(bus.deleteMessages('orders', 99).result).toEqual({ kind: 'deleted', count: 2 });
    expect(bus.peek('orders').map((one) => bus.textOf(one))).toEqual([
      'deferred and locked',
      'locked',
      'scheduled',
    ]);
  });

  it('deletes as many as the tier allows in one call: repeated, it empties the queue [LIM-17, DEL-02]', () => {
    const bus = withQueue();
    for (let batch = 0; batch < 3; batch++) {
      bus.send('orders', ...Array.from({ length: 400 }, (_, index) => `m${index}`));
    }
    bus.passTime(1);
    const counts = Array.from({ length: 4 }, () => {
      const { result } = bus.deleteMessages('orders', 4000);
      return result.kind === 'deleted' ? result.count : result;
    });
    expect(counts).toEqual([500, 500, 200, 0]);
    expect(bus.queueInfo('orders')).toMatchObject({ counts: { active: 0 }, sizeBytes: 0 });
  });

  it('empties a dead-letter queue and leaves the queue alone [DEL-01]', () => {
    const bus = withQueue();
    bus.send('orders', 'dead', 'alive');
    bus.settle('orders', bus.receiveOne('orders'), DEAD_LETTER);
    bus.passTime(1);
    expect(bus.deleteMessages(DLQ, 9).result).toEqual({ kind: 'deleted', count: 1 });
    expect(bus.queueInfo('orders').counts).toMatchObject({ active: 1, scheduled: 0, deadLetter: 0 });
  });

  it('is not supported by a partitioned queue [DEL-01]', () => {
    const bus = withQueue({ enablePartitioning: true });
    bus.send('orders', 'a');
    expect(failureOf(bus.deleteMessages('orders', 1))?.reason).toBe('not-allowed');
  });

  it.each([0, -5])('refuses a count of %i', (count) => {
    const failure = failureOf(withQueue().deleteMessages('orders', count));
    expect(failure?.reason).toBe('argument-out-of-range');
    expect(failure?.message).toContain(String(count));
  });

  it('is refused by a queue whose receiving is disabled [ENT-07]', () => {
    const bus = withQueue({ status: 'ReceiveDisabled' });
    expect(failureOf(bus.deleteMessages('orders', 1))?.reason).toBe('entity-disabled');
  });
});
