// What is not believed of a topic's rows, in a directory and in memory alike: rows that do not fit together, or are not quite
// what is written.

import { describe, expect, test } from 'vitest';
import { describeSubscription } from '../../src/broker/contract/entities/topic-description.js';
import type { MessageRecord } from '../../src/broker/contract/event.js';
import type { JournalEvent } from '../../src/engine/ports.js';
import { messageKey, ruleKey, subscriptionKey, topicKey } from '../../src/journal/table/rows/keys.js';
import { readRow } from '../../src/journal/table/rows/rows.js';
import { keep, PLACES } from '../support/journal-places.js';
import {
  counterPut,
  messagePut,
  messageRecord,
  queuePut,
  rulePut,
  SUBSCRIPTION_STORE_ID,
  sessionStatePut,
  subscriptionPut,
  subscriptionRemoved,
  TOPIC_STORE_ID,
  topicPut,
  topicRemoved,
} from '../support/journal-rows.js';

const TOPIC = topicPut();
const SUBSCRIPTION = subscriptionPut();
const ENTITIES = [TOPIC, SUBSCRIPTION] as const;

function topicCounter(nextSequenceNumber: number) {
  return counterPut(nextSequenceNumber, { storeId: TOPIC_STORE_ID });
}

function subscriptionCounter(nextSequenceNumber: number) {
  return counterPut(nextSequenceNumber, { storeId: SUBSCRIPTION_STORE_ID });
}

function copyPut(sequenceNumber: number, given: Partial<MessageRecord> = {}) {
  return messagePut(messageRecord(sequenceNumber, given), SUBSCRIPTION_STORE_ID);
}

describe.each(PLACES)('%s', (_, makePlace) => {
  test.each<[string, readonly JournalEvent[], string]>([
    [
      'a subscription of no topic',
      [subscriptionPut({ description: describeSubscription('"mine"') })],
      `the subscription "\\"mine\\"": store ${TOPIC_STORE_ID} is not a topic's main store`,
    ],
    [
      'a subscription of a queue',
      [queuePut(), subscriptionPut({ topicStoreId: 1 })],
      "store 1 is not a topic's main store",
    ],
    [
      "a subscription of a topic's dead-letter store",
      [TOPIC, subscriptionPut({ topicStoreId: TOPIC_STORE_ID + 1 })],
      `store ${TOPIC_STORE_ID + 1} is not a topic's main store`,
    ],
    ['a subscription that outlives its topic', [...ENTITIES, topicRemoved()], "is not a topic's main store"],
    [
      'a rule of no subscription',
      [TOPIC, rulePut('"red"')],
      `the rule "\\"red\\"": store ${SUBSCRIPTION_STORE_ID} is not a subscription's main store`,
    ],
    [
      'a rule of a topic',
      [...ENTITIES, rulePut('red', {}, TOPIC_STORE_ID)],
      `store ${TOPIC_STORE_ID} is not a subscription's main store`,
    ],
    [
      "a rule of a subscription's dead-letter queue",
      [...ENTITIES, rulePut('red', {}, SUBSCRIPTION_STORE_ID + 1)],
      `store ${SUBSCRIPTION_STORE_ID + 1} is not a subscription's main store`,
    ],
    [
      'a rule that outlives its subscription',
      [...ENTITIES, rulePut('red'), subscriptionRemoved()],
      "is not a subscription's main store",
    ],
    ['a copy of no subscription', [TOPIC, copyPut(1)], 'store 13 belongs to no entity'],
    ['a copy without a counter', [...ENTITIES, topicCounter(9), copyPut(1)], 'message 1 of store 13 has no'],
    [
      'a counter of a subscription that is gone',
      [...ENTITIES, subscriptionRemoved(), subscriptionCounter(1)],
      "store 13 is not an entity's main store",
    ],
    [
      'a session state of a subscription that is not there',
      [TOPIC, sessionStatePut('blue', {}, SUBSCRIPTION_STORE_ID)],
      "store 13 is not an entity's main store",
    ],
  ])('%s is damage', async (_what, events, problem) => {
    await expect(keep(await makePlace(), [...events])).rejects.toMatchObject({
      kind: 'corrupt',
      message: expect.stringContaining(problem),
    });
  });
});

const RULE = '{"description":{"name":"red","filter":{"kind":"true"}},"createdTime":1}';
const ruleOf = (filter: string, action = '') =>
  RULE.replace('{"kind":"true"}', filter + (action && `,"action":${action}`));
const sqlWith = (parameter: string) => `{"kind":"sql","expression":"1=1","parameters":{"@a":${parameter}}}`;
const TOPIC_ROW =
  '{"description":{"name":"news"},"createdTime":1,"updatedTime":1,"storeId":11,"deadLetterStoreId":12}';
const SUBSCRIPTION_ROW = TOPIC_ROW.replace(
  '"storeId":11,"deadLetterStoreId":12',
  '"topicStoreId":11,"storeId":13,"deadLetterStoreId":14',
);
const KEY = ruleKey(SUBSCRIPTION_STORE_ID, 'red');
const MESSAGE = messageKey(SUBSCRIPTION_STORE_ID, 1);
const messageWith = (more: string) => `5000,1,1{${more}}`;

