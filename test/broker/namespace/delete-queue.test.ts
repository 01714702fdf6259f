// The end of a queue: messages, locks and links go with it.

import { describe, expect, it } from 'vitest';
import { NEVER } from '../../../src/broker/contract/instant.js';
import {
  COMPLETE,
  DEAD_LETTER,
  failureOf,
  messageOf,
  START,
  withQueue,
} from '../../support/broker-builders.js';

const GONE = { kind: 'delete-entity', entityPath: 'ORDERS' } as const;

describe('deleting a queue', () => {
  it('removes its messages in every state, and soon nothing of it is left in the journal [ENT-05, M36]', () => {
    const bus = withQueue({ requiresDuplicateDetection: true });
    bus.putQueue('other');
    bus.send('other', 'stays');
    bus.send('orders', 'dead', 'locked', 'active', messageOf('later', { scheduledEnqueueTime: START + 9 }));
    bus.settle('orders', bus.receiveOne('orders'), DEAD_LETTER);
    bus.receiveOne('orders');
    expect(bus.execute(GONE).result).toEqual({ kind: 'done' });
    bus.tickAfter(1);
    expect(bus.rows.contents.size).toBe(1);
    expect(bus.restarted().peek('other')).toHaveLength(1);
    expect(bus.broker.nextDeadline()).toBe(NEVER);
  });

  it('detaches its links, those of its dead-letter queue too, with the error of a missing entity [ENT-04, M36]', () => {
    const bus = withQueue();
    const receivers = [bus.attachReceiver('orders'), bus.attachReceiver('orders/$DeadLetterQueue')];
    const sender = bus.nextLinkId();
    bus.execute({ kind: 'attach-sender', linkId: sender, entityPath: 'orders' });
    bus.putQueue('other');
    bus.attachReceiver('other');
    const { effects } = bus.execute(GONE);
    expect(effects).toHaveLength(3);
    for (const linkId of [...receivers, sender]) {
      expect(effects).toContainEqual(
        expect.objectContaining({
          kind: 'detach',
          linkId,
          error: expect.objectContaining({ reason: 'entity-not-found' }),
        }),
      );
    }
  });

  it.each([0, 1, 5])(
    'ends the locks beside %i others: nothing can be settled any more, in a new queue of that name neither [ENT-04, M36]',
    (otherCount) => {
      const bus = withQueue();
      bus.send('orders', 'a');
      const held = bus.receiveOne('orders');
      bus.putQueue('other');
      for (let count = 0; count < otherCount; count++) bus.send('other', 'x');
      const others = bus.receive('other', otherCount);
      bus.execute(GONE);
      const { result } = bus.execute({ kind: 'inspect-work' });
      const locked = otherCount === 0 ? [] : [expect.objectContaining({ path: 'other', count: otherCount })];
      expect(result).toMatchObject({ work: { locked } });
      expect(failureOf(bus.settle('orders', held, COMPLETE))?.reason).toBe('entity-not-found');
      bus.putQueue('orders');
      expect(failureOf(bus.settle('orders', held, COMPLETE))?.reason).toBe('message-lock-lost');
      for (const { lockToken = '' } of others) {
        expect(bus.settle('other', { lockToken }, COMPLETE).result).toEqual({ kind: 'done' });
      }
      bus.tickAfter(1_000_000);
      expect(bus.queueInfo('orders').counts).toMatchObject({ active: 0, scheduled: 0, deadLetter: 0 });
    },
  );

  it('that does not exist is not found [ENT-04]', () => {
    const bus = withQueue();
    bus.execute(GONE);
    const failure = failureOf(bus.execute(GONE));
    expect(failure?.reason).toBe('entity-not-found');
    expect(failure?.message).toMatch(/The messaging entity '.*' could not be found/);
  });
});
