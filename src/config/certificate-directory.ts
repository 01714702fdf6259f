// Where a start keeps its certificate authority: in the user's own folder, one for all projects, or in the data directory.

import { access, constants, mkdir, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Settings } from './settings.js';

/** In a data directory. */
export const CERTIFICATES_FOLDER = 'certificates';
/** Beside it lies all else that is served; where it can be read nothing needs to be written. */
const KEY_FILE = 'ca-key.pem';
/** Its owner alone reads it: the key in it speaks for every emulator of the user. */
const OWNER_ONLY = 0o700;

/** With the directory that counts where none is named, or the named one cannot be used; a warning says when it is not the user's own. */
export async function withCertDirectory(settings: Settings): Promise<Settings> {
  const { tls, certDirectory, dataDirectory, warnings } = settings;
  const inData = dataDirectory && join(dataDirectory, CERTIFICATES_FOLDER);
  if (certDirectory !== undefined) {
    // The journal says it when the data directory cannot be written.
    const obstacle = certDirectory === inData ? undefined : await obstacleAt(certDirectory);
    if (obstacle === undefined) return settings;
    if (tls === 'off') return { ...settings, certDirectory: inData };
    const warning = doneWithout(certDirectory, obstacle, inData);
    return { ...settings, certDirectory: inData, warnings: [...warnings, warning] };
  }
  // Programs trust what lies there, and hold tokens of it.
  if (inData !== undefined && (await canAccess(inData, constants.F_OK)))
    return { ...settings, certDirectory: inData };
  const { path, obstacle } = await openUserDirectory(settings);
  if (path !== undefined) return { ...settings, certDirectory: path };
  // The banner says what is gone when it stops. Without TLS there is nothing to trust.
  if (inData === undefined || tls === 'off') return { ...settings, certDirectory: inData };
  const warning = `Certificates are kept in ${inData}, and not in one place for all projects: ${obstacle}`;
  return { ...settings, certDirectory: inData, warnings: [...warnings, warning] };
}

export type UserDirectory =
  | { readonly path: string; readonly obstacle?: undefined }
  | { readonly path: undefined; readonly obstacle: string };

/** The user's own folder, made if need be, or why it cannot be used. */
export async function openUserDirectory({
  userDirectory,
}: Pick<Settings, 'userDirectory'>): Promise<UserDirectory> {
  if (userDirectory === undefined) {
    return { path: undefined, obstacle: 'the environment names no home directory' };
  }
  try {
    await mkdir(userDirectory, { recursive: true, mode: OWNER_ONLY });
    await access(userDirectory, constants.W_OK);
    return { path: userDirectory };
  } catch (error) {
    return { path: undefined, obstacle: `${userDirectory} cannot be written: ${error}` };
  }
}

/** Why nothing can be kept in a directory, which need not be there yet; undefined: it can, or all that is needed lies there. */
async function obstacleAt(directory: string): Promise<string | undefined> {
  if (await canAccess(join(directory, KEY_FILE), constants.R_OK)) return undefined;
  for (let path = directory; ; path = dirname(path)) {
    try {
      await access(path, constants.W_OK | constants.X_OK);
      return undefined;
    } catch (error) {
      const isMissing = error instanceof Error && 'code' in error && error.code === 'ENOENT';
      if (!isMissing || path === dirname(path)) return `${error}${await ownerOf(path)}`;
    }
  }
}

/** In containers, user ids differ from outside. */
async function ownerOf(path: string): Promise<string> {
  const owner = await stat(path).then(
    ({ uid }) => uid,
    () => undefined,
  );
  const self = process.getuid?.();
  if (owner === undefined || owner === self) return '';
  return `. ${path} belongs to the user with id ${owner}, and this process runs as ${self}`;
}

function doneWithout(named: string, obstacle: string, instead: string | undefined): string {
  const what = instead === undefined ? 'end with this process' : `are kept in ${instead}`;
  return (
    `Certificates ${what}, because ${named} cannot be written: ${obstacle}. Put a directory there that this user may write, ` +
    'in a container a volume, or name another by --cert-directory or JITNEY_CERT_DIRECTORY'
  );
}

function canAccess(path: string, mode: number): Promise<boolean> {
  return access(path, mode).then(
    () => true,
    () => false,
  );
}
