// Actions of rules: what SET and REMOVE do to a copy of a message.

import { describe, expect, it } from 'vitest';
import { compileAction } from '../../../src/broker/rules/compile-action.js';
import { RuleEvaluationError, type RuleValue } from '../../../src/broker/rules/rule-value.js';
import { binary, countingGuids, type MessageValues, RuleMessage, timestamp, uuid } from './rule-message.js';

function apply(expression: string, values: MessageValues = {}): RuleMessage {
  const parameters = {
    '@int': { type: 'int', value: '8' },
    '@time': { type: 'timestamp', value: 0 },
  } as const;
  const action = compileAction({ kind: 'sql', expression, parameters }, { nextGuid: countingGuids() });
  const message = new RuleMessage(values);
  action.apply(message);
  return message;
}

const userAfter = (expression: string, user: Record<string, RuleValue> = {}) =>
  apply(expression, { user }).userValues;
const systemAfter = (expression: string, values: MessageValues = {}) =>
  apply(expression, values).systemValues;

describe('statements', () => {
  it.each([
    ['SET a = 1; SET b = 2'],
    ['SET a = 1; SET b = 2;'],
    ['SET a = 1, SET b = 2'],
    ['SET a = 1 SET b = 2'],
    ['set user.a = 1\n;\nSet [b]=(1 + 1)'],
    ['SET a = 1; SET c = 3; SET b = 2; REMOVE c,'],
  ])('are separated by semicolons, commas or nothing: %s [ACT-01]', (expression) => {
    expect(userAfter(expression)).toEqual({ a: 1n, b: 2n });
  });

  it.each([
    ['a = 1', "line 1, column 1: found 'a', expected SET or REMOVE"],
    ['SET a = 1;; SET b = 2', "line 1, column 11: found ';', expected SET, REMOVE or the end"],
    ['SET a = 1 b = 2', "line 1, column 11: found 'b', expected ';', SET, REMOVE or the end"],
    ['SET a', "line 1, column 6: found the end, expected '='"],
    ['SET a = ', 'line 1, column 9: found the end, expected a value'],
    ['SET 5 = 1', "line 1, column 5: found '5', expected a name"],
    ['REMOVE', 'line 1, column 7: found the end, expected a name'],
    ['SET a = b = 1', "line 1, column 11: found '='"],
    ['SET a = (b = 1)', "line 1, column 12: found '=', expected an operator or ')'"],
    ['SET a = NOT b', "line 1, column 9: found 'NOT', expected a value"],
    ['SET a = @missing', "line 1, column 9: there is no parameter '@missing'"],
    ['SET a = 1 -- one', 'line 1, column 11: found --'],
  ])('that read %s are refused [ACT-01]', (expression, problem) => {
    expect(() => apply(expression)).toThrow(`The SQL action is invalid at ${problem}`);
  });

  it('run one after the other, each seeing what was done before [ACT-02]', () => {
    expect(userAfter('SET a = 1; SET b = a + 1; SET a = b * 10; REMOVE b; SET c = b', { b: 7n })).toEqual({
      a: 20n,
      c: null,
    });
    const { userValues } = apply("SET sys.Label = 'x'; SET a = sys.Label + '!'");
    expect(userValues).toEqual({ a: 'x!' });
  });

  it('are at most 32 [ACT-06]', () => {
    const statements = (count: number) =>
      Array.from({ length: count }, (_, index) => `SET p${index}=1`).join(';');
    expect(Object.keys(userAfter(statements(32)))).toHaveLength(32);
    expect(Object.keys(userAfter(`${statements(32)};`))).toHaveLength(32);
    expect(() => userAfter(statements(33))).toThrow(/column \d+: more than 32 statements in one action/);
  });

  it('stop at one that fails [ACT-02]', () => {
    const action = compileAction(
      { kind: 'sql', expression: 'SET a = 1; SET b = 1 / 0; SET c = 1' },
      { nextGuid: countingGuids() },
    );
    const message = new RuleMessage({});
    expect(() => action.apply(message)).toThrow(RuleEvaluationError);
    expect(message.userValues).toEqual({ a: 1n });
  });
});

