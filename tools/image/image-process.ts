// Runs the program of an image as a container engine would: in its file system, with its user, variables, entry point and mounts.

import { type ChildProcess, spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** The configuration that `buildah inspect` and `docker inspect` print. */
export type ImageConfig = {
  readonly User: string;
  readonly Env: readonly string[];
  readonly Entrypoint: readonly string[];
  readonly WorkingDir: string;
  readonly ExposedPorts: Readonly<Record<string, unknown>>;
  readonly Healthcheck: { readonly Test: readonly string[] };
  readonly Volumes?: Readonly<Record<string, unknown>>;
};

export type Image = { readonly root: string; readonly config: ImageConfig };

/** The options of `docker run`. */
export type RunOptions = {
  /** `--env`: `NAME=value`. */
  readonly variables?: readonly string[];
  /** `--user`: two ids. */
  readonly user?: string;
  /** `--read-only`. */
  readonly isReadOnly?: boolean;
  /** `--volume`: directories and files of the host, by their path in the image. */
  readonly volumes?: Readonly<Record<string, string>>;
};

/**
 * Mounts the volumes in the image's tree and then becomes the program. The mounts are in a namespace of this process and end
 * with it. `$1` is the root, `$2` is `ro` or `rw`, `$3` the user, `$4` the number of volumes, each a path and a source.
 */
const MOUNT_AND_RUN = `
set -eu
root=$1 mode=$2 user=$3 count=$4
shift 4
mount --bind "$root" "$root"
mount -o "remount,bind,$mode" "$root"
while [ "$count" -gt 0 ]; do
  mount --bind "$2" "$root$1"
  shift 2
  count=$((count - 1))
done
exec chroot --userspec="$user" "$root" "$@"
`;

export function readImage(root: string, inspectFile: string): Image {
  return { root, config: JSON.parse(readFileSync(inspectFile, 'utf8')).Docker.config };
}

/** Starts a process of the image. Its process id is that of the program itself. */
export function run(image: Image, words: readonly string[], options: RunOptions = {}): ChildProcess {
  const { root, config } = image;
  const { variables = [], isReadOnly = false, volumes = {} } = options;
  const { ids, home } =
    options.user === undefined ? userOf(root, config.User) : { ids: options.user, home: '/' };
  const env = Object.fromEntries([`HOME=${home}`, ...config.Env, ...variables].map(splitVariable));
  const mounts = Object.entries(volumes);
  const script = [MOUNT_AND_RUN, 'sh', root, isReadOnly ? 'ro' : 'rw', ids, String(mounts.length)];
  return spawn('unshare', ['--mount', 'sh', '-c', ...script, ...mounts.flat(), ...words], {
    env: { ...env, PATH: process.env.PATH },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
}

function splitVariable(text: string): [string, string] {
  const equals = text.indexOf('=');
  return [text.slice(0, equals), text.slice(equals + 1)];
}

/** Reads the image's own `/etc/passwd`: the host may know other users. */
function userOf(root: string, name: string): { readonly ids: string; readonly home: string } {
  const lines = readFileSync(join(root, 'etc/passwd'), 'utf8').split('\n');
  const [, , uid, gid, , home] = lines.find((line) => line.startsWith(`${name}:`))?.split(':') ?? [];
  if (uid === undefined || home === undefined) throw new Error(`the image has no user '${name}'`);
  return { ids: `${uid}:${gid}`, home };
}
