// A program of any kind as a child that cannot outlive the benchmark, even one that is killed.

import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';

const KILOBYTE = 1024;
const PID_LINE = /^pid (\d+)$/m;

/** The shell's input is a pipe from the benchmark. It ends with the benchmark, and only then: Ctrl+C is for the benchmark alone. */
const GUARD =
  'trap "" INT TERM HUP; "$@" < /dev/null & echo "pid $!"; cat > /dev/null; kill -9 $!; wait $! 2> /dev/null';

export class GuardedProcess {
  readonly #guard: ChildProcess;
  readonly #ended: Promise<unknown>;
  #output = '';

  constructor(command: readonly string[], environment: NodeJS.ProcessEnv = process.env) {
    this.#guard = spawn('sh', ['-c', GUARD, 'guard', ...command], {
      env: environment,
      stdio: 'pipe',
    });
    this.#ended = once(this.#guard, 'exit');
    for (const stream of [this.#guard.stdout, this.#guard.stderr]) {
      stream?.setEncoding('utf8').on('data', (text: string) => {
        this.#output += text;
      });
    }
  }

  /** All that it has printed. */
  get output(): string {
    return this.#output;
  }

  residentBytes(): number {
    const pid = PID_LINE.exec(this.#output)?.[1];
    if (pid === undefined) throw new Error(`a program could not be started:\n${this.#output}`);
    return Number(execFileSync('ps', ['-o', 'rss=', '-p', pid], { encoding: 'utf8' })) * KILOBYTE;
  }

  /** At once; its data are not needed any more. */
  async stop(): Promise<void> {
    this.#guard.stdin?.end();
    await this.#ended;
  }
}
