// From events to rows and back, for events of every shape.

import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  ACCESS_RIGHTS,
  type AuthorizationRule,
} from '../../../../src/broker/contract/entities/authorization-rule.js';
import { describeQueue } from '../../../../src/broker/contract/entities/queue-description.js';
import {
  describeSubscription,
  describeTopic,
} from '../../../../src/broker/contract/entities/topic-description.js';
import type {
  QueueRecord,
  RuleRecord,
  StoredEvent,
  SubscriptionRecord,
  TopicRecord,
} from '../../../../src/broker/contract/event.js';
import { NEVER } from '../../../../src/broker/contract/instant.js';
import { type SystemChanges, withDetails } from '../../../../src/broker/contract/message-properties.js';
import type {
  CorrelationFilter,
  ParameterValue,
  SqlExpression,
} from '../../../../src/broker/contract/rule-description.js';
import type { JournalEvent } from '../../../../src/engine/ports.js';
import { queueKey, sequenceKey } from '../../../../src/journal/table/rows/keys.js';
import { type ReadRow, readRow, writeEvents } from '../../../../src/journal/table/rows/rows.js';
import { BrokerRows } from '../../../support/broker-rows.js';
import {
  counterPut,
  messageIdNoted,
  messagePut,
  messageRecord,
  queuePut,
  queueRemoved,
  rulePut,
  ruleRemoved,
  sessionStatePut,
  sessionStateRemoved,
  subscriptionPut,
  subscriptionRemoved,
  topicPut,
  topicRemoved,
  writerTo,
} from '../../../support/journal-rows.js';
import { countFor } from '../../../support/thorough.js';

