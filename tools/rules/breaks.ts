// Ways to break a stretch of code, each a small change of its text, those that change least of all else first.

import { transformSync } from 'esbuild';
import { findConditions, findDroppable, findEarlyReturns, findValues } from './breaks-of-statements.js';
import { findLiterals, findNumbers, findOperators, findSteps } from './breaks-of-words.js';
import type { MaskedSource, Span } from './masked-source.js';

export type Break = Span & {
  readonly replacement: string;
  /** How much else it changes: 0 is one comparison, 3 a whole function. */
  readonly coarseness: number;
};

/** In the order of their coarseness; those that could not be read, or that change no code, are left out. */
export function findBreaks(source: MaskedSource, code: Span): Break[] {
  const original = compile(source.text);
  const finders = [
    ...[findOperators, findConditions, findNumbers, findSteps, findDroppable],
    ...[findValues, findLiterals, findEarlyReturns],
  ];
  return finders
    .flatMap((find) => find(source, code))
    .filter((one) => {
      const compiled = compile(applyBreak(source.text, one));
      return compiled !== undefined && compiled !== original;
    })
    .sort((a, b) => a.coarseness - b.coarseness);
}

export function applyBreak(text: string, { start, end, replacement }: Break): string {
  return text.slice(0, start) + replacement + text.slice(end);
}

/** "`<=` becomes `<`" */
export function describeBreak(text: string, { start, end, replacement }: Break): string {
  if (start === end) return `${brief(replacement)} is put in`;
  const was = brief(text.slice(start, end));
  return /^;?$/.test(replacement.trim()) ? `${was} is left out` : `${was} becomes ${brief(replacement)}`;
}

const BRIEF_LENGTH = 60;

function brief(text: string): string {
  const line = text.replace(/\s+/g, ' ').trim();
  return line.length > BRIEF_LENGTH ? `\`${line.slice(0, BRIEF_LENGTH)}...\`` : `\`${line}\``;
}

/** Without types, for a change of a type alone breaks nothing; undefined when it cannot be read. */
function compile(text: string): string | undefined {
  try {
    return transformSync(text, { loader: 'ts', minifyWhitespace: true, logLevel: 'silent' }).code;
  } catch {
    return undefined;
  }
}
