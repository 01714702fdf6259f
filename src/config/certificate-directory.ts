// Where a start keeps its certificate authority: in the user's own folder, one for all projects, or in the data directory.

import { access, constants, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Settings } from './settings.js';

/** In a data directory. */
export const CERTIFICATES_FOLDER = 'certificates';
/** Its owner alone reads it: the key in it speaks for every emulator of the user. */
const OWNER_ONLY = 0o700;

/** With the directory that counts where none is named; a warning says when it is not the user's own. */
export async function withCertDirectory(settings: Settings): Promise<Settings> {
  const { tls, certDirectory, dataDirectory, warnings } = settings;
  if (certDirectory !== undefined) return settings;
  const inData = dataDirectory && join(dataDirectory, CERTIFICATES_FOLDER);
  // Programs trust what lies there, and hold tokens of it.
  if (inData !== undefined && (await canAccess(inData))) return { ...settings, certDirectory: inData };
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

function canAccess(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}
