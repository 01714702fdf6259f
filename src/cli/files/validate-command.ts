// `jitney validate`: checks with a dry run in memory whether an emulator could start with a Config.json.

import { decodeText, type ReadConfig, readConfigFile, readConfigText } from '../../config/config-text.js';
import { withinTier } from '../../config/configured-entities.js';
import type { Flags } from '../../config/environment.js';
import { readSettings, type Settings } from '../../config/settings.js';
import type { CommandContext } from '../output/command-context.js';
import { entityCounts } from '../output/entity-counts.js';
import { printError } from '../output/error-report.js';
import { countOf, createLog } from '../output/output.js';
import { dryRun, type StartEmulator } from '../start/emulator-start.js';

export type ValidateContext = Pick<CommandContext, 'environment' | 'stdout' | 'stderr' | 'readInput'> & {
  readonly startEmulator: StartEmulator;
};

const INPUT = { word: '-', name: 'stdin' } as const;

/** Resolves with the exit code: 1 if one of the files is bad. All files are checked, even after a bad one. */
export async function runValidate(
  files: readonly string[],
  flags: Flags,
  context: ValidateContext,
): Promise<number> {
  let settings: Settings;
  try {
    settings = readSettings(flags, context.environment);
  } catch (error) {
    return printError(error, undefined, { stderr: context.stderr, command: 'validate' });
  }
  let exitCode = 0;
  for (const file of files) {
    try {
      await validate(file, settings, context);
    } catch (error) {
      exitCode = printError(error, settings, { stderr: context.stderr, command: 'validate' });
    }
  }
  return exitCode;
}

async function validate(file: string, settings: Settings, context: ValidateContext): Promise<void> {
  const isInput = file === INPUT.word;
  const read = isInput ? readInput(await context.readInput()) : await readConfigFile(file);
  const config = withinTier(read, settings);
  const log = createLog(settings.logLevel, context.stderr);
  for (const warning of config.warnings) log.warn(warning);
  await dryRun(config, settings, {
    startEmulator: context.startEmulator,
    locationOf: config.locations.locationOf,
  });
  context.stdout(`${isInput ? INPUT.name : file} is good: ${countsOf(config)}\n`);
}

/** Such as `1 queue, 2 topics, 0 subscriptions, 0 rules`, and of several namespaces the sums, with ` in 2 namespaces`. */
function countsOf({ queues, topics, namespaces = [] }: ReadConfig): string {
  if (namespaces.length === 0) return entityCounts({ queues, topics });
  const all = [{ queues, topics }, ...namespaces];
  const counts = entityCounts({
    queues: all.flatMap((each) => each.queues),
    topics: all.flatMap((each) => each.topics),
  });
  return `${counts} in ${countOf(all.length, 'namespace')}`;
}

function readInput(bytes: Uint8Array): ReadConfig {
  return readConfigText({ name: INPUT.name, text: decodeText(bytes) });
}
