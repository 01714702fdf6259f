// What zod finds wrong with a user's Config.json, in our words and without what only zod would say.

import type { z } from 'zod';
import { shown, ValueError } from './value-error.js';

/** zod's two plain findings in our words; every other one carries its text already. */
export function describeIssue(issue: z.core.$ZodRawIssue): string | undefined {
  if (issue.code !== 'invalid_type') return undefined;
  if (issue.input === undefined) return 'is missing';
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
      context.addIssue({ code: 'custom', message: error.message });
    }
  };
}
