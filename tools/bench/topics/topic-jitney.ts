// The built product with topics in a data directory of its own, and one client that sends to it.

import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryDirectory } from '../brokers.js';
import { JITNEY, programPath } from '../built-programs.js';
import { Child } from '../child.js';
import { directoryBytes } from '../million/jitney-process.js';
import type { Answer, Task } from '../programs/topic-client.js';
import { READY_LINE } from '../programs/up.js';
import type { Usage } from '../programs/usage-probe.js';
import { describeEntities } from './topic-entities.js';

const CONNECTION_STRING = /Endpoint=sb:\/\/\S+/;

export type TopicJitneyOptions = {
  /** Whenever its usage is asked for: what it holds is then without garbage, and its processor time is not its own. */
  readonly collectsGarbage?: boolean;
};

export class TopicJitney implements AsyncDisposable {
  readonly #directory = temporaryDirectory();
  readonly #data = join(this.#directory, 'data');
  readonly #server: Child;
  readonly #client = new Child(programPath('topic-client'), { isAsked: true });

  private constructor({ collectsGarbage = false }: TopicJitneyOptions) {
    const config = join(this.#directory, 'Config.json');
    writeFileSync(config, JSON.stringify(describeEntities()));
    this.#server = new Child(JITNEY, {
      nodeArguments: [
        ...(collectsGarbage ? ['--expose-gc'] : []),
        ...['--import', programPath('usage-probe')],
      ],
      programArguments: ['--port', '0', '--http-port', 'off', '--data', this.#data, '--config', config],
      isAsked: true,
    });
  }

  static async start(options: TopicJitneyOptions = {}): Promise<TopicJitney> {
    const started = new TopicJitney(options);
    await started.#server.printed(READY_LINE);
    return started;
  }

  /** Milliseconds until all were accepted. */
  async send(task: Omit<Task, 'connectionString'>): Promise<number> {
    const connectionString = CONNECTION_STRING.exec(this.#server.output)?.[0];
    if (connectionString === undefined) throw new Error(`no connection string:\n${this.#server.output}`);
    const answer = await this.#client.ask<Answer>({ ...task, connectionString } satisfies Task);
    if ('error' in answer) throw new Error(`sending to ${task.entity} failed: ${answer.error}`);
    return answer.elapsedMs;
  }

  usage(): Promise<Usage> {
    return this.#server.ask({});
  }

  diskBytes(): Promise<number> {
    return directoryBytes(this.#data);
  }

  /** Its data goes with it. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.#client.stop();
    await this.#server.stop();
    rmSync(this.#directory, { recursive: true, force: true });
  }
}
