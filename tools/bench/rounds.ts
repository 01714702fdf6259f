// Measures brokers in turn, scenario by scenario and round after round, so that what disturbs the machine disturbs all of them.

import { mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Broker, type BrokerName, type BrokerOptions } from './brokers.js';
import { programPath } from './built-programs.js';
import { Child } from './child.js';
import type { Answer } from './programs/answer-tasks.js';
import type { Scenario, Task } from './scenarios.js';

export type Measurement = {
  readonly broker: BrokerName;
  readonly scenario: Scenario;
  readonly messagesPerSecond: number;
  /** Of processor time; not a number where the system does not tell. */
  readonly microsecondsPerMessage: number;
};

/** What was measured in one round. */
export type Round = readonly Measurement[];

/** Of one broker when the rounds have been run. */
export type Holding = {
  readonly startMs: readonly number[];
  readonly idleBytes: number;
  readonly residentBytes: number;
  readonly diskBytes: number;
};

export type Figures = {
  readonly rounds: readonly Round[];
  readonly holdings: ReadonlyMap<BrokerName, Holding>;
};

export type Measured = BrokerOptions & {
  readonly names: readonly BrokerName[];
  readonly client: 'sdk-client' | 'plain-client';
  readonly scenarios: readonly Scenario[];
  readonly roundCount: number;
  readonly tell: (line: string) => void;
};

const MOST_STARTS = 5;
const REST_MS = 3000;
/** A broker may have something to do when the client is done: what belongs to a measurement is counted in it. */
const AFTERMATH_MS = 30;

export async function measure(options: Measured): Promise<Figures> {
  const starts: (readonly Broker[])[] = [];
  for (let start = 1; start < Math.min(MOST_STARTS, options.roundCount); start++) {
    await withBrokers(options, async (brokers) => starts.push(brokers));
    options.tell(`start ${start}`);
  }
  return withBrokers(options, async (brokers) => {
    starts.push(brokers);
    await sleep(REST_MS);
    const idle = brokers.map((broker) => broker.usage().residentBytes);
    const rounds = await measureRounds(brokers, options);
    await sleep(REST_MS);
    const holdings = new Map<BrokerName, Holding>();
    for (const [index, broker] of brokers.entries()) {
      holdings.set(broker.name, {
        startMs: starts.flatMap((each) => each[index]?.startMs ?? []),
        idleBytes: idle[index] ?? 0,
        residentBytes: broker.usage().residentBytes,
        diskBytes: await broker.diskBytes(),
      });
    }
    return { rounds, holdings };
  });
}

/** One starts after the other, on no data. Whatever happens, all are stopped. */
async function withBrokers<Value>(
  { names, directory, ...options }: Measured,
  use: (brokers: readonly Broker[]) => Promise<Value>,
): Promise<Value> {
  const brokers: Broker[] = [];
  const own = mkdtempSync(join(directory, 'brokers-'));
  try {
    for (const name of names) brokers.push(await Broker.start(name, { ...options, directory: own }));
    return await use(brokers);
  } finally {
    for (const broker of brokers) await broker.stop();
    rmSync(own, { recursive: true, force: true, maxRetries: 10 });
  }
}

async function measureRounds(
  brokers: readonly Broker[],
  { client: program, scenarios, roundCount, tell }: Measured,
): Promise<Round[]> {
  const client = new Child(programPath(program), { isAsked: true });
  const rounds: Round[] = [];
  try {
    // Round 0 warms everybody up and does not count.
    for (let number = 0; number <= roundCount; number++) {
      const round: Measurement[] = [];
      for (const scenario of scenarios) {
        for (const broker of rotated(brokers, number)) round.push(await measureOne(client, broker, scenario));
      }
      tell(number === 0 ? 'warm-up' : `round ${number}/${roundCount}`);
      if (number > 0) rounds.push(round);
    }
  } finally {
    await client.stop();
  }
  return rounds;
}

async function measureOne(client: Child, broker: Broker, scenario: Scenario): Promise<Measurement> {
  const { action, messageCount, bodyBytes, title } = scenario;
  const before = broker.usage();
  const answer = await client.ask<Answer>({
    ...broker.target,
    action,
    messageCount,
    bodyBytes,
  } satisfies Task);
  if ('error' in answer) throw new Error(`${title} against ${broker.name} failed: ${answer.error}`);
  await sleep(AFTERMATH_MS);
  return {
    broker: broker.name,
    scenario,
    messagesPerSecond: (messageCount * 1000) / answer.elapsedMs,
    microsecondsPerMessage: ((broker.usage().cpuMs - before.cpuMs) * 1000) / messageCount,
  };
}

/** None is always the first. */
function rotated<Value>(values: readonly Value[], by: number): Value[] {
  const start = by % values.length;
  return [...values.slice(start), ...values.slice(0, start)];
}
