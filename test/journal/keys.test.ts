// The keys of session states: short, whatever the id of the session, and one for each.

import fc from 'fast-check';
import { expect, test } from 'vitest';
import { AFTER_CONTENTS, parseSessionStateKey, sessionStateKey } from '../../src/journal/keys.js';

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

test('the key of a session state has one length, letters of one byte, and a place behind the contents', () => {
  fc.assert(
    fc.property(storeId, anyId, (store, sessionId) => {
      const key = sessionStateKey(store, sessionId);
      expect(key).toMatch(/^s\d{10}[0-9a-f]{64}$/);
      expect(key >= String(AFTER_CONTENTS.gte)).toBe(true);
    }),
  );
});

test('session states are sorted by their store', () => {
  const keys = [2, 3, 10, 9_999_999_999].map((store) => sessionStateKey(store, 'blue'));
  expect([...keys].reverse().sort()).toEqual(keys);
});
