// A record as JSON: which fields it has, and the two ways to write it, which must be the same.

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ActivityRecord, Client } from '../../src/watch/activity-record.js';
import { jsonOfRecord, jsonTextOfRecord } from '../../src/watch/record-json.js';
import { KINDS, SHAPES } from '../../src/watch/record-kinds.js';

/** The last moment that a `Date` holds, and the first with a year of six digits. */
const [LAST_MS, YEAR_10000] = [8.64e15, Date.UTC(10_000, 0)];

const text = fc.oneof(
  fc.string(),
  fc.string({ unit: 'binary' }),
  fc.constantFrom(
    '',
    '"',
    '\\',
    '\n',
    '\0',
    '\u007f',
    '\u2028',
    '\ud83d\ude00',
    '\ud83d',
    'x\udc00x',
    '</script>',
  ),
);
const number = fc.oneof(fc.integer(), fc.maxSafeNat(), fc.double());
const around = (ms: number) => fc.integer({ min: -2000, max: 2000 }).map((more) => ms + more);
const moment = fc.oneof(
  around(Date.UTC(2026, 1, 28)),
  around(YEAR_10000),
  around(LAST_MS),
  around(0),
  number,
);
const optional = <Value>(value: fc.Arbitrary<Value>) => fc.option(value, { nil: undefined });
const client = fc.record({ connectionId: fc.nat(), name: text, product: optional(text), label: text });

const numberOf = (name: string) => (name === 'lockedUntil' || name === 'enqueueAt' ? moment : number);
const fieldsOf = (names: readonly string[], value: (name: string) => fc.Arbitrary<unknown>) =>
  fc.record(Object.fromEntries(names.map((name) => [name, value(name)])));

const record = fc.constantFrom(...KINDS).chain((kind) => {
  const { numbers, texts } = SHAPES[kind];
  const common = { id: fc.maxSafeNat(), time: moment, kind: fc.constant(kind), client: optional(client) };
  const place = fc.record({ path: text, sequenceNumber: number }, { requiredKeys: [] });
  return fc
    .tuple(
      fc.record(common),
      place,
      fieldsOf(numbers, numberOf),
      fieldsOf(texts, () => optional(text)),
      fc.record({ linkId: optional(fc.nat()) }),
    )
    .map((parts) => Object.assign({}, ...parts) as ActivityRecord);
});

function completed(time: number, client?: Client): ActivityRecord {
  return { id: 7, time, kind: 'completed', client, path: 'orders', sequenceNumber: 1, heldMs: 2, linkId: 3 };
}

describe('the text of a record', () => {
  it('is that of its JSON, for each kind and whatever clients write', () => {
    fc.assert(
      fc.property(fc.array(record, { maxLength: 20 }), (records) => {
        for (const one of records) expect(jsonTextOfRecord(one)).toBe(JSON.stringify(jsonOfRecord(one)));
      }),
      { numRuns: 500 },
    );
  });

  it('has the time of each record, also within one second', () => {
    for (const ms of [0, 7, 10, 99, 100, 999, 1000, 999]) {
      expect(JSON.parse(jsonTextOfRecord(completed(ms)))).toMatchObject({ time: new Date(ms).toISOString() });
    }
  });

  it('has the client of each record', () => {
    for (const connectionId of [1, 2, 1]) {
      const client = { connectionId, name: `c-${connectionId}`, product: undefined, label: 'c' };
      const { product: _, ...known } = client;
      expect(JSON.parse(jsonTextOfRecord(completed(0, client))).client).toEqual(known);
    }
  });
});

it('a field that JSON does not have is left out', () => {
  const record = { ...completed(0), kind: 'renewed', lockedUntil: Number.POSITIVE_INFINITY, lockToken: 'ab' };
  expect(jsonTextOfRecord(record as ActivityRecord)).toBe(
    '{"id":7,"time":"1970-01-01T00:00:00.000Z","kind":"renewed","path":"orders","sequenceNumber":1,"heldMs":2,"linkId":3,"lockToken":"ab"}',
  );
});
