// `npm run languages`: takes the client libraries of other languages through the same scenarios, against the built product.

import { writeFile } from 'node:fs/promises';
import { readOrder, USAGE, UsageError } from './command-line.js';
import { findLanguages } from './language.js';
import { hasFailed, notRunLine, outcomeLine, summary } from './report.js';
import { type LanguageResult, runLanguage } from './run-language.js';
import { startServers } from './servers.js';
import { markdownTable } from './table.js';

const USAGE_EXIT_CODE = 2;
const SCENARIO_LIMIT_MS = 60_000;

process.exitCode = await main(process.argv.slice(2)).catch((error: unknown) => {
  if (!(error instanceof UsageError)) {
    throw error;
  }
  console.error(`${error.message}\n\n${USAGE}`);
  return USAGE_EXIT_CODE;
});

async function main(commandLine: readonly string[]): Promise<number> {
  const { languages, scenarios, required, jitney, table } = readOrder(commandLine, findLanguages());
  const results: LanguageResult[] = [];
  for (const language of languages) {
    let heardAt = performance.now();
    const result = await runLanguage(language, {
      scenarios,
      startServers: () => startServers(jitney),
      timeLimitMs: SCENARIO_LIMIT_MS,
      onOutcome: (id, outcome) => {
        const elapsedMs = performance.now() - heardAt;
        heardAt += elapsedMs;
        console.log(outcomeLine(language, id, { outcome, elapsedMs }));
      },
    });
    const notRun = notRunLine(result);
    if (notRun !== undefined) console.log(notRun);
    results.push(result);
  }
  console.log(summary(results, scenarios));
  if (table !== undefined) await writeFile(table, markdownTable(results, scenarios));
  return hasFailed(results, required) ? 1 : 0;
}
