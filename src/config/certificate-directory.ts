// Chooses the directory of the certificate authority: the user's own, shared by all projects, or one in the data directory.

import { accessSync, constants, mkdirSync } from 'node:fs';
import { access, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Settings } from './settings.js';

export const CERTIFICATES_FOLDER = 'certificates';
/** A directory with both files is usable even if it is read-only: the other files are optional. */
const AUTHORITY_FILES = ['ca.pem', 'ca-key.pem'];
/** Readable by its owner only: its key vouches for every emulator of the user. */
const OWNER_ONLY = 0o700;

/** Sets the directory that a start uses: the named one. If that is unwritable, another one or none, with a warning. */
export async function withCertDirectory(settings: Settings): Promise<Settings> {
  const { tls, certificateDirectory, dataDirectory } = settings;
  const inData = dataDirectory && join(dataDirectory, CERTIFICATES_FOLDER);
  if (certificateDirectory !== undefined) {
    // The journal reports a data directory that cannot be written.
    const obstacle = certificateDirectory === inData ? undefined : await obstacleAt(certificateDirectory);
    if (obstacle === undefined) return settings;
    if (tls === 'off') return { ...settings, certificateDirectory: inData };
    const certObstacle = `${certificateDirectory} cannot be written: ${obstacle}`;
    if (inData === undefined) return { ...settings, certificateDirectory: undefined, certObstacle };
    return withWarning(inData, settings, `because ${certObstacle}. ${REMEDY}`);
  }
  // Programs already trust the certificate in it, and hold tokens signed by its key.
  if (inData !== undefined && (await canAccess(inData, constants.F_OK)))
    return { ...settings, certificateDirectory: inData };
  const { path, obstacle } = openUserDirectory(settings);
  if (path !== undefined) return { ...settings, certificateDirectory: path };
  // The banner says that a certificate in memory ends with the process. Without TLS no certificate is needed.
  if (inData === undefined || tls === 'off') return { ...settings, certificateDirectory: inData };
  return withWarning(inData, settings, `and not in one place for all projects: ${obstacle}`);
}

const REMEDY =
  'Make it a directory that this user may write (in a container, a volume), or name another with --cert-directory or JITNEY_CERT_DIRECTORY';

/** The warnings of a start whose certificates or tokens end with its process because the named directory is unwritable. */
export function lossWarnings({ certObstacle, ...settings }: Settings): readonly string[] {
  if (certObstacle === undefined || !keepsAnything(settings)) return [];
  const what = settings.cert === undefined ? 'Certificates end' : 'Tokens end';
  return [`${what} with this process, because ${certObstacle}. ${REMEDY}`];
}

function withWarning(certificateDirectory: string, settings: Settings, why: string): Settings {
  if (!keepsAnything(settings)) return { ...settings, certificateDirectory };
  const what = settings.cert === undefined ? 'Certificates are' : 'The key of tokens is';
  const warning = `${what} kept in ${certificateDirectory}, ${why}`;
  return { ...settings, certificateDirectory, warnings: [...settings.warnings, warning] };
}

/** With the user's own certificate, only the key of tokens is stored. */
function keepsAnything({ cert, tokenEndpoint }: Pick<Settings, 'cert' | 'tokenEndpoint'>): boolean {
  return cert === undefined || tokenEndpoint === 'on';
}

type UserDirectory =
  | { readonly path: string; readonly obstacle?: undefined }
  | { readonly path: undefined; readonly obstacle: string };

/** Opens the user's own directory, and creates it if needed. Returns why it cannot be used, if so. */
export function openUserDirectory({ userDirectory }: Pick<Settings, 'userDirectory'>): UserDirectory {
  if (userDirectory === undefined) {
    return { path: undefined, obstacle: 'the environment names no home directory' };
  }
  try {
    mkdirSync(userDirectory, { recursive: true, mode: OWNER_ONLY });
    accessSync(userDirectory, constants.W_OK);
    return { path: userDirectory };
  } catch (error) {
    return { path: undefined, obstacle: `${userDirectory} cannot be written: ${reasonOf(error)}` };
  }
}

/** Why a directory cannot be used; undefined when it can. It may not exist yet. */
async function obstacleAt(directory: string): Promise<string | undefined> {
  const readable = AUTHORITY_FILES.map((name) => canAccess(join(directory, name), constants.R_OK));
  if (!(await Promise.all(readable)).includes(false)) return undefined;
  for (let path = directory; ; path = dirname(path)) {
    try {
      await access(path, constants.W_OK | constants.X_OK);
      return undefined;
    } catch (error) {
      const isMissing = error instanceof Error && 'code' in error && error.code === 'ENOENT';
      if (isMissing && path !== dirname(path)) continue;
      const reason =
        path === directory ? reasonOf(error) : `it is missing and cannot be made (${reasonOf(error)})`;
      return `${reason}${ownerSentence(path, await ownerOf(path), process.getuid?.())}`;
    }
  }
}

/** The reason without the system call and the path, because the path may name a parent directory. */
function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message.replace(/, \w+ '.*$/s, '') : String(error);
}

function ownerOf(path: string): Promise<number | undefined> {
  return stat(path).then(
    ({ uid }) => uid,
    () => undefined,
  );
}

/** A hint for containers, where users have other ids than on the host. */
export function ownerSentence(path: string, owner: number | undefined, self: number | undefined): string {
  if (owner === undefined || owner === self || path === dirname(path)) return '';
  return `. ${path} belongs to the user with id ${owner}, and this process runs as ${self}`;
}

function canAccess(path: string, mode: number): Promise<boolean> {
  return access(path, mode).then(
    () => true,
    () => false,
  );
}
