// `jitney env`: prints the variables that a program needs for the emulator that a start with the same options is.

import type { Environment, Flags } from '../config/environment.js';
import { readSettings, type Settings } from '../config/settings.js';
import { clientNotes } from './client-notes.js';
import { clientVariables } from './client-variables.js';
import { type EnvFormat, formatEnv } from './env-format.js';
import { formatReport, reportOf } from './error-report.js';
import { createLog, type Write } from './log.js';
import { openTrustFiles } from './trust-files.js';

export type EnvContext = {
  readonly environment: Environment;
  readonly stdout: Write;
  readonly stderr: Write;
  readonly format: EnvFormat;
};

/** Resolves with the exit code. */
export async function runEnv(flags: Flags, context: EnvContext): Promise<number> {
  let settings: Settings | undefined;
  try {
    settings = readSettings(flags, context.environment);
    const log = createLog(settings.logLevel, context.stderr);
    for (const warning of settings.warnings) log.warn(warning);
    const trust = await openTrustFiles(settings, log.warn);
    if (trust.kind === 'no-directory') {
      log.warn('No variable says whom to trust: name a directory with --cert-directory <dir>');
    }
    context.stdout(formatEnv(clientVariables(settings, trust), context.format, clientNotes(settings)));
    return 0;
  } catch (error) {
    const report = reportOf(error, settings);
    const { isDebug } = createLog(settings?.logLevel ?? 'info', context.stderr);
    context.stderr(formatReport(report, error, isDebug));
    return report.exitCode;
  }
}
