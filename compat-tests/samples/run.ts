// `npm run samples -- --from <folder>`: runs Microsoft's samples for @azure/service-bus, unmodified, against the built product.

import type { TemporaryDirectory } from '../support/temporary-directory.js';
import { selectSamples, USAGE, UsageError } from './command-line.js';
import { findOfficialSample } from './official-samples.js';
import { headline, resultLine, summary } from './report.js';
import { type Outcome, runSample, type SampleResult } from './run-sample.js';
import type { SampleFile } from './sample-folder.js';
import { createWorkspace } from './workspace.js';

const USAGE_EXIT_CODE = 2;
/** The samples wait more than they work. */
const SAMPLES_AT_ONCE = 4;

process.exitCode = await main(process.argv.slice(2)).catch((error: unknown) => {
  if (!(error instanceof UsageError)) {
    throw error;
  }
  console.error(`${error.message}\n\n${USAGE}`);
  return USAGE_EXIT_CODE;
});

async function main(commandLine: readonly string[]): Promise<number> {
  const { found, chosen } = selectSamples(commandLine);
  await using workspace = await createWorkspace(found);
  console.log(headline());
  const results: SampleResult[] = [];
  for (const started of startAll(chosen, (file) => judge(workspace, file, found))) {
    const result = await started;
    results.push(result);
    console.log(resultLine(result));
  }
  console.log(summary(results));
  return results.some(({ outcome }) => outcome.kind === 'failed') ? 1 : 0;
}

/** The results come in the order of the files, however long each takes. */
function startAll(
  files: readonly SampleFile[],
  start: (file: SampleFile) => Promise<SampleResult>,
): Promise<SampleResult>[] {
  let freePlaceCount = SAMPLES_AT_ONCE;
  const waiting: (() => void)[] = [];
  return files.map(async (file) => {
    if (freePlaceCount === 0) {
      await new Promise<void>((resolve) => waiting.push(resolve));
    } else {
      freePlaceCount--;
    }
    const result = await start(file);
    freePlaceCount++;
    if (waiting.length > 0) {
      freePlaceCount--;
      waiting.shift()?.();
    }
    return result;
  });
}

async function judge(
  workspace: TemporaryDirectory,
  file: SampleFile,
  found: readonly SampleFile[],
): Promise<SampleResult> {
  const notRun = (outcome: Outcome): SampleResult => ({ file, outcome, run: undefined });
  const sample = findOfficialSample(file.name);
  if (sample === undefined) {
    return notRun({ kind: 'not-known' });
  }
  if (sample.kind === 'waits') {
    return notRun({ kind: 'waits', waitsFor: sample.waitsFor });
  }
  const { after = [] } = sample;
  const predecessors = found.filter(({ name, ending }) => ending === file.ending && after.includes(name));
  if (predecessors.length < after.length) {
    return notRun({
      kind: 'failed',
      why: `${after.join(', ')} must run before it and is not there`,
      output: '',
    });
  }
  try {
    return await runSample(workspace, sample, { file, predecessors });
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    return notRun({ kind: 'failed', why: 'it could not be run', output: why });
  }
}
