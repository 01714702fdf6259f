// `jitney config`: prints the settings and entities that a start with the same options would have. It starts nothing.

import { readConfigFile } from '../config/config-file.js';
import { collectEntities, DEFAULT_CONFIG_FILE } from '../config/configured-entities.js';
import { effectiveEntities } from '../config/effective-entities.js';
import { effectiveSettings } from '../config/effective-settings.js';
import type { Environment, Flags } from '../config/environment.js';
import { readSettings, type Settings } from '../config/settings.js';
import { withConfigFile } from './config-choice.js';
import { formatConfig, formatConfigJson, type ShownConfig } from './config-table.js';
import { formatReport, reportOf } from './error-report.js';
import { createLog, type Write } from './log.js';

export type ConfigContext = {
  readonly environment: Environment;
  readonly stdout: Write;
  readonly stderr: Write;
  /** As at a start. */
  readonly mountedConfigFile: string | undefined;
  /** For programs and not for people. */
  readonly isJson: boolean;
};

/** Resolves with the exit code: that of a start, where the options or the config are wrong. */
export async function runConfig(flags: Flags, context: ConfigContext): Promise<number> {
  let settings: Settings | undefined;
  try {
    settings = withConfigFile(readSettings(flags, context.environment), context.mountedConfigFile);
    const { shown, warnings } = await collect(settings, flags, context.environment);
    const log = createLog(settings.logLevel, context.stderr);
    for (const warning of warnings) log.warn(warning);
    context.stdout(context.isJson ? formatConfigJson(shown) : formatConfig(shown));
    return 0;
  } catch (error) {
    const report = reportOf(error, settings);
    const { isDebug } = createLog(settings?.logLevel ?? 'info', context.stderr);
    context.stderr(formatReport(report, error, isDebug));
    return report.exitCode;
  }
}

type Collected = { readonly shown: ShownConfig; readonly warnings: readonly string[] };

async function collect(settings: Settings, flags: Flags, environment: Environment): Promise<Collected> {
  const configured = await collectEntities(settings);
  // A start reads the default file without asking where what stands.
  const isDefault = settings.configFile === DEFAULT_CONFIG_FILE;
  const { places } = isDefault ? await readConfigFile(DEFAULT_CONFIG_FILE) : configured;
  return {
    shown: {
      settings: effectiveSettings(settings, flags, environment),
      ...effectiveEntities(configured, settings, places),
    },
    warnings: [...settings.warnings, ...configured.warnings],
  };
}
