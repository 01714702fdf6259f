// The built product under attack, as a process that says how long its turns were and what is alive in it.

import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'esbuild';
import { temporaryDirectory } from '../bench/brokers.js';
import { JITNEY, ROOT } from '../bench/built-programs.js';
import { Child } from '../bench/child.js';
import type { Answer, Question } from './server-probe.js';

const READY = 'Successfully Up';
const PORT_TEXT = /Endpoint=sb:\/\/localhost:(\d+)/;
const PROBE = join(ROOT, 'node_modules/.cache/jitney-crowd/server-probe.mjs');
const MB = 1_000_000;

type Counts = Readonly<Record<string, number>>;
type Entity = {
  readonly path: string;
  readonly counts: Counts;
  readonly subscriptions?: readonly { readonly counts: Counts }[];
};

const add = (sum: number, count: number) => sum + count;

export class Server {
  readonly port: number;
  readonly #child: Child;
  readonly #directory: string;

  private constructor(child: Child, directory: string) {
    this.#child = child;
    this.#directory = directory;
    this.port = Number(PORT_TEXT.exec(child.output)?.[1]);
  }

  /** Resolves when it is ready, on a free port and in a directory of its own. */
  static async start(options: readonly string[]): Promise<Server> {
    const directory = temporaryDirectory();
    const child = new Child(JITNEY, {
      nodeArguments: ['--expose-gc', '--import', PROBE],
      programArguments: ['start', '--data', directory, '--port', '0', '--http-port', 'off', ...options],
      isAsked: true,
    });
    await child.printed(READY);
    return new Server(child, directory);
  }

  /** The longest turn since the last question, in milliseconds of the main thread's processor time. */
  async turnMs(): Promise<number> {
    return this.#ask('turn');
  }

  /** Begins to measure. The function says in which part of the time since then the main thread had work and no processor. */
  delayed(): () => number {
    const delayMs = () => {
      try {
        return Number(readFileSync(`/proc/${this.#child.pid}/schedstat`, 'latin1').split(' ')[1]) / 1e6;
      } catch {
        throw new Error(`the emulator has ended:\n${this.#child.output}`);
      }
    };
    const start = { at: performance.now(), delayMs: delayMs() };
    return () => (delayMs() - start.delayMs) / (performance.now() - start.at);
  }

  /** Objects, and bytes outside of the heap, after a collection. */
  async aliveMb(): Promise<number> {
    return (await this.#ask('alive')) / MB;
  }

  /** Messages in all entities but these, whatever their state. */
  async messageCount(except: readonly string[] = []): Promise<number> {
    const answer = await fetch(`http://127.0.0.1:${this.port}/$jitney/v1/entities`);
    const { entities } = (await answer.json()) as { readonly entities: readonly Entity[] };
    return entities.reduce((sum, { path, counts, subscriptions = [] }) => {
      if (except.includes(path)) return sum;
      return [counts, ...subscriptions.map((each) => each.counts)].flatMap(Object.values).reduce(add, sum);
    }, 0);
  }

  async stop(): Promise<void> {
    await this.#child.stop();
    rmSync(this.#directory, { recursive: true, force: true });
  }

  async #ask(question: Question): Promise<number> {
    return (await this.#child.ask<Answer>({ question })).value;
  }
}

/** The probe as plain JavaScript, so that nothing loads the emulator's own files in another way. */
export async function buildProbe(): Promise<void> {
  await build({
    entryPoints: [join(ROOT, 'tools/crowd/server-probe.ts')],
    outfile: PROBE,
    bundle: true,
    format: 'esm',
    platform: 'node',
    target: 'node20',
  });
}
