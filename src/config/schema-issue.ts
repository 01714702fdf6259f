// What zod finds wrong with a user's Config.json, in our words and without what only zod would say.

import type { z } from 'zod';
import { shown, ValueError } from '../description/value-error.js';

/** What is to be given where one of these is missing. */
const WANTED: Readonly<Record<string, string>> = {
  UserConfig:
    'everything stands in it: { "UserConfig": { "Namespaces": [{ "Queues": [{ "Name": "orders" }] }] } }',
  Namespaces: 'give a list of one namespace, such as [{ "Queues": [{ "Name": "orders" }] }]',
  Name: 'give it one',
  Properties: 'give at least { "FilterType": "True" }',
  SqlExpression: 'give a text such as "color = \'blue\'"',
};

/** zod's two plain findings in our words; every other one carries its text already. */
export function describeIssue(issue: z.core.$ZodRawIssue): string | undefined {
  if (issue.code !== 'invalid_type') return undefined;
  if (issue.input === undefined) {
    const wanted = WANTED[String(issue.path?.at(-1))];
    return wanted === undefined ? 'is missing' : `is missing: ${wanted}`;
  }
  const expected =
    issue.expected === 'array'
      ? 'a list'
      : `a${/^[aeiou]/.test(issue.expected) ? 'n' : ''} ${issue.expected}`;
  return `must be ${expected}, not ${shown(issue.input)}`;
}

/** A reader's complaints as zod's. */
export function complaintsOf<T>(read: (value: T) => unknown): (value: T, context: z.RefinementCtx) => void {
  return (value, context) => {
    try {
      read(value);
    } catch (error) {
      if (!(error instanceof ValueError)) throw error;
      for (const { path, text } of error.problems) {
        context.addIssue({ code: 'custom', message: text, path: [...path] });
      }
    }
  };
}
