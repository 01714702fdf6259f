// How copies of a message are stored: as numbers where nobody asks for them, and as one event if they differ in their numbers only.

import { expect, test } from 'vitest';
import type { Event } from '../../../src/broker/contract/event.js';
import { MessageLog } from '../../../src/broker/store/message-log.js';
import type { MessageStore } from '../../../src/broker/store/queue.js';
import type { StoredMessage } from '../../../src/broker/store/stored-message.js';
import { EqualCopies } from '../../../src/broker/topics/equal-copies.js';
import type { TurnInProgress } from '../../../src/broker/turn/turn-in-progress.js';
import { messageRecord } from '../../support/journal-rows.js';

class ToldLog extends MessageLog {
  readonly told: string[] = [];

  override add(message: StoredMessage): void {
    this.told.push(`object ${message.sequenceNumber}`);
    super.add(message);
  }

  override addPlain(...[record, sequenceNumber]: Parameters<MessageLog['addPlain']>): void {
    this.told.push(`numbers ${sequenceNumber}`);
    super.addPlain(record, sequenceNumber);
  }
}

function storeAndCopies() {
  const log = new ToldLog();
  const store = { rowsId: 5, log, add: (message: StoredMessage) => log.add(message) };
  const events: Event[] = [];
  const copies = new EqualCopies({ events } as unknown as TurnInProgress);
  return { store: store as unknown as MessageStore, log, events, copies };
}

test('a plain copy is kept as numbers in a store at rest, and as an object in any other', () => {
  const { store, log, copies } = storeAndCopies();
  const record = messageRecord(1);
  copies.begin(store, record, true);
  expect(copies.put(store, 2, record, true)).toBe(true);
  expect(copies.put(store, 300, record, false)).toBe(true);
  expect(log.told).toEqual(['numbers 1', 'numbers 2', 'object 300']);
  expect([1, 2, 300].map((number) => log.find(number)?.record())).toEqual(
    [1, 2, 300].map((sequenceNumber) => ({ ...record, sequenceNumber })),
  );
});

test('a copy with anything that few have is an object', () => {
  const { store, log, copies } = storeAndCopies();
  copies.begin(store, messageRecord(1, { details: { generatedMessageId: 'made' } }), true);
  expect(log.told).toEqual(['object 1']);
});

test('copies that are equal are one event, and the first that is not begins another', () => {
  const { store, copies, events } = storeAndCopies();
  const record = messageRecord(1);
  const other = messageRecord(3, { expiresAt: 9000 });
  copies.begin(store, record, true);
  copies.put(store, 2, record, true);
  expect(copies.put(store, 3, other, true)).toBe(false);
  copies.begin(store, other, true);
  expect(events).toEqual([
    { kind: 'copies-put', message: record, places: [5, 1, 5, 2] },
    { kind: 'copies-put', message: other, places: [5, 3] },
  ]);
});
