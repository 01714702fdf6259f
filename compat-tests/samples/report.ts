// The table that `npm run samples` prints: one line a sample, then what the failed ones said.

import type { Outcome, SampleResult } from './run-sample.js';
import { versionOf } from './sdk.js';

const COLUMNS = [44, 13, 6, 9, 7];
const LINES_SHOWN = 20;

export function headline(): string {
  return row(['Sample', 'SDK', 'Auth', 'Exit code', 'Time', 'Outcome']);
}

export function resultLine({ file, way, outcome, run }: SampleResult): string {
  const sdk = way === undefined ? '-' : versionOf(way.sdk);
  const exitCode = run === undefined ? '-' : String(run.exitCode ?? 'none');
  const time = run === undefined ? '-' : `${(run.elapsedMs / 1000).toFixed(1)} s`;
  return row([`${file.name}${file.ending}`, sdk, way?.auth ?? '-', exitCode, time, describe(outcome)]);
}

export function summary(results: readonly SampleResult[]): string {
  const count = (kind: Outcome['kind']) => results.filter(({ outcome }) => outcome.kind === kind).length;
  const failures = results.flatMap(({ file, outcome }) =>
    outcome.kind === 'failed' ? [`\n${file.path} said:\n${indent(outcome.output)}`] : [],
  );
  const counts = `${count('passed')} passed, ${count('failed')} failed, ${count('waits')} wait for a published SDK, ${count('not-known')} not known`;
  return [...failures, `\n${counts}`].join('\n');
}

function describe(outcome: Outcome): string {
  switch (outcome.kind) {
    case 'passed':
      return 'passed';
    case 'failed':
      return `FAILED: ${outcome.why}`;
    case 'waits':
      return `waits for ${outcome.waitsFor}`;
    case 'not-known':
      return 'NOT KNOWN: nobody has said what it needs and must show';
  }
}

function row(cells: readonly string[]): string {
  return cells.map((cell, index) => cell.padEnd(COLUMNS[index] ?? 0)).join(' ');
}

/** The last lines, where the trouble is. */
function indent(text: string): string {
  const lines = text.trimEnd().split('\n');
  const left = lines.length > LINES_SHOWN ? ['...'] : [];
  return [...left, ...lines.slice(-LINES_SHOWN)].map((line) => `  | ${line}`).join('\n');
}
