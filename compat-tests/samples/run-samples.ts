// Runs Microsoft's samples for @azure/service-bus, unmodified, against the built product, and tells the outcome of each.

import { readFileSync } from 'node:fs';
import type { TemporaryDirectory } from '../support/temporary-directory.js';
import { selectSamples } from './command-line.js';
import { findOfficialSample, type RunnableSample } from './official-samples.js';
import { headline, resultLine, summary } from './report.js';
import { type Outcome, runSample, type SampleResult, type Way } from './run-sample.js';
import type { SampleFile } from './sample-folder.js';
import { createWorkspace } from './workspace.js';

/** The samples wait more than they work. */
const SAMPLES_AT_ONCE = 4;

/** Gives the exit code; throws a `UsageError` for words that ask for nothing there is. */
export async function runSamples(
  commandLine: readonly string[],
  tell: (text: string) => void,
): Promise<number> {
  const { found, chosen } = selectSamples(commandLine);
  await using workspace = await createWorkspace(found);
  tell(headline());
  const results: SampleResult[] = [];
  for (const started of startAll(chosen.flatMap((file) => plan(workspace, file, found)))) {
    const result = await started;
    results.push(result);
    tell(resultLine(result));
  }
  tell(summary(results));
  return results.some(({ outcome: { kind } }) => kind === 'failed' || kind === 'not-known') ? 1 : 0;
}

/** The results come in the order of the files, however long each takes. */
function startAll(runs: readonly (() => Promise<SampleResult>)[]): Promise<SampleResult>[] {
  let freePlaceCount = SAMPLES_AT_ONCE;
  const waiting: (() => void)[] = [];
  return runs.map(async (run) => {
    if (freePlaceCount === 0) {
      await new Promise<void>((resolve) => waiting.push(resolve));
    } else {
      freePlaceCount--;
    }
    const result = await run();
    freePlaceCount++;
    if (waiting.length > 0) {
      freePlaceCount--;
      waiting.shift()?.();
    }
    return result;
  });
}

/** A run for each of its ways; one that only says why there is none. */
function plan(
  workspace: TemporaryDirectory,
  file: SampleFile,
  found: readonly SampleFile[],
): (() => Promise<SampleResult>)[] {
  const notRun = (outcome: Outcome, way?: Way): SampleResult => ({ file, way, outcome, run: undefined });
  const sample = findOfficialSample(file.name);
  if (sample === undefined) {
    return [async () => notRun({ kind: 'not-known' })];
  }
  if (sample.kind === 'waits') {
    return [async () => notRun({ kind: 'waits', waitsFor: sample.waitsFor })];
  }
  const text = readFileSync(file.path, 'utf8');
  const { after = [], newerVersion } = sample;
  if (newerVersion?.has.test(text) === true) {
    return [async () => notRun({ kind: 'waits', waitsFor: newerVersion.waitsFor })];
  }
  const predecessors = found.filter(({ name, ending }) => ending === file.ending && after.includes(name));
  if (predecessors.length < after.length) {
    const why = `${after.join(', ')} must run before it and is not there`;
    return [async () => notRun({ kind: 'failed', why, output: '' })];
  }
  return waysOf(sample, text).map((way) => async () => {
    try {
      return await runSample(workspace, sample, { file, predecessors }, way);
    } catch (error) {
      const output = error instanceof Error ? error.message : String(error);
      return notRun({ kind: 'failed', why: 'it could not be run', output }, way);
    }
  });
}

/** A sample that logs in with a credential does so once more where that is checked. */
function waysOf({ sdks = ['stable'] }: RunnableSample, text: string): Way[] {
  const auths = /new \w+Credential\(/.test(text) ? (['any', 'strict'] as const) : (['any'] as const);
  return sdks.flatMap((sdk) => auths.map((auth) => ({ sdk, auth })));
}
