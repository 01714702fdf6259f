// The table of `docs/clients.md`: which behaviour was seen with which client library, written from a run of all of them.

import type { Outcome } from './program.js';
import type { LanguageResult } from './run-language.js';
import type { Scenario } from './scenarios.js';

const BEGIN = '<!-- table: npm run languages -- --table docs/clients.md writes it -->\n';
const END = '<!-- end of the table -->\n';

/** The page with this table in place of its own. Throws if the page has no place for one. */
export function withTable(page: string, table: string): string {
  const [before, after] = [page.split(BEGIN)[0], page.split(END)[1]];
  if (before === page || before === undefined || after === undefined) {
    throw new Error(
      `the page has no lines ${BEGIN.trim()} and ${END.trim()}, between which the table belongs`,
    );
  }
  return `${before}${BEGIN}${table}${END}${after}`;
}

/** The part of the page between the marks. */
export function tableOf(page: string): string {
  return page.split(BEGIN)[1]?.split(END)[0] ?? '';
}

export function markdownTable(results: readonly LanguageResult[], scenarios: readonly Scenario[]): string {
  const ran = results.filter(({ language, notRun }) => notRun === undefined && language.run !== undefined);
  const titles = ran.map(({ language }) => language.description.title);
  const rows = scenarios.map(({ id, title }) => [
    title,
    ...ran.map(({ outcomes }) => mark(outcomes.get(id))),
  ]);
  const table = [['', ...titles], ['', ...titles].map(() => '---'), ...rows];
  return `${[
    ...table.map((cells) => `| ${cells.join(' | ')} |`),
    '',
    ...ran.map(remark),
    ...results.flatMap(({ language, notRun }) =>
      notRun === undefined
        ? []
        : [`- **${language.description.title}** was not run: ${firstLine(notRun.why)}.`],
    ),
  ].join('\n')}\n`;
}

function mark(outcome: Outcome | undefined): string {
  switch (outcome?.kind) {
    case undefined:
      return '';
    case 'passed':
      return 'yes';
    case 'failed':
      return '**no**';
    case 'left-out':
      return '-';
  }
}

/** The library with its version, and the reasons why scenarios were left out. */
function remark({ language, outcomes }: LanguageResult): string {
  const { title, library } = language.description;
  const reasons = [...outcomes.values()].flatMap((outcome) =>
    outcome.kind === 'left-out' ? [firstLine(outcome.why)] : [],
  );
  const leftOut = reasons.length === 0 ? '' : `. Left out: ${[...new Set(reasons)].join('; ')}`;
  return `- **${title}**: ${library}${leftOut}`;
}

function firstLine(text: string): string {
  return text.split('\n', 1)[0] ?? '';
}
