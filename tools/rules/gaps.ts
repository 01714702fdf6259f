// Which rules in force no test names and which no line of the source cites, as far as can be told without running any.

import type { ProjectFiles } from './project-files.js';
import type { Rule, RuleBook } from './rule-book.js';
import { SourceBreaks } from './source-breaks.js';
import { readTitles } from './titles.js';

export type Gaps = {
  readonly untested: readonly Rule[];
  readonly uncited: readonly Rule[];
};

export function findGaps(project: ProjectFiles, book: RuleBook): Gaps {
  const named = new Set([...readTitles(project).values()].flatMap((ids) => [...ids]));
  const breaks = new SourceBreaks(project);
  const rules = book.inForce.filter(({ comesDownTo }) => comesDownTo.length === 0);
  return {
    untested: rules.filter(({ id }) => !named.has(id)),
    uncited: rules.filter((rule) => breaks.placesOf(rule).length === 0),
  };
}
