// The brokers of the comparison, each a process of its own: Jitney with three durabilities, RabbitMQ with durable and with transient messages.

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

const VERSION_OF_RABBITMQ = /RabbitMQ (\d\S*)/;

export class Peer {
  readonly name: PeerName;
  readonly port: number;
  /** From the start of the process until it listens with the queue declared. */
  readonly startMs: number;
  readonly #processes: readonly [GuardedProcess, ...GuardedProcess[]];
  readonly #dataDirectory: string;

  private constructor(
    {
      name,
      port,
      startMs,
      dataDirectory,
    }: Pick<Peer, 'name' | 'port' | 'startMs'> & { dataDirectory: string },
    processes: readonly [GuardedProcess, ...GuardedProcess[]],
  ) {
    this.name = name;
    this.port = port;
    this.startMs = startMs;
    this.#dataDirectory = dataDirectory;
    this.#processes = processes;
  }

  static async start(name: PeerName, directory: string, rabbitmq: Rabbitmq): Promise<Peer> {
    const port = await freePort();
    const { command, environment, nameServer } = isRabbitmq(name)
      ? await launchRabbitmq(rabbitmq, directory, port)
      : launchJitney(name, directory, port);
    const startedAt = performance.now();
    const broker = new GuardedProcess(command, environment);
    const hasStarted = await isListening(port);
    const startMs = performance.now() - startedAt;
    const dataDirectory = join(directory, 'data');
    const peer = new Peer(
      { name, port, startMs, dataDirectory },
      nameServer === undefined ? [broker] : [broker, nameServer],
    );
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
    return VERSION_OF_RABBITMQ.exec(this.#processes[0].output)?.[1];
  }

  residentBytes(): number {
    return this.#processes[0].residentBytes();
  }

  /** Zero if it keeps nothing on disk. */
  diskBytes(): Promise<number> {
    return this.name === 'memory' ? Promise.resolve(0) : directoryBytes(this.#dataDirectory);
  }

  async stop(): Promise<void> {
    for (const each of this.#processes) await each.stop();
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
  const storage = name === 'memory' ? ['--memory'] : ['--data', join(directory, 'data')];
  const durability = name === 'fsync' ? ['--durability', 'fsync'] : [];
  return { command: [...common, ...storage, ...durability], environment: process.env, nameServer: undefined };
}
