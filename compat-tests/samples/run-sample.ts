// Runs one known sample against a Jitney of its own and judges what it did.

import { Jitney } from '../support/jitney.js';
import { connect, takeAll } from '../support/service-bus.js';
import type { TemporaryDirectory } from '../support/temporary-directory.js';
import {
  type Expectation,
  QUEUE,
  type Range,
  type RunnableSample,
  sampleEnvironment,
} from './official-samples.js';
import type { SampleFile } from './sample-folder.js';
import { type ProgramRun, runProgram } from './workspace.js';

export type Outcome =
  | { readonly kind: 'passed' }
  | { readonly kind: 'failed'; readonly why: string; readonly output: string }
  | { readonly kind: 'waits'; readonly waitsFor: string }
  | { readonly kind: 'not-known' };

export type SampleResult = {
  readonly file: SampleFile;
  readonly outcome: Outcome;
  /** undefined: it did not run. */
  readonly run: ProgramRun | undefined;
};

/** `predecessors` run first, on the same Jitney: the files of `sample.after`. */
export async function runSample(
  workspace: TemporaryDirectory,
  sample: RunnableSample,
  files: { readonly file: SampleFile; readonly predecessors: readonly SampleFile[] },
): Promise<SampleResult> {
  await using jitney = await Jitney.start({ queues: [QUEUE] });
  const options = { env: sampleEnvironment(jitney.connectionString), timeLimitMs: sample.timeLimitMs };
  for (const predecessor of files.predecessors) {
    const run = await runProgram(workspace, predecessor, options);
    if (run.exitCode !== 0) {
      const why = `${predecessor.name}, which must run before it, ${describeEnd(run)}`;
      return { file: files.file, run: undefined, outcome: { kind: 'failed', why, output: run.output } };
    }
  }
  const run = await runProgram(workspace, files.file, options);
  const why = findPrintFault(run, sample) ?? (await findLeftoverFault(jitney, sample));
  const outcome: Outcome =
    why === undefined ? { kind: 'passed' } : { kind: 'failed', why, output: run.output };
  return { file: files.file, run, outcome };
}

function findPrintFault(run: ProgramRun, { prints = [] }: Expectation): string | undefined {
  if (run.exitCode !== 0) {
    return describeEnd(run);
  }
  for (const { pattern, times } of prints) {
    const count = run.output.match(pattern)?.length ?? 0;
    if (!isWithin(count, times)) {
      return `printed ${pattern} ${count} times instead of ${shown(times)}`;
    }
  }
  return undefined;
}

async function findLeftoverFault(jitney: Jitney, { leaves }: Expectation): Promise<string | undefined> {
  if (leaves === undefined) {
    return undefined;
  }
  await using client = connect(jitney.connectionString);
  const active = (await takeAll(client, QUEUE)).length;
  const deadLettered = (await takeAll(client, QUEUE, 'deadLetter')).length;
  if (isWithin(active, leaves.active) && isWithin(deadLettered, leaves.deadLettered)) {
    return undefined;
  }
  return (
    `left ${active} messages in the queue and ${deadLettered} in the dead-letter queue ` +
    `instead of ${shown(leaves.active)} and ${shown(leaves.deadLettered)}`
  );
}

function isWithin(count: number, { from, to }: Range): boolean {
  return count >= from && count <= to;
}

function shown({ from, to }: Range): string {
  return from === to ? String(from) : `${from} to ${to}`;
}

function describeEnd({ exitCode, elapsedMs }: ProgramRun): string {
  return exitCode === undefined
    ? `was still running after ${Math.round(elapsedMs / 1000)} s`
    : `ended with exit code ${exitCode}`;
}
