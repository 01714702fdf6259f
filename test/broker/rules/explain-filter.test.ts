// The explanation of filters: the truth of each part, and the values that it was about.

import { describe, expect, test } from 'vitest';
import type { FilterPart } from '../../../src/broker/contract/inspection.js';
import type { Filter } from '../../../src/broker/contract/rule-description.js';
import { compileFilter } from '../../../src/broker/rules/compile-filter.js';
import { explainFilter } from '../../../src/broker/rules/explain-filter.js';
import { countingGuids, RuleMessage } from './rule-message.js';

const MESSAGE = new RuleMessage({
  system: { Label: 'order.placed', CorrelationId: 'c-1' },
  user: { region: 'EU', total: 18n, coupon: null, 'odd name': true },
});
const environment = { nextGuid: countingGuids() };
const explained = (filter: Filter | string): FilterPart =>
  explainFilter(
    typeof filter === 'string' ? { kind: 'sql', expression: filter } : filter,
    MESSAGE,
    environment,
  );
/** The parts as lines, each with its depth. */
const lines = ({ text, outcome, because, parts }: FilterPart, depth = 0): string[] => [
  `${' '.repeat(depth)}${text} -> ${outcome}${because === '' ? '' : `: ${because}`}`,
  ...parts.flatMap((part) => lines(part, depth + 1)),
];

describe('a part of a filter is explained', () => {
  test.each([
    ["region='DE'", "region = 'DE' -> false: region is 'EU'"],
    ['total >  10', 'total > 10 -> true: total is 18'],
    ['weight > 10', 'weight > 10 -> unknown: weight is missing'],
    ["coupon = 'x'", "coupon = 'x' -> unknown: coupon is null"],
    ["sys.Subject LIKE 'order.%'", "sys.Label LIKE 'order.%' -> true: sys.Label is 'order.placed'"],
    ['sys.To IS NULL', 'sys.To IS NULL -> true: sys.To is not set'],
    ['EXISTS(weight)', 'EXISTS(weight) -> false: weight is missing'],
    ["region IN ('US', 'EU')", "region IN ('US', 'EU') -> true: region is 'EU'"],
    ['total / 0 > 1', 'total / 0 > 1 -> error: 18 cannot be divided by zero'],
    ['[odd name] = TRUE', '[odd name] = TRUE -> true: [odd name] is True'],
    ['total * (2 + 1) > 50', 'total * (2 + 1) > 50 -> true: total is 18'],
  ])('%s', (expression, line) => {
    expect(lines(explained(expression))).toEqual([line]);
  });
});

test('parts that are joined are explained one by one, up to the one that decides', () => {
  expect(lines(explained("region = 'US' AND total > 1"))).toEqual([
    "region = 'US' AND total > 1 -> false",
    " region = 'US' -> false: region is 'EU'",
    ' total > 1 -> skipped',
  ]);
  expect(lines(explained("NOT (weight = 1 OR region = 'EU') OR total = 18"))).toEqual([
    "NOT (weight = 1 OR region = 'EU') OR total = 18 -> true",
    " NOT (weight = 1 OR region = 'EU') -> false",
    "  weight = 1 OR region = 'EU' -> true",
    '   weight = 1 -> unknown: weight is missing',
    "   region = 'EU' -> true: region is 'EU'",
    ' total = 18 -> true: total is 18',
  ]);
});

test('a correlation filter is explained field by field', () => {
  const filter: Filter = {
    kind: 'correlation',
    ...{
      correlationId: 'c-1',
      subject: 'order.shipped',
      properties: { region: 'EU', total: { type: 'int', value: '19' } },
    },
  };
  const { outcome, parts } = explained(filter);
  expect(outcome).toBe('false');
  expect(parts.flatMap((part) => lines(part))).toEqual([
    "sys.CorrelationId = 'c-1' -> true: sys.CorrelationId is 'c-1'",
    "sys.Label = 'order.shipped' -> false: sys.Label is 'order.placed'",
    "region = 'EU' -> true: region is 'EU'",
    'total = 19 -> false: total is 18',
  ]);
});

test('filters that match all or nothing say so', () => {
  expect(lines(explained({ kind: 'true' }))).toEqual(['1=1 -> true']);
  expect(lines(explained({ kind: 'false' }))).toEqual(['1=0 -> false']);
});

test('the explanation of a filter has the outcome of the filter', () => {
  for (const expression of [
    "region = 'EU' AND (total < 20 OR weight = 1)",
    'NOT weight = 1',
    'coupon IS NULL AND weight > 1',
  ]) {
    const truth = compileFilter({ kind: 'sql', expression }, environment).evaluate(MESSAGE);
    expect(explained(expression).outcome).toBe(truth === undefined ? 'unknown' : String(truth));
  }
});
