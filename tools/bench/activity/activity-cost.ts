// What the record of events and the log cost the server: the same messages through servers that differ in nothing else, in turn.

import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { ServiceBusClient } from '@azure/service-bus';
import { formatConnectionString } from '../../../src/config/connection-string.js';
import { temporaryDirectory } from '../brokers.js';
import { JITNEY, programPath, ROOT } from '../built-programs.js';
import { Child } from '../child.js';
import { READY_LINE } from '../programs/up.js';
import type { Usage } from '../programs/usage-probe.js';
import { QUEUE, SCENARIOS } from '../scenarios.js';
import { median } from '../statistics.js';

type Recording = 'none' | 'ring' | 'info' | 'debug' | 'json';

export type ActivityCost = {
  readonly recording: Recording;
  /** Microseconds of the server's processor time for a message that is sent, received and completed. */
  readonly cpuMicroseconds: number;
  /** The middle of the ratios to `none` of each round. */
  readonly ratio: number;
};

const RECORDINGS: readonly Recording[] = ['none', 'ring', 'info', 'debug', 'json'];
const MESSAGE_COUNT = 4000;
/** Work that the server still does when the client is done belongs to the measurement. */
const AFTERMATH_MS = 200;

export async function measureActivity(roundCount: number): Promise<readonly ActivityCost[]> {
  const servers = new Map<Recording, Server>();
  try {
    for (const recording of RECORDINGS) servers.set(recording, await Server.start(recording));
    const rounds: Map<Recording, number>[] = [];
    // Round 0 warms everybody up and does not count.
    for (let round = 0; round <= roundCount; round++) {
      const costs = new Map<Recording, number>();
      for (const [recording, server] of servers) costs.set(recording, await server.work());
      if (round > 0) rounds.push(costs);
    }
    return RECORDINGS.map((recording) => {
      const costOf = (round: Map<Recording, number>) => round.get(recording) ?? Number.NaN;
      const ratios = rounds.map((round) => costOf(round) / (round.get('none') ?? Number.NaN));
      return { recording, cpuMicroseconds: median(rounds.map(costOf)), ratio: median(ratios) };
    });
  } finally {
    for (const server of servers.values()) await server.stop();
  }
}

class Server {
  readonly #child: Child;
  readonly #client: ServiceBusClient;
  readonly #directory: string;

  private constructor(child: Child, client: ServiceBusClient, directory: string) {
    this.#child = child;
    this.#client = client;
    this.#directory = directory;
  }

  static async start(recording: Recording): Promise<Server> {
    const directory = temporaryDirectory();
    const isPlain = recording === 'none' || recording === 'ring';
    const program = isPlain ? programPath('recorded-broker') : JITNEY;
    const child = new Child(program, {
      nodeArguments: ['--import', programPath('usage-probe')],
      programArguments: isPlain
        ? [recording === 'ring' ? 'recorded' : 'plain', ROOT, directory]
        : commandLine(recording, directory),
      isAsked: true,
    });
    await child.printed(READY_LINE);
    // With a log of JSON only the port is printed.
    const port = /sb:\/\/[^:\s]+:(\d+)|"port":(\d+)/.exec(child.output);
    const connectionString = formatConnectionString('localhost', Number(port?.[1] ?? port?.[2]));
    return new Server(child, new ServiceBusClient(connectionString), directory);
  }

  /** Returns the processor time for each message. */
  async work(): Promise<number> {
    const sender = this.#client.createSender(QUEUE);
    const peekLock = this.#client.createReceiver(QUEUE);
    const queue = { sender, peekLock, receiveAndDelete: peekLock };
    const before = await this.#child.ask<Usage>({});
    await SCENARIOS.parallel.run(queue, MESSAGE_COUNT);
    await SCENARIOS.complete.run(queue, MESSAGE_COUNT);
    await new Promise((resolve) => setTimeout(resolve, AFTERMATH_MS));
    const after = await this.#child.ask<Usage>({});
    await Promise.all([sender.close(), peekLock.close()]);
    return (after.cpuMicroseconds - before.cpuMicroseconds) / MESSAGE_COUNT;
  }

  async stop(): Promise<void> {
    await this.#client.close();
    await this.#child.stop();
    rmSync(this.#directory, { recursive: true, force: true });
  }
}

function commandLine(recording: Recording, directory: string): string[] {
  const common = ['--port', '0', '--http-port', 'off', '--data', directory, '--queue', QUEUE];
  if (recording === 'info') return common;
  const log = ['--log-level', 'debug', '--log-file', join(directory, 'jitney.log')];
  return [...common, ...log, ...(recording === 'json' ? ['--log-format', 'json'] : [])];
}
