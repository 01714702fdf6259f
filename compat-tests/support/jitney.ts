// Jitney as its users run it: the built command-line program in a process of its own, on free ports.

import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { LAST_LIMIT_MS, type ProcessExit, RunningProcess } from './running-process.js';

export type JitneyOptions = {
  /** Queues to create, as `--queue` takes them: `orders` or `orders?lockDuration=PT5S`. */
  readonly queues?: readonly string[];
  /** Keep the messages here. Without it everything is in memory. */
  readonly dataDirectory?: string;
  /** 0, the default, takes a free port. */
  readonly port?: number;
  /** Further variables of its environment. */
  readonly environment?: Readonly<Record<string, string>>;
  /** Any further arguments of the program. */
  readonly extraArguments?: readonly string[];
  /** The most files and sockets that the process may have open. */
  readonly descriptorLimit?: number;
  /** `dist/cli/main.js` of another build. */
  readonly program?: string;
  /** A command and its arguments that run the program, such as strace. */
  readonly under?: readonly string[];
};

const PROGRAM = fileURLToPath(new URL('../../dist/cli/main.js', import.meta.url));
const READY_LINE = 'Emulator Service is Successfully Up!';
const CONNECTION_STRING = /Endpoint=sb:\/\/\S+/;
const ADDRESS = /^Endpoint=sb:\/\/([^:;]+):(\d+)/;

export class Jitney implements AsyncDisposable {
  readonly connectionString: string;
  readonly process: RunningProcess;

  private constructor(program: RunningProcess, connectionString: string) {
    this.process = program;
    this.connectionString = connectionString;
  }

  /** Starts the program and waits until it says that it is up. */
  static async start(options: JitneyOptions = {}): Promise<Jitney> {
    const program = launch(options);
    try {
      await program.printed(READY_LINE, LAST_LIMIT_MS);
    } catch (cause) {
      program.signal('SIGKILL');
      throw cause;
    }
    const connectionString = CONNECTION_STRING.exec(program.output)?.[0];
    if (connectionString === undefined) {
      program.signal('SIGKILL');
      throw new Error(`the banner shows no connection string:\n${program.output}`);
    }
    return new Jitney(program, connectionString);
  }

  /** Runs the program where it cannot start and returns what it said. */
  static async failToStart(options: JitneyOptions): Promise<RunningProcess> {
    const program = launch(options);
    if ((await program.endedWithin(LAST_LIMIT_MS)) === undefined) {
      throw new Error(`the program did not end by itself:\n${program.output}`);
    }
    return program;
  }

  /** Ends the program so many milliseconds after it was launched, up or not. */
  static async killAtStart(options: JitneyOptions, afterMs: number): Promise<void> {
    const program = launch(options);
    await delay(afterMs);
    program.signal('SIGKILL');
    await program.exited;
  }

  /** Where it listens, as its connection string says. */
  get address(): { readonly host: string; readonly port: number } {
    const [, host = '', port] = ADDRESS.exec(this.connectionString) ?? [];
    return { host, port: Number(port) };
  }

  /** Stops it as Ctrl-C or a container would, on Windows, which has no signals, as `jitney stop`; fails when that does not end it. */
  async stop(): Promise<ProcessExit> {
    if (process.platform === 'win32') {
      const words = ['stop', '--connection-string', this.connectionString];
      await new RunningProcess([PROGRAM, ...words]).exited;
    } else this.process.signal('SIGTERM');
    const exit = await this.process.endedWithin(LAST_LIMIT_MS);
    if (exit === undefined) {
      throw new Error(`the program had to be killed, ${LAST_LIMIT_MS} ms after it was asked to stop`);
    }
    return exit;
  }

  /** Ends it with no chance to say goodbye to anyone. */
  async killNine(): Promise<void> {
    this.process.signal('SIGKILL');
    await this.process.exited;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop();
  }
}

function launch(options: JitneyOptions): RunningProcess {
  const storage = options.dataDirectory === undefined ? ['--memory'] : ['--data', options.dataDirectory];
  const queues = (options.queues ?? []).flatMap((queue) => ['--queue', queue]);
  const programArguments = [
    options.program ?? PROGRAM,
    '--port',
    String(options.port ?? 0),
    '--http-port',
    'off',
    '--tls-port',
    'off',
    ...storage,
    ...queues,
    ...(options.extraArguments ?? []),
  ];
  const { descriptorLimit, under } = options;
  if (under !== undefined) {
    const [command = '', ...words] = under;
    return new RunningProcess([...words, process.execPath, ...programArguments], { command });
  }
  const { environment = {} } = options;
  if (descriptorLimit === undefined) return new RunningProcess(programArguments, { env: environment });
  const script = `ulimit -n ${descriptorLimit} && exec "$0" "$@"`;
  return new RunningProcess(['-c', script, process.execPath, ...programArguments], { command: '/bin/sh' });
}
