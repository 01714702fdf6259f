// The data directory: for its owner alone when it is made, and left as it is when it is there.

import { mkdir, readdir, readFile, stat, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { makeDataDirectory } from '../../src/journal/data-directory.js';
import { makeTemporaryDirectory } from '../support/journal-places.js';

async function modeOf(path: string): Promise<number> {
  return (await stat(path)).mode & 0o777;
}

test('a new data directory belongs to its owner alone, and git ignores it', async () => {
  const above = join(await makeTemporaryDirectory(), 'above');
  const directory = join(above, '.jitney');
  await makeDataDirectory(directory);
  expect(await readFile(join(directory, '.gitignore'), 'utf8')).toBe('*\n');
  // Windows has no such modes.
  const [mode, modeAbove] = process.platform === 'win32' ? [0o666, 0o666] : [0o700, 0o777 & ~process.umask()];
  expect(await modeOf(directory)).toBe(mode);
  expect(await modeOf(above)).toBe(modeAbove);
});

test('an existing data directory is left as it is', async () => {
  const directory = join(await makeTemporaryDirectory(), 'data');
  await mkdir(directory, 0o755);
  const before = await modeOf(directory);
  await makeDataDirectory(directory);
  expect(await modeOf(directory)).toBe(before);
  expect(await readdir(directory)).toEqual([]);
});

test.each(['journal', 'clock.json.new', 'journal/000001.dbtmp', 'journal/segments/00000001.segment'])(
  'a link in the data directory, as %s, is refused, with where it leads',
  async (name) => {
    const above = await makeTemporaryDirectory();
    const directory = join(above, 'data');
    await writeFile(join(above, 'mine'), '');
    await mkdir(dirname(join(directory, name)), { recursive: true });
    await symlink(join(above, 'mine'), join(directory, name));
    await expect(makeDataDirectory(directory)).rejects.toMatchObject({
      kind: 'linked',
      message: expect.stringContaining(
        `contains a link: ${join(directory, name)} leads to ${join(above, 'mine')}.`,
      ),
    });
  },
);

test('the data directory may be a link itself', async () => {
  const above = await makeTemporaryDirectory();
  await mkdir(join(above, 'elsewhere', 'journal'), { recursive: true });
  await symlink(join(above, 'elsewhere'), join(above, 'data'));
  await expect(makeDataDirectory(join(above, 'data'))).resolves.toBeUndefined();
});
