// Measures the brokers in turn, scenario by scenario and round after round, so that what disturbs the machine disturbs all of them.

import { setTimeout as sleep } from 'node:timers/promises';
import { type Broker, type BrokerName, SCENARIOS_OF_BROKER } from './brokers.js';
import { programPath } from './built-programs.js';
import { Child } from './child.js';
import type { Answer, Task } from './programs/sdk-client.js';
import { RUN_ORDER, SCENARIOS, type ScenarioName } from './scenarios.js';

export type Measurement = {
  readonly broker: BrokerName;
  readonly scenario: ScenarioName;
  readonly messagesPerSecond: number;
  readonly cpuMicrosecondsPerMessage: number;
};

/** What was measured in one round. */
export type Round = readonly Measurement[];

/** A broker may have something to do when the client is done: what belongs to a measurement is counted in it. */
const AFTERMATH_MS = 30;

export async function measureRounds(
  brokers: ReadonlyMap<BrokerName, Broker>,
  roundCount: number,
  onRound: (number: number, round: Round) => void,
): Promise<Round[]> {
  const client = new Child(programPath('sdk-client'), { isAsked: true });
  const rounds: Round[] = [];
  try {
    // Round 0 warms everybody up and does not count.
    for (let number = 0; number <= roundCount; number++) {
      const round: Measurement[] = [];
      for (const scenario of RUN_ORDER) {
        for (const [name, broker] of rotated([...brokers], number)) {
          if (!SCENARIOS_OF_BROKER[name].includes(scenario)) continue;
          round.push(await measure(client, broker, { name, scenario }));
        }
      }
      onRound(number, round);
      if (number > 0) rounds.push(round);
    }
  } finally {
    await client.stop();
  }
  return rounds;
}

async function measure(
  client: Child,
  broker: Broker,
  { name, scenario }: { name: BrokerName; scenario: ScenarioName },
): Promise<Measurement> {
  const { messageCount } = SCENARIOS[scenario];
  const { connectionString } = broker;
  const before = await broker.usage();
  const answer = await client.ask<Answer>({ connectionString, scenario } satisfies Task);
  if ('error' in answer) throw new Error(`${scenario} against ${name} failed: ${answer.error}`);
  await sleep(AFTERMATH_MS);
  const after = await broker.usage();
  return {
    broker: name,
    scenario,
    messagesPerSecond: (messageCount * 1000) / answer.elapsedMs,
    cpuMicrosecondsPerMessage: (after.cpuMicroseconds - before.cpuMicroseconds) / messageCount,
  };
}

/** Nobody is always the first. */
export function rotated<Value>(values: readonly Value[], by: number): Value[] {
  const start = by % values.length;
  return [...values.slice(start), ...values.slice(0, start)];
}
