// `npm run measure -- sessions`: the load on sessions of session-load.test.ts in any size, with the numbers.

import { parseArgs } from 'node:util';
import { Jitney } from './support/jitney.js';
import { SessionLedger } from './support/session-ledger.js';
import { newTally, runSessionLoad } from './support/session-load.js';

const USAGE = `Usage: npm run measure -- sessions [options]

  --sessions <n>    how many sessions [1000]
  --messages <n>    messages in each [20]
  --receivers <n>   receivers at work [8]
  --seed <n>        repeats the decisions of a former run`;
const QUEUE = 'sessions';
const QUEUE_SPEC = `${QUEUE}?requiresSession=true&lockDuration=PT2S&maxDeliveryCount=1000`;
/** A tenth of what the test has, or a long run would sleep most of its time. */
const SLEEPY_PART = 0.002;
const PROGRESS_MS = 2000;
const PROBLEMS_SHOWN = 20;
const USAGE_EXIT_CODE = 2;

type Size = {
  readonly sessionCount: number;
  readonly messageCount: number;
  readonly receiverCount: number;
  readonly seed: number;
};

const size = readSize(process.argv.slice(2));
if (typeof size === 'string') {
  console.error(`${size}\n\n${USAGE}`);
  process.exitCode = USAGE_EXIT_CODE;
} else {
  process.exitCode = await main(size);
}

async function main(size: Size): Promise<number> {
  const { sessionCount, messageCount, receiverCount, seed } = size;
  console.log(
    `${sessionCount} sessions of ${messageCount} messages, ${receiverCount} receivers, seed ${seed}`,
  );
  const ledger = new SessionLedger();
  const tally = newTally();
  const startedAt = performance.now();
  const tell = () => {
    const count = `${ledger.completedCount} of ${sessionCount * messageCount}`;
    console.log(`${seconds(startedAt).padStart(8)}  ${count} messages completed, ${tally.accepted} holds`);
  };
  await using jitney = await Jitney.start({ queues: [QUEUE_SPEC] });
  const telling = setInterval(tell, PROGRESS_MS);
  try {
    await runSessionLoad(
      { connectionString: jitney.connectionString, queue: QUEUE, ledger, sleepyPart: SLEEPY_PART, ...size },
      tally,
    );
  } finally {
    clearInterval(telling);
  }
  tell();
  ledger.finish();
  const met = Object.entries(tally).map(([what, count]) => `${what} ${count}`);
  console.log(`\n${met.join(', ')}`);
  for (const problem of ledger.problems.slice(0, PROBLEMS_SHOWN)) console.log(`  ✖ ${problem}`);
  console.log(
    ledger.problems.length === 0
      ? 'Every session was worked off in order, by one receiver at a time.'
      : `${ledger.problems.length} promises were broken.`,
  );
  return ledger.problems.length === 0 ? 0 : 1;
}

/** What is wrong with the command line, when something is. */
function readSize(commandLine: readonly string[]): Size | string {
  const text = { type: 'string' } as const;
  try {
    const options = { sessions: text, messages: text, receivers: text, seed: text };
    const { values } = parseArgs({ args: [...commandLine], options });
    return {
      sessionCount: count('sessions', values.sessions, 1000),
      messageCount: count('messages', values.messages, 20),
      receiverCount: count('receivers', values.receivers, 8),
      seed: count('seed', values.seed, (Date.now() % 1_000_000) + 1),
    };
  } catch (cause) {
    return cause instanceof Error ? cause.message : String(cause);
  }
}

function count(name: string, given: string | undefined, otherwise: number): number {
  if (given === undefined) return otherwise;
  if (/^[1-9]\d{0,6}$/.test(given)) return Number(given);
  throw new Error(`--${name} must be a whole number above 0, not "${given}"`);
}

function seconds(since: number): string {
  return `${((performance.now() - since) / 1000).toFixed(1)} s`;
}
