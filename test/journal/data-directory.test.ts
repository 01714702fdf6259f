// The data directory: for its owner alone when it is made, left as it is when it is there, and whose it is when it is refused.

import { mkdir, readdir, readFile, stat, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { explainAccess } from '../../src/journal/access-refusal.js';
import { makeDataDirectory } from '../../src/journal/data-directory.js';
import { JournalError } from '../../src/journal/journal-error.js';
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
        `has a link in it: ${join(directory, name)} leads to ${join(above, 'mine')}.`,
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

test('a data directory of another user is refused with both ids and what to do', async () => {
  const directory = await makeTemporaryDirectory();
  const { uid } = await stat(directory);
  const journal = join(directory, 'journal');
  const error = new JournalError('unreadable', journal, `EACCES: permission denied, mkdir '${journal}'`);
  const told = await explainAccess(error, journal, directory, uid + 1);
  expect(told).toMatchObject({ kind: 'unreadable', cause: error });
  expect(told.message).toBe(
    `The journal in ${journal} cannot be read: EACCES: permission denied, mkdir '${journal}'. ${directory} belongs to the ` +
      `user with id ${uid}, and this process runs as ${uid + 1}. Give it to that user (chown -R ${uid + 1} ${directory}), ` +
      `run as its owner (in a container: --user ${uid}), or choose another directory.`,
  );
});

test('a directory above the data directory gets no advice to change its owner', async () => {
  const above = await makeTemporaryDirectory();
  const { uid } = await stat(above);
  const data = join(above, 'data');
  const error = new JournalError('unreadable', data, `EACCES: permission denied, mkdir '${data}'`);
  const { message } = await explainAccess(error, data, data, uid + 1);
  expect(message).toContain(`Make ${data} for that user first, or choose another directory.`);
  expect(message).not.toContain('chown');
});

test("no owner is named for one's own directory, or for another error", async () => {
  const directory = await makeTemporaryDirectory();
  const { uid } = await stat(directory);
  const denied = new JournalError('unreadable', directory, 'EACCES: permission denied');
  expect(await explainAccess(denied, directory, directory, uid)).toBe(denied);
  const damaged = new JournalError('corrupt', directory, 'a table is missing');
  expect(await explainAccess(damaged, directory, directory, uid + 1)).toBe(damaged);
});
