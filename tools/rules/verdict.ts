// Which failures of a broken program show that a test holds the rule, and do not only show that it fell apart.

import { namesRule, type TestResult } from './test-run.js';

/** These say that the program makes no sense any more, and nothing about a rule. */
const FALLEN_APART = /^(?:ReferenceError|SyntaxError)\b/;
const ASSERTION = /^AssertionError\b/;

/** Tests that name the rule, passed before, and fail in a way that may be for the rule's sake; the surest first. */
export function findSuspects(
  id: string,
  before: readonly TestResult[],
  after: readonly TestResult[],
): TestResult[] {
  const keyOf = ({ file, fullName }: TestResult) => `${file} ${fullName}`;
  const passedBefore = new Set(before.filter(({ hasPassed }) => hasPassed).map(keyOf));
  const suspects = after.filter(
    (test) =>
      !test.hasPassed &&
      namesRule(test, id) &&
      passedBefore.has(keyOf(test)) &&
      !FALLEN_APART.test(test.error),
  );
  return suspects.sort((a, b) => Number(isAssertion(b)) - Number(isAssertion(a)));
}

/** An assertion is said by a program that runs; of any other failure one has to see that others still pass. */
export function isAssertion({ error }: TestResult): boolean {
  return ASSERTION.test(error);
}
