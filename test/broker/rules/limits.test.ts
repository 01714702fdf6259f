// How long and how deep an expression may be, and that white space alone is none.

import { describe, expect, it } from 'vitest';
import { compileAction } from '../../../src/broker/rules/compile-action.js';
import { compileFilter } from '../../../src/broker/rules/compile-filter.js';
import { countingGuids, RuleMessage } from './rule-message.js';

const environment = { nextGuid: countingGuids() };
const filterOf = (expression: string) => compileFilter({ kind: 'sql', expression }, environment);
const actionOf = (expression: string) => compileAction({ kind: 'sql', expression }, environment);
const isTrue = (expression: string) => filterOf(expression).matches(new RuleMessage({}));

describe('an expression', () => {
  it('may have 1,024 characters and no more [SQL-21, ACT-06]', () => {
    expect(isTrue('1=1'.padEnd(1024))).toBe(true);
    expect(() => filterOf('1=1'.padEnd(1025))).toThrow(
      'The SQL filter is invalid at line 1, column 1025: the expression has 1025 characters; the most are 1024.',
    );
    expect(() => actionOf('SET a = 1'.padEnd(1024))).not.toThrow();
    expect(() => actionOf('SET a = 1'.padEnd(1025))).toThrow(
      'The SQL action is invalid at line 1, column 1025',
    );
  });

  it.each(['', ' ', '\r\n\t'])('must not be empty, as %j is [SQL-21]', (expression) => {
    expect(() => filterOf(expression)).toThrow('at line 1, column 1: the expression is empty');
    expect(() => actionOf(expression)).toThrow('at line 1, column 1: the expression is empty');
  });

  it.each<[string, (depth: number) => string]>([
    ['brackets', (depth) => `${'('.repeat(depth)}1 = 1${')'.repeat(depth)}`],
    ['brackets of a value', (depth) => `${'('.repeat(depth)}1${')'.repeat(depth)} = 1`],
    ['NOTs', (depth) => `${'NOT '.repeat(depth)} 1 = ${depth % 2 === 0 ? 1 : 2}`],
    ['signs', (depth) => `${'+'.repeat(depth)}1 = 1`],
    ['minus signs', (depth) => `${'- '.repeat(depth)}0 = 0`],
    ['functions', (depth) => `1 = 1 OR ${'p('.repeat(depth)}a${')'.repeat(depth)} = 1`],
    [
      'all of these',
      (depth) => `${'NOT('.repeat(depth / 2)}1 = ${depth % 4 === 0 ? 1 : 2}${')'.repeat(depth / 2)}`,
    ],
  ])('may be nested 64 deep with %s and no deeper [SQL-21]', (_, write) => {
    expect(isTrue(write(64))).toBe(true);
    expect(() => filterOf(write(66))).toThrow(/line 1, column \d+: nested deeper than 64 levels/);
  });

  it('may be as wide as it is long', () => {
    expect(isTrue(`${'1+'.repeat(500)}1=501`)).toBe(true);
    expect(isTrue(`1=1${' OR 1=1'.repeat(140)}`)).toBe(true);
    expect(isTrue(`7 IN (${'1,'.repeat(500)}7)`)).toBe(true);
    expect(isTrue(Array.from({ length: 100 }, () => '(1=1)').join('AND '))).toBe(true);
  });
});

describe('a pattern of LIKE', () => {
  const like = (pattern: string) =>
    compileFilter(
      { kind: 'sql', expression: 'a LIKE @pattern', parameters: { '@pattern': pattern } },
      environment,
    );

  it('may be as long as an expression, wherever it comes from [SQL-14]', () => {
    expect(() => like('a'.repeat(1024))).not.toThrow();
    expect(() => like('a'.repeat(1025))).toThrow('line 1, column 8: the pattern of LIKE has 1025 characters');
    const fromMessage = filterOf("'x' LIKE a");
    expect(fromMessage.matches(new RuleMessage({ user: { a: '%'.repeat(1024) } }))).toBe(true);
    expect(() => fromMessage.matches(new RuleMessage({ user: { a: '%'.repeat(1025) } }))).toThrow(
      'the pattern of LIKE has 1025 characters; the most are 1024',
    );
  });
});
