// `npm run bench`: the official SDK against Jitney and against a broker that does nothing, here and now. A measurement, never a test.

import { rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { cpus, loadavg } from 'node:os';
import { measureActivity } from './activity/activity-cost.js';
import { formatActivity, formatResets } from './activity/activity-report.js';
import { measureReset } from './activity/reset-time.js';
import { BROKER_NAMES, Broker, type BrokerName, temporaryDirectory } from './brokers.js';
import { buildPrograms } from './built-programs.js';
import { formatMillion } from './million/million-report.js';
import { runMillion } from './million/run-million.js';
import { type BenchOptions, type Part, readOptions, USAGE } from './options.js';
import { measurePeers } from './peers/peer-rounds.js';
import { describePeers, formatPeers } from './peers/peers-report.js';
import { findRabbitmq, NOT_INSTALLED } from './peers/rabbitmq.js';
import { formatHonesty, formatScenarios, formatStartUp, summarizeRound } from './report.js';
import { measureRounds, type Round } from './rounds.js';
import { BODY_BYTES } from './scenarios.js';
import { runSessions } from './sessions/run-sessions.js';
import { formatSessions, WHAT_IS_COUNTED } from './sessions/sessions-report.js';
import { measureIdleMemory, measureStartUp } from './start-up.js';
import { measureSharedContent } from './topics/shared-content.js';
import { measureTopicRates } from './topics/topic-rates.js';
import { formatSharedContent, formatTopicRates } from './topics/topics-report.js';
import { measureTransactions } from './transactions/transaction-cost.js';
import { formatTransactions } from './transactions/transactions-report.js';
import { measureFirstLook } from './ways-in/first-look.js';
import { measureWaysIn } from './ways-in/way-in-rates.js';
import { formatFirstLook, formatWaysIn } from './ways-in/ways-in-report.js';

const FOOTNOTES = `N is the null broker: Jitney's AMQP endpoint that accepts everything and hands it on, without engine, rules or journal.
Jitney answers when the bytes are with the operating system; "fsync" is Jitney with --durability fsync.
One process with one SDK is the client of all. Rates and CPU are medians, "of N" is the median of each round's ratio.`;

const requireHere = createRequire(import.meta.url);

const RESET_COUNTS = [1000, 1_000_000];
const RESTARTS = 3;
const FIRST_MESSAGE_TRIES = 300;
const REST_MS = 3000;
const LIMIT_MS = 20 * 60_000;

type OtherPart = Exclude<Part, 'peers'>;

const RUN_PART: Readonly<Record<OtherPart, (options: BenchOptions) => Promise<number>>> = {
  million: runLongQueue,
  sessions: runManySessions,
  topics: runTopics,
  'ways-in': runWaysIn,
  transactions: runTransactions,
  activity: runActivity,
};

process.exitCode = await main().catch((error: unknown) => {
  console.error(error instanceof Error ? error.stack : error);
  return 1;
});

async function main(): Promise<number> {
  if (process.argv.includes('--help')) {
    console.log(USAGE);
    return 0;
  }
  const options = readOptions(process.argv.slice(2));
  if ('problem' in options) {
    console.error(`${options.problem}\n\n${USAGE}`);
    return 2;
  }
  const { part } = options;
  if (part === 'peers') return runPeers(options);
  const { version } = requireHere('@azure/service-bus/package.json') as { version: string };
  showMachine(`@azure/service-bus ${version}, messages of ${BODY_BYTES} bytes`);
  return part === undefined ? runAgainstNull(options) : RUN_PART[part](options);
}

/** Says what is missing before anything else, in one line. */
async function runPeers({ roundCount }: BenchOptions): Promise<number> {
  const rabbitmq = findRabbitmq();
  if (rabbitmq === undefined) {
    console.error(NOT_INSTALLED);
    return 1;
  }
  const { version } = requireHere('rhea/package.json') as { version: string };
  showMachine(`rhea ${version}`);
  buildPrograms();
  const figures = await measurePeers({
    rabbitmq,
    roundCount,
    directory: workDirectory(),
    tell: progressTeller(),
  });
  console.log(`\n${formatPeers(figures)}\n\n${describePeers(figures)}`);
  return 0;
}

async function runAgainstNull(options: BenchOptions): Promise<number> {
  buildPrograms();
  const { rounds, afterRoundsBytes } = await runRounds(options);
  console.log(`\n${formatScenarios(rounds)}\n\n${FOOTNOTES}\n${formatHonesty(rounds)}\n`);
  const startUp = await measureStartUp();
  const idleBytes = await measureIdleMemory();
  console.log(`${formatStartUp(startUp, { idleBytes, afterRoundsBytes })}\n`);
  await showTopics();
  await showWaysIn();
  return 0;
}

async function runTransactions(): Promise<number> {
  buildPrograms();
  console.log(`\n${formatTransactions(await measureTransactions())}`);
  return 0;
}

async function runActivity({ roundCount }: BenchOptions): Promise<number> {
  buildPrograms();
  console.log(`${formatResets(RESET_COUNTS.map(measureReset))}\n`);
  console.log(formatActivity(await measureActivity(roundCount)));
  return 0;
}

async function runWaysIn(): Promise<number> {
  buildPrograms();
  await showWaysIn();
  return 0;
}

async function showWaysIn(): Promise<void> {
  console.log(`\n${formatWaysIn(await measureWaysIn())}\n\n${formatFirstLook(await measureFirstLook())}`);
}

async function runTopics(): Promise<number> {
  buildPrograms();
  await showTopics();
  return 0;
}

async function showTopics(): Promise<void> {
  console.log(`${formatTopicRates(await measureTopicRates())}\n`);
  console.log(formatSharedContent(await measureSharedContent()));
}

async function runLongQueue({ messageCount }: BenchOptions): Promise<number> {
  const figures = await runMillion({
    ...{ messageCount, ...startLongWork() },
    restartCount: RESTARTS,
    tryCount: FIRST_MESSAGE_TRIES,
    restMs: REST_MS,
  });
  console.log(`\n${formatMillion(figures)}`);
  return 0;
}

async function runManySessions({ sessionCount }: BenchOptions): Promise<number> {
  buildPrograms();
  const figures = await runSessions({
    ...{ sessionCount, ...startLongWork() },
    restartCount: RESTARTS,
    restMs: REST_MS,
  });
  console.log(`\n${formatSessions(figures)}\n\n${WHAT_IS_COUNTED}`);
  return 0;
}

/** Whatever happens, the work ends some time and its data directory is gone then. */
function startLongWork(): { dataDirectory: string; tell: (line: string) => void } {
  const dataDirectory = workDirectory();
  setTimeout(() => {
    console.error('It takes too long; given up.');
    process.exit(1);
  }, LIMIT_MS).unref();
  return { dataDirectory, tell: progressTeller() };
}

/** A directory that is gone when the benchmark ends, also by Ctrl+C. */
function workDirectory(): string {
  const directory = temporaryDirectory();
  process.once('exit', () => rmSync(directory, { recursive: true, force: true, maxRetries: 10 }));
  // Not `once`: tsx passes on what the terminal has sent already, and the second would end the removal.
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => process.exit(1));
  return directory;
}

