// `jitney validate`: whether an emulator could start with a Config.json; one is started with it, in memory, and stopped.

import { readConfigFile } from '../config/config-file.js';
import { type ReadConfig, readConfigText } from '../config/config-text.js';
import { decodeText } from '../config/decode-text.js';
import type { Environment, Flags } from '../config/environment.js';
import { readSettings, type Settings } from '../config/settings.js';
import { countOf } from './count-text.js';
import { formatReport, reportOf } from './error-report.js';
import { createLog, type Write } from './log.js';
import type { StartContext } from './start-command.js';
import { tryOut } from './trial.js';

export type ValidateContext = {
  readonly environment: Environment;
  readonly stdout: Write;
  readonly stderr: Write;
  /** Standard input, to its end. */
  readonly readInput: () => Promise<Uint8Array>;
  readonly startEmulator: StartContext['startEmulator'];
};

const INPUT = { word: '-', name: 'stdin' } as const;

/** Resolves with the exit code: 1 when one of the files is bad. Each is looked at, whatever is wrong with the others. */
export async function runValidate(
  files: readonly string[],
  flags: Flags,
  context: ValidateContext,
): Promise<number> {
  let settings: Settings;
  try {
    settings = readSettings(flags, context.environment);
  } catch (error) {
    return report(error, undefined, context);
  }
  let exitCode = 0;
  for (const file of files) {
    try {
      await validate(file, settings, context);
    } catch (error) {
      exitCode = report(error, settings, context);
    }
  }
  return exitCode;
}

/** And the exit code of it. */
function report(error: unknown, settings: Settings | undefined, { stderr }: ValidateContext): number {
  const told = reportOf(error, settings);
  const { isDebug } = createLog(settings?.logLevel ?? 'info', stderr);
  stderr(formatReport(told, error, isDebug));
  return told.exitCode;
}

async function validate(file: string, settings: Settings, context: ValidateContext): Promise<void> {
  const isInput = file === INPUT.word;
  const config = isInput ? readInput(await context.readInput()) : await readConfigFile(file);
  const log = createLog(settings.logLevel, context.stderr);
  for (const warning of config.warnings) log.warn(warning);
  await tryOut(config, settings, { startEmulator: context.startEmulator, placeOf: config.places.placeOf });
  context.stdout(`${isInput ? INPUT.name : file} is good: ${countsOf(config)}\n`);
}

function readInput(bytes: Uint8Array): ReadConfig {
  return readConfigText({ name: INPUT.name, text: decodeText(bytes) });
}

function countsOf({ queues, topics }: ReadConfig): string {
  const subscriptions = topics.flatMap((topic) => topic.subscriptions);
  const rules = subscriptions.flatMap((subscription) => subscription.rules ?? []);
  return [
    countOf(queues.length, 'queue'),
    countOf(topics.length, 'topic'),
    countOf(subscriptions.length, 'subscription'),
    countOf(rules.length, 'rule'),
  ].join(', ');
}
