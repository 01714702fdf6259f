// `jitney start`: runs one emulator until a stop is requested or it breaks.

import { lossWarnings, withCertDirectory } from '../../config/certificate-directory.js';
import { collectEntities } from '../../config/configured-entities.js';
import { givenTopicOf } from '../../config/configured-topic.js';
import { originsOf } from '../../config/effective-settings.js';
import { type Environment, type Flags, variableFor } from '../../config/environment.js';
import { givenQueueOf } from '../../config/given-queue.js';
import type { EmulatorOptions } from '../../config/options/emulator-options.js';
import { readSettings, type Settings } from '../../config/settings.js';
import type { Emulator } from '../../emulator.js';
import { JitneyError } from '../../jitney-error.js';
import type { Paint } from '../output/colour.js';
import { reportOf, takenPort } from '../output/error-report.js';
import type { Write } from '../output/output.js';
import { pageUrl } from './banner.js';
import { refuseUselessWatch, type WatchFile, watchConfig } from './config-watch.js';
import {
  emulatorOptions,
  importedEntities,
  locationOf,
  namespacesOf,
  type OpenImport,
  type StartEmulator,
  withConfigFile,
  withLocation,
  withStorage,
} from './emulator-start.js';
import { startInstead } from './free-port.js';
import { portHolder } from './port-holder.js';
import { StartLog } from './start-log.js';
import type { Telemetry } from './telemetry.js';
import { collectorVariable } from './telemetry-variables.js';

export type StartContext = {
  readonly version: string;
  readonly environment: Environment;
  readonly stdout: Write;
  readonly stderr: Write;
  readonly startEmulator: StartEmulator;
  readonly openImport: OpenImport;
  /** The config file that is used if none is named and this one exists. */
  readonly mountedConfigFile: string;
  /** Resolves with the reason of the stop, such as the signal's name. */
  readonly stopRequested: Promise<string>;
  /** Resolves when the program that started this one has ended. That is not news to anybody, so only `debug` shows it. Default: never. */
  readonly starterEnded?: Promise<string>;
  /** Resolves when standard input has ended; throws a JitneyError if it is no pipe. Missing: it belongs to another program. */
  readonly whenInputEnds?: () => Promise<string>;
  /** Called when a stop begins; resolves when it has taken too long. */
  readonly stopOverdue: () => Promise<void>;
  /** Whether this runs in a container, whose engine decides who reaches it. Default: it does not. */
  readonly isInContainer?: boolean;
  /** Whether standard output is a terminal. Default: it is not. */
  readonly isTerminal?: boolean;
  /** Colour on standard output. Default: none. */
  readonly paint?: Paint;
  /** Opens a URL in the browser of this machine. Rejects if there is none. Default: nothing is opened. */
  readonly openPage?: (url: string) => Promise<void>;
  /** Default: no file is watched. */
  readonly watchFile?: WatchFile;
  /** The words with which the program was called, such as `npx jitney`. Default: `jitney`. */
  readonly typedAs?: string;
  /** Milliseconds since the process was started. */
  readonly elapsedMs: () => number;
  /** Called when the emulator is up. If it throws, the emulator is stopped. */
  readonly whenStarted?: (emulator: Emulator, settings: Settings) => Promise<void>;
};

const NEVER = new Promise<never>(() => {});

/** Resolves with the exit code when the emulator has stopped. */
export async function runStart(flags: Flags, context: StartContext): Promise<number> {
  let settings: Settings | undefined;
  let startLog: StartLog | undefined;
  try {
    settings = withConfigFile(readSettings(flags, context.environment), context.mountedConfigFile);
    settings = await withStorage(settings, flags, context.environment);
    settings = await withCertDirectory(settings);
    startLog = new StartLog(settings, context);
    const settingOrigins = originsOf(settings, flags, context.environment);
    const telemetry = await telemetryFor(context.environment, startLog);
    try {
      const more = { settingOrigins, telemetry: telemetry !== undefined };
      return await runEmulator(settings, more, startLog, context);
    } finally {
      await telemetry?.end();
    }
  } catch (error) {
    const { typedAs = 'jitney' } = context;
    const report = reportOf(error, settings, {
      portHolder: await portHolder(takenPort(error), settings, typedAs),
      startInstead: await startInstead(error, flags, { settings, typedAs }),
    });
    startLog ??= new StartLog(withoutFile(flags, context.environment, settings), context);
    startLog.failed(report, error);
    return report.exitCode;
  } finally {
    startLog?.close();
  }
}

