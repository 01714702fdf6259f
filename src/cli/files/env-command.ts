// `jitney env`: prints the variables that a program needs for the running emulator, or for the one that a start would run.

import { withCertDirectory } from '../../config/certificate-directory.js';
import type { Flags } from '../../config/environment.js';
import { readSettings, type Settings } from '../../config/settings.js';
import { refuseFreePort } from '../control/connection-choice.js';
import type { AskRunning } from '../control/running-authority.js';
import type { CommandContext } from '../output/command-context.js';
import { printError } from '../output/error-report.js';
import { createLog } from '../output/output.js';
import {
  type Credential,
  clientNotes,
  clientVariables,
  refuseCredential,
  variablesToUnset,
} from './client-variables.js';
import { type EnvFormat, formatEnv } from './env-format.js';
import { openTrustFiles, writeFederatedToken } from './trust-files.js';

type EnvContext = Pick<CommandContext, 'environment' | 'stdout' | 'stderr'> & {
  readonly askRunning: AskRunning;
  readonly format: EnvFormat;
  /** Default: a managed identity. */
  readonly credential?: Credential;
};

/** Resolves with the exit code. */
export async function runEnv(flags: Flags, context: EnvContext): Promise<number> {
  const { environment, format, credential: kind = 'managed-identity' } = context;
  let settings: Settings | undefined;
  try {
    settings = await withCertDirectory(readSettings(flags, environment));
    const log = createLog(settings.logLevel, context.stderr);
    for (const warning of settings.warnings) log.warn(warning);
    refuseFreePort(settings);
    refuseCredential(settings, kind);
    const trust = await openTrustFiles(settings, { askRunning: context.askRunning, warn: log.warn });
    if (trust.kind === 'no-directory') {
      log.warn(
        `No variable names a certificate to trust, because ${trust.why}: name a directory with --cert-directory <dir>`,
      );
    }
    const tokenFile = kind === 'workload' ? await writeFederatedToken(settings, trust) : undefined;
    const variables = clientVariables(settings, { trust, credential: { kind, tokenFile }, environment });
    const unset = variablesToUnset(settings, variables);
    context.stdout(formatEnv(variables, format, { unset, notes: clientNotes(settings) }));
    return 0;
  } catch (error) {
    return printError(error, settings, { stderr: context.stderr, command: 'env' });
  }
}
