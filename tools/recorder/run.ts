// `npm run measure -- record`: writes what each real SDK and the built Jitney say to each other into test/amqp/recordings, frame by frame.

import { writeFile } from 'node:fs/promises';
import { hostname, release, userInfo } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { UsageError } from '../../compat-tests/languages/command-line.js';
import { findLanguages, type Language } from '../../compat-tests/languages/language.js';
import { type LanguageResult, runLanguage } from '../../compat-tests/languages/run-language.js';
import { type Servers, startServers } from '../../compat-tests/languages/servers.js';
import { openCertificates } from '../../src/security/certificates.js';
import { kindOf, type RecordedFrame, writeRecording } from '../../test/support/recording.js';
import { JAVASCRIPT_LIBRARY, runJavaScript } from './javascript.js';
import { RecordingProxy } from './recording-proxy.js';

const USAGE = `npm run measure -- record [--only <ids>]
  --only <ids>     record only these, separated by commas: javascript, python, uamqp, go, java, dotnet, jms, jms2`;

const JAVASCRIPT = 'javascript';
type Tour = { readonly language: string; readonly scenario: string; readonly isSecure: boolean };
/** Each does each thing once, and is no part of `npm run languages`. */
const TOURS: Readonly<Record<string, Tour>> = {
  dotnet: { language: 'dotnet', scenario: 'tour', isSecure: false },
  go: { language: 'go', scenario: 'tour', isSecure: false },
  java: { language: 'java', scenario: 'tour', isSecure: false },
  jms: { language: 'jms', scenario: 'tour', isSecure: false },
  // Qpid JMS in the mode of azure-servicebus-jms, which speaks TLS alone.
  jms2: { language: 'jms', scenario: 'tour-jms2', isSecure: false },
  python: { language: 'python', scenario: 'tour', isSecure: false },
  // The AMQP of the Python SDK up to 7.9, which speaks TLS alone.
  uamqp: { language: 'python', scenario: 'tour-uamqp', isSecure: true },
};
const SCENARIO_LIMIT_MS = 60_000;
const USAGE_EXIT_CODE = 2;

process.exitCode = await main().catch((error: unknown) => {
  if (!(error instanceof UsageError)) throw error;
  console.error(`${error.message}\n\n${USAGE}`);
  return USAGE_EXIT_CODE;
});

async function main(): Promise<number> {
  const known = [JAVASCRIPT, ...Object.keys(TOURS)];
  const chosen = readOnly() ?? known;
  const unknown = chosen.filter((id) => !known.includes(id));
  if (unknown.length > 0) throw new UsageError(`There is no SDK ${unknown.join(', ')}.`);
  const failures = [];
  if (chosen.includes(JAVASCRIPT)) await recordJavaScript();
  for (const [id, tour] of Object.entries(TOURS).filter(([id]) => chosen.includes(id))) {
    const language = findLanguages().find((each) => each.id === tour.language);
    const failure = language === undefined ? 'its folder is gone' : await recordTour(id, language, tour);
    if (failure !== undefined) failures.push(`${id} is not recorded: ${failure}`);
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
async function recordTour(
  id: string,
  language: Language,
  { scenario, isSecure }: Tour,
): Promise<string | undefined> {
  let proxy: RecordingProxy | undefined;
  const result = await runLanguage(language, {
    scenarios: [{ id: scenario, title: 'each thing once' }],
    startServers: async () => {
      const servers = await startServers();
      const listening = await proxyOf(servers, isSecure);
      proxy = listening;
      const env = { CONNECTION_STRING: connectionStringOf(servers, listening), PORT: String(listening.port) };
      return {
        ...servers,
        env: { ...servers.env, ...env },
        [Symbol.asyncDispose]: async () => {
          await listening[Symbol.asyncDispose]();
          await servers[Symbol.asyncDispose]();
        },
      };
    },
    timeLimitMs: SCENARIO_LIMIT_MS,
    onOutcome: () => {},
  });
  const failure = failureOf(result, scenario);
  if (proxy === undefined || failure !== undefined) return failure ?? 'it was never started';
  await keep(id, language.description.library, proxy);
  return undefined;
}

function failureOf({ notRun, outcomes }: LanguageResult, scenario: string): string | undefined {
  if (notRun !== undefined) return notRun.why;
  const outcome = outcomes.get(scenario);
  return outcome?.kind === 'failed' ? outcome.why : undefined;
}

/** A secure one has a certificate that the emulator's own authority issued. */
async function proxyOf({ env }: Servers, isSecure = false): Promise<RecordingProxy> {
  if (!isSecure) return RecordingProxy.listen(Number(env.PORT));
  const directory = join(dirname(env.CA_FILE ?? ''), 'certificates');
  const { server } = await openCertificates({ directory });
  return RecordingProxy.listen(Number(env.PORT), await server());
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
