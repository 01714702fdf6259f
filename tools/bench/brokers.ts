// The brokers, each a process of its own: Jitney in several ways, an older build of it, the null broker, and RabbitMQ.

import { mkdirSync, mkdtempSync } from 'node:fs';
import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { JITNEY, programPath, SCRATCH } from './built-programs.js';
import { GuardedProcess, type Usage } from './guarded-process.js';
import { freePort, isListening } from './ports.js';
import { type Rabbitmq, startRabbitmq } from './rabbitmq.js';
import { QUEUE, type Task } from './scenarios.js';

export type BrokerName =
  | 'null'
  | 'jitney'
  | 'base'
  | 'base-memory'
  | 'fsync'
  | 'memory'
  | 'rabbitmq'
  | 'transient';

export type BrokerOptions = {
  /** What it keeps lies in it, and is for the caller to remove. */
  readonly directory: string;
  readonly queues?: readonly string[];
  /** The folder of an older build. */
  readonly base?: string | undefined;
  readonly rabbitmq?: Rabbitmq | undefined;
};

type Processes = readonly [broker: GuardedProcess, ...others: GuardedProcess[]];

export class Broker {
  readonly name: BrokerName;
  readonly port: number;
  /** From the start of the process until it listened with its queues there. */
  readonly startMs: number;
  readonly #directory: string;
  readonly #processes: Processes;

  private constructor(
    name: BrokerName,
    port: number,
    directory: string,
    processes: Processes,
    startMs: number,
  ) {
    this.name = name;
    this.port = port;
    this.startMs = startMs;
    this.#directory = directory;
    this.#processes = processes;
  }

  static async start(name: BrokerName, options: BrokerOptions): Promise<Broker> {
    const directory = join(options.directory, name);
    const port = await freePort();
    const processes = await launch(name, port, { ...options, directory });
    const startedAt = performance.now();
    const isUp = await isListening(port);
    const broker = new Broker(name, port, directory, processes, performance.now() - startedAt);
    if (isUp) return broker;
    await broker.stop();
    throw new Error(`${name} does not listen on port ${port}:\n${processes[0].output}`);
  }

  /** Where a client finds its queue. */
  get target(): Pick<Task, 'port' | 'address' | 'isDurable'> {
    return {
      port: this.port,
      address: isRabbitmq(this.name) ? `/amq/queue/${QUEUE}` : QUEUE,
      // RabbitMQ goes by the header of a message, Jitney does not.
      isDurable: this.name !== 'transient' && !isInMemory(this.name),
    };
  }

  usage(): Usage {
    return this.#processes[0].usage();
  }

  /** 0 if it keeps nothing on disk. */
  async diskBytes(): Promise<number> {
    const entries = await readdir(this.#directory, { recursive: true, withFileTypes: true }).catch(() => []);
    const files = entries.filter((entry) => entry.isFile());
    const sizes = files.map(({ parentPath, name }) => sizeOf(join(parentPath, name)));
    return (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0);
  }

  /** Kills it, without a chance to say goodbye. */
  async stop(): Promise<void> {
    for (const each of this.#processes) await each.stop();
  }
}

export function temporaryDirectory(): string {
  mkdirSync(SCRATCH, { recursive: true });
  return mkdtempSync(join(SCRATCH, 'data-'));
}

function isRabbitmq(name: BrokerName): boolean {
  return name === 'rabbitmq' || name === 'transient';
}

function isInMemory(name: BrokerName): boolean {
  return name === 'memory' || name === 'base-memory';
}

async function launch(name: BrokerName, port: number, options: BrokerOptions): Promise<Processes> {
  const { directory, queues = [QUEUE], base = '', rabbitmq } = options;
  if (rabbitmq !== undefined && isRabbitmq(name)) return startRabbitmq(rabbitmq, directory, port);
  if (name === 'null') {
    return [new GuardedProcess([process.execPath, programPath('null-broker'), String(port)])];
  }
  const isBase = name === 'base' || name === 'base-memory';
  const program = isBase ? join(base, 'dist/cli/main.js') : JITNEY;
  return [
    new GuardedProcess([
      ...[process.execPath, program, '--port', String(port), '--http-port', 'off'],
      ...queues.flatMap((queue) => ['--queue', queue]),
      ...(isInMemory(name) ? ['--memory'] : ['--data', directory]),
      ...(name === 'fsync' ? ['--durability', 'fsync'] : []),
    ]),
  ];
}

/** 0 for a file that is gone by now: the broker tidies up while we look. */
function sizeOf(path: string): Promise<number> {
  return stat(path).then(
    ({ size }) => size,
    () => 0,
  );
}