/** Prints lines with the seconds since now. */
function progressTeller(): (line: string) => void {
  const startedAt = performance.now();
  return (line) => {
    const seconds = ((performance.now() - startedAt) / 1000).toFixed(1);
    console.log(`${seconds.padStart(6)} s   ${line}`);
  };
}

async function runRounds(options: BenchOptions): Promise<{ rounds: Round[]; afterRoundsBytes: number }> {
  const brokers = new Map<BrokerName, Broker>();
  try {
    for (const name of BROKER_NAMES) brokers.set(name, await Broker.start(name, options.profileDirectory));
    let startedAt = performance.now();
    const onRound = (number: number, round: Round) => {
      const seconds = ((performance.now() - startedAt) / 1000).toFixed(1);
      startedAt = performance.now();
      const title = number === 0 ? 'warm-up' : `round ${number}/${options.roundCount}`;
      console.log(`${title.padEnd(11)} ${seconds.padStart(5)} s   Jitney of N: ${summarizeRound(round)}`);
    };
    const rounds = await measureRounds(brokers, options.roundCount, onRound);
    const usage = await brokers.get('jitney')?.usage();
    return { rounds, afterRoundsBytes: usage?.residentBytes ?? 0 };
  } finally {
    for (const broker of brokers.values()) await broker.stop();
  }
}

/** What it runs on, and whether others disturb it. */
function showMachine(client: string): void {
  const [core] = cpus();
  console.log(
    `${client}, loopback; Node ${process.versions.node}, ` +
      `${cpus().length} cores (${core?.model.trim() ?? 'unknown'})\n`,
  );
  const [load = 0] = loadavg();
  if (load < cpus().length) return;
  console.log(`Others keep this machine busy (load ${load.toFixed(1)}): expect figures that are too low.\n`);
}