describe('SET of an application property', () => {
  it('creates or overwrites it, whatever the case of its name [ACT-03, SQL-05]', () => {
    expect(userAfter("SET a = 'x'; SET COLOR = 'red'; SET [two words] = TRUE", { color: 'blue' })).toEqual({
      color: 'red',
      a: 'x',
      'two words': true,
    });
  });

  it('accepts any value [ACT-03]', () => {
    const expression =
      'SET a = 1.5; SET b = newid(); SET c = @time; SET d = bytes; SET e = @int; SET f = -quantity / 2';
    expect(userAfter(expression, { bytes: binary, quantity: 5n })).toMatchObject({
      a: 1.5,
      b: uuid('00000000000000000000000000000001'),
      c: timestamp(0),
      d: binary,
      e: 8n,
      f: -2n,
    });
  });

  it.each<[string, RuleValue, string, RuleValue]>([
    ['an integer to text', 'old', '5', '5'],
    ['a double to text', 'old', '2.5', '2.5'],
    ['a boolean to text', 'old', 'TRUE', 'True'],
    ['a uuid to text', 'old', 'newid()', '00000000-0000-0000-0000-000000000001'],
    ['a time to text', 'old', '@time', '1970-01-01T00:00:00.000Z'],
    ['text to an integer', 1n, "' 42 '", 42n],
    ['a whole double to an integer', 1n, '2e3', 2000n],
    ['an integer to a double', 1.5, '7', 7],
    ['text to a double', 1.5, "'-2.5e1'", -25],
    ['text to a boolean', false, "'TRUE'", true],
    ['text to a boolean that is false', true, "'false'", false],
    ['text to a uuid', uuid(), "'FFFFFFFF-ffff-ffff-ffff-ffffffffffff'", uuid('f'.repeat(32))],
    ['text to a time', timestamp(5), "'1970-01-02T01:00:00.5+01:00'", timestamp(86_400_500)],
  ])('converts %s to the type that the property had [ACT-03, ACT-04]', (_, existing, value, expected) => {
    expect(userAfter(`SET a = ${value}`, { a: existing })).toEqual({ a: expected });
  });

  it.each<[string, RuleValue, string, RuleValue]>([
    ['text without digits', 1n, "'many'", 'many'],
    ['text beyond 64 bits', 1n, "'9223372036854775808'", '9223372036854775808'],
    ['a double with a fraction', 1n, '2.5', 2.5],
    ['a double beyond 64 bits', 1n, '1e19', 1e19],
    ['a boolean', 1n, 'TRUE', true],
    ['text that is no number', 1.5, "'1.5x'", '1.5x'],
    ['text that is neither true nor false', true, "'yes'", 'yes'],
    ['text that is no uuid', uuid(), "'abc'", 'abc'],
    ['text that is no time', timestamp(0), "'2026-02-30'", '2026-02-30'],
    ['binary', 'old', 'bytes', binary],
    ['anything over binary', binary, '1', 1n],
    ['anything over null', null, '1', 1n],
  ])('takes %s as it is where it cannot be converted [ACT-03]', (_, existing, value, expected) => {
    expect(userAfter(`SET a = ${value}`, { a: existing, bytes: binary })).toMatchObject({ a: expected });
  });

  it('to unknown or null makes it null [ACT-05]', () => {
    expect(userAfter('SET a = missing; SET b = NULL; SET c = missing + 1', { a: 1n })).toEqual({
      a: null,
      b: null,
      c: null,
    });
  });
});

describe('REMOVE', () => {
  it('removes an application property, whatever the case of its name [ACT-03, SQL-05]', () => {
    expect(userAfter('REMOVE COLOR; REMOVE user.[Two Words]', { color: 1n, 'Two Words': 2n, b: 3n })).toEqual(
      {
        b: 3n,
      },
    );
  });

  it('of a missing property is no error [ACT-03]', () => {
    expect(userAfter('REMOVE missing', { b: 3n })).toEqual({ b: 3n });
  });

  it('clears a system property [ACT-03]', () => {
    expect(systemAfter('REMOVE sys.Label', { system: { Label: 'x', To: 'y' } })).toEqual({
      Label: null,
      To: 'y',
    });
  });
});

