// Runs those tests of a project that name certain rules, and tells how each ended.

import { existsSync, mkdtempSync, readFileSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { idsOfTitle } from './rule-ids.js';
import { runProgram } from './run-program.js';

export type TestResult = {
  /** From the project on. */
  readonly file: string;
  readonly title: string;
  /** With the titles around it. */
  readonly fullName: string;
  readonly hasPassed: boolean;
  /** Why it failed, empty when it passed. */
  readonly error: string;
  readonly durationMs: number;
};

export type TestRun = {
  readonly directory: string;
  readonly files: readonly string[];
  /** Only tests that name one of them are run; all where there are none. */
  readonly ids: readonly string[];
  readonly timeoutMs: number;
};

const VITEST = join('node_modules', 'vitest', 'vitest.mjs');
const TEST_TIMEOUT_MS = 20_000;

/** Nothing when the run took too long or came to nothing. */
export async function runTests({ directory, files, ids, timeoutMs }: TestRun): Promise<TestResult[]> {
  const names = ids.length === 0 ? [] : ['-t', `\\[[^\\]]*\\b(?:${ids.join('|')})\\b[^\\]]*\\]$`];
  const options = ['--maxWorkers=1', `--testTimeout=${TEST_TIMEOUT_MS}`, ...names];
  const folder = mkdtempSync(join(tmpdir(), 'report-'));
  const report = join(folder, 'report.json');
  try {
    const toReport = ['--reporter=json', `--outputFile=${report}`];
    await runProgram([process.execPath, VITEST, 'run', ...files, ...options, ...toReport], {
      directory,
      timeoutMs,
    });
    return existsSync(report) ? readReport(readFileSync(report, 'utf8'), directory) : [];
  } finally {
    rmSync(folder, { recursive: true });
  }
}

type JsonReport = {
  readonly testResults: readonly {
    readonly name: string;
    readonly assertionResults: readonly {
      readonly title: string;
      readonly fullName: string;
      readonly status: string;
      readonly duration?: number | null;
      readonly failureMessages?: readonly string[] | null;
    }[];
  }[];
};

function readReport(text: string, directory: string): TestResult[] {
  const report = JSON.parse(text) as JsonReport;
  return report.testResults.flatMap(({ name, assertionResults }) =>
    assertionResults
      .filter(({ status }) => status === 'passed' || status === 'failed')
      .map(({ title, fullName, status, duration, failureMessages }) => ({
        file: relative(realpathSync(directory), name),
        title,
        fullName,
        hasPassed: status === 'passed',
        error: failureMessages?.[0] ?? '',
        durationMs: duration ?? 0,
      })),
  );
}

export function namesRule({ title }: TestResult, id: string): boolean {
  return idsOfTitle(title).includes(id);
}
