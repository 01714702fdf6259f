// Which rules are held by tests that passed, said in a few lines.

import type { RuleBook } from './rule-book.js';
import { idsOfTitle } from './rule-ids.js';

export type Coverage = {
  /** "rules: 3 of 4 covered, 2 left for later" */
  readonly summary: string;
  /** Rules in force whose number no passed test has. */
  readonly missing: readonly string[];
  /** Titles that name what they should not. */
  readonly mistakes: readonly string[];
};

export function measureCoverage(book: RuleBook, titlesOfPassed: readonly string[]): Coverage {
  const named = new Set(titlesOfPassed.flatMap(idsOfTitle));
  const inForce = book.inForce;
  const isCovered = (id: string) => named.has(id);
  const covered = inForce.filter((rule) => book.testedBy(rule).every(({ id }) => isCovered(id)));
  const leftCount = book.rules.length - inForce.length;
  return {
    summary: `rules: ${covered.length} of ${inForce.length} covered, ${leftCount} left for later`,
    missing: inForce
      .filter(({ id, comesDownTo }) => comesDownTo.length === 0 && !isCovered(id))
      .map(({ id }) => id),
    mistakes: [...new Set(titlesOfPassed.flatMap((title) => findMistakes(book, title)))],
  };
}

function findMistakes(book: RuleBook, title: string): string[] {
  return idsOfTitle(title).flatMap((id) => {
    const rule = book.find(id);
    if (rule === undefined) return [`"${title}" names ${id}, which is no rule`];
    const subject = rule.comesDownTo.length === 0 ? book.subjectOf(id) : undefined;
    return subject === undefined ? [] : [`"${title}" holds ${id}: take it off the list of "${subject}"`];
  });
}
