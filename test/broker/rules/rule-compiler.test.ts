// Equal rules are compiled once, equal filters asked once a message, and application properties read only when needed.

import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { describe, expect, it } from 'vitest';
import type { Filter } from '../../../src/broker/contract/rule-description.js';
import type { MessageView } from '../../../src/broker/rules/message-view.js';
import { RuleCompiler, WeakCache } from '../../../src/broker/rules/rule-compiler.js';
import type { RuleValue } from '../../../src/broker/rules/rule-value.js';
import { FilterResults } from '../../../src/broker/topics/filter-results.js';
import { countingGuids, RuleMessage } from './rule-message.js';

const newCompiler = () => new RuleCompiler({ nextGuid: countingGuids() });
const sql = (expression: string): Filter => ({ kind: 'sql', expression });

describe('a compiler of rules', () => {
  it('makes one function of a thousand equal rules', () => {
    const compiler = newCompiler();
    const filters = Array.from({ length: 1000 }, () => compiler.filter(sql("color = 'red'")));
    expect(new Set(filters).size).toBe(1);
    const actions = Array.from({ length: 1000 }, () =>
      compiler.action({ kind: 'sql', expression: 'SET a = 1' }),
    );
    expect(new Set(actions).size).toBe(1);
  });

  it.each<[string, Filter, Filter]>([
    ['the true filter', { kind: 'true' }, { kind: 'true' }],
    [
      'parameters in another order',
      withParameters({ '@a': 1, '@b': 2 }),
      withParameters({ '@b': 2, '@a': 1 }),
    ],
    [
      'fields and properties in another order',
      { kind: 'correlation', subject: 'a', to: 'b', properties: { x: 'a', y: 'b' } },
      { kind: 'correlation', to: 'b', properties: { y: 'b', x: 'a' }, subject: 'a' },
    ],
  ])('treats as equal: %s', (_, one, other) => {
    const compiler = newCompiler();
    expect(compiler.filter(other)).toBe(compiler.filter(one));
  });

  it.each<[string, Filter, Filter]>([
    ['true and false', { kind: 'true' }, { kind: 'false' }],
    ['texts that differ in case', sql("a = 'x'"), sql("a = 'X'")],
    ['other parameters', withParameters({ '@a': 1, '@b': 2 }), withParameters({ '@a': 2, '@b': 1 })],
    ['a field and another', { kind: 'correlation', subject: 'a' }, { kind: 'correlation', to: 'a' }],
    [
      'a field and a property',
      { kind: 'correlation', to: 'a' },
      { kind: 'correlation', properties: { to: 'a' } },
    ],
    [
      'a text and an integer',
      { kind: 'correlation', properties: { a: '1' } },
      { kind: 'correlation', properties: { a: { type: 'int', value: '1' } } },
    ],
  ])('tells apart: %s', (_, one, other) => {
    const compiler = newCompiler();
    expect(compiler.filter(other)).not.toBe(compiler.filter(one));
  });

  it('keeps nothing of a rule it refuses', () => {
    const compiler = newCompiler();
    for (let count = 0; count < 2; count++)
      expect(() => compiler.filter(sql('a ='))).toThrow('line 1, column 4');
  });

  it('shares nothing with another compiler', () => {
    expect(newCompiler().filter({ kind: 'true' })).not.toBe(newCompiler().filter({ kind: 'true' }));
  });
});

describe('the true and the false filter', () => {
  it('match all and nothing, as 1=1 and 1=0 do [SQL-24]', () => {
    const compiler = newCompiler();
    const message = new RuleMessage({});
    for (const filter of [{ kind: 'true' }, sql('1=1')] as const) {
      expect(compiler.filter(filter).matches(message)).toBe(true);
    }
    for (const filter of [{ kind: 'false' }, sql('1=0')] as const) {
      expect(compiler.filter(filter).evaluate(message)).toBe(false);
    }
  });
});

