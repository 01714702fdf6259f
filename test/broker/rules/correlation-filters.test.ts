// Correlation filters: fields of the broker and application properties that must all be equal.

import { describe, expect, it } from 'vitest';
import type { CorrelationFilter, ParameterValue } from '../../../src/broker/contract/rule-description.js';
import { compileFilter } from '../../../src/broker/rules/compile-filter.js';
import { RuleCompiler } from '../../../src/broker/rules/rule-compiler.js';
import type { RuleValue } from '../../../src/broker/rules/rule-value.js';
import { binary, countingGuids, type MessageValues, RuleMessage, timestamp, uuid } from './rule-message.js';

type Fields = Omit<CorrelationFilter, 'kind'>;

const environment = { nextGuid: countingGuids() };

function matches(fields: Fields, values: MessageValues): boolean {
  return compileFilter({ kind: 'correlation', ...fields }, environment).matches(new RuleMessage(values));
}

const FIELDS = {
  correlationId: 'CorrelationId',
  messageId: 'MessageId',
  to: 'To',
  replyTo: 'ReplyTo',
  subject: 'Label',
  sessionId: 'SessionId',
  replyToSessionId: 'ReplyToSessionId',
  contentType: 'ContentType',
} as const;

const VALUES: readonly string[] = Object.keys(FIELDS);
const ALL_SET = Object.fromEntries(Object.entries(FIELDS).map(([field, property]) => [property, field]));

