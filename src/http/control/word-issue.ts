// Words an invalid value of a request: its name, what it must be, and the value seen.

import type { z } from 'zod';
import { suggestion } from '../../description/suggestion.js';

/** The longest part of a client's value that an error repeats. */
const SHOWN_LENGTH = 100;
const MOST_ISSUES = 5;

/** zod's names of types, in plain words. */
const TYPES: Readonly<Record<string, string>> = {
  string: 'a text',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  array: 'a list',
  object: 'an object',
  record: 'an object',
};

/** The mistakes in one sentence, followed by similar values: ` Did you mean 'active'?`. */
export function wordIssues(issues: readonly z.core.$ZodIssue[], given: unknown): string {
  const first = issues.slice(0, MOST_ISSUES);
  const mistakes = first.map((issue) => wordIssue(issue, given));
  const suggestions = first.map((issue) => {
    const { value } = find(issue.path, given);
    return issue.code === 'invalid_value' && typeof value === 'string'
      ? suggestion(shorten(value), issue.values.map(String))
      : '';
  });
  return `${mistakes.join('; ')}.${suggestions.join('')}`;
}

function wordIssue(issue: z.core.$ZodIssue, given: unknown): string {
  const { where, value } = find(issue.path, given);
  const problem = problemOf(issue);
  if (where === '' && issue.code !== 'invalid_type') return problem;
  const name = where === '' ? 'it' : `'${shorten(where)}'`;
  if (value === undefined) return `${name} is missing: it ${problem}`;
  const seen = shorten(JSON.stringify(value));
  const namesValue = issue.code === 'custom' && problem.includes(seen);
  return namesValue ? `${name} ${problem}` : `${name} ${problem}, not ${seen}`;
}

/** A predicate such as `must be a text`. */
function problemOf(issue: z.core.$ZodIssue): string {
  // Messages of our own schemas are complete; zod's own begin like this.
  if (!/^(Invalid|Too|Unrecognized)/.test(issue.message)) return issue.message;
  switch (issue.code) {
    case 'invalid_value':
      return `must be one of ${issue.values.join(', ')}`;
    case 'invalid_type':
      return `must be ${TYPES[issue.expected] ?? issue.expected}`;
    case 'too_small':
      return `must ${sizeOf(issue.origin)} at least ${issue.minimum}${unitOf(issue.origin)}`;
    case 'too_big':
      return `must ${sizeOf(issue.origin)} at most ${issue.maximum}${unitOf(issue.origin)}`;
    default:
      return shorten(issue.message);
  }
}

function sizeOf(origin: string): string {
  return origin === 'string' || origin === 'array' ? 'have' : 'be';
}

function unitOf(origin: string): string {
  if (origin === 'string') return ' characters';
  return origin === 'array' ? ' values' : '';
}

/** The value at a path. A text in a query that stands for a list is split, as its schema splits it. */
function find(
  path: readonly PropertyKey[],
  given: unknown,
): { readonly where: string; readonly value: unknown } {
  let value = given;
  for (const [index, key] of path.entries()) {
    if (typeof value === 'string' && typeof key === 'number') {
      return { where: path.slice(0, index).map(String).join('.'), value: value.split(',')[key]?.trim() };
    }
    const isThere = typeof value === 'object' && value !== null && Object.hasOwn(value, key);
    value = isThere ? (value as Record<PropertyKey, unknown>)[key] : undefined;
  }
  return { where: path.map(String).join('.'), value };
}

export function shorten(given: string): string {
  return given.length > SHOWN_LENGTH ? `${given.slice(0, SHOWN_LENGTH)}…` : given;
}