describe('application properties', () => {
  it.each<[string, boolean]>([
    ["sys.Label = 'a' AND EXISTS(sys.To) AND sys.To IS NULL AND newid() <> p('sys.Label')", false],
    ["color = 'a'", true],
    ['1 = 1 OR EXISTS(color)', true],
    ['color IS NULL', true],
    ["p('color') = 1", true],
    ['p(sys.Label) = 1', true],
    ["'a' LIKE sys.Label ESCAPE color", true],
    ["sys.Label LIKE '%a%'", false],
  ])('are needed by %s: %s', (expression, isNeeded) => {
    expect(newCompiler().filter(sql(expression)).usesUserProperties).toBe(isNeeded);
  });

  it('are needed by correlation filters that name some, and by actions that touch them', () => {
    const compiler = newCompiler();
    const needs = (filter: Filter) => compiler.filter(filter).usesUserProperties;
    expect(needs({ kind: 'correlation', subject: 'a' })).toBe(false);
    expect(needs({ kind: 'correlation', properties: { a: 'a' } })).toBe(true);
    expect(needs({ kind: 'true' })).toBe(false);
    const actionNeeds = (expression: string) =>
      compiler.action({ kind: 'sql', expression }).usesUserProperties;
    expect(actionNeeds("SET sys.Label = 'a'; REMOVE sys.To")).toBe(false);
    expect(actionNeeds('SET sys.Label = a')).toBe(true);
    expect(actionNeeds('SET a = 1')).toBe(true);
    expect(actionNeeds('REMOVE a')).toBe(true);
  });
});

/** Counts how often its label is read. */
class CountingMessage extends RuleMessage implements MessageView {
  reads = 0;

  override system(): RuleValue {
    this.reads++;
    return 'red';
  }
}

describe('the results of a message', () => {
  it('evaluate equal filters once', () => {
    const compiler = newCompiler();
    const message = new CountingMessage({});
    const results = new FilterResults(message);
    for (let count = 0; count < 1000; count++) {
      expect(results.matches(compiler.filter({ kind: 'correlation', subject: 'red' }))).toBe(true);
      expect(results.matches(compiler.filter(sql("sys.Label = 'blue'")))).toBe(false);
    }
    expect(message.reads).toBe(2);
  });

  it('fail each time they are asked for', () => {
    const filter = newCompiler().filter(sql('sys.Label / 1 = 1 OR 1 / 0 = 1'));
    const message = new CountingMessage({});
    const results = new FilterResults(message);
    for (let count = 0; count < 3; count++) expect(() => results.matches(filter)).toThrow('divided by zero');
    expect(message.reads).toBe(1);
  });

  it('evaluate a filter with newid() each time [SQL-19]', () => {
    const filter = newCompiler().filter(sql("'' + newid() LIKE '%1'"));
    const results = new FilterResults(new RuleMessage({}));
    expect([results.matches(filter), results.matches(filter)]).toEqual([true, false]);
  });
});

describe('a weak cache', () => {
  it('makes a value once while it is in use', () => {
    const cache = new WeakCache<object>();
    const held = cache.get('a', () => ({}));
    expect(cache.get('a', () => ({}))).toBe(held);
    expect(cache.get('b', () => ({}))).not.toBe(held);
    expect(cache.size).toBe(2);
  });

  it('forgets a value that is no longer in use', async () => {
    setFlagsFromString('--expose-gc');
    const collectGarbage = runInNewContext('gc') as () => void;
    const cache = new WeakCache<object>();
    const held = cache.get('held', () => ({}));
    for (let count = 0; count < 200; count++) cache.get(`lost ${count}`, () => ({}));
    await new Promise(setImmediate);
    collectGarbage();
    for (let count = 0; count < 100; count++) cache.get(`new ${count}`, () => ({}));
    expect(cache.size).toBeLessThan(150);
    expect(cache.get('held', () => ({}))).toBe(held);
  });
});

function withParameters(values: Record<string, number>): Filter {
  const parameters = Object.fromEntries(
    Object.entries(values).map(([name, value]) => [name, { type: 'int', value: String(value) }] as const),
  );
  return { kind: 'sql', expression: '@a < @b', parameters };
}
