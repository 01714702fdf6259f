// A program of any kind as a child that cannot outlive the benchmark, even one that is killed.

import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';

const KILOBYTE = 1024;
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

  residentBytes(): number {
    const rss = execFileSync('ps', ['-o', 'rss=', '-p', String(this.#pid)], { encoding: 'utf8' });
    return Number(rss) * KILOBYTE;
  }

  /** Kills it, as its data is not needed any more. */
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

  get #pid(): number | undefined {
    const pid = PID_LINE.exec(this.#output)?.[1];
    return pid === undefined ? undefined : Number(pid);
  }
}
