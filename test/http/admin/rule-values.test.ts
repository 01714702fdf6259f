// Values of rules that came another way than over HTTP: whatever the broker holds is told, and can be sent back.

import fc from 'fast-check';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { ParameterValue, RuleParameters } from '../../../src/broker/contract/rule-description.js';
import { countFor } from '../../support/thorough.js';
import { type HttpUnderTest, openHttpUnderTest } from '../support/http-under-test.js';

const ENTITY = 'news/subscriptions/all';
const LIST = '/news/Subscriptions/all/Rules';
const PATH = `${LIST}/mine`;
const LAST = '9999-12-31T23:59:59.9999999Z';
const RUNS = countFor(40, 300);

let http: HttpUnderTest;

beforeEach(async () => {
  http = await openHttpUnderTest({ topics: [{ name: 'news', subscriptions: ['all'] }] });
});

afterEach(async () => {
  expect(http.faults).toEqual([]);
  await http.stop();
});

/** As a program in the process adds it, or AMQP. */
async function addRule(properties: RuleParameters): Promise<void> {
  const rule = { name: 'mine', filter: { kind: 'correlation', properties }, action: undefined } as const;
  expect(await http.engine.ask({ kind: 'add-rule', entityPath: ENTITY, rule })).toEqual({ kind: 'done' });
}

it.each<[what: string, value: ParameterValue, told: string]>([
  ['a time that .NET has not', { type: 'timestamp', value: 8.64e15 }, `dateTime ${LAST}`],
  ['a time that JavaScript has not', { type: 'timestamp', value: 8.64e15 + 1 }, `dateTime ${LAST}`],
  [
    'the last second of the calendar',
    { type: 'timestamp', value: Date.UTC(9999, 11, 31, 23, 59, 59) },
    'dateTime 9999-12-31T23:59:59.0000000Z',
  ],
  ['the first time after it', { type: 'timestamp', value: Date.UTC(10_000, 0) }, `dateTime ${LAST}`],
  [
    'a time before the calendar',
    { type: 'timestamp', value: -8.64e15 - 1 },
    'dateTime 0001-01-01T00:00:00.0000000Z',
  ],
  ['a number that is none', { type: 'double', value: 'NaN' }, 'double NaN'],
  ['infinity', { type: 'double', value: '+Infinity' }, 'double INF'],
  ['less than everything', { type: 'double', value: '-Infinity' }, 'double -INF'],
  ['a double beyond all doubles', { type: 'double', value: '-1e999' }, 'double -INF'],
  ['a double as JavaScript reads it', { type: 'double', value: ' 0x10 ' }, 'double 16'],
  ['an integer with a plus', { type: 'long', value: '+5' }, 'long 5'],
  ['a duration', { type: 'duration', value: 'PT1H' }, 'duration PT1H'],
  [
    'a time with what is no time beside it',
    { type: 'timestamp', value: 0, text: 'x' },
    'dateTime 1970-01-01T00:00:00.0000000Z',
  ],
  ['the largest integer', { type: 'int', value: '9223372036854775807' }, 'long 9223372036854775807'],
  [
    'a uuid without hyphens',
    { type: 'uuid', value: '0123456789ABCDEF0123456789ABCDEF' },
    'guid 01234567-89ab-cdef-0123-456789abcdef',
  ],
  [
    'a uuid with hyphens anywhere',
    { type: 'uuid', value: '0-123456789ABCDEF0123456789ABCDE-F' },
    'guid 01234567-89ab-cdef-0123-456789abcdef',
  ],
  ['a text that XML cannot say', '\u0000\ud800', 'string \ufffd\ufffd'],
])('%s is returned', async (_, value, told) => {
  await addRule({ key: value });
  const { status, text } = await http.ask('GET', LIST);
  expect(status).toBe(200);
  const [, type, said] = /<Value i:type="d6p1:(\w+)"[^>]*>([^<]*)<\/Value>/.exec(text) ?? [];
  expect(`${type} ${said}`).toBe(told);
});

const oddText = fc.oneof(
  fc.constantFrom('', 'x', '1.5', '-', '99999999999999999999', 'Infinity', '0x1f', ' 5 '),
  fc.string(),
);
const value = fc.oneof<fc.Arbitrary<ParameterValue>[]>(
  fc.string({ unit: 'binary' }),
  fc.boolean(),
  fc.record({ type: fc.constantFrom('int', 'long', 'double', 'uuid'), value: oddText }),
  fc.record({ type: fc.constant('double'), value: fc.double().map(String) }),
  fc.record({ type: fc.constant('timestamp'), value: fc.maxSafeInteger() }),
);

it('a parameter that its SQL does not name may have any value: it is returned, and can be sent back unchanged', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(value, { minLength: 1, maxLength: 4 }), async (values) => {
      const parameters = Object.fromEntries(values.map((one, index) => [`@p${index}`, one]));
      const filter = { kind: 'sql', expression: '1=1', parameters } as const;
      const rule = { name: 'mine', filter, action: undefined };
      await http.engine.ask({ kind: 'set-rules', entityPath: ENTITY, rules: [rule] });
      const told = await http.ask('GET', PATH);
      expect(told.status).toBe(200);
      const sentBack = await http.update(PATH, 'RuleDescription', told.xmlOf('RuleDescription') ?? '');
      expect(sentBack.status).toBe(200);
      expect(sentBack.text).toBe(told.text);
    }),
    { numRuns: RUNS },
  );
});
