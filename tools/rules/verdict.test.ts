// Which failures of a broken program may be taken for a sign that a test holds a rule.

import { expect, test } from 'vitest';
import type { TestResult } from './test-run.js';
import { findSuspects, isAssertion } from './verdict.js';

const ASSERTION = 'AssertionError: expected 1 to be 2';

function result(title: string, error = ''): TestResult {
  return { file: 'a.test.ts', title, fullName: title, hasPassed: error === '', error, durationMs: 1 };
}

const BEFORE = [result('a rule [AAA-01]'), result('another [AAA-02]')];

test('an assertion that fails in a test of the rule is one', () => {
  const after = [result('a rule [AAA-01]', ASSERTION), result('another [AAA-02]', ASSERTION)];
  expect(findSuspects('AAA-01', BEFORE, after)).toEqual([after[0]]);
});

test('one in a test of another rule is none', () => {
  const after = [result('a rule [AAA-01]'), result('another [AAA-02]', ASSERTION)];
  expect(findSuspects('AAA-01', BEFORE, after)).toEqual([]);
});

test('a test that failed before is none', () => {
  const before = [result('a rule [AAA-01]', ASSERTION)];
  expect(findSuspects('AAA-01', before, before)).toEqual([]);
});

test('another failure is one as well, less sure than an assertion', () => {
  const before = [result('a rule [AAA-01]'), result('the same rule [AAA-01]')];
  const after = [result('a rule [AAA-01]', 'Error: gone'), result('the same rule [AAA-01]', ASSERTION)];
  const suspects = findSuspects('AAA-01', before, after);
  expect(suspects).toEqual([after[1], after[0]]);
  expect(suspects.map(isAssertion)).toEqual([true, false]);
});

test.each(['ReferenceError: a is not defined', 'SyntaxError: Unexpected token'])('never is %s', (error) => {
  const after = [result('a rule [AAA-01]', error), result('another [AAA-02]')];
  expect(findSuspects('AAA-01', BEFORE, after)).toEqual([]);
});

test('a run that came to nothing has none', () => {
  expect(findSuspects('AAA-01', BEFORE, [])).toEqual([]);
});
