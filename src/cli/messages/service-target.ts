// Finds the service that a command talks to: by a connection string, or the emulator on a port of this machine.

import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { bareHost, portOf, type Service, type ServiceTransport } from '../../client/service.js';
import { CERTIFICATES_FOLDER } from '../../config/certificate-directory.js';
import { formatConnectionString } from '../../config/connection-string.js';
import type { Environment, Flags } from '../../config/environment.js';
import { type GivenConnectionString, parseConnectionString } from '../../config/given-connection-string.js';
import type { Settings } from '../../config/settings.js';
import { JitneyError } from '../../jitney-error.js';
import { AUTHORITY_FILE } from '../../security/certificate-store.js';
import {
  accessTo,
  chosenConnection,
  isAzure,
  portOrigin,
  readNamespace,
  refuseFreePort,
} from '../control/connection-choice.js';
import type { AskRunning } from '../control/running-authority.js';

export type TargetChoice = {
  readonly connectionString: string | undefined;
  /** A namespace of a Jitney. Default: the one that the key of the connection string chooses. */
  readonly namespace?: string | undefined;
  readonly transport: ServiceTransport;
  /** The options of a start, which choose an emulator of this machine. */
  readonly flags: Flags;
  readonly settings: Settings;
  readonly environment: Environment;
  readonly askRunning: AskRunning;
};

type Target = {
  readonly service: Service;
  /** The only entity that the connection string is for. */
  readonly entityPath: string | undefined;
  /** The flag or variable that gives the address; undefined if none does. */
  readonly from: string | undefined;
};

/** Throws a JitneyError. */
export async function findService(choice: TargetChoice): Promise<Target> {
  const { isEmulator, entityPath, from, ...given } = connectionOf(choice);
  const namespace = readNamespace(choice.namespace);
  if (namespace !== undefined) refuseNamespace(namespace, { ...given, isEmulator });
  const access = accessTo(namespace, given.access);
  const service = { ...given, access, isPlain: isEmulator, transport: choice.transport };
  const authorities = isEmulator ? [] : await trustedAuthorities({ ...service, authorities: [] }, choice);
  return { service: { ...service, authorities }, entityPath, from };
}

/** Refuses a namespace that the name of a key cannot choose. */
function refuseNamespace(
  namespace: string,
  { host, isEmulator, access }: Pick<GivenConnectionString, 'host' | 'isEmulator' | 'access'>,
): void {
  if (isAzure({ host, isEmulator })) {
    const text = `the namespace '${namespace}' is one of a Jitney, but the connection string names '${host}' of Azure: leave one of them out`;
    throw new JitneyError('bad-option', text);
  }
  if (access.kind === 'key') return;
  const text = `the namespace '${namespace}' is chosen by the name of a key, but the connection string has a SharedAccessSignature: give a key`;
  throw new JitneyError('bad-option', text);
}

function connectionOf({
  connectionString,
  flags,
  settings,
  environment,
}: TargetChoice): GivenConnectionString & Pick<Target, 'from'> {
  const chosen = chosenConnection(connectionString, flags, environment);
  if (chosen !== undefined) return chosen;
  refuseFreePort(settings);
  const { host, port, policies } = settings;
  const given = parseConnectionString(formatConnectionString(host, port, policies));
  return { ...given, from: portOrigin(flags, environment) };
}

/** Jitney's own authorities: from the user's directory, from a named or a data directory, and the one that the running emulator names. */
async function trustedAuthorities(
  service: Service,
  { settings, environment, askRunning }: TargetChoice,
): Promise<readonly string[]> {
  const { userDirectory, certificateDirectory, dataDirectory } = settings;
  const running = await askRunning({ host: bareHost(service), port: portOf(service) });
  const directories = [
    userDirectory,
    certificateDirectory,
    dataDirectory && join(dataDirectory, CERTIFICATES_FOLDER),
  ];
  const files = directories.map((directory) => directory && join(directory, AUTHORITY_FILE));
  // Added here, because only newer versions of Node add the certificates of this variable to the system's list.
  const texts = await Promise.all([...files, environment.NODE_EXTRA_CA_CERTS].map(textIn));
  return [
    ...(running.kind === 'authority' ? [running.certificate.toString()] : []),
    ...texts.filter((text) => text.includes('-----BEGIN CERTIFICATE-----')),
  ];
}

/** Empty for a file that cannot be read: if its authority is needed, the handshake will fail. */
async function textIn(file: string | undefined): Promise<string> {
  return file === undefined ? '' : readFile(file, 'utf8').catch(() => '');
}
