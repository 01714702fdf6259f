// Runs one known sample against a Jitney of its own and judges what it did.

import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ConnectProxy } from '../support/connect-proxy.js';
import { Jitney } from '../support/jitney.js';
import { connect, sendBodies } from '../support/service-bus.js';
import type { TemporaryDirectory } from '../support/temporary-directory.js';
import { fetchAuthority } from '../support/trust.js';
import { sampleEnvironment } from './environment.js';
import { type Expectation, QUEUE, QUEUE_WITH_SESSIONS } from './expectation.js';
import { countOf, describeEnd, findEndFault, findPrintFault } from './faults.js';
import { findLeftoverFault, watchForFault } from './look.js';
import type { RunnableSample } from './official-samples.js';
import type { SampleFile } from './sample-folder.js';
import type { Sdk } from './sdk.js';
import { type ProgramOptions, type ProgramRun, runProgram } from './workspace.js';

/** On which SDK a sample runs, and whether its keys and tokens are checked. */
export type Way = { readonly sdk: Sdk; readonly auth: 'any' | 'strict' };

/** The longest listens for 40 seconds, and a busy machine takes its time. */
const TIME_LIMIT_MS = 180_000;

export type Outcome =
  | { readonly kind: 'passed' }
  | { readonly kind: 'failed'; readonly why: string; readonly output: string }
  | { readonly kind: 'waits'; readonly waitsFor: string }
  | { readonly kind: 'not-known' };

export type SampleResult = {
  readonly file: SampleFile;
  readonly way: Way | undefined;
  readonly outcome: Outcome;
  /** undefined: it did not run. */
  readonly run: ProgramRun | undefined;
};

export type SampleFiles = {
  readonly file: SampleFile;
  /** They run first, on the same Jitney: the files of `sample.after`. */
  readonly predecessors: readonly SampleFile[];
};

export async function runSample(
  workspace: TemporaryDirectory,
  sample: RunnableSample,
  { file, predecessors }: SampleFiles,
  way: Way,
): Promise<SampleResult> {
  await using jitney = await Jitney.start({
    queues: [...(sample.makesQueue === true ? [] : [QUEUE]), `${QUEUE_WITH_SESSIONS}?requiresSession=true`],
    extraArguments: ['--auth', way.auth],
  });
  await sendWhatItFinds(jitney, sample);
  await using proxy = sample.usesProxy === true ? await ConnectProxy.start() : undefined;
  const place = { ...jitney.address, connectionString: jitney.connectionString, proxy: proxy?.url };
  const env = sampleEnvironment({ ...place, caFile: await saveAuthority(jitney, workspace) });
  const options = { env, sdk: way.sdk, timeLimitMs: TIME_LIMIT_MS };
  for (const predecessor of predecessors) {
    const run = await runProgram(workspace, predecessor, options);
    if (run.exitCode !== 0) {
      const why = `${predecessor.name}, which must run before it, ${describeEnd(run)}`;
      return { file, way, run: undefined, outcome: { kind: 'failed', why, output: run.output } };
    }
  }
  const { run, heldFault } = await runWatched(jitney, workspace, { file, options, shows: sample.shows });
  const why =
    findEndFault(run, sample.shows) ??
    (proxy?.connectionCount === 0 ? 'did not go through the proxy' : undefined) ??
    heldFault ??
    (await findFault(jitney, sample, run));
  const outcome: Outcome =
    why === undefined ? { kind: 'passed' } : { kind: 'failed', why, output: run.output };
  return { file, way, run, outcome };
}

/** The file of the certificate authority, as a user would fetch it. */
async function saveAuthority(jitney: Jitney, { path }: TemporaryDirectory): Promise<string> {
  const file = join(path, `ca-${jitney.address.port}.pem`);
  await writeFile(file, await fetchAuthority(jitney));
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

async function runWatched(
  jitney: Jitney,
  workspace: TemporaryDirectory,
  program: { readonly file: SampleFile; readonly options: ProgramOptions; readonly shows: Expectation },
): Promise<{ readonly run: ProgramRun; readonly heldFault: string | undefined }> {
  const { runsUntil, holdsMeanwhile } = program.shows;
  const isDone = runsUntil && ((output: string) => countOf(output, runsUntil.pattern) >= runsUntil.times);
  const ended = new AbortController();
  const watching = holdsMeanwhile && watchForFault(jitney, holdsMeanwhile, ended.signal);
  const run = await runProgram(workspace, program.file, { ...program.options, isDone });
  ended.abort();
  return { run, heldFault: await watching };
}

/** The fault of it by its first expectation; none if there is another and that is met. */
async function findFault(
  jitney: Jitney,
  sample: RunnableSample,
  { output }: ProgramRun,
): Promise<string | undefined> {
  const faults: (string | undefined)[] = [];
  for (const shows of [sample.shows, ...(sample.orShows === undefined ? [] : [sample.orShows])]) {
    faults.push(findPrintFault(output, shows) ?? (await findLeftoverFault(jitney, sample, shows)));
  }
  return faults.includes(undefined) ? undefined : faults[0];
}
