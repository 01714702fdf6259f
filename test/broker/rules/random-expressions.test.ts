// Random pairs of expression and message against an evaluator written from the rules, which shares no code with ours.

import fc from 'fast-check';
import { afterAll, expect, it } from 'vitest';
import type { Truth } from '../../../src/broker/expressions/truth.js';
import { compileFilter } from '../../../src/broker/rules/compile-filter.js';
import { RuleEvaluationError } from '../../../src/broker/rules/rule-value.js';
import { countFor } from '../../support/thorough.js';
import { condition, message, parameters } from './naive/arbitraries.js';
import { NaiveEvaluator } from './naive/evaluator.js';
import { Printer } from './naive/printer.js';
import type { ConditionTree, NaiveMessage, NaiveValue, Outcome } from './naive/tree.js';
import { toMessageValues, toParameter } from './naive/values.js';
import { countingGuids, RuleMessage } from './rule-message.js';

const RUNS = countFor(1200, 26_000);
const MESSAGES = 4;
const MAX_LENGTH = 1024;

const counts: Record<Outcome, number> = { true: 0, false: 0, unknown: 0, fails: 0 };
let pairs = 0;

afterAll(() => console.log(`${pairs} pairs of expression and message: ${JSON.stringify(counts)}`));

it('random filters give random messages the result that the rules define [SQL-09, SQL-15, SQL-17, SQL-18]', () => {
  const messages = fc.array(message, { minLength: MESSAGES, maxLength: MESSAGES });
  fc.assert(
    fc.property(condition, messages, parameters, fc.nat(), (tree, each, values, style) => {
      const expression = new Printer(style).print(tree);
      fc.pre(expression.length <= MAX_LENGTH);
      const evaluate = compiled(expression, values);
      for (const one of each) {
        const expected = expectedOutcome(tree, one, values);
        const outcome = evaluate(one);
        // A comparison by vitest takes longer than all the rest.
        if (outcome !== expected) throw new Error(`${expression} is ${outcome}, and must be ${expected}`);
        counts[expected]++;
        pairs++;
      }
    }),
    { numRuns: RUNS },
  );
  expect(pairs).toBe(RUNS * MESSAGES);
  // Else the expressions say too little.
  for (const count of Object.values(counts)) expect(count).toBeGreaterThan(pairs / 100);
});

function compiled(
  expression: string,
  values: Record<string, NaiveValue>,
): (message: NaiveMessage) => Outcome {
  let nextGuid = countingGuids();
  const named = Object.entries(values).map(([name, value]) => [`@${name}`, toParameter(value)]);
  const filter = compileFilter(
    { kind: 'sql', expression, parameters: Object.fromEntries(named) },
    { nextGuid: () => nextGuid() },
  );
  return (message) => {
    nextGuid = countingGuids();
    try {
      return tell(filter.evaluate(new RuleMessage(toMessageValues(message))));
    } catch (error) {
      if (error instanceof RuleEvaluationError) return 'fails';
      throw error;
    }
  };
}

function tell(truth: Truth): Outcome {
  return truth === undefined ? 'unknown' : truth ? 'true' : 'false';
}

function expectedOutcome(
  tree: ConditionTree,
  message: NaiveMessage,
  values: Record<string, NaiveValue>,
): Outcome {
  return new NaiveEvaluator(message, values, countingGuids()).outcome(tree);
}
