// `npm run bench`: the official SDK against Jitney and against a broker that does nothing, here and now. A measurement, never a test.

import { rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { cpus, loadavg } from 'node:os';
import { parseArgs } from 'node:util';
import { measureActivity } from './activity/activity-cost.js';
import { formatActivity, formatResets } from './activity/activity-report.js';
import { measureReset } from './activity/reset-time.js';
import { BROKER_NAMES, Broker, type BrokerName, temporaryDirectory } from './brokers.js';
import { buildPrograms } from './built-programs.js';
import { BATCH_COUNT } from './million/message-series.js';
import { formatMillion } from './million/million-report.js';
import { runMillion } from './million/run-million.js';
import { formatHonesty, formatScenarios, formatStartUp, summarizeRound } from './report.js';
import { measureRounds, type Round } from './rounds.js';
import { BODY_BYTES } from './scenarios.js';
import { LEAST_SESSIONS, runSessions } from './sessions/run-sessions.js';
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

const USAGE = `npm run bench -- [options]
  --rounds <n>     rounds that count [11]
  --quick          4 rounds
  --profile <dir>  also write a CPU profile of each broker; the figures suffer from it
  --million        instead of all this: a queue with 1,000,000 messages in it; takes minutes and 4 GB of disk
  --messages <n>   another number for that, a multiple of ${BATCH_COUNT}
  --sessions       instead of all this: a queue with 100,000 message sessions, each with a message and a state
  --count <n>      another number for that, a multiple of ${BATCH_COUNT}, at least ${LEAST_SESSIONS}
  --topics         of all this, only a part: topics with many rules, and with many subscriptions
  --ways-in        of all this, only a part: WebSockets beside TCP
  --transactions   instead of all this: what a transaction costs
  --activity       instead of all this: what events, the log and a reset cost`;

const FOOTNOTES = `N is the null broker: Jitney's AMQP endpoint that accepts everything and hands it on, without engine, rules or journal.
Jitney answers when the bytes are with the operating system; "fsync" is Jitney with --durability fsync.
One process with one SDK is the client of all. Rates and CPU are medians, "of N" is the median of each round's ratio.`;

type BenchOptions = {
  readonly roundCount: number;
  readonly profileDirectory: string | undefined;
  readonly isMillion: boolean;
  readonly messageCount: number;
  readonly isSessions: boolean;
  readonly sessionCount: number;
  readonly isTopics: boolean;
  readonly isWaysIn: boolean;
  readonly isTransactions: boolean;
  readonly isActivity: boolean;
};

const RESET_COUNTS = [1000, 1_000_000];
const RESTARTS = 3;
const FIRST_MESSAGE_TRIES = 300;
const REST_MS = 3000;
const LIMIT_MS = 20 * 60_000;

process.exitCode = await main().catch((error: unknown) => {
  console.error(error instanceof Error ? error.stack : error);
  return 1;
});

async function main(): Promise<number> {
  const options = readOptions();
  if (options === undefined) {
    console.error(USAGE);
    return 2;
  }
  console.log(`${describeMachine()}\n`);
  warnOfOthers();
  if (options.isMillion) return runLongQueue(options);
  if (options.isTransactions) return runTransactions();
  if (options.isActivity) return runActivity(options);
  if (options.isTopics) return runTopics();
  if (options.isWaysIn) return runWaysIn();
  return options.isSessions ? runManySessions(options) : runAgainstNull(options);
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
  const dataDirectory = temporaryDirectory();
  const remove = () => rmSync(dataDirectory, { recursive: true, force: true, maxRetries: 10 });
  process.once('exit', remove);
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1));
  setTimeout(() => {
    console.error('It takes too long; given up.');
    process.exit(1);
  }, LIMIT_MS).unref();
  const startedAt = performance.now();
  const tell = (line: string) => {
    const seconds = ((performance.now() - startedAt) / 1000).toFixed(1);
    console.log(`${seconds.padStart(6)} s   ${line}`);
  };
  return { dataDirectory, tell };
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

/** Undefined when they make no sense. */
function readOptions(): BenchOptions | undefined {
  try {
    const { values } = parseArgs({
      options: {
        rounds: { type: 'string' },
        quick: { type: 'boolean', default: false },
        profile: { type: 'string' },
        million: { type: 'boolean', default: false },
        messages: { type: 'string', default: '1000000' },
        sessions: { type: 'boolean', default: false },
        topics: { type: 'boolean', default: false },
        'ways-in': { type: 'boolean', default: false },
        transactions: { type: 'boolean', default: false },
        activity: { type: 'boolean', default: false },
        count: { type: 'string', default: '100000' },
      },
    });
    const roundCount = Number(values.rounds ?? (values.quick ? 4 : 11));
    const messageCount = Number(values.messages);
    const sessionCount = Number(values.count);
    if (![roundCount, messageCount, sessionCount].every(isCount)) return undefined;
    if (messageCount % BATCH_COUNT !== 0 || sessionCount % BATCH_COUNT !== 0) return undefined;
    if (sessionCount < LEAST_SESSIONS) return undefined;
    if ([values.million, values.sessions, values.topics].filter(Boolean).length > 1) return undefined;
    return {
      ...{ roundCount, profileDirectory: values.profile },
      ...{ isMillion: values.million, messageCount, isSessions: values.sessions, sessionCount },
      isTopics: values.topics,
      isWaysIn: values['ways-in'],
      isTransactions: values.transactions,
      isActivity: values.activity,
    };
  } catch {
    return undefined;
  }
}

function isCount(value: number): boolean {
  return Number.isInteger(value) && value >= 1;
}

function warnOfOthers(): void {
  const [load = 0] = loadavg();
  if (load < cpus().length) return;
  console.log(`Others keep this machine busy (load ${load.toFixed(1)}): expect figures that are too low.\n`);
}

function describeMachine(): string {
  const sdk = createRequire(import.meta.url)('@azure/service-bus/package.json') as { version: string };
  const [core] = cpus();
  return (
    `@azure/service-bus ${sdk.version}, messages of ${BODY_BYTES} bytes, loopback; Node ${process.versions.node}, ` +
    `${cpus().length} cores (${core?.model.trim() ?? 'unknown'})`
  );
}