describe('a correlation filter', () => {
  it.each(Object.entries(FIELDS))('compares %s alone when only that is named [COR-01]', (field, property) => {
    const others = { ...ALL_SET, ...Object.fromEntries(VALUES.map((one) => [one, 'another'])) };
    expect(matches({ [field]: field }, { system: { ...others, [property]: field } })).toBe(true);
    expect(matches({ [field]: field }, { system: { ...ALL_SET, [property]: 'another' } })).toBe(false);
    expect(matches({ [field]: field }, { system: { [property]: field.toUpperCase() } })).toBe(false);
  });

  it('reads a duration of .NET as a duration, and as nothing else [COR-02, SQL-18]', () => {
    const properties = { span: { type: 'duration', value: 'P1DT2H3M0.0000001S' } } as const;
    const ticks = 937_800_000_001n;
    expect(matches({ properties }, { user: { span: { kind: 'duration', ticks } } })).toBe(true);
    for (const span of [{ kind: 'duration', ticks: 1n } as const, ticks, 'P1DT2H3M0.0000001S', null]) {
      expect(matches({ properties }, { user: { span } })).toBe(false);
    }
    const parameters = { '@p': { type: 'duration', value: '-PT1S' } } as const;
    const isLonger = compileFilter({ kind: 'sql', expression: 'span > @p', parameters }, environment);
    expect(isLonger.matches(new RuleMessage({ user: { span: { kind: 'duration', ticks: 0n } } }))).toBe(true);
    expect(isLonger.matches(new RuleMessage({ user: { span: 0n } }))).toBe(false);
  });

  it('refuses an invalid duration, and one that is longer than .NET has [SQL-20]', () => {
    for (const value of ['PT', '1:00', 'P10675200D']) {
      expect(() => matches({ properties: { a: { type: 'duration', value } } }, {})).toThrow(
        'not of type duration',
      );
    }
  });

  it('matches only if all that it names matches [COR-01]', () => {
    const all: Fields = Object.fromEntries(VALUES.map((field) => [field, field]));
    const properties = { color: 'red', size: { type: 'int', value: '2' } } as const;
    const user = { color: 'red', size: 2n, extra: 1n };
    expect(matches({ ...all, properties }, { system: ALL_SET, user })).toBe(true);
    for (const property of Object.values(FIELDS)) {
      expect(matches({ ...all, properties }, { system: { ...ALL_SET, [property]: 'x' }, user })).toBe(false);
    }
    expect(matches({ ...all, properties }, { system: ALL_SET, user: { ...user, size: 3n } })).toBe(false);
    expect(matches({ ...all, properties }, { system: ALL_SET, user: { ...user, color: 'Red' } })).toBe(false);
  });

  it('that names nothing is refused [COR-01]', () => {
    for (const fields of [{}, { properties: {} }]) {
      expect(() => matches(fields, {})).toThrow('names at least one property');
    }
  });

  it('treats an empty text as a text [COR-01]', () => {
    expect(matches({ subject: '' }, { system: { Label: '' } })).toBe(true);
    expect(matches({ subject: '' }, {})).toBe(false);
  });

  it.each<[string, ParameterValue, RuleValue, boolean]>([
    ['a text and the same text', 'a', 'a', true],
    ['a text and another', 'a', 'A', false],
    ['the text 2 and the integer', '2', 2n, false],
    ['the integer 2 and the text', { type: 'int', value: '2' }, '2', false],
    ['an int and an integer', { type: 'int', value: '-2' }, -2n, true],
    [
      'a long and an integer',
      { type: 'long', value: '9223372036854775807' },
      9_223_372_036_854_775_807n,
      true,
    ],
    [
      'a long and one less',
      { type: 'long', value: '9223372036854775807' },
      9_223_372_036_854_775_806n,
      false,
    ],
    ['a whole double and an integer', { type: 'double', value: '2' }, 2n, true],
    ['an int and a whole double', { type: 'int', value: '2' }, 2, true],
    ['a double and a double', { type: 'double', value: '2.5' }, 2.5, true],
    ['infinity and infinity', { type: 'double', value: 'Infinity' }, Number.POSITIVE_INFINITY, true],
    ['true and true', true, true, true],
    ['true and false', true, false, false],
    ['true and the text', true, 'true', false],
    ['true and 1', true, 1n, false],
    ['a time and the same time', { type: 'timestamp', value: 5 }, timestamp(5), true],
    ['a time and another', { type: 'timestamp', value: 5 }, timestamp(6), false],
    ['a time and its number', { type: 'timestamp', value: 5 }, 5n, false],
    [
      'a uuid and the same uuid',
      { type: 'uuid', value: '00112233-4455-6677-8899-AABBCCDDEEFF' },
      uuid(),
      true,
    ],
    ['a uuid and another', { type: 'uuid', value: 'f'.repeat(32) }, uuid(), false],
    ['a text and binary', 'a', binary, false],
  ])('compares %s [COR-02]', (_, expected, value, isEqual) => {
    expect(matches({ properties: { p: expected } }, { user: { p: value } })).toBe(isEqual);
  });

  it('finds application properties whatever the case of their names, the exact one first [COR-02, SQL-05]', () => {
    const properties = { Color: 'red' };
    expect(matches({ properties }, { user: { cOLOR: 'red' } })).toBe(true);
    expect(matches({ properties }, { user: { color: 'red', Color: 'blue' } })).toBe(false);
    expect(matches({ properties }, { user: { color: 'blue', Color: 'red' } })).toBe(true);
  });

  it('does not match what is missing or null [COR-03]', () => {
    expect(matches({ subject: 'null' }, {})).toBe(false);
    expect(matches({ subject: 'null' }, { system: { Label: null } })).toBe(false);
    expect(matches({ properties: { p: 'null' } }, { user: { p: null } })).toBe(false);
    expect(matches({ properties: { p: 'undefined' } }, { user: {} })).toBe(false);
  });

  it('compares fields of the broker as text [COR-04]', () => {
    expect(
      matches({ messageId: '00112233-4455-6677-8899-aabbccddeeff' }, { system: { MessageId: uuid() } }),
    ).toBe(true);
    expect(matches({ messageId: '42' }, { system: { MessageId: 42n } })).toBe(true);
    expect(matches({ correlationId: '42' }, { system: { CorrelationId: 43n } })).toBe(false);
    expect(matches({ messageId: '' }, { system: { MessageId: binary } })).toBe(false);
  });

  it.each<[ParameterValue & object, string]>([
    [{ type: 'int', value: '2.5' }, 'The value "2.5" of \'p\' is not of type int.'],
    [{ type: 'long', value: '9223372036854775808' }, 'is not of type long'],
    [{ type: 'double', value: 'x' }, 'is not of type double'],
    [{ type: 'timestamp', value: 0.5 }, 'is not of type timestamp'],
    [{ type: 'uuid', value: 'abc' }, 'is not of type uuid'],
  ])('is refused with a value that is not of its type [COR-02, SQL-20]', (value, text) => {
    expect(() => matches({ properties: { p: value } }, {})).toThrow(text);
    const sql = { kind: 'sql', expression: 'a = @p', parameters: { '@p': value } } as const;
    expect(() => compileFilter(sql, environment)).toThrow('is not of type');
  });

  it('can have an action, as an SQL filter can [ACT-07]', () => {
    const compiler = new RuleCompiler(environment);
    const action = { kind: 'sql', expression: 'SET a = 1' } as const;
    for (const filter of [
      { kind: 'correlation', subject: 'x' },
      { kind: 'sql', expression: "sys.Label = 'x'" },
      { kind: 'true' },
    ] as const) {
      const rule = compiler.rule({ name: 'r', filter, action });
      const message = new RuleMessage({ system: { Label: 'x' } });
      expect(rule.filter.matches(message)).toBe(true);
      rule.action?.apply(message);
      expect(message.userValues).toEqual({ a: 1n });
    }
    const plain = compiler.rule({ name: 'r', filter: { kind: 'true' }, action: undefined });
    expect(plain.action).toBeUndefined();
  });
});
