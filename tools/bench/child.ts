// A Node program of the benchmark as a child: waits for what it prints, asks it one question at a time, ends it.

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';

export type ChildOptions = {
  readonly nodeArguments?: readonly string[];
  readonly programArguments?: readonly string[];
  /** Whether it can be asked; the channel for that costs a little of its start. */
  readonly isAsked: boolean;
};

const STOP_LIMIT_MS = 10_000;

export class Child {
  readonly #process: ChildProcess;
  readonly #exited: Promise<unknown>;
  #output = '';

  constructor(program: string, { nodeArguments = [], programArguments = [], isAsked }: ChildOptions) {
    this.#process = spawn(process.execPath, [...nodeArguments, program, ...programArguments], {
      stdio: ['ignore', 'pipe', 'pipe', ...(isAsked ? (['ipc'] as const) : [])],
    });
    this.#exited = once(this.#process, 'exit');
    for (const stream of [this.#process.stdout, this.#process.stderr]) {
      stream?.setEncoding('utf8').on('data', (text: string) => {
        this.#output += text;
      });
    }
  }

  get output(): string {
    return this.#output;
  }

  get pid(): number {
    const { pid } = this.#process;
    if (pid === undefined) throw new Error('the program could not be started');
    return pid;
  }

  /** Resolves in the moment in which `text` has been printed. */
  printed(text: string): Promise<void> {
    return this.#unlessItEnds((resolve) => {
      this.#process.stdout?.on('data', () => {
        if (this.#output.includes(text)) resolve();
      });
    });
  }

  ask<Answer>(question: object): Promise<Answer> {
    return this.#unlessItEnds((resolve, reject) => {
      this.#process.once('message', (answer) => resolve(answer as Answer));
      this.#process.send(question, (error) => {
        if (error !== null) reject(error);
      });
    });
  }

  /** Ends it with no chance to say goodbye. */
  async kill(): Promise<void> {
    this.#process.kill('SIGKILL');
    await this.#exited;
  }

  async stop(): Promise<void> {
    const force = setTimeout(() => this.#process.kill('SIGKILL'), STOP_LIMIT_MS);
    this.#process.kill('SIGTERM');
    await this.#exited;
    clearTimeout(force);
  }

  #unlessItEnds<Value>(
    start: (resolve: (value: Value) => void, reject: (error: Error) => void) => void,
  ): Promise<Value> {
    return new Promise((resolve, reject) => {
      const ended = () => reject(new Error(`a program ended unasked:\n${this.#output}`));
      if (this.#process.exitCode !== null || this.#process.signalCode !== null) {
        ended();
        return;
      }
      this.#process.once('exit', ended);
      start((value) => {
        this.#process.off('exit', ended);
        resolve(value);
      }, reject);
    });
  }
}
