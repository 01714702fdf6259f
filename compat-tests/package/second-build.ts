// Builds and packs the same sources again in another folder: the tarball must have the same bytes, so that everybody can check from which
// sources a published one was made.

import { createHash } from 'node:crypto';
import { copyFile, mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { run, type Tally } from './steps.js';

/** Nothing of the machine may be in the tarball either. */
const OTHER_MACHINE = { TZ: 'Pacific/Kiritimati', LC_ALL: 'C', SOURCE_DATE_EPOCH: '0' };

export async function checkSecondBuild(
  tally: Tally,
  {
    tarball,
    root,
    directory,
  }: { readonly tarball: string; readonly root: string; readonly directory: string },
): Promise<void> {
  const what = 'a second build in another folder has the same bytes';
  const listed = await run('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], root);
  if (!listed.isGood) return tally.leftOut(what, listed.text);
  const folder = join(directory, 'second-build/of the same sources');
  for (const path of new Set(listed.stdout.split('\0').filter((path) => path !== ''))) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await copyFile(join(root, path), join(folder, path));
  }
  const installed = await run('npm', ['ci', '--ignore-scripts', '--prefer-offline'], folder);
  if (!installed.isGood) return tally.leftOut(what, installed.text);
  const packed = await run('npm', ['pack', '--silent'], folder, OTHER_MACHINE);
  if (!packed.isGood) return tally.add(what, false, packed.text);
  const second = join(folder, packed.stdout.trim().split('\n').at(-1) ?? '');
  const [digest, other] = await Promise.all([tarball, second].map(digestOf));
  tally.add(`${what}, sha256 ${digest}`, digest === other, await differencesOf(tarball, second, directory));
}

async function digestOf(path: string): Promise<string> {
  return createHash('sha256')
    .update(await readFile(path))
    .digest('hex');
}

/** Names the files in the tarballs that differ, in their text or in their mode. */
async function differencesOf(first: string, second: string, directory: string): Promise<string> {
  const folders = [join(directory, 'unpacked-1'), join(directory, 'unpacked-2')] as const;
  const lists: string[] = [];
  for (const [index, tarball] of [first, second].entries()) {
    const folder = folders[index] ?? '';
    await mkdir(folder);
    await run('tar', ['-xzf', tarball, '-C', folder], directory);
    const { stdout } = await run('tar', ['-tvzf', tarball], directory);
    lists.push(join(directory, `list-${index + 1}.txt`));
    await writeFile(lists[index] ?? '', stdout);
  }
  const texts = await run('diff', ['-rq', ...folders], directory);
  const modes = await run('diff', lists, directory);
  return (
    `${texts.text}\n${modes.text}`.trim() ||
    'The files and their modes are the same: the compression differs.'
  );
}
