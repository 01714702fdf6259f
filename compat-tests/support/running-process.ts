// A child process whose output is kept, whose end can be awaited, and which never outlives the process that started it.

import { type ChildProcess, type ChildProcessByStdio, spawn } from 'node:child_process';
import type { Readable } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';

export type ProcessExit = {
  /** null when a signal ended it. */
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
};

export type ProcessOptions = {
  readonly env?: Readonly<Record<string, string>>;
  readonly workingDirectory?: string;
  /** The program to start; without it, Node. */
  readonly command?: string;
};

/** A last limit for what a healthy product does at once, so that a machine which has much else to do fails no test. */
export const LAST_LIMIT_MS = 60_000;

const POLL_MS = 10;

/** Those that run: one listener ends them all with us. */
const running = new Set<ChildProcess>();
const killAll = () => {
  for (const child of running) child.kill('SIGKILL');
};

export class RunningProcess {
  readonly exited: Promise<ProcessExit>;
  readonly #child: ChildProcessByStdio<null, Readable, Readable>;
  #exit: ProcessExit | undefined;
  #stdout = '';
  #stderr = '';
  #output = '';

  constructor(programArguments: readonly string[], options: ProcessOptions = {}) {
    this.#child = spawn(options.command ?? process.execPath, programArguments, {
      stdio: ['ignore', 'pipe', 'pipe'],
      // Vitest may ask its workers for colour.
      env: { ...process.env, FORCE_COLOR: undefined, ...options.env },
      cwd: options.workingDirectory,
    });
    this.#collectOutput();
    this.exited = this.#watchExit();
  }

  get stdout(): string {
    return this.#stdout;
  }

  get stderr(): string {
    return this.#stderr;
  }

  /** Both streams in the order they were printed. */
  get output(): string {
    return this.#output;
  }

  /** Of a process that was started. */
  get pid(): number {
    const { pid } = this.#child;
    if (pid === undefined) throw new Error('the process was never started');
    return pid;
  }

  get isRunning(): boolean {
    return this.#exit === undefined;
  }

  signal(name: NodeJS.Signals): void {
    if (this.isRunning) {
      this.#child.kill(name);
    }
  }

  /** Waits for `text` on either stream; fails when the process ends first or the time is up. */
  async printed(text: string, withinMs: number): Promise<void> {
    const deadline = Date.now() + withinMs;
    while (!this.#output.includes(text)) {
      if (!this.isRunning) {
        throw new Error(
          `the process ended (${describeExit(this.#exit)}) before it printed "${text}":\n${this.#output}`,
        );
      }
      if (Date.now() > deadline) {
        throw new Error(`"${text}" was not printed within ${withinMs} ms:\n${this.#output}`);
      }
      await delay(POLL_MS);
    }
  }

  /** Waits for the end; kills the process when it takes longer than `withinMs` and says undefined. */
  async endedWithin(withinMs: number): Promise<ProcessExit | undefined> {
    const timeUp = new AbortController();
    const exit = await Promise.race([
      this.exited,
      delay(withinMs, undefined, { signal: timeUp.signal }).catch(() => undefined),
    ]);
    timeUp.abort();
    if (exit === undefined) {
      this.signal('SIGKILL');
      await this.exited;
    }
    return exit;
  }

  #collectOutput(): void {
    this.#child.stdout.setEncoding('utf8').on('data', (text: string) => {
      this.#stdout += text;
      this.#output += text;
    });
    this.#child.stderr.setEncoding('utf8').on('data', (text: string) => {
      this.#stderr += text;
      this.#output += text;
    });
  }

  #watchExit(): Promise<ProcessExit> {
    if (running.size === 0) process.on('exit', killAll);
    running.add(this.#child);
    return new Promise((resolve, reject) => {
      this.#child.once('error', reject);
      // 'close' and not 'exit': by then the last output has been read.
      this.#child.once('close', (code, signal) => {
        running.delete(this.#child);
        if (running.size === 0) process.off('exit', killAll);
        this.#exit = { code, signal };
        resolve(this.#exit);
      });
    });
  }
}

function describeExit(exit: ProcessExit | undefined): string {
  return exit?.signal ? `killed by ${exit.signal}` : `exit code ${exit?.code}`;
}
