// The order of a store's messages and its next available one, also with wide gaps and messages coming out of order.

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { NEVER } from '../../../src/broker/contract/instant.js';
import { MessageLog } from '../../../src/broker/store/message-log.js';
import { StoredMessage } from '../../../src/broker/store/stored-message.js';

function messageWithNumber(sequenceNumber: number, expiresAt: number = NEVER): StoredMessage {
  return new StoredMessage({
    sequenceNumber,
    enqueuedTime: 0,
    expiresAt,
    state: 0,
    wasScheduled: false,
    sessionId: undefined,
    deliveryCount: 0,
    contentId: sequenceNumber,
    sizeBytes: 1,
    isShared: false,
    enqueuedSequenceNumber: undefined,
    details: undefined,
  });
}

function logWith(...sequenceNumbers: number[]): MessageLog {
  const log = new MessageLog();
  for (const sequenceNumber of sequenceNumbers) log.add(messageWithNumber(sequenceNumber));
  return log;
}

function takeAll(log: MessageLog): readonly number[] {
  const taken: number[] = [];
  for (let message = log.takeFirst(); message !== undefined; message = log.takeFirst()) {
    taken.push(message.sequenceNumber);
  }
  return taken;
}

function take(log: MessageLog): StoredMessage {
  const message = log.takeFirst();
  if (message === undefined) throw new Error('nothing is available');
  return message;
}

describe('a message log', () => {
  it('hands out messages in the order of their numbers, each once [RCV-07]', () => {
    expect(takeAll(logWith(1, 2, 3))).toEqual([1, 2, 3]);
  });

  it('hands out nothing when it is empty', () => {
    expect(new MessageLog().takeFirst()).toBeUndefined();
  });

  it('accepts numbers in any order with gaps of any width', () => {
    const log = logWith(7_000_000_000, 5, 4_000, 1_000_000, 6, 130);
    expect(takeAll(log)).toEqual([5, 6, 130, 4_000, 1_000_000, 7_000_000_000]);
    expect([...log.from(0)].map((message) => message.sequenceNumber)).toEqual([
      5, 6, 130, 4_000, 1_000_000, 7_000_000_000,
    ]);
  });

  it('hands out a late message with a low number before those that wait', () => {
    const log = logWith(10, 20, 30);
    take(log);
    take(log);
    log.add(messageWithNumber(15));
    expect(takeAll(log)).toEqual([15, 30]);
  });

  it('puts a returned message back in its place [RCV-09]', () => {
    const log = logWith(1, 2, 3, 4);
    const [first, second] = [take(log), take(log)];
    log.giveBack(second);
    log.giveBack(first);
    expect(takeAll(log)).toEqual([1, 2, 3, 4]);
  });

  it('forgets a removed message and keeps the others, locked ones at the head as well', () => {
    const log = logWith(...Array.from({ length: 1000 }, (_, index) => index + 1));
    const head = take(log);
    for (let i = 0; i < 900; i++) log.remove(take(log));
    expect([...log.from(0)][0]).toBe(head);
    expect([...log.from(0)]).toHaveLength(100);
    expect(takeAll(log)[0]).toBe(902);
  });

  it('takes new messages after it has been emptied', () => {
    const log = logWith(1, 2);
    log.remove(take(log));
    log.remove(take(log));
    log.add(messageWithNumber(3));
    expect(takeAll(log)).toEqual([3]);
  });

  it('refuses a number that is taken', () => {
    const log = logWith(1);
    expect(() => log.add(messageWithNumber(1))).toThrow('a sequence number was used twice');
  });

  it('refuses to remove a message that it does not hold, and to take back one that was never taken', () => {
    const log = logWith(1);
    expect(() => log.remove(messageWithNumber(1))).toThrow('not in the store');
    expect(() => log.giveBack(take(logWith(200)))).toThrow('never taken');
  });
});

