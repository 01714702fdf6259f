// `jitney exec`: runs a command with an emulator of its own, and stops the emulator when the command has ended.

import type { Environment, Flags } from '../../config/environment.js';
import type { EmulatorOptions } from '../../config/options/emulator-options.js';
import { refusing } from '../../config/options/option-types.js';
import type { Settings } from '../../config/settings.js';
import { parseSpan } from '../../description/duration.js';
import type { Emulator } from '../../emulator.js';
import type { AskRunning } from '../control/running-authority.js';
import { clientVariables, variablesToUnset } from '../files/client-variables.js';
import { printError } from '../output/error-report.js';
import { isWarning } from '../output/log-line.js';
import type { Write } from '../output/output.js';
import { runStart, type StartContext } from '../start/start-command.js';
import { EXIT_CODES, type StopSignal } from '../start/stop-requests.js';
import { KeptLog } from './kept-log.js';
import { RunningCommand } from './running-command.js';
import { TrustForCommand } from './trust-for-command.js';

export type ExecFlags = Flags & { readonly grace?: string };

export type ExecContext = Omit<StartContext, 'stopRequested' | 'whenStarted'> & {
  readonly askRunning: AskRunning;
  readonly onSignal: (listener: (signal: StopSignal) => void) => void;
  readonly isInteractive: boolean;
};

const DEFAULT_GRACE = '10';
/** The usual ports, and those of variables, may belong to an emulator that runs all day. */
const OWN_PORTS: Flags = { port: '0', httpPort: 'off', httpsPort: 'off' };
/** Left out: without it, a start takes no port for TLS, or 5671 if it is on 5672. */
const TLS_PORT = 'JITNEY_TLS_PORT';
/** They would lead the commands of Jitney to another emulator, because they win over the connection string. */
const OTHER_EMULATOR = ['JITNEY_PORT', 'JITNEY_HOST'];

/** Resolves with the exit code of the command, or with that of a start that has failed. */
export async function runExec(
  words: readonly string[],
  { grace = DEFAULT_GRACE, ...flags }: ExecFlags,
  context: ExecContext,
): Promise<number> {
  const { stderr } = context;
  try {
    const graceMs = refusing('bad-option', '--grace', () => parseSpan(grace));
    return await new Execution(words, graceMs, context).run(flags);
  } catch (error) {
    return printError(error, undefined, { stderr, command: 'exec' });
  }
}

class Execution {
  readonly #words: readonly string[];
  readonly #graceMs: number;
  readonly #context: ExecContext;
  readonly #trust: TrustForCommand;
  readonly #log = new KeptLog();
  #command: RunningCommand | undefined;
  /** A signal that came before the command was started. */
  #earlySignal: StopSignal | undefined;

  constructor(words: readonly string[], graceMs: number, context: ExecContext) {
    this.#words = words;
    this.#graceMs = graceMs;
    this.#context = context;
    this.#trust = new TrustForCommand(context);
  }

  async run(flags: Flags): Promise<number> {
    const { stderr, onSignal } = this.#context;
    let requestStop = (_reason: string) => {};
    const stopRequested = new Promise<string>((resolve) => {
      requestStop = resolve;
    });
    onSignal((signal) => {
      if (this.#command !== undefined) return this.#command.stop(signal);
      this.#earlySignal ??= signal;
      requestStop(signal);
    });
    const { [TLS_PORT]: _, ...environment } = this.#context.environment;
    const startCode = await runStart(
      { ...OWN_PORTS, ...(flags.data === undefined ? { memory: true } : {}), ...flags },
      {
        ...this.#context,
        environment,
        startEmulator: (options) => this.#context.startEmulator(notingNotTaken(options, this.#log)),
        stdout: () => {},
        stderr: this.#writeOrKeep,
        stopRequested,
        whenStarted: async (emulator, settings) => {
          if (this.#earlySignal !== undefined) return;
          this.#command = await this.#start(emulator, settings);
          void this.#command.ended.then(() => {
            this.#log.end();
            requestStop('the command has ended');
          });
        },
      },
    );
    const exitCode = await this.#exitCode(startCode);
    await this.#trust.end();
    if (exitCode !== 0) this.#log.printTo(stderr, this.#command === undefined ? undefined : exitCode);
    return exitCode;
  }

  /** Prints a warning while the command runs, because it may say why the command hangs. All else is kept. */
  readonly #writeOrKeep: Write = (text) => {
    if (this.#command !== undefined && isWarning(text)) this.#context.stderr(text);
    else this.#log.write(text);
  };

  /** Ends the command if it still runs, because the emulator has failed or has been stopped. */
  async #exitCode(startCode: number): Promise<number> {
    if (this.#command === undefined) {
      return startCode === 0 && this.#earlySignal !== undefined ? EXIT_CODES[this.#earlySignal] : startCode;
    }
    if (startCode === 0) this.#command.interrupt();
    else this.#command.stop('SIGTERM');
    return (await this.#command.ended) || startCode;
  }

  async #start(emulator: Emulator, settings: Settings): Promise<RunningCommand> {
    const { port, httpPort = 'off', tlsPort = 'off', httpsPort = 'off' } = emulator;
    const environment = await this.#environment({ ...settings, port, httpPort, tlsPort, httpsPort });
    const { isInteractive } = this.#context;
    return RunningCommand.start(this.#words, { environment, graceMs: this.#graceMs, isInteractive });
  }

  async #environment(settings: Settings): Promise<Environment> {
    const { environment } = this.#context;
    const trust = await this.#trust.open(settings, this.#log.write);
    const variables = clientVariables(settings, {
      trust,
      credential: { kind: 'managed-identity' },
      environment,
    });
    const left = new Set([...variablesToUnset(settings, variables), ...OTHER_EMULATOR]);
    const own = Object.entries(environment).filter(([name]) => !left.has(name));
    return { ...Object.fromEntries(own), ...variables };
  }
}

/**
 * Keeps why subscriptions did not take messages: that is the usual question after a test that has waited in vain. Only `debug` has these lines, so the
 * emulator logs at this level, and all others are dropped here.
 */
function notingNotTaken(options: EmulatorOptions, kept: KeptLog): EmulatorOptions {
  const { log, logLevel = 'info' } = options;
  if (logLevel !== 'info') return options;
  return {
    ...options,
    logLevel: 'debug',
    log: (level, message, details) => {
      if (level !== 'debug') log?.(level, message, details);
      else if (details?.kind === 'not-taken') kept.noteNotTaken(message);
    },
  };
}
