// Another version of Node, by npm's own packages of it.

import { mkdir, writeFile } from 'node:fs/promises';
import { delimiter, dirname, join } from 'node:path';
import { run } from './steps.js';

export type NodeFromNpm = {
  readonly path: string;
  readonly version: string;
  /** Makes it the Node of npm and of what npm starts. */
  readonly env: { readonly PATH: string };
};

/** Installs the newest version of the range in the directory. A text says why there is none. */
export async function nodeFromNpm(range: string, directory: string): Promise<NodeFromNpm | string> {
  const folder = join(directory, `node-${range.replace(/\W/g, '')}`);
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, 'package.json'), '{ "private": true }');
  // There is a package for each system, which needs no install script.
  const system = process.platform === 'win32' ? 'win' : process.platform;
  const name = `node-${system}-${process.arch}`;
  const installed = await run('npm', ['install', `${name}@${range}`], folder);
  const path = join(folder, 'node_modules', name, 'bin', system === 'win' ? 'node.exe' : 'node');
  const asked = installed.isGood ? await run(path, ['--version'], folder) : installed;
  if (!asked.isGood) return asked.text;
  const env = { PATH: `${dirname(path)}${delimiter}${process.env.PATH}` };
  return { path, version: asked.stdout.trim().slice(1), env };
}