describe('expiry in a message log', () => {
  const expiring = (sequenceNumber: number, expiresAt: number) =>
    messageWithNumber(sequenceNumber, expiresAt);
  const numbers = (messages: readonly StoredMessage[]) => messages.map((one) => one.sequenceNumber);

  it('knows a time before which nothing expires, and takes expired messages in order', () => {
    const log = new MessageLog();
    for (const message of [expiring(3, 50), expiring(1, 90), expiring(2, 40)]) log.add(message);
    expect(log.nextExpiry).toBe(40);
    expect(numbers(log.takeExpired(60, 99))).toEqual([2, 3]);
    expect(log.nextExpiry).toBe(90);
    expect(takeAll(log)).toEqual([1]);
  });

  it('leaves locked messages alone until they are given back', () => {
    const log = new MessageLog();
    log.add(expiring(1, 50));
    const held = take(log);
    expect(log.takeExpired(60, 99)).toEqual([]);
    expect(log.nextExpiry).toBe(NEVER);
    log.giveBack(held);
    expect(log.nextExpiry).toBe(50);
    expect(log.takeExpired(60, 99)).toEqual([held]);
  });

  it('searches up to the given number of chunks', () => {
    const log = new MessageLog();
    for (let number = 1; number <= 1000; number++) log.add(expiring(number, 10));
    const first = log.takeExpired(10, 2);
    expect(first.length).toBeGreaterThan(100);
    expect(first.length).toBeLessThan(300);
    expect(log.nextExpiry).toBe(10);
    expect(first.length + log.takeExpired(10, 99).length).toBe(1000);
  });
});

type Step = {
  readonly kind: 'add' | 'take' | 'giveBack' | 'remove' | 'withdraw' | 'expire';
  readonly pick: number;
};

const steps = fc.array(
  fc.record({
    kind: fc.constantFrom<Step['kind']>(
      'add',
      'add',
      'take',
      'take',
      'giveBack',
      'remove',
      'withdraw',
      'expire',
    ),
    pick: fc.nat(1000),
  }),
  { maxLength: 300 },
);

describe('a message log beside a sorted list', () => {
  it('gives the same answers for any sequence of operations', () => {
    const done = new Set<string>();
    fc.assert(
      fc.property(steps, (all) => {
        const log = new MessageLog();
        let inStore: StoredMessage[] = [];
        const held = new Set<StoredMessage>();
        const available = () => inStore.filter((message) => !held.has(message));
        for (const { kind, pick } of all) {
          if (kind === 'add' && !inStore.some((one) => one.sequenceNumber === pick)) {
            const message = messageWithNumber(pick, pick % 3 === 0 ? NEVER : pick % 50);
            log.add(message);
            done.add(kind);
            inStore.push(message);
            inStore.sort((a, b) => a.sequenceNumber - b.sequenceNumber);
          }
          if (kind === 'take') {
            const [first] = available();
            expect(log.takeFirst()).toBe(first);
            if (first !== undefined) {
              held.add(first);
              done.add(kind);
            }
          }
          const one = [...held][pick % (held.size || 1)];
          if (kind === 'giveBack' && one !== undefined) {
            log.giveBack(one);
            done.add(kind);
            held.delete(one);
          }
          if (kind === 'remove' && one !== undefined) {
            log.remove(one);
            done.add(kind);
            held.delete(one);
            inStore = inStore.filter((message) => message !== one);
          }
          const free = available()[pick % (available().length || 1)];
          if (kind === 'withdraw' && free !== undefined) {
            log.withdraw(free);
            done.add(kind);
            held.add(free);
          }
          if (kind === 'expire') {
            const expected = available().filter(({ expiresAt }) => expiresAt <= pick % 50);
            expect(log.takeExpired(pick % 50, 9999)).toEqual(expected);
            for (const message of expected) held.add(message);
            if (expected.length > 0) done.add(kind);
          }
          expect(log.count).toBe(inStore.length);
          expect([...log.from(pick)]).toEqual(inStore.filter(({ sequenceNumber }) => sequenceNumber >= pick));
          expect(log.find(pick)).toBe(inStore.find(({ sequenceNumber }) => sequenceNumber === pick));
          const soonest = Math.min(NEVER, ...available().map(({ expiresAt }) => expiresAt));
          expect(log.nextExpiry).toBeLessThanOrEqual(soonest);
        }
      }),
      { numRuns: 300 },
    );
    expect([...done].sort()).toEqual(['add', 'expire', 'giveBack', 'remove', 'take', 'withdraw']);
  });
});
