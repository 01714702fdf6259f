import { expect, it } from 'vitest';
import { jsonProblem } from './json-problem.js';

it.each([
  ['{"total":18.9,"currency":"EU', 'ends inside a string, column 28'],
  ['{"total":', 'ends too early, column 9'],
  ['{\n  "a": 1\n  "b": 2\n}', /^expected ',' or '}' after property value, line 3, column 3$/],
  ['hello', /^unexpected 'h'/],
])('says of %j what is wrong and where', (text, problem) => {
  if (typeof problem === 'string') expect(jsonProblem(text)).toBe(problem);
  else expect(jsonProblem(text)).toMatch(problem);
});

it.each(['{"a":1}', '"text"', '', ' '])('finds nothing wrong with %j', (text) => {
  expect(jsonProblem(text)).toBeUndefined();
});
