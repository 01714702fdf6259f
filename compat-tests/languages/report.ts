// Prints how the languages went: a line for each scenario, the table of behaviours by language, and the counts.

import type { Language } from './language.js';
import type { Outcome } from './program.js';
import type { LanguageResult } from './run-language.js';
import type { Scenario } from './scenarios.js';

const ID_WIDTH = 28;
const COLUMN_WIDTH = 10;

/** The time is that since the line before, and so also that of starting what it ran in. */
export function outcomeLine(
  language: Language,
  id: string,
  { outcome, elapsedMs }: { readonly outcome: Outcome; readonly elapsedMs: number },
): string {
  const time = `${(elapsedMs / 1000).toFixed(1)} s`;
  return `${language.id.padEnd(COLUMN_WIDTH)} ${id.padEnd(ID_WIDTH)} ${time.padStart(COLUMN_WIDTH)}  ${describe(outcome)}`;
}

export function notRunLine({ language, notRun }: LanguageResult): string | undefined {
  if (notRun === undefined) return undefined;
  return `${language.id.padEnd(COLUMN_WIDTH)} ${notRun.isFault ? 'FAILED' : 'left out'}: ${notRun.why}`;
}

/** The table for a terminal, and under it the counts. */
export function summary(results: readonly LanguageResult[], scenarios: readonly Scenario[]): string {
  const ran = results.filter(({ language, notRun }) => notRun === undefined && language.run !== undefined);
  const row = (name: string, cells: readonly string[]) =>
    [name.padEnd(ID_WIDTH), ...cells.map((cell) => cell.padEnd(COLUMN_WIDTH))].join(' ').trimEnd();
  const table = [
    row(
      '',
      ran.map(({ language }) => language.id),
    ),
    ...scenarios.map(({ id }) =>
      row(
        id,
        ran.map(({ outcomes }) => cell(outcomes.get(id))),
      ),
    ),
  ];
  return ['', ...table, '', ...results.map(countLine)].join('\n');
}

function countLine(result: LanguageResult): string {
  const { language, outcomes } = result;
  const count = (kind: Outcome['kind']) => [...outcomes.values()].filter((one) => one.kind === kind).length;
  return (
    notRunLine(result) ??
    `${language.id.padEnd(COLUMN_WIDTH)} ${count('passed')} passed, ${count('failed')} failed, ${count('left-out')} left out (${language.description.library})`
  );
}

/** Whether the run as a whole has failed. */
export function hasFailed(results: readonly LanguageResult[], required: readonly string[]): boolean {
  return results.some(({ language, notRun, outcomes }) =>
    notRun === undefined
      ? [...outcomes.values()].some(({ kind }) => kind === 'failed')
      : notRun.isFault || required.includes(language.id),
  );
}

export function cell(outcome: Outcome | undefined): string {
  switch (outcome?.kind) {
    case undefined:
      return '';
    case 'passed':
      return 'yes';
    case 'failed':
      return 'NO';
    case 'left-out':
      return '-';
  }
}

function describe(outcome: Outcome): string {
  switch (outcome.kind) {
    case 'passed':
      return outcome.detail === undefined ? 'passed' : `passed (${outcome.detail})`;
    case 'failed':
      return `FAILED: ${outcome.why}`;
    case 'left-out':
      return `left out: ${outcome.why}`;
  }
}
