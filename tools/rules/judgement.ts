// What became of a rule whose code was broken, and how that is told.

import type { SourceBreak } from './source-breaks.js';
import type { TestResult } from './test-run.js';

export type Judgement =
  | { readonly kind: 'held'; readonly by: TestResult; readonly break: SourceBreak }
  | { readonly kind: 'unnoticed'; readonly places: readonly string[]; readonly breakCount: number }
  /** Nothing in the code that cites it can be broken in any of our ways. */
  | { readonly kind: 'unbreakable'; readonly places: readonly string[] }
  | { readonly kind: 'uncited' }
  | { readonly kind: 'untested' };

export function tellJudgement(judgement: Judgement): string {
  switch (judgement.kind) {
    case 'held': {
      const { path, line, what } = judgement.break;
      return `is held: ${path}:${line}, ${what}, is noticed by "${judgement.by.fullName}" (${judgement.by.file})`;
    }
    case 'unnoticed':
      return `IS NOT HELD: none of ${judgement.breakCount} breaks of ${judgement.places.join(', ')} was noticed`;
    case 'unbreakable':
      return `IS NOT HELD: there is nothing to break at ${judgement.places.join(', ')}`;
    case 'uncited':
      return 'IS NOT HELD: no line of the source cites it';
    case 'untested':
      return 'IS NOT HELD: no test that passes names it';
    default:
      return judgement satisfies never;
  }
}
