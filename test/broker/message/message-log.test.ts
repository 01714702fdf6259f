// The order of a store's messages and its next available one, also with wide gaps and messages coming out of order.

import { describe, expect, it } from 'vitest';
import { MessageLog } from '../../../src/broker/message/message-log.js';
import { StoredMessage } from '../../../src/broker/message/stored-message.js';

function messageWithNumber(sequenceNumber: number): StoredMessage {
  return new StoredMessage({
    sequenceNumber,
    enqueuedTime: 0,
    deliveryCount: 0,
    contentId: sequenceNumber,
    sizeBytes: 1,
    inventedMessageId: undefined,
    propertyChanges: undefined,
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
  it('hands out messages in the order of their numbers, each once', () => {
    expect(takeAll(logWith(1, 2, 3))).toEqual([1, 2, 3]);
  });

  it('has nothing to hand out when it is empty', () => {
    expect(new MessageLog().takeFirst()).toBeUndefined();
  });

  it('bears numbers that come in any order with gaps of any width', () => {
    const log = logWith(7_000_000_000, 5, 4_000, 1_000_000, 6, 130);
    expect(takeAll(log)).toEqual([5, 6, 130, 4_000, 1_000_000, 7_000_000_000]);
    expect([...log].map((message) => message.sequenceNumber)).toEqual([
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

  it('gives a returned message its old place back (RCV-09)', () => {
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
    expect([...log][0]).toBe(head);
    expect([...log]).toHaveLength(100);
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

  it('refuses to remove what it does not hold, and to take back what was never taken', () => {
    const log = logWith(1);
    expect(() => log.remove(messageWithNumber(1))).toThrow('not in the store');
    expect(() => log.giveBack(messageWithNumber(1))).toThrow('never taken');
  });
});
