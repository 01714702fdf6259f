import { expect, it } from 'vitest';
import { sqlProblem } from './sql-problem.js';

it.each([
  [
    'The body is not valid: rule "eu": the filter is invalid at line 1, column 33: found the end, expected a value.',
    { field: 'filter', text: 'Line 1, column 33: found the end, expected a value.' },
  ],
  [
    'The body is not valid: the action is invalid at line 1, column 1: found "x", expected SET or REMOVE.',
    { field: 'action', text: 'Line 1, column 1: found "x", expected SET or REMOVE.' },
  ],
  ["There is a rule 'eu' already.", undefined],
])('%s', (refusal, problem) => {
  expect(sqlProblem(refusal)).toEqual(problem);
});
