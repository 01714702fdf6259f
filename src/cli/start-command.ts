// `jitney start`: starts one emulator, says so, and ends with it: when asked to stop, or when it breaks.

import { lossWarnings, withCertDirectory } from '../config/certificate-directory.js';
import { collectEntities } from '../config/configured-entities.js';
import { givenTopicOf } from '../config/configured-topic.js';
import type { Environment, Flags } from '../config/environment.js';
import type { EmulatorOptions } from '../config/options.js';
import { readSettings, type Settings } from '../config/settings.js';
import type { Emulator } from '../emulator.js';
import { formatBanner } from './banner.js';
import { CommandError } from './command-error.js';
import { withConfigFile } from './config-choice.js';
import { emulatorOptions } from './emulator-options.js';
import { formatReport, reportOf } from './error-report.js';
import { freePortInstead } from './free-port.js';
import { createLog, type Write } from './log.js';
import { placeOf, withPlace } from './refusal-place.js';

export type StartContext = {
  readonly version: string;
  readonly environment: Environment;
  readonly stdout: Write;
  readonly stderr: Write;
  readonly startEmulator: (options: EmulatorOptions) => Promise<Emulator>;
  /** A config file that is used when none is named and it is there. */
  readonly mountedConfigFile: string;
  /** Resolves with the signal's name when the process is asked to stop. */
  readonly stopAsked: Promise<string>;
  /** Called when a stop begins; resolves when it has taken too long. */
  readonly stopOverdue: () => Promise<void>;
  /** Milliseconds since the process was started. */
  readonly elapsedMs: () => number;
};

/** Resolves with the exit code, when there is nothing left to do but to exit. */
export async function runStart(flags: Flags, context: StartContext): Promise<number> {
  let settings: Settings | undefined;
  try {
    settings = withConfigFile(readSettings(flags, context.environment), context.mountedConfigFile);
    settings = await withCertDirectory(settings);
    return await runEmulator(settings, context);
  } catch (error) {
    const report = reportOf(error, settings, await freePortInstead(error, settings));
    const { isDebug } = createLog(settings?.logLevel ?? 'info', context.stderr);
    context.stderr(formatReport(report, error, isDebug));
    return report.exitCode;
  }
}

async function runEmulator(settings: Settings, context: StartContext): Promise<number> {
  const log = createLog(settings.logLevel, context.stderr);
  const configured = await collectEntities(settings);
  const warnings = [...settings.warnings, ...lossWarnings(settings), ...configured.warnings];
  for (const warning of warnings) log.warn(warning);
  const starting = context.startEmulator({
    ...emulatorOptions(settings),
    queues: configured.queues,
    topics: configured.topics.map(givenTopicOf),
    log: (level, message) => log[level](message),
  });
  const emulator = await starting.catch((error) => {
    throw withPlace(error, (refused) => placeOf(refused, settings, configured));
  });
  const { version } = context;
  context.stdout(formatBanner({ version, emulator, settings, configured, elapsedMs: context.elapsedMs() }));
  try {
    log.info(`Stopping: ${await Promise.race([context.stopAsked, emulator.failed])}`);
  } catch (cause) {
    // The connections are closed as far as that still works; what broke is more worth telling than what then fails.
    await stop(emulator, context).catch(() => {});
    throw new CommandError('broken', `The emulator broke and has stopped: ${messageOf(cause)}`, cause);
  }
  await stop(emulator, context);
  return 0;
}

function stop(emulator: Emulator, context: StartContext): Promise<void> {
  const overdue = context.stopOverdue().then(() => {
    throw new CommandError('stop-overdue', 'The emulator does not stop, so it is ended now');
  });
  return Promise.race([emulator.stop(), overdue]);
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
