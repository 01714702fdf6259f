// A command that runs with the terminal of this process: its exit code, the signals that it is handed, and the end of what it leaves behind.

import { type ChildProcess, spawn } from 'node:child_process';
import { constants } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { JitneyError } from '../../jitney-error.js';
import type { StopSignal } from '../start/stop-requests.js';

type CommandOptions = {
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** How long the command may take after each signal before it gets the next, stronger one. */
  readonly graceMs: number;
  /**
   * Whether standard input is a terminal. Then the command stays in the process group of this process: a terminal stops every other group
   * that reads from it, and itself sends Ctrl-C to the whole group.
   */
  readonly isInteractive: boolean;
};

/** In shells, the exit code of a command that a signal ended is this and the number of the signal. */
const SIGNAL_BASE = 128;
/** Processes that a command leaves running may take this long to end. */
const LEFT_BEHIND_MS = 2000;
const LOOK_MS = 20;

export class RunningCommand {
  /** The exit code, when the command and what it left behind have ended. */
  readonly ended: Promise<number>;
  readonly #child: ChildProcess;
  readonly #graceMs: number;
  readonly #isInteractive: boolean;
  readonly #hasOwnGroup: boolean;
  /** The signals still to come; undefined before the first. */
  #next: NodeJS.Signals[] | undefined;
  #timer: NodeJS.Timeout | undefined;

  private constructor(child: ChildProcess, { graceMs, isInteractive }: CommandOptions, hasOwnGroup: boolean) {
    this.#child = child;
    this.#graceMs = graceMs;
    this.#isInteractive = isInteractive;
    this.#hasOwnGroup = hasOwnGroup;
    this.ended = this.#whenEnded();
  }

  /** Resolves when the command runs. Throws a JitneyError if it cannot be run. */
  static async start(words: readonly string[], options: CommandOptions): Promise<RunningCommand> {
    const isWindows = process.platform === 'win32';
    // On Windows, `npm` is a script, which only a shell runs.
    const [program = '', ...rest] = isWindows ? [words.map(quotedForWindows).join(' ')] : words;
    const hasOwnGroup = !isWindows && !options.isInteractive;
    const child = spawn(program, rest, {
      stdio: 'inherit',
      env: options.environment,
      shell: isWindows,
      detached: hasOwnGroup,
    });
    const command = new RunningCommand(child, options, hasOwnGroup);
    await new Promise<void>((resolve, reject) => {
      child.once('spawn', resolve);
      child.once('error', (cause: NodeJS.ErrnoException) => reject(notRun(words[0] ?? '', cause)));
    });
    return command;
  }

  /** Hands a signal on. If the command goes on, SIGTERM and then SIGKILL follow, each after the grace or at the next call of this. */
  stop(signal: StopSignal): void {
    this.#next ??= signal === 'SIGTERM' ? ['SIGTERM', 'SIGKILL'] : [signal, 'SIGTERM', 'SIGKILL'];
    this.#goOn();
  }

  /** Ends it as Ctrl-C does, where no terminal has sent that. Does nothing if it has ended, or a signal has come. */
  interrupt(): void {
    if (this.#next !== undefined) return;
    this.#next = ['SIGTERM', 'SIGKILL'];
    this.#send('SIGINT');
    this.#timer = setTimeout(() => this.#goOn(), this.#graceMs);
  }

  #goOn(): void {
    clearTimeout(this.#timer);
    const signal = this.#next?.shift();
    if (signal === undefined) return;
    // The terminal has sent it to the command, too.
    if (!(signal === 'SIGINT' && this.#isInteractive)) this.#send(signal);
    this.#timer = setTimeout(() => this.#goOn(), this.#graceMs);
  }

  /** Returns whether there was a process to send the signal to; 0 only asks. */
  #send(signal: NodeJS.Signals | 0): boolean {
    const { pid } = this.#child;
    if (pid === undefined) return false;
    if (!this.#hasOwnGroup) return this.#child.kill(signal);
    try {
      return process.kill(-pid, signal);
    } catch {
      return false;
    }
  }

  async #whenEnded(): Promise<number> {
    const exitCode = await new Promise<number>((resolve) => {
      this.#child.once('exit', (code, signal) =>
        resolve(code ?? SIGNAL_BASE + constants.signals[signal ?? 'SIGKILL']),
      );
    });
    this.#next = [];
    clearTimeout(this.#timer);
    if (this.#hasOwnGroup) await this.#endGroup();
    return exitCode;
  }

  /** Ends the processes that the command has started and left running. */
  async #endGroup(): Promise<void> {
    const end = Date.now() + LEFT_BEHIND_MS;
    let isThere = this.#send('SIGTERM');
    while (isThere && Date.now() < end) {
      await sleep(LOOK_MS);
      isThere = this.#send(0);
    }
    if (isThere) this.#send('SIGKILL');
  }
}

function notRun(program: string, cause: NodeJS.ErrnoException): JitneyError {
  const why = { ENOENT: 'there is no such program', EACCES: 'it is not executable' }[cause.code ?? ''];
  return new JitneyError('command-not-run', `'${program}' cannot be run: ${why ?? cause.message}`, { cause });
}

/** A word as cmd.exe and the programs of Windows read it. */
function quotedForWindows(word: string): string {
  return /^[\w./:\\=@-]+$/.test(word) ? word : `"${word.replaceAll('"', '\\"')}"`;
}
