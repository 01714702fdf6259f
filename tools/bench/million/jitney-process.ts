// The built product on a data directory, as a process that can be killed and started again, and looked at from outside.

import { readFileSync } from 'node:fs';
import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { JITNEY } from '../built-programs.js';
import { Child } from '../child.js';
import { READY_LINE } from '../programs/up.js';
import { type Address, closeConnection, nextEvent, openConnection } from './connection.js';

const ADDRESS = /Endpoint=sb:\/\/([^:;]+):(\d+)/;
const PRIVATE_MEMORY = /^RssAnon:\s+(\d+) kB$/m;
const KILOBYTE = 1024;
const MS_PER_CLOCK_TICK = 10;
/** Loaded before the program: it never outlives the benchmark, however that ends. */
const ENDS_WITH_US =
  'data:text/javascript,process.on("disconnect",()=>process.exit());process.channel.unref()';

export class JitneyProcess {
  readonly #child: Child;
  readonly #startedAt = performance.now();

  private constructor(child: Child) {
    this.#child = child;
  }

  static async start(dataDirectory: string, queues: readonly string[]): Promise<JitneyProcess> {
    const programArguments = ['--port', '0', '--http-port', 'off', '--data', dataDirectory];
    for (const queue of queues) programArguments.push('--queue', queue);
    const child = new Child(JITNEY, {
      nodeArguments: ['--import', ENDS_WITH_US],
      programArguments,
      isAsked: true,
    });
    const started = new JitneyProcess(child);
    await child.printed(READY_LINE);
    return started;
  }

  get address(): Address {
    const [, host, port] = ADDRESS.exec(this.#child.output) ?? [];
    if (host === undefined) throw new Error(`no connection string is shown:\n${this.#child.output}`);
    return { host, port: Number(port) };
  }

  /** Milliseconds from the start of the process until a sender's link was accepted and given credit, which is now. */
  async firstAttach(queue: string): Promise<number> {
    let onLost = (_: Error) => {};
    const lost = new Promise<never>((_, reject) => {
      onLost = reject;
    });
    const connection = openConnection(this.address, onLost);
    connection.open_sender({ target: queue });
    await Promise.race([nextEvent(connection, 'sendable'), lost]);
    const elapsedMs = performance.now() - this.#startedAt;
    await closeConnection(connection);
    return elapsedMs;
  }

  /** What it has for itself alone and not from files; undefined where the system does not tell. */
  privateBytes(): number | undefined {
    const kilobytes = PRIVATE_MEMORY.exec(this.#look('status') ?? '')?.[1];
    return kilobytes === undefined ? undefined : Number(kilobytes) * KILOBYTE;
  }

  /** What all its threads have worked since its start; undefined where the system does not tell. */
  cpuMs(): number | undefined {
    const text = this.#look('stat');
    if (text === undefined) return undefined;
    // Behind the name, which may hold anything, come the state, ten numbers, and the two that are asked for.
    const [user, system] = text
      .slice(text.lastIndexOf(')') + 2)
      .split(' ')
      .slice(11);
    return (Number(user) + Number(system)) * MS_PER_CLOCK_TICK;
  }

  /** Without a chance to say goodbye. */
  kill(): Promise<void> {
    return this.#child.kill();
  }

  stop(): Promise<void> {
    return this.#child.stop();
  }

  #look(file: 'status' | 'stat'): string | undefined {
    try {
      return readFileSync(`/proc/${this.#child.pid}/${file}`, 'utf8');
    } catch {
      // It has ended, or this is not Linux.
      return undefined;
    }
  }
}

export async function directoryBytes(directory: string): Promise<number> {
  const entries = await readdir(directory, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile());
  const sizes = files.map(({ parentPath, name }) => sizeOf(join(parentPath, name)));
  return (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0);
}

/** 0 for a file that is gone by now: the broker tidies up while we look. */
function sizeOf(path: string): Promise<number> {
  return stat(path).then(
    ({ size }) => size,
    () => 0,
  );
}
