// The page `docs/clients.md`: which behaviour was seen with which client library, generated from a run.

import type { LanguageResult } from './run-language.js';
import type { Scenario } from './scenarios.js';

const COMMAND = 'npm run languages -- --table docs/clients.md';

export function markdownTable(results: readonly LanguageResult[], scenarios: readonly Scenario[]): string {
  return `${COMMAND} ${results.length} ${scenarios.length}\n`;
}
