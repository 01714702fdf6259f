// Topics in a journal, in a directory and in memory alike: the order of their rows, shared contents, and counters.

import { describe, expect, test } from 'vitest';
import { describeSubscription, describeTopic } from '../../src/broker/contract/entities/topic-description.js';
import type { MessageRecord } from '../../src/broker/contract/event.js';
import type { JournalEvent } from '../../src/engine/ports.js';
import { messageKey } from '../../src/journal/table/rows/keys.js';
import { keep, PLACES, rowOf, started, write } from '../support/journal-places.js';
import {
  contentNumber,
  contentStored,
  counterPut,
  messageIdNoted,
  messagePut,
  messageRecord,
  messageRemoved,
  queuePut,
  rulePut,
  SUBSCRIPTION_STORE_ID,
  subscriptionPut,
  TOPIC_STORE_ID,
  topicPut,
} from '../support/journal-rows.js';

const TOPIC = topicPut();
const SUBSCRIPTION = subscriptionPut();
const ENTITIES = [TOPIC, SUBSCRIPTION] as const;
const PARTITION_SIZE = 2 ** 48;

function topicCounter(nextSequenceNumber: number, partitionId = 0) {
  return counterPut(nextSequenceNumber, { storeId: TOPIC_STORE_ID, partitionId });
}

function subscriptionCounter(nextSequenceNumber: number, partitionId = 0) {
  return counterPut(nextSequenceNumber, { storeId: SUBSCRIPTION_STORE_ID, partitionId });
}

function copyPut(sequenceNumber: number, given: Partial<MessageRecord> = {}) {
  return messagePut(messageRecord(sequenceNumber, given), SUBSCRIPTION_STORE_ID);
}

describe.each(PLACES)('%s', (_, makePlace) => {
  test('entities come back before what belongs to them, in whatever order they were put', async () => {
    const second = subscriptionPut({
      storeId: 15,
      deadLetterStoreId: 16,
      description: describeSubscription('theirs'),
    });
    const queue = queuePut({ storeId: 20, deadLetterStoreId: 21 });
    const events = [
      queue,
      TOPIC,
      SUBSCRIPTION,
      second,
      rulePut('red', {}, SUBSCRIPTION_STORE_ID),
      rulePut('red', {}, 15),
      topicCounter(5),
      subscriptionCounter(2),
      messageIdNoted(4, {}, TOPIC_STORE_ID),
      messagePut(
        messageRecord(4, { state: 2, details: { schedule: { enqueueAt: 9, timeToLiveMs: 1 } } }),
        TOPIC_STORE_ID,
      ),
      copyPut(1),
    ];
    expect((await keep(await makePlace(), [...events].reverse())).stored).toEqual(events);
  });

  test('a message that is no copy has nothing of it in its row', async () => {
    const place = await makePlace();
    await write(place, [...ENTITIES, subscriptionCounter(3), copyPut(1), copyPut(2, { isShared: true })]);
    expect(await rowOf(place, messageKey(SUBSCRIPTION_STORE_ID, 1))).toBe('5000,1,3');
    expect(await rowOf(place, messageKey(SUBSCRIPTION_STORE_ID, 2))).toBe('5000,2,3,,,8,');
  });

  test('a content that copies share is kept until the last of them is gone', async () => {
    const place = await makePlace();
    const shared = { contentId: 9, isShared: true };
    await write(
      place,
      [...ENTITIES, subscriptionCounter(4), contentStored(9)],
      [copyPut(1, shared), copyPut(2, shared), copyPut(3, shared)],
      [messageRemoved(1, SUBSCRIPTION_STORE_ID), messageRemoved(3, SUBSCRIPTION_STORE_ID)],
    );
    const journal = await started(place);
    expect(new Uint8Array(journal.readContentNow(9))).toEqual(contentNumber(9));
    await journal.append([messageRemoved(2, SUBSCRIPTION_STORE_ID)]);
    await journal.close();
    const next = await started(place);
    expect(() => next.readContentNow(9)).toThrow('content 9 is missing');
    await next.close();
  });

  test('a topic and its subscription have counters of their own [SEQ-05, SEQ-11]', async () => {
    const counters = [topicCounter(3), subscriptionCounter(100)];
    const dead = messagePut(messageRecord(98), SUBSCRIPTION_STORE_ID + 1);
    const { stored } = await keep(await makePlace(), [...ENTITIES, ...counters, copyPut(99), dead]);
    expect(stored).toEqual([...ENTITIES, ...counters, copyPut(99), dead]);
    const events: [JournalEvent, string][] = [
      [copyPut(100), `message 100 of store ${SUBSCRIPTION_STORE_ID} is not below its entity's counter, 100`],
      [
        messagePut(messageRecord(3), TOPIC_STORE_ID),
        `message 3 of store ${TOPIC_STORE_ID} is not below its entity's counter, 3`,
      ],
    ];
    for (const [event, problem] of events) {
      await expect(keep(await makePlace(), [...ENTITIES, ...counters, event])).rejects.toThrow(problem);
    }
  });

  test('the subscriptions of a partitioned topic are partitioned, and of any other they are not [SEQ-06]', async () => {
    const partitioned = topicPut({ description: describeTopic('news', { enablePartitioning: true }) });
    const ofPartition3 = [subscriptionCounter(3 * PARTITION_SIZE + 5, 3), copyPut(3 * PARTITION_SIZE + 4)];
    const kept = await keep(await makePlace(), [partitioned, SUBSCRIPTION, ...ofPartition3]);
    expect(kept.stored.slice(2)).toEqual(ofPartition3);
    await expect(keep(await makePlace(), [...ENTITIES, ...ofPartition3])).rejects.toThrow(
      'of partition 3, where it does not belong',
    );
  });
});
