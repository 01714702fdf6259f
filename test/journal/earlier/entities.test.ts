// Rows of entities that an earlier version has written: what it did not know of has its default.

import { expect, test } from 'vitest';
import { describeAuthorizationRule } from '../../../src/broker/entities/authorization-rule.js';
import { describeQueue } from '../../../src/broker/entities/queue-description.js';
import { describeSubscription, describeTopic } from '../../../src/broker/entities/topic-description.js';
import type { StoredEvent } from '../../../src/broker/event.js';
import type { JournalEvent } from '../../../src/engine/ports.js';
import { readRow, writeEvents } from '../../../src/journal/rows.js';
import { queuePut, subscriptionPut, topicPut, writerTo } from '../../support/journal-rows.js';

/** What is read of the one row of this event when these were not written to its description. */
function readWithout(event: JournalEvent & StoredEvent, unknown: readonly string[]): unknown {
  const rows = new Map<string, string>();
  writeEvents(writerTo(rows), [event]);
  const [[key, row] = ['', '']] = rows;
  const value = JSON.parse(row);
  for (const name of unknown) delete value.description[name];
  return readRow(key, JSON.stringify(value));
}

const LATER = ['authorizationRules', 'otherProperties'];
const GIVEN = {
  userMetadata: 'kept',
  authorizationRules: [describeAuthorizationRule('all', { rights: ['Listen'] })],
  otherProperties: '<A/>',
};

test('of queues have no authorization rules and no unknown elements', () => {
  const event = queuePut({ description: describeQueue('orders', GIVEN) });
  const expected = queuePut({ description: describeQueue('orders', { userMetadata: 'kept' }) });
  expect(readWithout(event, LATER)).toEqual(expected);
  expect(readWithout(event, [])).toEqual(event);
});

test('of topics have none either', () => {
  const event = topicPut({ description: describeTopic('news', GIVEN) });
  const expected = topicPut({ description: describeTopic('news', { userMetadata: 'kept' }) });
  expect(readWithout(event, LATER)).toEqual(expected);
  expect(readWithout(event, [])).toEqual(event);
});

test('of subscriptions have no unknown elements', () => {
  const { authorizationRules: _, ...given } = GIVEN;
  const event = subscriptionPut({ description: describeSubscription('mine', given) });
  const expected = subscriptionPut({ description: describeSubscription('mine', { userMetadata: 'kept' }) });
  expect(readWithout(event, LATER)).toEqual(expected);
  expect(readWithout(event, [])).toEqual(event);
});

test('of queues and topics may have capitals in their names, which become lower case; a subscription keeps them [ENT-02]', () => {
  const named = <T extends object>(description: T) => ({ ...description, name: 'Mine' });
  const read = [
    queuePut({ description: named(describeQueue('')) }),
    topicPut({ description: named(describeTopic('')) }),
    subscriptionPut({ description: named(describeSubscription('')) }),
  ].map((event) => readWithout(event, []));
  expect(read).toMatchObject([
    { queue: { description: { name: 'mine' } } },
    { topic: { description: { name: 'mine' } } },
    { subscription: { description: { name: 'Mine' } } },
  ]);
});

test('have the present defaults for everything else that they lack', () => {
  const unknown = ['autoDeleteOnIdleMs', 'status'];
  for (const event of [queuePut(), topicPut(), subscriptionPut()]) {
    expect(readWithout(event, unknown)).toStrictEqual(event);
  }
});
