// Where a start keeps its certificate authority: in the user's own folder, one for all projects, or in the data directory.

import { access, constants, mkdir, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Settings } from './settings.js';

/** In a data directory. */
export const CERTIFICATES_FOLDER = 'certificates';
/** A directory with both serves as it is, even where nothing can be written: the other files can be done without. */
const AUTHORITY_FILES = ['ca.pem', 'ca-key.pem'];
/** Its owner alone reads it: the key in it speaks for every emulator of the user. */
const OWNER_ONLY = 0o700;

/** The settings with the directory that a start uses: the named one, or where it cannot be written another, with a warning, or none. */
export async function withCertDirectory(settings: Settings): Promise<Settings> {
  const { tls, certDirectory, dataDirectory } = settings;
  const inData = dataDirectory && join(dataDirectory, CERTIFICATES_FOLDER);
  if (certDirectory !== undefined) {
    // The journal reports a data directory that cannot be written.
    const obstacle = certDirectory === inData ? undefined : await obstacleAt(certDirectory);
    if (obstacle === undefined) return settings;
    if (tls === 'off') return { ...settings, certDirectory: inData };
    const certObstacle = `${certDirectory} cannot be written: ${obstacle}`;
    if (inData === undefined) return { ...settings, certDirectory: undefined, certObstacle };
    return withWarning(inData, settings, `because ${certObstacle}. ${REMEDY}`);
  }
  // Programs trust its certificate, and hold tokens of its key.
  if (inData !== undefined && (await canAccess(inData, constants.F_OK)))
    return { ...settings, certDirectory: inData };
  const { path, obstacle } = await openUserDirectory(settings);
  if (path !== undefined) return { ...settings, certDirectory: path };
  // The banner says what is gone when it stops. Without TLS there is nothing to trust.
  if (inData === undefined || tls === 'off') return { ...settings, certDirectory: inData };
  return withWarning(inData, settings, `and not in one place for all projects: ${obstacle}`);
}

const REMEDY =
  'Put a directory there that this user may write, in a container a volume, or name another by --cert-directory or JITNEY_CERT_DIRECTORY';

/** For a start alone: what ends with its process, because the named directory cannot be written. */
export function lossWarnings({ certObstacle, ...settings }: Settings): readonly string[] {
  if (certObstacle === undefined || !keepsAnything(settings)) return [];
  const what = settings.cert === undefined ? 'Certificates end' : 'Tokens end';
  return [`${what} with this process, because ${certObstacle}. ${REMEDY}`];
}

function withWarning(certDirectory: string, settings: Settings, why: string): Settings {
  if (!keepsAnything(settings)) return { ...settings, certDirectory };
  const what = settings.cert === undefined ? 'Certificates are' : 'The key of tokens is';
  const warning = `${what} kept in ${certDirectory}, ${why}`;
  return { ...settings, certDirectory, warnings: [...settings.warnings, warning] };
}

/** Beside a certificate of the user's own, the key of tokens is all that is kept. */
function keepsAnything({ cert, tokenEndpoint }: Pick<Settings, 'cert' | 'tokenEndpoint'>): boolean {
  return cert === undefined || tokenEndpoint === 'on';
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
    return { path: undefined, obstacle: `${userDirectory} cannot be written: ${reasonOf(error)}` };
  }
}

/** Why a directory, which may not exist yet, cannot be used; undefined when it can. */
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

/** Without the call and the path that failed: the path may be that of a parent. */
function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message.replace(/, \w+ '.*$/s, '') : String(error);
}

function ownerOf(path: string): Promise<number | undefined> {
  return stat(path).then(
    ({ uid }) => uid,
    () => undefined,
  );
}

/** A container's user ids differ from those of the host. */
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
