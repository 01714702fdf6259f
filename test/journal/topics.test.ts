// What a journal keeps of topics, in a directory and in memory alike: their subscriptions, the rules of these, and copies.

import { describe, expect, test } from 'vitest';
import { describeSubscription, describeTopic } from '../../src/broker/entities/topic-description.js';
import type { MessageRecord } from '../../src/broker/event.js';
import { NEVER } from '../../src/broker/instant.js';
import type { RuleDescription } from '../../src/broker/rules/rule-description.js';
import type { JournalEvent } from '../../src/engine/ports.js';
import { messageKey } from '../../src/journal/keys.js';
import { keep, PLACES, rowOf, write } from '../support/journal-places.js';
import {
  contentNumber,
  contentStored,
  counterPut,
  type Kept,
  messageIdNoted,
  messagePut,
  messageRecord,
  messageRemoved,
  queuePut,
  recover,
  rulePut,
  ruleRemoved,
  SUBSCRIPTION_STORE_ID,
  subscriptionPut,
  subscriptionRemoved,
  TOPIC_STORE_ID,
  topicPut,
  topicRemoved,
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

const RULES: readonly RuleDescription[] = [
  { name: '$Default', filter: { kind: 'true' }, action: undefined },
  { name: '', filter: { kind: 'false' }, action: undefined },
  {
    name: `"quoted" \0\n${'ü'.repeat(40)}`,
    filter: {
      kind: 'sql',
      expression: "color = @color AND note <> 'it''s \\u{1f4e6} \ud83d'",
      parameters: {
        '@color': 'red',
        '@long': { type: 'long', value: '9223372036854775807' },
        '@never': true,
        '@double': { type: 'double', value: 'Infinity' },
        '@time': { type: 'timestamp', value: -62_135_596_800_000 },
        '@id': { type: 'uuid', value: '0123456789abcdef0123456789abcdef' },
      },
    },
    action: { kind: 'sql', expression: "SET sys.Label = 'new'; REMOVE color" },
  },
  {
    name: 'correlation',
    filter: {
      kind: 'correlation',
      correlationId: '',
      messageId: 'm',
      to: 't',
      replyTo: 'r',
      subject: 's',
      sessionId: 'i',
      replyToSessionId: 'j',
      contentType: 'c',
      properties: { never: true, type: 'timestamp', count: { type: 'int', value: '-1' } },
    },
    action: { kind: 'sql', expression: 'SET a = @a', parameters: { '@a': false } },
  },
  { name: 'matches anything', filter: { kind: 'correlation', properties: {} }, action: undefined },
];

/** They come in no order that says anything. */
function rulesIn({ stored }: Kept) {
  const rules = stored.flatMap((row) => (row.kind === 'rule-put' ? [row.rule.description] : []));
  return rules.sort((one, other) => (one.name < other.name ? -1 : 1));
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
      messagePut(messageRecord(4, { state: 2, schedule: { enqueueAt: 9, timeToLiveMs: 1 } }), TOPIC_STORE_ID),
      copyPut(1),
    ];
    expect((await keep(await makePlace(), [...events].reverse())).stored).toEqual(events);
  });

  test('a topic and a subscription come back with all that was said about them, endless spans included', async () => {
    const topic = topicPut({
      description: describeTopic('Ünlü/news', {
        defaultMessageTimeToLiveMs: 5000,
        requiresDuplicateDetection: true,
        supportOrdering: false,
        status: 'SendDisabled',
        autoDeleteOnIdleMs: NEVER,
        userMetadata: '{"never":true}',
      }),
      createdTime: 0.5,
    });
    const subscription = subscriptionPut({
      description: describeSubscription('Mine', {
        lockDurationMs: 5000,
        requiresSession: true,
        defaultMessageTimeToLiveMs: NEVER,
        deadLetteringOnFilterEvaluationExceptions: false,
        status: 'ReceiveDisabled',
        autoDeleteOnIdleMs: 300_000,
        forwardTo: 'never',
        forwardDeadLetteredMessagesTo: 'orders',
      }),
      updatedTime: 7000.5,
    });
    const { stored } = await keep(await makePlace(), [topic, subscription]);
    expect(stored).toEqual([topic, subscription]);
  });

  test('what is said later of a topic or a subscription takes the place of what was said before', async () => {
    const kept = await keep(
      await makePlace(),
      [TOPIC, SUBSCRIPTION, topicCounter(3), subscriptionCounter(4)],
      [topicPut({ updatedTime: 3000 }), subscriptionPut({ updatedTime: 4000 })],
    );
    expect(kept.stored).toEqual([
      topicPut({ updatedTime: 3000 }),
      subscriptionPut({ updatedTime: 4000 }),
      topicCounter(3),
      subscriptionCounter(4),
    ]);
  });

  test('rules of every kind come back exactly as they were given', async () => {
    const puts = RULES.map((rule) => rulePut(rule.name, { ...rule, createdTime: 3000.5 }));
    const kept = await keep(await makePlace(), [...ENTITIES, ...puts]);
    expect(kept.stored).toHaveLength(ENTITIES.length + RULES.length);
    expect(new Set(kept.stored)).toEqual(new Set([...ENTITIES, ...puts]));
    expect(rulesIn(kept)[0]).toHaveProperty('action', undefined);
  });

  test('a rule of the same name in another case takes the place of the first, and is removed by any [TOP-11]', async () => {
    const place = await makePlace();
    const replaced = await keep(
      place,
      [...ENTITIES, rulePut('Größe'), rulePut('other')],
      [rulePut('GRÖSSE')],
    );
    expect(rulesIn(replaced).map(({ name }) => name)).toEqual(['GRÖSSE', 'Größe', 'other']);
    const again = await keep(place, [rulePut('GRÖßE', { createdTime: 9000 }), ruleRemoved('grösse')]);
    expect(again.stored.filter((row) => row.kind === 'rule-put')).toHaveLength(2);
    expect(rulesIn(again).map(({ name }) => name)).toEqual(['GRÖßE', 'other']);
    expect(rulesIn(await keep(place, [ruleRemoved('OTHER'), ruleRemoved('größe')]))).toEqual([]);
  });

  test('subscriptions have rules of their own under one name', async () => {
    const other = subscriptionPut({ storeId: 15, deadLetterStoreId: 16 });
    const kept = await keep(
      await makePlace(),
      [...ENTITIES, other, rulePut('$Default'), rulePut('$Default', {}, 15)],
      [ruleRemoved('$Default')],
    );
    expect(kept.stored).toEqual([...ENTITIES, other, rulePut('$Default', {}, 15)]);
  });

  test('a topic and all that belongs to it are gone when they were removed, their counters in the same batch as well', async () => {
    const last = 15 * PARTITION_SIZE + 1;
    const put = [
      topicPut({ description: describeTopic('news', { enablePartitioning: true }) }),
      SUBSCRIPTION,
      rulePut('red'),
      topicCounter(last, 15),
      subscriptionCounter(last + 1, 15),
      copyPut(last),
    ];
    const remove = [
      messageRemoved(last, SUBSCRIPTION_STORE_ID),
      ruleRemoved('red'),
      subscriptionRemoved(),
      topicRemoved(),
    ];
    expect((await keep(await makePlace(), put, remove)).stored).toEqual([]);
    expect((await keep(await makePlace(), [...put, ...remove])).stored).toEqual([]);
  });

  test('a subscription made in the place of a removed one numbers its copies anew', async () => {
    const kept = await keep(
      await makePlace(),
      [...ENTITIES, topicCounter(9), subscriptionCounter(8)],
      [subscriptionRemoved(), subscriptionPut({ createdTime: 4000 }), subscriptionCounter(2)],
    );
    expect(kept.stored).toEqual([
      TOPIC,
      subscriptionPut({ createdTime: 4000 }),
      topicCounter(9),
      subscriptionCounter(2),
    ]);
  });

  test('a copy comes back with all that it has beyond a message that was sent', async () => {
    const copies = [
      copyPut(1, {
        isShared: true,
        enqueuedSequenceNumber: Number.MAX_SAFE_INTEGER,
        propertyChanges: [
          { name: 'RuleName', value: '"red"' },
          { name: 'color', value: null },
        ],
        systemChanges: { subject: 'new', messageId: null, timeToLiveMs: 0, scheduledEnqueueTime: null },
      }),
      copyPut(2, { hopCount: 3, deadLetterSource: 'news/Subscriptions/"mine"', enqueuedSequenceNumber: 0 }),
      copyPut(3, { systemChanges: { timeToLiveMs: NEVER, contentType: '' } }),
      copyPut(4, { systemChanges: {}, propertyChanges: [] }),
    ];
    const kept = await keep(await makePlace(), [...ENTITIES, subscriptionCounter(5), ...copies]);
    expect(kept.stored.slice(-4)).toStrictEqual(copies);
  });

  test('a message that is none of that says nothing of it in its row', async () => {
    const place = await makePlace();
    await write(place, [...ENTITIES, subscriptionCounter(3), copyPut(1), copyPut(2, { isShared: true })]);
    const row = '{"enqueuedTime":5000,"contentId":1,"sizeBytes":3';
    expect(await rowOf(place, messageKey(SUBSCRIPTION_STORE_ID, 1))).toBe(`${row}}`);
    expect(await rowOf(place, messageKey(SUBSCRIPTION_STORE_ID, 2))).toBe(
      `${row.replace('"contentId":1', '"contentId":2')},"isShared":true}`,
    );
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
    const journal = await place.open();
    await recover(journal);
    expect(await journal.sweepContents(() => false)).toBe(0);
    expect(new Uint8Array(journal.readContentNow(9))).toEqual(contentNumber(9));
    await journal.append([messageRemoved(2, SUBSCRIPTION_STORE_ID)]);
    await journal.close();
    const next = await place.open();
    await recover(next);
    expect(await next.sweepContents(() => false)).toBe(1);
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
