// Tests of the order of credit. Removing a receiver's credit must not search among that of all others: it would take minutes here.

import { expect, test } from 'vitest';
import { CreditQueue } from '../../../src/broker/store/credit-queue.js';
import { Receiver } from '../../../src/broker/store/receiver.js';

const RECEIVER = {
  receiveMode: 'peek-lock',
  connectionId: undefined,
  keepsLocks: false,
  client: undefined,
  filter: undefined,
} as const;

function newReceiver(linkId: number): Receiver {
  return new Receiver({ linkId, ...RECEIVER });
}

test('credit is used in the order of its arrival, also after a receiver in the middle has taken its own away', () => {
  const credits = new CreditQueue();
  const [a, b, c] = [newReceiver(1), newReceiver(2), newReceiver(3)];
  credits.setCredit(a, 1);
  credits.setCredit(b, 2);
  credits.setCredit(c, 1);
  credits.setCredit(b, 3);
  credits.setCredit(a, 2);
  credits.setCredit(b, 1); // the latest two go
  expect([credits.use(), credits.use(), credits.use(), credits.use()]).toEqual([a, b, c, a]);
  expect(credits.isEmpty).toBe(true);
});

test('200,000 receivers with credit go', () => {
  const credits = new CreditQueue();
  const receivers = Array.from({ length: 200_000 }, (_, index) => newReceiver(index));
  for (const receiver of receivers) credits.setCredit(receiver, 10);
  for (const receiver of receivers) credits.setCredit(receiver, 0);
  expect(credits.isEmpty).toBe(true);
});
