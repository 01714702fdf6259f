// `jitney certs`: prints the certificate that programs must trust, and how to configure each language to trust it.

import { withCertDirectory } from '../../config/certificate-directory.js';
import type { Flags } from '../../config/environment.js';
import { readSettings, type Settings } from '../../config/settings.js';
import { JitneyError } from '../../jitney-error.js';
import type { AskRunning } from '../control/running-authority.js';
import type { CommandContext, CommandOutput } from '../output/command-context.js';
import { printError } from '../output/error-report.js';
import { createLog } from '../output/output.js';
import { shellWord } from '../output/shell-word.js';
import { clientNotes } from './client-variables.js';
import { openTrustFiles, type TrustFiles } from './trust-files.js';

type CertsContext = Pick<CommandContext, 'environment'> & CommandOutput & { readonly askRunning: AskRunning };

const NAME_WIDTH = 14;

/** Resolves with the exit code. */
export async function runCerts(flags: Flags, context: CertsContext): Promise<number> {
  let settings: Settings | undefined;
  try {
    settings = await withCertDirectory(readSettings(flags, context.environment));
    const log = createLog(settings.logLevel, context.stderr);
    for (const warning of settings.warnings) log.warn(warning);
    const files = await openTrustFiles(settings, { askRunning: context.askRunning, warn: log.warn });
    const notes = clientNotes(settings);
    context.stdout(context.isJson ? formatJson(files, notes) : formatText(files, notes));
    return 0;
  } catch (error) {
    return printError(error, settings, { stderr: context.stderr, command: 'certs', isJson: context.isJson });
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
      return `${'Certificate'.padEnd(NAME_WIDTH)}${files.cert}\nIt is your own: programs must trust its issuer.\n`;
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

function nothingToTrust(files: Extract<TrustFiles, { kind: 'no-directory' | 'no-tls' }>): JitneyError {
  const text =
    files.kind === 'no-tls'
      ? 'TLS is off, by --no-tls or JITNEY_NO_TLS, so there is no certificate to trust'
      : `${files.why}: name a directory with --cert-directory <dir>`;
  return new JitneyError('bad-option', text);
}

type TrustLine = { readonly name: string; readonly id: string; readonly line: string };

type Ours = Extract<TrustFiles, { kind: 'ours' }>;

const STORE = 'jitney.p12';

/** Shell lines for each language. A variable that replaces all trusted authorities of a program gets the bundle. */
function trustLines({ authority, bundle }: Ours): readonly TrustLine[] {
  const file = shellWord(authority);
  const all = shellWord(bundle);
  const keytool = `keytool -importcert -noprompt -alias jitney -file ${file} -keystore ${STORE} -storetype PKCS12 -storepass changeit`;
  return [
    { name: 'Node', id: 'node', line: `export NODE_EXTRA_CA_CERTS=${file}` },
    // Over AMQP, the SDK trusts certifi's certificates and reads no variable.
    {
      name: 'Python',
      id: 'python',
      line: `ServiceBusClient(..., connection_verify=${pythonText(authority)})`,
    },
    { name: '', id: 'pythonHttp', line: `export SSL_CERT_FILE=${all} REQUESTS_CA_BUNDLE=${all}` },
    { name: 'Go, Linux', id: 'go', line: `export SSL_CERT_FILE=${all}` },
    { name: '.NET, Linux', id: 'dotnet', line: `export SSL_CERT_FILE=${all}` },
    { name: 'Java', id: 'java', line: keytool },
    {
      name: '',
      id: 'javaRun',
      line: `java -Djavax.net.ssl.trustStore=${STORE} -Djavax.net.ssl.trustStorePassword=changeit ...`,
    },
    { name: 'curl', id: 'curl', line: `curl --cacert ${file} ...` },
    { name: 'Windows', id: 'windows', line: `certutil -user -addstore Root ${file}` },
    {
      name: 'macOS',
      id: 'macos',
      line: `security add-trusted-cert -k ~/Library/Keychains/login.keychain-db ${file}`,
    },
  ];
}

function pythonText(text: string): string {
  return `'${text.replace(/['\\]/g, '\\$&')}'`;
}
