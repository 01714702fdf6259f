// A broker as a child that cannot outlive the benchmark, even one that is killed; looked at from outside.

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';

export type Usage = {
  /** What all its threads have worked since the start. */
  readonly cpuMs: number;
  readonly residentBytes: number;
  /** What it has for itself alone and not from files. */
  readonly privateBytes: number;
};

const KILOBYTE = 1024;
const MS_PER_CLOCK_TICK = 10;
const PID_LINE = /^pid (\d+)$/m;
/**
 * A shell whose input is a pipe from the benchmark: it kills the program when the pipe ends, as it does when the
 * benchmark ends, however that happens. It ignores Ctrl+C, which a terminal sends to all; so does the program.
 */
const GUARD =
  'trap "" INT TERM HUP; "$@" < /dev/null & echo "pid $!"; cat > /dev/null; kill -9 $!; wait $! 2> /dev/null';

export class GuardedProcess {
  readonly #guard: ChildProcess;
  readonly #ended: Promise<unknown>;
  readonly #killOnExit = () => this.#kill();
  #output = '';

  constructor(command: readonly string[], environment: NodeJS.ProcessEnv = process.env) {
    this.#guard = spawn('sh', ['-c', GUARD, 'guard', ...command], { env: environment, stdio: 'pipe' });
    this.#ended = once(this.#guard, 'exit');
    for (const stream of [this.#guard.stdout, this.#guard.stderr]) {
      stream?.setEncoding('utf8').on('data', (text: string) => {
        this.#output += text;
      });
    }
    // Before another listener removes the directory that it writes to.
    process.prependListener('exit', this.#killOnExit);
  }

  /** All that it has printed. */
  get output(): string {
    return this.#output;
  }

  /** Not a number where the system does not tell: that is, elsewhere than on Linux. */
  usage(): Usage {
    const status = this.#look('status');
    const kilobytes = (name: string) => Number(new RegExp(`^${name}:\\s+(\\d+) kB$`, 'm').exec(status)?.[1]);
    const stat = this.#look('stat');
    // Behind the name, which may hold anything, come the state, ten numbers, and the two that are asked for.
    const [user, system] = stat
      .slice(stat.lastIndexOf(')') + 2)
      .split(' ')
      .slice(11);
    return {
      cpuMs: (Number(user) + Number(system)) * MS_PER_CLOCK_TICK,
      residentBytes: kilobytes('VmRSS') * KILOBYTE,
      privateBytes: kilobytes('RssAnon') * KILOBYTE,
    };
  }

  /** Kills it, without a chance to say goodbye. */
  async stop(): Promise<void> {
    process.off('exit', this.#killOnExit);
    this.#guard.stdin?.end();
    await this.#ended;
  }

  #kill(): void {
    try {
      if (this.#pid !== undefined) process.kill(this.#pid, 'SIGKILL');
    } catch {
      // It has ended by itself.
    }
  }

  #look(file: 'status' | 'stat'): string {
    try {
      return readFileSync(`/proc/${this.#pid}/${file}`, 'utf8');
    } catch {
      return '';
    }
  }

  get #pid(): number | undefined {
    const pid = PID_LINE.exec(this.#output)?.[1];
    return pid === undefined ? undefined : Number(pid);
  }
}