/** The log of a start that fails before it has one. Settings that cannot be read may still name the format. */
function withoutFile(flags: Flags, environment: Environment, settings: Settings | undefined) {
  const format = flags.logFormat ?? variableFor('logFormat', environment)?.text;
  return {
    logLevel: settings?.logLevel ?? 'info',
    logFormat: format?.toLowerCase() === 'json' ? 'json' : 'pretty',
    logFile: undefined,
  } as const;
}

/** Traces and metrics, if a variable of OpenTelemetry asks for them. */
async function telemetryFor(environment: Environment, { log }: StartLog): Promise<Telemetry | undefined> {
  const variable = collectorVariable(environment);
  if (variable === undefined) return undefined;
  const { startTelemetry } = await import('./telemetry.js');
  return startTelemetry(variable, environment, log);
}

async function runEmulator(
  settings: Settings,
  more: Pick<EmulatorOptions, 'settingOrigins' | 'telemetry'>,
  startLog: StartLog,
  context: StartContext,
): Promise<number> {
  const { log } = startLog;
  refuseUselessWatch(settings);
  if (settings.open && settings.ui === 'off') {
    throw new JitneyError(
      'bad-option',
      '--open shows the page, and --ui off leaves it out: give one of them',
    );
  }
  const inputEnded = settings.untilStdinEnds ? whenInputEnds(context) : NEVER;
  const imported = await importedEntities(settings, context);
  const configured = await collectEntities({ ...settings, imported });
  const warnings = [...settings.warnings, ...lossWarnings(settings), ...configured.warnings];
  for (const warning of warnings) log.warn(warning);
  const starting = context.startEmulator({
    ...emulatorOptions(settings),
    ...more,
    queues: configured.queues.map(givenQueueOf),
    topics: configured.topics.map(givenTopicOf),
    namespaces: namespacesOf(settings, configured),
    log: (level, message, details) => log[level](message, details),
  });
  const emulator = await starting.catch((error) => {
    throw withLocation(error, (refused) => locationOf(refused, settings, configured));
  });
  const { version, isInContainer = false, isTerminal = false, paint } = context;
  const elapsedMs = context.elapsedMs();
  startLog.started({ version, emulator, settings, configured, elapsedMs, isInContainer, isTerminal, paint });
  const page = pageUrl(emulator);
  if (settings.open) {
    context.openPage?.(page).catch((error) => log.warn(`${messageOf(error)}. Open it yourself:  ${page}`));
  }
  const endWatch = settings.watch
    ? watchConfig(settings, { emulator, log, watchFile: context.watchFile })
    : undefined;
  try {
    await context.whenStarted?.(emulator, settings);
    const stopped = emulator.stopped.then(() => 'it was stopped over the control interface');
    const requested = Promise.race([context.stopRequested, emulator.failed, stopped]);
    const abandoned = Promise.race([inputEnded, context.starterEnded ?? NEVER]);
    const { level, reason } = await Promise.race([
      requested.then((why) => ({ level: 'info', reason: why }) as const),
      abandoned.then((why) => ({ level: 'debug', reason: why }) as const),
    ]);
    log[level](`Stopping: ${reason}`, { kind: 'stopping', reason });
    endWatch?.();
  } catch (cause) {
    endWatch?.();
    // Closes everything that can still be closed. The first failure is reported, because it is more useful than the ones after it.
    await stop(emulator, context).catch(() => {});
    if (cause instanceof JitneyError) throw cause;
    throw new JitneyError('broken', `The emulator broke and has stopped: ${messageOf(cause)}`, { cause });
  }
  await stop(emulator, context);
  return 0;
}

function whenInputEnds(context: StartContext): Promise<string> {
  if (context.whenInputEnds !== undefined) return context.whenInputEnds();
  throw new JitneyError(
    'bad-option',
    '--until-stdin-ends is not for exec, whose command has the standard input: exec ends with its command. Leave it out',
  );
}

function stop(emulator: Emulator, context: StartContext): Promise<void> {
  const overdue = context.stopOverdue().then(() => {
    throw new JitneyError('stop-overdue', 'The emulator does not stop in time, so its process is ended');
  });
  return Promise.race([emulator.stop(), overdue]);
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
