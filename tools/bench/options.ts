// The options of `npm run bench`: what is measured, and how often.

import { parseArgs } from 'node:util';
import { BATCH_COUNT } from './million/message-series.js';
import { LEAST_SESSIONS } from './sessions/run-sessions.js';

export const USAGE = `npm run bench -- [options]
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
  --activity       instead of all this: what events, the log and a reset cost
  --peers          instead of all this: Jitney beside RabbitMQ, which has to be installed; --rounds and --quick count`;

const PARTS = ['million', 'sessions', 'topics', 'ways-in', 'transactions', 'activity', 'peers'] as const;

export type Part = (typeof PARTS)[number];

export type BenchOptions = {
  /** Undefined for the broker that does nothing, and everything that belongs to it. */
  readonly part: Part | undefined;
  readonly roundCount: number;
  readonly profileDirectory: string | undefined;
  readonly messageCount: number;
  readonly sessionCount: number;
};

export function readOptions(args: readonly string[]): BenchOptions | { readonly problem: string } {
  try {
    return parse(args);
  } catch (error) {
    return { problem: (error as Error).message };
  }
}

function parse(args: readonly string[]): BenchOptions {
  const flag = { type: 'boolean', default: false } as const;
  const { values } = parseArgs({
    args: [...args],
    options: {
      rounds: { type: 'string' },
      quick: flag,
      profile: { type: 'string' },
      messages: { type: 'string', default: '1000000' },
      count: { type: 'string', default: '100000' },
      ...{ million: flag, sessions: flag, topics: flag, 'ways-in': flag },
      ...{ transactions: flag, activity: flag, peers: flag },
    },
  });
  const [part, other] = PARTS.filter((name) => values[name]);
  if (other !== undefined)
    throw new Error(`--${part} and --${other} cannot be measured in one run; take one of them`);
  return {
    part,
    roundCount: readCount('rounds', values.rounds ?? (values.quick ? '4' : '11'), 1),
    profileDirectory: values.profile,
    messageCount: readCount('messages', values.messages, BATCH_COUNT),
    sessionCount: readCount('count', values.count, BATCH_COUNT, LEAST_SESSIONS),
  };
}

function readCount(option: string, text: string, unit: number, least = unit): number {
  const count = Number(text);
  if (Number.isInteger(count) && count % unit === 0 && count >= least) return count;
  const kind = unit === 1 ? 'a whole number' : `a multiple of ${unit}`;
  throw new Error(`--${option} must be ${kind} of at least ${least}, and is '${text}'`);
}
