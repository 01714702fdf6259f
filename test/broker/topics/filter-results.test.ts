// The results of filters for one message: each filter is evaluated once, unless its result is another each time.

import { expect, test } from 'vitest';
import type { MessageView } from '../../../src/broker/rules/message-view.js';
import { RuleCompiler } from '../../../src/broker/rules/rule-compiler.js';
import { RuleEvaluationError, type RuleValue } from '../../../src/broker/rules/rule-value.js';
import { FilterResults } from '../../../src/broker/topics/filter-results.js';

const COMPILER = new RuleCompiler({ nextGuid: () => '0'.repeat(32) });

class CountedMessage implements MessageView {
  readonly #count: RuleValue;
  readCount = 0;

  constructor(count: bigint) {
    this.#count = count;
  }

  system(): RuleValue {
    return null;
  }

  user(): RuleValue {
    this.readCount += 1;
    return this.#count;
  }

  has(): boolean {
    return true;
  }

  spelling(name: string): string {
    return name;
  }

  header(): RuleValue {
    return null;
  }
}

function filter(expression: string) {
  return COMPILER.filter({ kind: 'sql', expression });
}

test('equal filters are evaluated once for a message, and again for the next [TOP-07]', () => {
  const [one, two] = [new CountedMessage(1n), new CountedMessage(2n)];
  for (const [message, isMatch] of [
    [one, true],
    [two, false],
    [one, true],
  ] as const) {
    const results = new FilterResults(message);
    for (let rule = 0; rule < 5; rule++) expect(results.matches(filter('count = 1'))).toBe(isMatch);
  }
  expect([one.readCount, two.readCount]).toEqual([2, 1]);
});

test('a filter that fails is evaluated once and fails for each of its rules', () => {
  const message = new CountedMessage(0n);
  const results = new FilterResults(message);
  for (let rule = 0; rule < 5; rule++) {
    expect(() => results.matches(filter('1 / count = 1'))).toThrow(RuleEvaluationError);
  }
  expect(message.readCount).toBe(1);
});

test('a filter with newid() is evaluated for each of its rules [SQL-19]', () => {
  const message = new CountedMessage(1n);
  const results = new FilterResults(message);
  for (let rule = 0; rule < 5; rule++) results.matches(filter("count = 1 AND newid() <> 'none'"));
  expect(message.readCount).toBe(5);
});
