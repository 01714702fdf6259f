// The keys of session states and of rules: short, whatever the id or the name, and one for each.

import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  parseRuleKey,
  parseSessionStateKey,
  queueKey,
  ruleKey,
  sequenceKey,
  sessionStateKey,
  subscriptionKey,
  topicKey,
} from '../../../../src/journal/table/rows/keys.js';

/** Of any 16-bit units, halves of surrogate pairs and control characters among them. */
const anyId = fc.string({
  unit: fc.oneof(
    fc.constantFrom('"', '\0', '\ud83d', '\udce6', 'é', 'a', 'A'),
    fc.integer({ min: 0, max: 0xffff }).map((unit) => String.fromCharCode(unit)),
  ),
});
const storeId = fc.integer({ min: 1, max: 9_999_999_999 });

test('the key of a session state names its store, beside the id of its session alone [SES-02]', () => {
  fc.assert(
    fc.property(storeId, anyId, anyId, (store, sessionId, other) => {
      const key = sessionStateKey(store, sessionId);
      expect(parseSessionStateKey(key, sessionId)).toBe(store);
      expect(parseSessionStateKey(key, other)).toBe(other === sessionId ? store : undefined);
    }),
    { numRuns: 1000 },
  );
});

test('each session has a key of its own, however alike their ids look [SES-02]', () => {
  const ids = ['', ' ', '\0', 'A', 'a', '\u00e9', 'e\u0301', '\ud83d', '\udce6', '\ufffd', '\u{1f4e6}'];
  expect(new Set(ids.map((id) => sessionStateKey(1, id))).size).toBe(ids.length);
});

test('the key of a session state has one length and letters of one byte', () => {
  fc.assert(
    fc.property(storeId, anyId, (store, sessionId) => {
      expect(sessionStateKey(store, sessionId)).toMatch(/^s\d{10}[0-9a-f]{64}$/);
    }),
  );
});

test('session states are sorted by their store', () => {
  const keys = [2, 3, 10, 9_999_999_999].map((store) => sessionStateKey(store, 'blue'));
  expect([...keys].reverse().sort()).toEqual(keys);
});

test('the key of a rule names its subscription, beside the name of the rule alone, in any case [TOP-11]', () => {
  fc.assert(
    fc.property(storeId, anyId, anyId, (store, name, other) => {
      const key = ruleKey(store, name);
      const isSame = other.toLowerCase() === name.toLowerCase();
      expect(parseRuleKey(key, name)).toBe(store);
      expect(parseRuleKey(key, name.toLowerCase())).toBe(store);
      expect(parseRuleKey(key, other)).toBe(isSame ? store : undefined);
      expect(ruleKey(store, other) === key).toBe(isSame);
      expect(key).toMatch(/^R\d{10}[0-9a-f]{64}$/);
    }),
    { numRuns: 1000 },
  );
});

test('names that differ in case are one rule, and those that just look alike are not [TOP-11]', () => {
  expect(new Set(['$Default', '$DEFAULT', '$default'].map((name) => ruleKey(1, name))).size).toBe(1);
  expect(new Set(['GRÖSSE', 'größe', 'Grösse'].map((name) => ruleKey(1, name))).size).toBe(2);
  const names = [
    '',
    ' ',
    '\0',
    'a',
    '\u00e9',
    'e\u0301',
    '\ud83d',
    '\udce6',
    '\ufffd',
    '\u{1f4e6}',
    '\ud83da',
  ];
  expect(new Set(names.map((name) => ruleKey(1, name))).size).toBe(names.length);
});

test('entities sort before the rows that belong to them: queues, topics, subscriptions, rules, then counters', () => {
  const most = 9_999_999_999;
  const keys = [
    ...[queueKey(1), queueKey(most), topicKey(1), topicKey(most)],
    ...[subscriptionKey(1), subscriptionKey(2), subscriptionKey(10), subscriptionKey(most)],
    ...[ruleKey(1, 'red'), ruleKey(most, 'red'), sequenceKey(1, 0), sequenceKey(1, 15)],
  ];
  expect([...keys].reverse().sort()).toEqual(keys);
});
