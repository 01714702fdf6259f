// The brokers under test, each a process of its own: Jitney with two durabilities, the null broker, and stock rhea.

import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { JITNEY, programPath, SCRATCH } from './built-programs.js';
import { Child } from './child.js';
import { READY_LINE } from './programs/up.js';
import type { Usage } from './programs/usage-probe.js';
import { QUEUE, RUN_ORDER, type ScenarioName } from './scenarios.js';

export type BrokerName = 'null' | 'jitney' | 'fsync' | 'rhea';

/** What is run against each; stock rhea shows only what a message through a queue costs. */
export const SCENARIOS_OF_BROKER: Readonly<Record<BrokerName, readonly ScenarioName[]>> = {
  null: RUN_ORDER,
  jitney: RUN_ORDER,
  fsync: RUN_ORDER,
  rhea: ['parallel', 'complete'],
};

export const BROKER_NAMES: readonly BrokerName[] = ['null', 'jitney', 'fsync', 'rhea'];

const CONNECTION_STRING = /Endpoint=sb:\/\/\S+/;

export class Broker {
  readonly connectionString: string;
  readonly #child: Child;
  readonly #cleanUp: () => void;

  private constructor(child: Child, connectionString: string, cleanUp: () => void) {
    this.#child = child;
    this.connectionString = connectionString;
    this.#cleanUp = cleanUp;
  }

  static async start(name: BrokerName, profileDirectory?: string): Promise<Broker> {
    const data = name === 'jitney' || name === 'fsync' ? temporaryDirectory() : undefined;
    const child = new Child(programOf(name), {
      nodeArguments: ['--import', programPath('usage-probe'), ...profileArguments(name, profileDirectory)],
      programArguments: data === undefined ? [] : jitneyArguments(data, name === 'fsync'),
      isAsked: true,
    });
    await child.printed(READY_LINE);
    const connectionString = CONNECTION_STRING.exec(child.output)?.[0];
    if (connectionString === undefined) throw new Error(`no connection string is shown:\n${child.output}`);
    return new Broker(child, connectionString, () => data && rmSync(data, { recursive: true, force: true }));
  }

  usage(): Promise<Usage> {
    return this.#child.ask({});
  }

  /** Its data goes with it. */
  async stop(): Promise<void> {
    await this.#child.stop();
    this.#cleanUp();
  }
}

export function temporaryDirectory(): string {
  mkdirSync(SCRATCH, { recursive: true });
  return mkdtempSync(join(SCRATCH, 'data-'));
}

function programOf(name: BrokerName): string {
  if (name === 'null') return programPath('null-broker');
  return name === 'rhea' ? programPath('stock-rhea') : JITNEY;
}

function jitneyArguments(data: string, isSynced: boolean): string[] {
  const common = ['--port', '0', '--http-port', 'off', '--data', data, '--queue', QUEUE];
  return isSynced ? [...common, '--durability', 'fsync'] : common;
}

function profileArguments(name: BrokerName, directory: string | undefined): string[] {
  return directory === undefined
    ? []
    : ['--cpu-prof', '--cpu-prof-dir', directory, '--cpu-prof-name', `${name}.cpuprofile`];
}
