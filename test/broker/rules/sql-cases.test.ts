// The tables of hand-written cases, one test each.

import { describe, expect, it } from 'vitest';
import { ServiceBusError } from '../../../src/broker/contract/service-bus-error.js';
import { compileFilter } from '../../../src/broker/rules/compile-filter.js';
import { RuleEvaluationError } from '../../../src/broker/rules/rule-value.js';
import { MESSAGE, PARAMETERS } from './case-message.js';
import { countingGuids, RuleMessage } from './rule-message.js';
import { describeOutcome, type SqlOutcome } from './sql-case.js';
import { CONDITION_CASES } from './sql-condition-cases.js';
import { VALUE_CASES } from './sql-value-cases.js';

const CASES = [VALUE_CASES, CONDITION_CASES].flatMap((table) => Object.entries(table));

for (const [id, cases] of CASES) {
  describe(id, () => {
    for (const [expression, outcome] of cases) {
      it(`${expression} ${describeOutcome(outcome)} [${id}]`, () => expectOutcome(expression, outcome));
    }
  });
}

it('has at least 150 cases', () => {
  expect(CASES.flatMap(([, cases]) => cases).length).toBeGreaterThan(150);
});

function expectOutcome(expression: string, outcome: SqlOutcome): void {
  const compile = () =>
    compileFilter({ kind: 'sql', expression, parameters: PARAMETERS }, { nextGuid: countingGuids() });
  if (typeof outcome === 'object' && 'refused' in outcome) {
    expect(compile).toThrow(ServiceBusError);
    expect(compile).toThrow(outcome.refused);
    return;
  }
  const filter = compile();
  const message = new RuleMessage(MESSAGE);
  if (typeof outcome === 'object') {
    expect(() => filter.evaluate(message)).toThrow(RuleEvaluationError);
    expect(() => filter.matches(message)).toThrow(outcome.fails);
    return;
  }
  expect(filter.evaluate(message)).toBe(outcome === 'unknown' ? undefined : outcome);
  expect(filter.matches(message)).toBe(outcome === true);
}