const DAMAGED: readonly (readonly [string, string, string])[] = [
  ['a topic without a name', topicKey(11), TOPIC_ROW.replace('"name":"news"', '')],
  ['a topic without its time', topicKey(11), TOPIC_ROW.replace('"createdTime":1,', '')],
  ['a topic without its store', topicKey(11), TOPIC_ROW.replace('"storeId":11,', '')],
  ["a topic under another's key", topicKey(10), TOPIC_ROW],
  ['a topic under a key cut short', topicKey(11).slice(0, -1), TOPIC_ROW],
  ['a topic that is no JSON', topicKey(11), TOPIC_ROW.slice(1)],
  [
    'a subscription without its topic',
    subscriptionKey(13),
    SUBSCRIPTION_ROW.replace('"topicStoreId":11,', ''),
  ],
  ['a subscription whose topic is a name', subscriptionKey(13), SUBSCRIPTION_ROW.replace('11', '"news"')],
  ['a topic under the key of a subscription', subscriptionKey(11), TOPIC_ROW],
  ["a subscription under another's key", subscriptionKey(12), SUBSCRIPTION_ROW],
  ['an entity of a kind nobody knows', `QV${topicKey(11).slice(2)}`, TOPIC_ROW],
  ['a rule that is no JSON', KEY, RULE.slice(1)],
  ['a rule without its description', KEY, '{"createdTime":1}'],
  ['a rule without its time', KEY, RULE.replace(',"createdTime":1', '')],
  ['a rule without its name', KEY, RULE.replace('"name":"red",', '')],
  ["a rule under another's name", ruleKey(SUBSCRIPTION_STORE_ID, 'blue'), RULE],
  ['a rule under a key cut short', KEY.slice(0, -1), RULE],
  ['a rule under a key without a digest', KEY.slice(0, 11), RULE],
  ['a rule without a filter', KEY, RULE.replace(',"filter":{"kind":"true"}', '')],
  ['a rule with a filter of a kind nobody knows', KEY, ruleOf('{"kind":"maybe"}')],
  ['a rule with a filter that is a text', KEY, ruleOf('"true"')],
  ['a rule with a condition that is no text', KEY, ruleOf('{"kind":"sql","expression":1}')],
  ['a rule with a condition left out', KEY, ruleOf('{"kind":"sql"}')],
  ['a rule with parameters in a list', KEY, ruleOf('{"kind":"sql","expression":"","parameters":[]}')],
  ['a rule with a parameter that is a number', KEY, ruleOf(sqlWith('1'))],
  ['a rule with a parameter that is null', KEY, ruleOf(sqlWith('null'))],
  ['a rule with a parameter of a type nobody knows', KEY, ruleOf(sqlWith('{"type":"byte","value":"1"}'))],
  ['a rule with an integer that is no text', KEY, ruleOf(sqlWith('{"type":"int","value":1}'))],
  ['a rule with a time that is a text', KEY, ruleOf(sqlWith('{"type":"timestamp","value":"1"}'))],
  ['a rule with an endless time', KEY, ruleOf(sqlWith('{"type":"timestamp","value":1e999}'))],
  ['a rule that compares with a number', KEY, ruleOf('{"kind":"correlation","subject":1}')],
  ['a rule that compares with null', KEY, ruleOf('{"kind":"correlation","to":null}')],
  ['a rule that compares properties in a list', KEY, ruleOf('{"kind":"correlation","properties":[]}')],
  ['a rule with an action that is null', KEY, ruleOf('{"kind":"true"}', 'null')],
  ['a rule with an action that is a filter', KEY, ruleOf('{"kind":"true"}', '{"kind":"true"}')],
  ['a message with less than no hops', MESSAGE, messageWith('"hopCount":-1')],
  ['a message with half a hop', MESSAGE, messageWith('"hopCount":0.5')],
  ['a message with a source that is a number', MESSAGE, messageWith('"deadLetterSource":1')],
  ['a message with system changes in a list', MESSAGE, messageWith('"systemChanges":[]')],
  ['a message with system changes that are null', MESSAGE, messageWith('"systemChanges":null')],
  ['a system change of no property', MESSAGE, messageWith('"systemChanges":{"color":"red"}')],
  ['a subject that is a number', MESSAGE, messageWith('"systemChanges":{"subject":1}')],
  ['a subject that is endless', MESSAGE, messageWith('"systemChanges":{"subject":{"never":true}}')],
  ['a time to live that is a text', MESSAGE, messageWith('"systemChanges":{"timeToLiveMs":"1"}')],
  ['a change that is neither set nor removed', MESSAGE, messageWith('"propertyChanges":[{"name":"a"}]')],
  [
    'a change that is removed by half',
    MESSAGE,
    messageWith('"propertyChanges":[{"name":"a","removed":false}]'),
  ],
];
test('rows that differ from the written form are not read, each', () => {
  for (const [what, key, row] of DAMAGED) expect(readRow(key, row), what).toBeUndefined();
});

test('the original rows are read', () => {
  const rows = [
    [topicKey(11), TOPIC_ROW],
    [subscriptionKey(13), SUBSCRIPTION_ROW],
    [KEY, ruleOf(sqlWith('{"type":"timestamp","value":1}'), sqlWith('"red"'))],
    [MESSAGE, messageWith('"hopCount":1,"systemChanges":{"subject":null}')],
  ] as const;
  for (const [key, row] of rows) expect(readRow(key, row)).toBeDefined();
});
