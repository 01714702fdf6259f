// `npm run languages`: takes the client libraries of other languages through the same scenarios, and runs the examples with their tests, against the built product.

import { readFile, writeFile } from 'node:fs/promises';
import { type Order, readOrder, USAGE, UsageError } from './command-line.js';
import { EXAMPLE, runExample } from './examples.js';
import { findLanguages, type Language } from './language.js';
import type { Outcome } from './program.js';
import { hasFailed, notRunLine, outcomeLine, summary } from './report.js';
import { type LanguageResult, runLanguage } from './run-language.js';
import { startServers } from './servers.js';
import { markdownTable, withTable } from './table.js';

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
  const order = readOrder(commandLine, findLanguages());
  const { scenarios, required, table } = order;
  const results: LanguageResult[] = [];
  for (const language of order.languages) {
    const result = await runAll(language, order);
    const notRun = notRunLine(result);
    if (notRun !== undefined) console.log(notRun);
    results.push(result);
  }
  console.log(summary(results, scenarios));
  if (table !== undefined) {
    const page = await readFile(table, 'utf8');
    await writeFile(table, withTable(page, markdownTable(results, scenarios)));
  }
  return hasFailed(results, required) ? 1 : 0;
}

/** The scenarios, and behind them the example. */
async function runAll(language: Language, { scenarios, examples, jitney }: Order): Promise<LanguageResult> {
  let heardAt = performance.now();
  const onOutcome = (id: string, outcome: Outcome) => {
    const elapsedMs = performance.now() - heardAt;
    heardAt += elapsedMs;
    console.log(outcomeLine(language, id, { outcome, elapsedMs }));
  };
  const result: LanguageResult =
    scenarios.length === 0
      ? { language, outcomes: new Map() }
      : await runLanguage(language, {
          scenarios,
          startServers: () => startServers(jitney),
          timeLimitMs: SCENARIO_LIMIT_MS,
          onOutcome,
        });
  const example = examples && result.notRun === undefined ? await runExample(language, jitney) : undefined;
  if (example === undefined) return result;
  onOutcome(EXAMPLE, example);
  return { ...result, outcomes: new Map([...result.outcomes, [EXAMPLE, example]]) };
}
