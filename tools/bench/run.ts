// `npm run bench`: the official SDK against Jitney and against a broker that does nothing, here and now. A measurement, never a test.

import { existsSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { cpus, loadavg } from 'node:os';
import { join } from 'node:path';
import { type ParseArgsConfig, parseArgs } from 'node:util';
import { type BrokerName, temporaryDirectory } from './brokers.js';
import { buildPrograms } from './built-programs.js';
import { BATCH_COUNT } from './million/message-series.js';
import { formatMillion } from './million/million-report.js';
import { runMillion } from './million/run-million.js';
import { findRabbitmq, NOT_INSTALLED } from './rabbitmq.js';
import { compare } from './report.js';
import { measure } from './rounds.js';
import { GROUP, LARGE_SCENARIOS, PLAIN_SCENARIOS, SDK_SCENARIOS } from './scenarios.js';

const USAGE = `npm run bench -- [options]
  --rounds <n>     rounds that count [11]
  --quick          4 rounds
  --base <folder>  also measure the older build in this folder, in the same rounds; it has a dist
  --peers          instead of all this: Jitney beside RabbitMQ, which has to be installed
  --million        instead of all this: a queue with 1,000,000 messages in it; takes minutes and 4 GB of disk
  --messages <n>   another number for that, a multiple of ${BATCH_COUNT}`;

const OPTIONS = {
  rounds: { type: 'string' },
  quick: { type: 'boolean', default: false },
  base: { type: 'string' },
  peers: { type: 'boolean', default: false },
  million: { type: 'boolean', default: false },
  messages: { type: 'string', default: '1000000' },
  help: { type: 'boolean', default: false },
} as const satisfies ParseArgsConfig['options'];

const ABOUT_NULL = `N is the null broker: Jitney's AMQP endpoint that accepts everything and hands it on, without engine, rules or journal.
Jitney answers when the bytes are with the operating system; "fsync" is Jitney with --durability fsync.
One process with one SDK is the client of all.`;

const ABOUT_PEERS = `RabbitMQ has its AMQP 1.0 plugin and a durable classic queue. One rhea process is the client of all. It keeps ${GROUP} messages
unanswered, or one (awaited sends), and gives a receiver credit for ${GROUP}. Where this client is the limit, a ratio is too near to 1.
RabbitMQ accepts a durable message after fsync, as Jitney does with --durability fsync. By default Jitney accepts it when the
bytes are with the operating system.`;

const ABOUT_FIGURES =
  'Figures are medians. "ratio" is the median of each round\'s ratio: more is better for rates, less for time, memory and disk.';

const LONG_RUN = { restartCount: 3, restMs: 3000 };
const LIMIT_MS = 20 * 60_000;
/** What a base may lose: less is noise. */
const LEAST_OF_BASE = 0.97;

process.exitCode = await main().catch((error: unknown) => {
  console.error(error instanceof Error ? error.stack : error);
  return 1;
});

async function main(): Promise<number> {
  const options = readOptions();
  if ('problem' in options) {
    console.error(`${options.problem}\n\n${USAGE}`);
    return 2;
  }
  if (options.help) {
    console.log(USAGE);
    return 0;
  }
  const common = { directory: workDirectory(), roundCount: options.roundCount, tell: progressTeller() };
  if (options.million) return runLongQueue({ ...common, messageCount: options.messageCount });
  await buildPrograms();
  return options.peers ? runPeers(common) : runAgainstNull({ ...common, base: options.base });
}

type Common = {
  readonly directory: string;
  readonly roundCount: number;
  readonly tell: (line: string) => void;
};

async function runAgainstNull({
  base,
  ...common
}: Common & { readonly base: string | undefined }): Promise<number> {
  if (base !== undefined && !existsSync(join(base, 'dist/cli/main.js'))) {
    console.error(`There is no build in '${base}': run 'npm ci && npm run build' there first.`);
    return 1;
  }
  showMachine(`@azure/service-bus ${versionOf('@azure/service-bus')}`);
  const names: readonly BrokerName[] = [
    'null',
    'jitney',
    'fsync',
    ...(base === undefined ? [] : (['base'] as const)),
  ];
  const figures = await measure({ ...common, names, base, client: 'sdk-client', scenarios: SDK_SCENARIOS });
  const fsync = { title: 'fsync', broker: 'fsync' } as const;
  const jitney = { title: 'Jitney', broker: 'jitney' } as const;
  console.log(
    `\n${compare(figures, 'messages of 1 KB', { title: 'N', broker: 'null' }, [{ ...jitney, isJudged: true }, fsync])}`,
  );
  if (base !== undefined) {
    const before = { title: 'before', broker: 'base' } as const;
    console.log(
      `\n${compare(figures, 'beside an older build', before, [{ ...jitney, isJudged: LEAST_OF_BASE }])}`,
    );
  }
  if (base !== undefined) console.log(`\n${await compareLarge({ ...common, base })}`);
  console.log(`\n${ABOUT_NULL}\n${ABOUT_FIGURES}`);
  return 0;
}

/** Large messages beside an older build, on disk and in memory. */
async function compareLarge(options: Common & { readonly base: string }): Promise<string> {
  const names: readonly BrokerName[] = ['jitney', 'base', 'memory', 'base-memory'];
  const figures = await measure({ ...options, names, client: 'plain-client', scenarios: LARGE_SCENARIOS });
  const onDisk = compare(figures, 'large messages, on disk', { title: 'before', broker: 'base' }, [
    { title: 'Jitney', broker: 'jitney', isJudged: LEAST_OF_BASE },
  ]);
  const inMemory = compare(figures, 'large messages, in memory', { title: 'before', broker: 'base-memory' }, [
    { title: 'Jitney', broker: 'memory', isJudged: LEAST_OF_BASE },
  ]);
  return `${onDisk}\n\n${inMemory}`;
}

async function runPeers(common: Common): Promise<number> {
  const rabbitmq = findRabbitmq();
  if (rabbitmq === undefined) {
    console.error(NOT_INSTALLED);
    return 1;
  }
  showMachine(`rhea ${versionOf('rhea')}`);
  const names: readonly BrokerName[] = ['rabbitmq', 'jitney', 'fsync', 'transient', 'memory'];
  const figures = await measure({
    ...common,
    names,
    rabbitmq,
    client: 'plain-client',
    scenarios: PLAIN_SCENARIOS,
  });
  const onDisk = compare(figures, 'on disk', { title: 'RabbitMQ', broker: 'rabbitmq' }, [
    { title: 'Jitney', broker: 'jitney', isJudged: true },
    { title: 'Jitney, fsync', broker: 'fsync' },
  ]);
  const inMemory = compare(figures, 'in memory', { title: 'RabbitMQ, transient', broker: 'transient' }, [
    { title: 'Jitney, --memory', broker: 'memory' },
  ]);
  console.log(`\n${onDisk}\n\n${inMemory}\n\n${ABOUT_PEERS}\n${ABOUT_FIGURES}`);
  return 0;
}

async function runLongQueue({
  directory,
  tell,
  messageCount,
}: Common & { messageCount: number }): Promise<number> {
  showMachine(`rhea ${versionOf('rhea')}`);
  setTimeout(() => {
    console.error(`It is not done after ${LIMIT_MS / 60_000} minutes; given up.`);
    process.exit(1);
  }, LIMIT_MS).unref();
  console.log(`\n${formatMillion(await runMillion({ ...LONG_RUN, directory, messageCount, tell }))}`);
  return 0;
}

function readOptions() {
  try {
    const { values } = parseArgs({ options: OPTIONS });
    return {
      ...values,
      roundCount: readCount('rounds', values.rounds ?? (values.quick ? '4' : '11'), 1),
      messageCount: readCount('messages', values.messages, BATCH_COUNT),
    };
  } catch (error) {
    return { problem: (error as Error).message };
  }
}

function readCount(option: string, text: string, unit: number): number {
  const count = Number(text);
  if (Number.isInteger(count) && count % unit === 0 && count >= unit) return count;
  throw new Error(`--${option} must be a multiple of ${unit} of at least ${unit}, and is '${text}'`);
}

function versionOf(library: string): string {
  return (createRequire(import.meta.url)(`${library}/package.json`) as { version: string }).version;
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
  return (line) =>
    console.log(`${((performance.now() - startedAt) / 1000).toFixed(1).padStart(6)} s   ${line}`);
}

/** What it runs on, and whether others disturb it. */
function showMachine(client: string): void {
  const [core] = cpus();
  const count = cpus().length;
  console.log(
    `${client}, loopback; Node ${process.versions.node}, ${count} cores (${core?.model.trim() ?? 'unknown'})\n`,
  );
  const [load = 0] = loadavg();
  if (load < count) return;
  console.log(`Others keep this machine busy (load ${load.toFixed(1)}): expect figures that are too low.\n`);
}