/** Rows as the bytes that they are on a disk. */
class Rows {
  readonly #rows = new Map<string, string>();
  readonly writer = writerTo(this.#rows);

  /** By their keys. */
  read(): [string, ReadRow | undefined][] {
    return [...this.#rows].sort().map(([key, row]) => [key, readRow(key, Buffer.from(row).toString())]);
  }
}

/** Of any 16-bit units: control characters, halves of surrogate pairs, all that JSON or UTF-8 could spoil. */
const anyString = fc.string({
  unit: fc.oneof(
    fc.constantFrom('"', '\\', '\0', '\n', '\u2028', '\ud83d', '\udce6', 'é'),
    fc.integer({ min: 0, max: 0xffff }).map((unit) => String.fromCharCode(unit)),
  ),
});
const number = fc.maxSafeNat();
const instant = fc.oneof(fc.maxSafeInteger(), fc.constantFrom(0.5, 2 ** 63, 9.5e300));
const endless = fc.oneof(instant, fc.constant(NEVER));
const change = fc.record({ name: anyString, value: fc.oneof(anyString, fc.uint8Array(), fc.constant(null)) });
const textOrNull = fc.option(anyString, { nil: null });
const systemChanges: fc.Arbitrary<SystemChanges> = fc.record(
  {
    contentType: textOrNull,
    correlationId: textOrNull,
    messageId: textOrNull,
    replyTo: textOrNull,
    replyToSessionId: textOrNull,
    sessionId: textOrNull,
    subject: textOrNull,
    to: textOrNull,
    timeToLiveMs: fc.option(endless, { nil: null }),
    scheduledEnqueueTime: fc.option(endless, { nil: null }),
  },
  { requiredKeys: [] },
);
const details = fc.record(
  {
    generatedMessageId: anyString,
    propertyChanges: fc.array(change),
    systemChanges,
    hopCount: number,
    deadLetterSource: anyString,
    lastHolder: anyString,
    deadLetteredAt: instant,
    destination: anyString,
    copiedTo: fc.record({ storeId: number, copyCount: number }),
  },
  { requiredKeys: [] },
);
const standing = fc.oneof(
  fc.record({ state: fc.constantFrom(0 as const, 1 as const), schedule: fc.constant(undefined) }),
  fc.record({
    state: fc.constant(2 as const),
    schedule: fc.record({ enqueueAt: instant, timeToLiveMs: endless }),
  }),
);
const message = fc
  .record({
    sequenceNumber: number,
    enqueuedTime: instant,
    expiresAt: endless,
    deliveryCount: number,
    wasScheduled: fc.boolean(),
    sessionId: fc.option(anyString, { nil: undefined }),
    contentId: number,
    sizeBytes: number,
    isShared: fc.boolean(),
    enqueuedSequenceNumber: fc.option(number, { nil: undefined }),
    details,
    standing,
  })
  .map(({ standing: { state, schedule }, details, ...rest }) => {
    return { ...rest, state, details: withDetails(details, { schedule }) };
  });
const storeId = fc.integer({ min: 1, max: 9_999_999_999 });

const stores = fc.record({
  createdTime: instant,
  updatedTime: instant,
  storeId,
  deadLetterStoreId: storeId,
});
const authorizationRules: fc.Arbitrary<readonly AuthorizationRule[]> = fc.array(
  fc.record({
    keyName: anyString,
    rights: fc.subarray([...ACCESS_RIGHTS]),
    primaryKey: anyString,
    secondaryKey: anyString,
    claimType: anyString,
    claimValue: anyString,
  }),
  { maxLength: 3 },
);
const otherProperties = fc.option(anyString, { nil: undefined });
const queue: fc.Arbitrary<QueueRecord> = fc
  .tuple(stores, anyString, fc.record({ autoDeleteOnIdleMs: endless, authorizationRules, otherProperties }))
  .map(([record, name, given]) => ({ ...record, type: 'queue', description: describeQueue(name, given) }));
const topic: fc.Arbitrary<TopicRecord> = fc
  .tuple(
    stores,
    anyString,
    fc.record({
      defaultMessageTimeToLiveMs: endless,
      autoDeleteOnIdleMs: endless,
      authorizationRules,
      otherProperties,
    }),
  )
  .map(([record, name, given]) => ({ ...record, type: 'topic', description: describeTopic(name, given) }));
const subscription: fc.Arbitrary<SubscriptionRecord> = fc
  .tuple(
    stores,
    anyString,
    storeId,
    fc.record({ lockDurationMs: instant, autoDeleteOnIdleMs: endless, otherProperties }),
  )
  .map(([record, name, topicStoreId, given]) => ({
    ...record,
    type: 'subscription',
    topicStoreId,
    description: describeSubscription(name, given),
  }));

const parameter: fc.Arbitrary<ParameterValue> = fc.oneof(
  anyString,
  fc.boolean(),
  fc.record({ type: fc.constantFrom('int', 'long', 'double', 'uuid'), value: anyString }),
  fc.record({ type: fc.constant('timestamp' as const), value: fc.maxSafeInteger() }),
);
/** `never` is the word for infinity in other rows. */
const parameters = fc.dictionary(fc.oneof(anyString, fc.constantFrom('never', '@never')), parameter, {
  noNullPrototype: true,
});
const sql: fc.Arbitrary<SqlExpression> = fc.record(
  { kind: fc.constant('sql' as const), expression: anyString, parameters },
  { requiredKeys: ['kind', 'expression'] },
);
const correlation: fc.Arbitrary<CorrelationFilter> = fc.record(
  {
    kind: fc.constant('correlation' as const),
    correlationId: anyString,
    messageId: anyString,
    to: anyString,
    replyTo: anyString,
    subject: anyString,
    sessionId: anyString,
    replyToSessionId: anyString,
    contentType: anyString,
    properties: parameters,
  },
  { requiredKeys: ['kind'] },
);
const rule: fc.Arbitrary<RuleRecord> = fc.record({
  description: fc.record({
    name: anyString,
    filter: fc.oneof(fc.record({ kind: fc.constantFrom('true', 'false') }), sql, correlation),
    action: fc.option(sql, { nil: undefined }),
  }),
  createdTime: instant,
});

const storedEvent: fc.Arbitrary<StoredEvent & JournalEvent> = fc.oneof(
  fc.record({ kind: fc.constant('message-put' as const), storeId, message }),
  fc.record({ kind: fc.constant('entity-put' as const), entity: fc.oneof(queue, topic, subscription) }),
  fc.record({ kind: fc.constant('rule-put' as const), storeId, rule }),
  fc.record({
    kind: fc.constant('message-id-noted' as const),
    storeId,
    noted: fc.record({ duplicateKey: anyString, sequenceNumber: number, acceptedAt: instant }),
  }),
  fc.record({
    kind: fc.constant('sequence-put' as const),
    storeId,
    partitionId: fc.integer({ min: 0, max: 15 }),
    nextSequenceNumber: number,
  }),
  fc.record({
    kind: fc.constant('session-state-put' as const),
    storeId,
    state: fc.record({ sessionId: anyString, contentId: number, sizeBytes: number, updatedTime: instant }),
  }),
  fc.record({
    kind: fc.constant('import-marked' as const),
    storeId,
    importId: fc.integer({ min: 0 }).map((value) => value.toString(16).padStart(64, '0')),
    sourceNumber: number,
  }),
);

test('every event that is stored is read back as it was [DUP-07, DUP-09, TTL-01, TTL-04, SCH-02, SEQ-11, SES-02, SES-15]', () => {
  fc.assert(
    fc.property(storedEvent, (event) => {
      const rows = new Rows();
      writeEvents(rows.writer, [event]);
      expect(rows.read().map(([, row]) => row)).toEqual([event]);
    }),
    { numRuns: countFor(1000, 4000) },
  );
});

test('a property that a later version adds to entities has its default in the rows of this one', () => {
  for (const event of [queuePut(), topicPut(), subscriptionPut()]) {
    const rows = new Map<string, string>();
    writeEvents(writerTo(rows), [event]);
    for (const [key, row] of rows) {
      const value = JSON.parse(row);
      delete value.description.status;
      expect(readRow(key, JSON.stringify(value))).toStrictEqual(event);
    }
  }
});

test.each<Partial<SubscriptionRecord>>([
  { subscriber: { name: 'billing', clientId: 'app', isDurable: true, isShared: false } },
  { subscriber: { name: 'billing', clientId: '', isDurable: true, isShared: undefined } },
  { subscriber: { name: 'billing', clientId: '', isDurable: true, isShared: true, selector: 'a = 1' } },
  { subscriber: { name: 'ab', clientId: '', isDurable: false, isShared: true }, isVolatile: true as const },
])(
  'a subscription of JMS keeps what it is known by, and one that is damaged is not read: %j [JMS-15, JMS-44]',
  (jms) => {
    const rows = new Map<string, string>();
    const event = subscriptionPut(jms);
    writeEvents(writerTo(rows), [event]);
    for (const [key, row] of rows) {
      expect(readRow(key, row)).toEqual(event);
      const value = JSON.parse(row);
      expect(readRow(key, JSON.stringify({ ...value, isVolatile: 1 }))).toBeUndefined();
      for (const damage of [
        { name: 7 },
        { clientId: null },
        { isDurable: 'D' },
        { isShared: 1 },
        { selector: 1 },
      ]) {
        const subscriber = { ...value.subscriber, ...damage };
        expect(readRow(key, JSON.stringify({ ...value, subscriber }))).toBeUndefined();
      }
      expect(readRow(key, JSON.stringify({ ...value, subscriber: 'billing' }))).toBeUndefined();
    }
  },
);

/** Two queues, topics and subscriptions, and few numbers, so that events meet. The store ids of topics are 20 higher, those of subscriptions 40. */
const meetingEvent: fc.Arbitrary<JournalEvent> = fc
  .tuple(fc.constantFrom(1, 3), fc.integer({ min: 1, max: 3 }), fc.integer({ min: 0, max: 16 }), fc.nat(99))
  .map(([store, sequenceNumber, kind, value]): JournalEvent => {
    const messageStore = value % 2 === 0 ? store : store + 1;
    switch (kind) {
      case 0:
        return queuePut({ storeId: store, deadLetterStoreId: store + 1, updatedTime: value });
      case 1:
        return queueRemoved(store);
      case 2:
        return messagePut(messageRecord(sequenceNumber, { deliveryCount: value }), messageStore);
      case 3:
        return { kind: 'message-removed', storeId: messageStore, sequenceNumber };
      case 4:
        return messageIdNoted(sequenceNumber, { acceptedAt: value }, store);
      case 5:
        return { kind: 'message-id-forgotten', storeId: store, sequenceNumber };
      case 6:
        return { kind: 'time-put', now: value };
      case 7:
        return sessionStatePut(`s${sequenceNumber}`, { updatedTime: value }, store);
      case 8:
        return sessionStateRemoved(`s${sequenceNumber}`, store);
      case 9:
        return topicPut({ storeId: store + 20, deadLetterStoreId: store + 21, updatedTime: value });
      case 10:
        return topicRemoved(store + 20);
      case 11:
        return subscriptionPut({ storeId: store + 40, updatedTime: value });
      case 12:
        return subscriptionRemoved(store + 40);
      case 13:
        return rulePut(value % 2 === 0 ? 'Red' : 'rED', { createdTime: value }, store);
      case 14:
        return ruleRemoved('RED', store);
      case 15:
        return {
          kind: 'copies-put',
          message: messageRecord(sequenceNumber, { deliveryCount: value }),
          places: [1, 3, 4].flatMap((at) => [at, sequenceNumber]),
        };
      default:
        return counterPut(value, {
          storeId: store + 20 * (value % 3),
          partitionId: sequenceNumber === 3 ? 15 : sequenceNumber - 1,
        });
    }
  });

test('later events win in any batches, and the rows left are those the broker set last', () => {
  fc.assert(
    fc.property(fc.array(fc.array(meetingEvent, { maxLength: 12 }), { maxLength: 6 }), (batches) => {
      const rows = new Rows();
      const expected = new BrokerRows();
      // The topic of the subscriptions: nothing happens to it.
      for (const events of [[topicPut()], ...batches]) {
        writeEvents(rows.writer, events);
        expected.apply(events);
      }
      const left = new Rows();
      writeEvents(left.writer, expected.stored());
      expect(rows.read().filter(([, row]) => row?.kind !== 'time-put')).toEqual(left.read());
    }),
    { numRuns: 1000 },
  );
});

test('the only counter of an entity without partitions is removed with it, and no others are asked for', () => {
  const deleted: string[] = [];
  const writer = { ...writerTo(new Map()), del: (key: string) => deleted.push(key) };
  writeEvents(writer, [
    { kind: 'entity-removed', type: 'queue', storeId: 1, deadLetterStoreId: 2, isPartitioned: false },
  ]);
  expect(deleted).toEqual([queueKey(1), sequenceKey(1, 0)]);
});
