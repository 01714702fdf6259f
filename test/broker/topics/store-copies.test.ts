// Copies in subscriptions without receivers: kept as numbers, and the subscription is not looked at.

import { expect, test } from 'vitest';
import { AZURE_BEHAVIOUR } from '../../../src/broker/contract/behaviour-options.js';
import {
  describeSubscription,
  describeTopic,
} from '../../../src/broker/contract/entities/topic-description.js';
import { NEVER } from '../../../src/broker/contract/instant.js';
import { LIMITS_OF_TIER } from '../../../src/broker/contract/limits.js';
import { STORE_LOGS } from '../../../src/broker/execution/store-logs.js';
import { Browser } from '../../../src/broker/store/browser.js';
import { ContentReferences } from '../../../src/broker/store/content-references.js';
import { MessageLog } from '../../../src/broker/store/message-log.js';
import type { MessageStore } from '../../../src/broker/store/queue.js';
import { storeCopies } from '../../../src/broker/topics/store-copies.js';
import { type MadeCopy, Subscription, Topic } from '../../../src/broker/topics/topic.js';
import { TurnInProgress } from '../../../src/broker/turn/turn-in-progress.js';
import { messageRecord } from '../../support/journal-rows.js';
import { JsonReader } from '../../support/json-reader.js';

class CountingLog extends MessageLog {
  plainCount = 0;

  override addPlain(...[record, sequenceNumber]: Parameters<MessageLog['addPlain']>): void {
    this.plainCount += 1;
    super.addPlain(record, sequenceNumber);
  }
}

const TIMES = { createdTime: 0, updatedTime: 0 };

/**
 * Stores a copy in a subscription after `prepare`. Returns whether it is kept as numbers, and whether its store is looked at when the
 * turn ends.
 */
function storeCopy(
  prepare: (store: MessageStore) => void,
  given: Parameters<typeof describeSubscription>[1] = {},
  made: MadeCopy = {},
): { readonly isNumbers: boolean; readonly isLookedAt: boolean } {
  const topic = new Topic(
    { type: 'topic', description: describeTopic('events'), ...TIMES, storeId: 1, deadLetterStoreId: 2 },
    STORE_LOGS,
  );
  const description = describeSubscription('audit', given);
  const stores = { topicStoreId: 1, storeId: 3, deadLetterStoreId: 4 };
  const record = { type: 'subscription', description, ...TIMES, ...stores } as const;
  const subscription = new Subscription(topic, record, STORE_LOGS);
  topic.subscriptions.set('audit', subscription);
  const { main } = subscription.queue;
  const log = new CountingLog();
  main.log = log;
  prepare(main);
  const turn = new TurnInProgress(0, AZURE_BEHAVIOUR, new ContentReferences(), undefined, new JsonReader());
  const metadata = messageRecord(1);
  const accepted = { ...metadata, metadata, enqueuedTime: 0, timeToLiveMs: NEVER };
  const copies = [{ subscription, made, rule: undefined }];
  storeCopies(topic.intake, [{ accepted, copies }], LIMITS_OF_TIER.standard, turn);
  const store = made.isDead === true ? subscription.queue.deadLetters : main;
  expect(store.log.count).toBe(1);
  return { isNumbers: log.plainCount === 1, isLookedAt: turn.takeTouched().has(store) };
}

test('a copy without a receiver is kept as numbers, and the subscription is not looked at', () => {
  expect(storeCopy(() => {})).toEqual({ isNumbers: true, isLookedAt: false });
});

test('a copy for a receiver, a browser or a destination is an object, and the subscription is looked at', () => {
  const object = { isNumbers: false, isLookedAt: true };
  const received = storeCopy((store) => {
    store.receiverCount = 1;
  });
  const browsed = storeCopy((store) => {
    store.browsers.add(new Browser(1, store));
  });
  expect([received, browsed]).toEqual([object, object]);
  expect(storeCopy(() => {}, { forwardTo: 'orders' })).toEqual(object);
});

test('the dead-letter queue of a subscription without receivers is looked at: it may have receivers', () => {
  expect(storeCopy(() => {}, {}, { isDead: true })).toEqual({ isNumbers: false, isLookedAt: true });
});

test('the subscription is looked at if the copy expires before all that is due there', () => {
  const given = { defaultMessageTimeToLiveMs: 1000 };
  const lookedAt = [NEVER, 1001, 1000, 1].map((dueAt) => {
    const { isLookedAt } = storeCopy((store) => {
      store.dueAt = dueAt;
    }, given);
    return isLookedAt;
  });
  expect(lookedAt).toEqual([true, true, false, false]);
});
