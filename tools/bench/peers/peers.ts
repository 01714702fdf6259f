// The brokers of the comparison, each in a process: Jitney and RabbitMQ, keeping messages on disk or in memory.

import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { JITNEY } from '../built-programs.js';
import { directoryBytes } from '../million/jitney-process.js';
import { QUEUE } from '../scenarios.js';
import { GuardedProcess } from './guarded-process.js';
import { freePort, isListening } from './ports.js';
import { configureRabbitmq, type Rabbitmq, startNameServer } from './rabbitmq.js';

export type PeerName = 'jitney' | 'fsync' | 'memory' | 'rabbitmq' | 'transient';

export const PEER_NAMES: readonly PeerName[] = ['rabbitmq', 'jitney', 'fsync', 'transient', 'memory'];

type Launch = {
  readonly command: readonly string[];
  readonly environment: NodeJS.ProcessEnv;
  readonly nameServer: GuardedProcess | undefined;
};

/** Of each broker, in its own directory. */
const DATA_DIRECTORY = 'data';
const VERSION_OF_RABBITMQ = /RabbitMQ (\d\S*)/;

type Started = Pick<Peer, 'name' | 'port' | 'startMs'> & {
  readonly directory: string;
  readonly broker: GuardedProcess;
  readonly nameServer: GuardedProcess | undefined;
};

export class Peer {
  readonly name: PeerName;
  readonly port: number;
  /** From the start of the process until it listens with the queue declared. */
  readonly startMs: number;
  readonly #started: Started;

  private constructor(started: Started) {
    this.name = started.name;
    this.port = started.port;
    this.startMs = started.startMs;
    this.#started = started;
  }

  /** Everything it writes lies in `directory`. */
  static async start(name: PeerName, directory: string, rabbitmq: Rabbitmq): Promise<Peer> {
    const port = await freePort();
    const { command, environment, nameServer } = isRabbitmq(name)
      ? await launchRabbitmq(rabbitmq, directory, port)
      : launchJitney(name, directory, port);
    const startedAt = performance.now();
    const broker = new GuardedProcess(command, environment);
    const hasStarted = await isListening(port);
    const startMs = performance.now() - startedAt;
    const peer = new Peer({ name, port, startMs, directory, broker, nameServer });
    if (hasStarted) return peer;
    await peer.stop();
    throw new Error(`${name} does not listen on port ${port}:\n${broker.output}`);
  }

  get address(): string {
    return isRabbitmq(this.name) ? `/amq/queue/${QUEUE}` : QUEUE;
  }

  /** Whether the header of a message says durable, which decides in RabbitMQ and not in Jitney. */
  get isDurable(): boolean {
    return this.name !== 'transient' && this.name !== 'memory';
  }

  /** As RabbitMQ shows it. */
  get version(): string | undefined {
    return VERSION_OF_RABBITMQ.exec(this.#started.broker.output)?.[1];
  }

  residentBytes(): number {
    return this.#started.broker.residentBytes();
  }

  /** Zero if it keeps nothing on disk. */
  diskBytes(): Promise<number> {
    return this.name === 'memory'
      ? Promise.resolve(0)
      : directoryBytes(join(this.#started.directory, DATA_DIRECTORY));
  }

  /** Its data goes with it. */
  async stop(): Promise<void> {
    const { broker, nameServer, directory } = this.#started;
    await broker.stop();
    await nameServer?.stop();
    rmSync(directory, { recursive: true, force: true, maxRetries: 10 });
  }
}

function isRabbitmq(name: PeerName): boolean {
  return name === 'rabbitmq' || name === 'transient';
}

async function launchRabbitmq(rabbitmq: Rabbitmq, directory: string, port: number): Promise<Launch> {
  const nameServer = await startNameServer(rabbitmq);
  const environment = await configureRabbitmq(directory, { port, nameServerPort: nameServer.port });
  return { command: [rabbitmq.script], environment, nameServer: nameServer.process };
}

function launchJitney(name: PeerName, directory: string, port: number): Launch {
  const common = [process.execPath, JITNEY, '--port', String(port), '--http-port', 'off', '--queue', QUEUE];
  const storage = name === 'memory' ? ['--memory'] : ['--data', join(directory, DATA_DIRECTORY)];
  const durability = name === 'fsync' ? ['--durability', 'fsync'] : [];
  return { command: [...common, ...storage, ...durability], environment: process.env, nameServer: undefined };
}
