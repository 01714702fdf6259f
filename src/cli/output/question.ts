// Asks before something is deleted. Without a terminal the answer is no.

import { usageError } from './error-report.js';
import type { Write } from './output.js';

/** Throws a JitneyError that names --yes if nobody can answer. */
export async function confirmed(
  question: string,
  {
    stderr,
    isTerminal,
    readAnswer,
  }: { readonly stderr: Write; readonly isTerminal: boolean; readonly readAnswer: () => Promise<string> },
): Promise<boolean> {
  if (!isTerminal) throw usageError(`${question} Give --yes: there is no terminal to ask`);
  stderr(`${question} [y/N] `);
  if (/^y(es)?$/i.test((await readAnswer()).trim())) return true;
  stderr('Nothing is changed\n');
  return false;
}
