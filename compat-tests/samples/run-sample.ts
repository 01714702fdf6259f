// Runs one known sample against a Jitney of its own and judges what it did.

import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ConnectProxy } from '../support/connect-proxy.js';
import { Jitney } from '../support/jitney.js';
import { connect, sendBodies, takeAll } from '../support/service-bus.js';
import type { TemporaryDirectory } from '../support/temporary-directory.js';
import {
  type Expectation,
  QUEUE,
  QUEUE_WITH_SESSIONS,
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

/** More than any sample leaves. */
const MANY = 100;

/** `predecessors` run first, on the same Jitney: the files of `sample.after`. */
export async function runSample(
  workspace: TemporaryDirectory,
  sample: RunnableSample,
  files: { readonly file: SampleFile; readonly predecessors: readonly SampleFile[] },
): Promise<SampleResult> {
  await using jitney = await Jitney.start({
    queues: [...(sample.makesQueue === true ? [] : [QUEUE]), `${QUEUE_WITH_SESSIONS}?requiresSession=true`],
  });
  await sendWhatItFinds(jitney, sample);
  await using proxy = sample.usesProxy === true ? await ConnectProxy.start() : undefined;
  const place = { ...jitney.address, connectionString: jitney.connectionString, proxy: proxy?.url };
  const env = sampleEnvironment({ ...place, caFile: await saveAuthority(jitney, workspace) });
  const options = { env, timeLimitMs: sample.timeLimitMs };
  for (const predecessor of files.predecessors) {
    const run = await runProgram(workspace, predecessor, options);
    if (run.exitCode !== 0) {
      const why = `${predecessor.name}, which must run before it, ${describeEnd(run)}`;
      return { file: files.file, run: undefined, outcome: { kind: 'failed', why, output: run.output } };
    }
  }
  const { runsUntil } = sample;
  const isDone = runsUntil && ((output: string) => count(output, runsUntil.pattern) >= runsUntil.times);
  const run = await runProgram(workspace, files.file, { ...options, isDone });
  const why = findPrintFault(run, sample) ?? (await findLeftoverFault(jitney, sample));
  const outcome: Outcome =
    why === undefined ? { kind: 'passed' } : { kind: 'failed', why, output: run.output };
  return { file: files.file, run, outcome };
}

/** The file of the certificate authority, as a user would fetch it. */
async function saveAuthority({ address }: Jitney, { path }: TemporaryDirectory): Promise<string> {
  const { host, port } = address;
  const response = await fetch(`http://${host}:${port}/ca.pem`);
  if (!response.ok) throw new Error(`/ca.pem is answered ${response.status}`);
  const file = join(path, `ca-${port}.pem`);
  await writeFile(file, await response.text());
  return file;
}

async function sendWhatItFinds(jitney: Jitney, { finds }: RunnableSample): Promise<void> {
  if (finds === undefined) return;
  await using client = connect(jitney.connectionString);
  const bodies = Array.from({ length: finds.messageCount }, (_, index) => `message ${index + 1}`);
  for (let session = 1; session <= finds.sessionCount; session++) {
    await sendBodies(client, QUEUE_WITH_SESSIONS, bodies, { sessionId: `session ${session}` });
  }
}

function findPrintFault(run: ProgramRun, { prints = [], runsUntil }: Expectation): string | undefined {
  const hasEndedWell = runsUntil === undefined ? run.exitCode === 0 : run.wasStopped;
  if (!hasEndedWell) {
    return describeEnd(run);
  }
  for (const { pattern, times } of prints) {
    const found = count(run.output, pattern);
    if (!isWithin(found, times)) {
      return `printed ${pattern} ${found} times instead of ${shown(times)}`;
    }
  }
  return undefined;
}

function count(output: string, pattern: RegExp): number {
  return output.match(pattern)?.length ?? 0;
}

async function findLeftoverFault(jitney: Jitney, sample: RunnableSample): Promise<string | undefined> {
  const { leaves, usesSessions } = sample;
  if (leaves === undefined) {
    return undefined;
  }
  await using client = connect(jitney.connectionString);
  const queue = usesSessions === true ? QUEUE_WITH_SESSIONS : QUEUE;
  const left =
    usesSessions === true
      ? await client.createReceiver(queue).peekMessages(MANY)
      : await takeAll(client, queue);
  const active = left.length;
  const deadLettered = (await takeAll(client, queue, 'deadLetter')).length;
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
