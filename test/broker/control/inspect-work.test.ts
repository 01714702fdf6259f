// Inspection of the work in progress: locks, messages on their way, transactions, and messages that a receiver could get.

import { expect, it } from 'vitest';
import type { InspectedWork } from '../../../src/broker/contract/inspection.js';
import {
  type BrokerUnderTest,
  DEAD_LETTER,
  DEFER,
  messageOf,
  withQueue,
} from '../../support/broker-builders.js';
import { transfer, withFull } from '../../support/transfer-builders.js';

function inspect(bus: BrokerUnderTest): InspectedWork {
  const { result, events } = bus.execute({ kind: 'inspect-work' });
  if (result.kind !== 'inspected-work') throw new Error(`no work but ${result.kind}`);
  expect(events).toEqual([]);
  return result.work;
}

const NOTHING: InspectedWork = { locked: [], moving: [], available: [], openTransactionCount: 0 };

it('there is none in messages that are scheduled, deferred or dead', () => {
  const bus = withQueue();
  bus.send('orders', 'a', 'b', messageOf('later', { scheduledEnqueueTime: bus.now + 1000 }));
  bus.settle('orders', bus.receiveOne('orders'), DEFER);
  bus.settle('orders', bus.receiveOne('orders'), DEAD_LETTER);
  expect(inspect(bus)).toEqual(NOTHING);
});

it('the locks of each store are counted, and the first one is shown', () => {
  const bus = withQueue();
  bus.send('orders', 'a', 'b', 'c');
  bus.settle('orders', bus.receiveOne('orders'), DEAD_LETTER);
  const linkId = bus.attachReceiver('orders');
  const { lockToken } = bus.receiveOneAs(linkId);
  bus.setCredit(linkId, 2);
  bus.receiveOne('orders/$DeadLetterQueue');
  expect(inspect(bus)).toMatchObject({
    locked: [
      { path: 'orders', count: 2, first: { lockToken, linkId, sequenceNumber: 2 } },
      { path: 'orders/$DeadLetterQueue', count: 1, first: { sequenceNumber: 1 } },
    ],
    available: [],
  });
});

it('a message that a receiver could get is shown with the receivers, in a dead-letter queue only where there is one', () => {
  const bus = withQueue();
  bus.send('orders', 'a', 'b');
  bus.settle('orders', bus.receiveOne('orders'), DEAD_LETTER);
  expect(inspect(bus).available).toEqual([{ path: 'orders', count: 1, receiverCount: 0 }]);
  bus.attachReceiver('orders/$DeadLetterQueue');
  expect(inspect(bus).available).toEqual([
    { path: 'orders', count: 1, receiverCount: 0 },
    { path: 'orders/$DeadLetterQueue', count: 1, receiverCount: 1 },
  ]);
});

it('messages on their way are those of a later hop, and transfers that wait', () => {
  const bus = withQueue();
  bus.putQueue('second', { forwardTo: 'orders' });
  bus.putQueue('first', { forwardTo: 'second' });
  bus.send('first', 'a');
  expect(inspect(bus)).toMatchObject({
    moving: [{ path: 'second', count: 1, destination: 'orders' }],
    available: [],
  });
  bus.tickAfter(1);
  expect(inspect(bus)).toMatchObject({ moving: [], available: [{ path: 'orders' }] });

  const full = withFull();
  transfer(full, ['one', 'two']);
  expect(inspect(full).moving).toEqual([{ path: 'via', count: 2, destination: 'there' }]);
});

it('a transaction is open until it is discharged', () => {
  const bus = withQueue();
  const { result } = bus.execute({ kind: 'declare-transaction', connectionId: 1 });
  const transactionId = result.kind === 'declared' ? result.transactionId : 0;
  expect(inspect(bus).openTransactionCount).toBe(1);
  bus.execute({ kind: 'discharge', transactionId, connectionId: 1, isFailed: false });
  expect(inspect(bus)).toEqual(NOTHING);
});
