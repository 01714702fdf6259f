// `jitney config`: prints the settings and entities that a start with the same options would have, and why it would be refused.

import { existsSync } from 'node:fs';
import { lossWarnings, withCertDirectory } from '../config/certificate-directory.js';
import { ConfigError, type RefusedProperty } from '../config/config-error.js';
import { readConfigFile } from '../config/config-file.js';
import {
  type ConfiguredEntities,
  collectEntities,
  DEFAULT_CONFIG_FILE,
} from '../config/configured-entities.js';
import { effectiveEntities } from '../config/effective-entities.js';
import { effectiveSettings } from '../config/effective-settings.js';
import type { Environment, Flags } from '../config/environment.js';
import { readSettings, type Settings } from '../config/settings.js';
import { withConfigFile } from './config-choice.js';
import { formatConfig, formatConfigJson, type ShownConfig } from './config-table.js';
import { formatReport, reportOf } from './error-report.js';
import { createLog, type Write } from './log.js';
import { placeOf } from './refusal-place.js';
import type { StartContext } from './start-command.js';
import { tryOut } from './trial.js';

export type ConfigContext = {
  readonly environment: Environment;
  readonly stdout: Write;
  readonly stderr: Write;
  /** As at a start. */
  readonly mountedConfigFile: string;
  /** For programs and not for people. */
  readonly isJson: boolean;
  readonly startEmulator: StartContext['startEmulator'];
};

/** Resolves with the exit code: that of a start, where the options or the config are wrong. */
export async function runConfig(flags: Flags, context: ConfigContext): Promise<number> {
  let settings: Settings | undefined;
  try {
    settings = withConfigFile(readSettings(flags, context.environment), context.mountedConfigFile);
    settings = await withCertDirectory(settings);
    const configured = await collectEntities(settings);
    const log = createLog(settings.logLevel, context.stderr);
    const warnings = [...settings.warnings, ...lossWarnings(settings), ...configured.warnings];
    for (const warning of warnings) log.warn(warning);
    const shown = await show(configured, settings, { flags, environment: context.environment });
    context.stdout(context.isJson ? formatConfigJson(shown) : formatConfig(shown));
    await check(configured, settings, context);
    return 0;
  } catch (error) {
    const report = reportOf(error, settings);
    const { isDebug } = createLog(settings?.logLevel ?? 'info', context.stderr);
    context.stderr(formatReport(report, error, isDebug));
    return report.exitCode;
  }
}

type Given = { readonly flags: Flags; readonly environment: Environment };

async function show(
  configured: ConfiguredEntities,
  settings: Settings,
  { flags, environment }: Given,
): Promise<ShownConfig> {
  // A start reads the default file without asking where what stands.
  const isDefault = settings.configFile === DEFAULT_CONFIG_FILE;
  const { places } = isDefault ? await readConfigFile(DEFAULT_CONFIG_FILE) : configured;
  return {
    settings: effectiveSettings(settings, flags, environment),
    ...effectiveEntities(configured, settings, places),
  };
}

/** Throws what a start would throw. The data directory is not opened: it may be in use. */
async function check(
  configured: ConfiguredEntities,
  settings: Settings,
  { startEmulator, stderr }: ConfigContext,
): Promise<void> {
  const { dataDirectory, logLevel } = settings;
  try {
    const placed = (refused: RefusedProperty) => placeOf(refused, settings, configured);
    await tryOut(configured, settings, { startEmulator, placeOf: placed });
  } catch (error) {
    const isOfNames = error instanceof ConfigError && error.kind === 'bad-forwarding';
    if (!isOfNames || dataDirectory === undefined || !existsSync(dataDirectory)) throw error;
    createLog(logLevel, stderr).warn(
      `${error.message} Unless it is kept in ${dataDirectory}: that was not looked into.`,
    );
  }
}
