// What is to be done so that the rules of a subscription are those that are configured.

import { expect, test } from 'vitest';
import type { Filter, RuleDescription } from '../../src/broker/rules/rule-description.js';
import { ruleChanges } from '../../src/config/rule-changes.js';

function rule(name: string, filter: Filter, expression?: string): RuleDescription {
  return { name, filter, action: expression === undefined ? undefined : { kind: 'sql', expression } };
}

const ALL = rule('$Default', { kind: 'true' });
const BLUE = rule('blue', { kind: 'sql', expression: "color = 'blue'" }, 'SET x = 1');

test('rules that are as they should be are left alone, in whatever order and case they are named', () => {
  const kept = [rule('a', { kind: 'correlation', subject: 'x', to: 'y' }), BLUE];
  const wanted = [{ ...BLUE, name: 'BLUE' }, rule('A', { to: 'y', subject: 'x', kind: 'correlation' })];
  expect(ruleChanges(kept, wanted)).toEqual([]);
});

test('a rule that nobody wants any more is removed, and one that is not there is added', () => {
  expect(ruleChanges([ALL], [BLUE])).toEqual([
    { kind: 'remove-rule', name: '$Default' },
    { kind: 'add-rule', rule: BLUE },
  ]);
});

test.each([
  [rule('blue', { kind: 'sql', expression: "color = 'red'" }, 'SET x = 1')],
  [rule('blue', { kind: 'sql', expression: "color = 'blue'" }, 'SET x = 2')],
  [rule('blue', { kind: 'sql', expression: "color = 'blue'" })],
])('a rule that says something else is replaced: %j', (wanted) => {
  expect(ruleChanges([ALL, BLUE], [ALL, wanted])).toEqual([
    { kind: 'remove-rule', name: 'blue' },
    { kind: 'add-rule', rule: wanted },
  ]);
});
