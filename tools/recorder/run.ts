// `npm run record`: writes what each real SDK and the built Jitney say to each other into test/amqp/recordings, frame by frame.

import { writeFile } from 'node:fs/promises';
import { hostname, release, userInfo } from 'node:os';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { UsageError } from '../../compat-tests/languages/command-line.js';
import { findLanguages, type Language } from '../../compat-tests/languages/language.js';
import { type LanguageResult, runLanguage } from '../../compat-tests/languages/run-language.js';
import { type Servers, startServers } from '../../compat-tests/languages/servers.js';
import { kindOf, type RecordedFrame, writeRecording } from '../../test/support/recording.js';
import { JAVASCRIPT_LIBRARY, runJavaScript } from './javascript.js';
import { RecordingProxy } from './recording-proxy.js';

const USAGE = `npm run record -- [--only <ids>]
  --only <ids>     record only these, separated by commas: javascript, python, go, java, dotnet`;

const JAVASCRIPT = 'javascript';
const RECORDED_LANGUAGES = ['dotnet', 'go', 'java', 'python'];
/** Does each thing once, and is no part of `npm run languages`. */
const TOUR = { id: 'tour', title: 'each thing once' };
const SCENARIO_LIMIT_MS = 60_000;
const USAGE_EXIT_CODE = 2;

process.exitCode = await main().catch((error: unknown) => {
  if (!(error instanceof UsageError)) throw error;
  console.error(`${error.message}\n\n${USAGE}`);
  return USAGE_EXIT_CODE;
});

async function main(): Promise<number> {
  const known = [JAVASCRIPT, ...RECORDED_LANGUAGES];
  const chosen = readOnly() ?? known;
  const unknown = chosen.filter((id) => !known.includes(id));
  if (unknown.length > 0) throw new UsageError(`There is no SDK ${unknown.join(', ')}.`);
  const failures = [];
  if (chosen.includes(JAVASCRIPT)) await recordJavaScript();
  for (const language of findLanguages().filter(({ id }) => chosen.includes(id))) {
    const failure = await recordLanguage(language);
    if (failure !== undefined) failures.push(`${language.id} is not recorded: ${failure}`);
  }
  for (const failure of failures) console.error(failure);
  return failures.length === 0 ? 0 : 1;
}

function readOnly(): readonly string[] | undefined {
  try {
    return parseArgs({ options: { only: { type: 'string' } } }).values.only?.split(',');
  } catch (cause) {
    throw new UsageError(cause instanceof Error ? cause.message : String(cause), { cause });
  }
}

async function recordJavaScript(): Promise<void> {
  await using servers = await startServers();
  await using proxy = await proxyOf(servers);
  await runJavaScript(connectionStringOf(servers, proxy));
  await keep(JAVASCRIPT, JAVASCRIPT_LIBRARY, proxy);
}

/** The reason for which nothing was written; undefined if it was. */
async function recordLanguage(language: Language): Promise<string | undefined> {
  let proxy: RecordingProxy | undefined;
  const result = await runLanguage(language, {
    scenarios: [TOUR],
    startServers: async () => {
      const servers = await startServers();
      const listening = await proxyOf(servers);
      proxy = listening;
      return {
        ...servers,
        env: { ...servers.env, CONNECTION_STRING: connectionStringOf(servers, listening) },
        [Symbol.asyncDispose]: async () => {
          await listening[Symbol.asyncDispose]();
          await servers[Symbol.asyncDispose]();
        },
      };
    },
    timeLimitMs: SCENARIO_LIMIT_MS,
    onOutcome: () => {},
  });
  const failure = failureOf(result);
  if (proxy === undefined || failure !== undefined) return failure ?? 'it was never started';
  await keep(language.id, language.description.library, proxy);
  return undefined;
}

function failureOf({ notRun, outcomes }: LanguageResult): string | undefined {
  if (notRun !== undefined) return notRun.why;
  const outcome = outcomes.get(TOUR.id);
  return outcome?.kind === 'failed' ? outcome.why : undefined;
}

async function proxyOf({ env }: Servers): Promise<RecordingProxy> {
  return RecordingProxy.listen(Number(env.PORT));
}

function connectionStringOf({ env }: Servers, { port }: RecordingProxy): string {
  return (env.CONNECTION_STRING ?? '').replace(`:${env.PORT}`, `:${port}`);
}

async function keep(id: string, library: string, { startedAt, frames }: RecordingProxy): Promise<void> {
  const file = fileURLToPath(new URL(`../../test/amqp/recordings/${id}.txt`, import.meta.url));
  const text = writeRecording({ library, startedAt, frames: frames.map(withoutMachine) });
  await writeFile(file, text);
  console.log(`${id}: ${frames.length} frames, ${Math.ceil(text.length / 1024)} KiB`);
}

/** SDKs describe themselves and the machine in the open frame. Names are crossed out in the same length, so that no size changes. */
function withoutMachine(frame: RecordedFrame): RecordedFrame {
  if (kindOf(frame.bytes) !== 'open') return frame;
  const names = [hostname(), release(), userInfo().username].map((name) => name.replace(/\W/g, '\\$&'));
  const named = new RegExp(`\\b(${names.join('|')})\\b`, 'g');
  const text = frame.bytes.toString('latin1').replace(named, (name) => 'x'.repeat(name.length));
  return { ...frame, bytes: Buffer.from(text, 'latin1') };
}
