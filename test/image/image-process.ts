// The program of an image, run in its file system as a container engine would run it: its user, its variables, its entry point.

import { type ChildProcess, spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** As `buildah inspect` and `docker inspect` have it. */
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

export function readImage(root: string, inspectFile: string): Image {
  return { root, config: JSON.parse(readFileSync(inspectFile, 'utf8')).Docker.config };
}

/** A process of the image; its process id is that of the program itself. */
export function run(
  { root, config }: Image,
  words: readonly string[],
  variables: readonly string[] = [],
): ChildProcess {
  const [name = '', group] = config.User.split(':');
  const user = group === undefined ? idsOf(root, name) : config.User;
  const env = Object.fromEntries([...config.Env, ...variables].map(splitVariable));
  return spawn('chroot', [`--userspec=${user}`, root, ...words], {
    env: { ...env, PATH: process.env.PATH },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
}

function splitVariable(text: string): [string, string] {
  const equals = text.indexOf('=');
  return [text.slice(0, equals), text.slice(equals + 1)];
}

/** Names are those of the image and not those of this machine. */
function idsOf(root: string, user: string): string {
  const lines = readFileSync(join(root, 'etc/passwd'), 'utf8').split('\n');
  const [, , uid, gid] = lines.find((line) => line.startsWith(`${user}:`))?.split(':') ?? [];
  if (uid === undefined) throw new Error(`the image has no user '${user}'`);
  return `${uid}:${gid}`;
}
