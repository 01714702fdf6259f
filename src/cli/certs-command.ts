// `jitney certs`: where the certificate is that programs must trust, and how each language is told to.

import { withCertDirectory } from '../config/certificate-directory.js';
import { ConfigError } from '../config/config-error.js';
import type { Environment, Flags } from '../config/environment.js';
import { readSettings, type Settings } from '../config/settings.js';
import { clientNotes } from './client-notes.js';
import { formatReport, reportOf } from './error-report.js';
import { createLog, type Write } from './log.js';
import type { AskRunning } from './running-authority.js';
import { openTrustFiles, type TrustFiles } from './trust-files.js';
import { trustLines } from './trust-lines.js';

export type CertsContext = {
  readonly environment: Environment;
  readonly stdout: Write;
  readonly stderr: Write;
  readonly askRunning: AskRunning;
  /** For programs and not for people. */
  readonly isJson: boolean;
};

const NAME_WIDTH = 14;

/** Resolves with the exit code. */
export async function runCerts(flags: Flags, context: CertsContext): Promise<number> {
  let settings: Settings | undefined;
  try {
    settings = await withCertDirectory(readSettings(flags, context.environment));
    const log = createLog(settings.logLevel, context.stderr);
    for (const warning of settings.warnings) log.warn(warning);
    const files = await openTrustFiles(settings, { askRunning: context.askRunning, tell: log.warn });
    const notes = clientNotes(settings);
    context.stdout(context.isJson ? formatJson(files, notes) : formatText(files, notes));
    return 0;
  } catch (error) {
    const report = reportOf(error, settings);
    const { isDebug } = createLog(settings?.logLevel ?? 'info', context.stderr);
    context.stderr(formatReport(report, error, isDebug));
    return report.exitCode;
  }
}

function formatText(files: TrustFiles, notes: readonly string[]): string {
  switch (files.kind) {
    case 'ours': {
      const rows = [
        ['Certificate', files.authority],
        ['With others', files.bundle],
        ...trustLines(files).map(({ name, line }) => [name, line]),
      ];
      const table = rows.map(([name = '', value]) => `${name.padEnd(NAME_WIDTH)}${value}\n`);
      return [...table, '\n', ...notes.map((note) => `${note}\n`)].join('');
    }
    case 'given':
      return `${'Certificate'.padEnd(NAME_WIDTH)}${files.cert}\nIt is your own: programs must trust whoever has issued it.\n`;
    case 'no-directory':
    case 'no-tls':
      throw nothingToTrust(files);
    default:
      return files satisfies never;
  }
}

function formatJson(files: TrustFiles, notes: readonly string[]): string {
  switch (files.kind) {
    case 'ours': {
      const { authority, bundle } = files;
      const trust = Object.fromEntries(trustLines(files).map(({ id, line }) => [id, line]));
      return `${JSON.stringify({ authority, bundle, trust, notes }, undefined, 2)}\n`;
    }
    case 'given':
      return `${JSON.stringify({ authority: null, certificate: files.cert }, undefined, 2)}\n`;
    case 'no-directory':
    case 'no-tls':
      throw nothingToTrust(files);
    default:
      return files satisfies never;
  }
}

function nothingToTrust(files: Extract<TrustFiles, { kind: 'no-directory' | 'no-tls' }>): ConfigError {
  const text =
    files.kind === 'no-tls'
      ? 'TLS is off, by --no-tls or JITNEY_NO_TLS, so there is no certificate to trust'
      : `${files.why}: name one with --cert-directory <dir>`;
  return new ConfigError('bad-option', text);
}