describe('SET of a system property', () => {
  it('works for the properties that a sender sets [ACT-04]', () => {
    const names = [
      'ContentType',
      'CorrelationId',
      'Label',
      'MessageId',
      'ReplyTo',
      'ReplyToSessionId',
      'SessionId',
      'To',
    ];
    const expression = names.map((name) => `SET sys.${name.toUpperCase()} = '${name}'`).join(';');
    expect(systemAfter(expression)).toEqual(Object.fromEntries(names.map((name) => [name, name])));
    expect(systemAfter("SET sys.Subject = 'x'")).toEqual({ Label: 'x' });
  });

  it.each([
    ...['DeadLetterSource', 'DeliveryCount', 'EnqueuedSequenceNumber', 'EnqueuedTimeUtc', 'ExpiresAtUtc'],
    ...[
      'ForcePersistence',
      'LockedUntilUtc',
      'LockToken',
      'SequenceNumber',
      'Size',
      'State',
      'ViaPartitionKey',
    ],
  ])('is refused for sys.%s, which is read-only [ACT-04]', (name) => {
    expect(() => apply(`SET a = 1;\n SET sys.${name.toLowerCase()} = 1`)).toThrow(
      `line 2, column 2: sys.${name} is read-only`,
    );
    expect(() => apply(`REMOVE sys.${name}`)).toThrow(`line 1, column 1: sys.${name} is read-only`);
  });

  it('is refused for an unknown one [ACT-03]', () => {
    expect(() => apply('SET sys.Colour = 1')).toThrow(
      "line 1, column 9: there is no system property 'Colour'",
    );
    expect(() => apply('REMOVE sys.Colour')).toThrow(
      "line 1, column 12: there is no system property 'Colour'",
    );
    expect(() => apply('SET a = sys.Colour')).toThrow(
      "line 1, column 13: there is no system property 'Colour'",
    );
  });

  it('of a partition key changes nothing [ACT-04]', () => {
    expect(systemAfter("SET sys.PartitionKey = 'x'", { system: { PartitionKey: 'y' } })).toEqual({
      PartitionKey: 'y',
    });
    expect(() => apply('SET sys.PartitionKey = 1 / 0')).toThrow(RuleEvaluationError);
  });

  it('converts other values to text [ACT-04]', () => {
    expect(systemAfter('SET sys.SessionId = newid(); SET sys.Label = 5; SET sys.To = 1.5')).toEqual({
      SessionId: '00000000-0000-0000-0000-000000000001',
      Label: '5',
      To: '1.5',
    });
    expect(() => apply('SET sys.Label = a', { user: { a: binary } })).toThrow(
      'sys.Label cannot be set to such a value',
    );
  });

  it('takes a time for the scheduled enqueue time [ACT-04]', () => {
    expect(systemAfter('SET sys.ScheduledEnqueueTimeUtc = @time')).toEqual({
      ScheduledEnqueueTimeUtc: timestamp(0),
    });
    expect(systemAfter("SET sys.ScheduledEnqueueTimeUtc = '2026-11-21T10:14:04Z'")).toEqual({
      ScheduledEnqueueTimeUtc: timestamp(1_795_256_044_000),
    });
    expect(() => apply('SET sys.ScheduledEnqueueTimeUtc = 5')).toThrow(RuleEvaluationError);
    expect(() => apply("SET sys.ScheduledEnqueueTimeUtc = 'soon'")).toThrow('cannot be set to soon');
  });

  it.each([
    ['60000', 60_000n],
    ['1.9', 1n],
    ["'250'", 250n],
    ["'00:01:00'", 60_000n],
    ["'1.02:03:04.5'", 93_784_500n],
    ['0', 0n],
  ])('takes %s for the time to live [ACT-04]', (value, expected) => {
    expect(systemAfter(`SET sys.TimeToLive = ${value}`)).toEqual({ TimeToLive: expected });
  });

  it.each(['-1', "'soon'", 'TRUE', '1e300', '@time'])(
    'does not take %s for the time to live [ACT-04]',
    (value) => {
      expect(() => apply(`SET sys.TimeToLive = ${value}`)).toThrow('sys.TimeToLive cannot be set to');
    },
  );

  it('to unknown or null clears it [ACT-05]', () => {
    const values = { system: { Label: 'x', To: 'y', TimeToLive: 5n } };
    expect(
      systemAfter('SET sys.Label = missing; SET sys.To = NULL; SET sys.TimeToLive = missing', values),
    ).toEqual({
      Label: null,
      To: null,
      TimeToLive: null,
    });
  });
});
