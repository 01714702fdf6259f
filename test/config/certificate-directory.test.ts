// Which folder a start keeps its certificate authority in: one a user, unless a data directory has its own or there is no home.

import { mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { lossWarnings, ownerSentence, withCertDirectory } from '../../src/config/certificate-directory.js';
import type { Environment, Flags } from '../../src/config/environment.js';
import { readSettings, type Settings } from '../../src/config/settings.js';

let directory: string;
let data: string;

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'jitney-directory-'));
  data = join(directory, 'data');
});
afterEach(() => rmSync(directory, { recursive: true }));

/** Names of the variables differ by system; this one has a say in each of them. */
function homeAt(path: string): Environment {
  return { XDG_CONFIG_HOME: path, LOCALAPPDATA: path };
}

async function choose(flags: Flags, environment: Environment) {
  return look(readSettings(flags, environment));
}

/** As a start does. */
async function look(given: Settings) {
  const settings = await withCertDirectory(given);
  const { certificateDirectory, warnings } = settings;
  return { certificateDirectory, warnings: [...warnings, ...lossWarnings(settings)] };
}

test("all projects of a user share a folder, which is the user's alone", async () => {
  const environment = homeAt(join(directory, 'config'));
  const certificateDirectory = join(directory, 'config', 'jitney');
  expect(await choose({ data }, environment)).toEqual({ certificateDirectory, warnings: [] });
  expect(await choose({ data: join(directory, 'other') }, environment)).toEqual({
    certificateDirectory,
    warnings: [],
  });
  expect(await choose({ memory: true }, environment)).toEqual({ certificateDirectory, warnings: [] });
  expect(readdirSync(directory)).toEqual(['config']);
  if (process.platform !== 'win32') expect(statSync(certificateDirectory).mode & 0o777).toBe(0o700);
});

test('a data directory that has an authority keeps it', async () => {
  mkdirSync(join(data, 'certificates'), { recursive: true });
  const chosen = await choose({ data }, homeAt(join(directory, 'config')));
  expect(chosen).toEqual({ certificateDirectory: join(data, 'certificates'), warnings: [] });
  expect(readdirSync(directory)).toEqual(['data']);
});

test('a directory that is named is the one, and nothing is made elsewhere', async () => {
  mkdirSync(join(data, 'certificates'), { recursive: true });
  const certificateDirectory = join(directory, 'keys');
  const chosen = await choose(
    { data, certDirectory: certificateDirectory },
    homeAt(join(directory, 'config')),
  );
  expect(chosen).toEqual({ certificateDirectory, warnings: [] });
  expect(readdirSync(directory)).toEqual(['data']);
});

test('a directory that is named and cannot be written is done without, and a line says what to do', async () => {
  const file = join(directory, 'file');
  writeFileSync(file, '');
  const certificateDirectory = join(file, 'deep', 'keys');
  const remedy =
    'Make it a directory that this user may write (in a container, a volume), or name another with --cert-directory or JITNEY_CERT_DIRECTORY';
  const inMemory = await choose({ memory: true, certDirectory: certificateDirectory }, {});
  expect(inMemory).toEqual({ certificateDirectory: undefined, warnings: [expect.stringContaining(remedy)] });
  expect(inMemory.warnings[0]).toContain(
    `Certificates end with this process, because ${certificateDirectory} cannot be written: ENOTDIR: not a directory. `,
  );
  expect(await choose({ data, certDirectory: certificateDirectory }, {})).toEqual({
    certificateDirectory: join(data, 'certificates'),
    warnings: [expect.stringContaining(`Certificates are kept in ${join(data, 'certificates')}, because`)],
  });
  expect(await choose({ memory: true, certDirectory: certificateDirectory, noTls: true }, {})).toEqual({
    certificateDirectory: undefined,
    warnings: [],
  });
});

test('a directory that cannot be written serves where it has both the certificate and its key', async () => {
  writeFileSync(join(directory, 'file'), '');
  // Not even root can write behind a file; the names of what lies there leave the file out.
  const certificateDirectory = `${join(directory, 'file')}/..`;
  const settings = { ...readSettings({ memory: true }, {}), certificateDirectory };
  for (const name of ['ca-key.pem', 'ca.pem']) {
    expect(await look(settings)).toEqual({
      certificateDirectory: undefined,
      warnings: [expect.stringMatching(/^Certificates end with this process, because .* ENOTDIR/)],
    });
    writeFileSync(join(directory, name), '');
  }
  expect(await look(settings)).toEqual({ certificateDirectory, warnings: [] });
});

test("beside a user's own certificate, the key of tokens is all that is lost", async () => {
  const file = join(directory, 'file');
  writeFileSync(file, '');
  const flags = { cert: file, key: file, certDirectory: join(file, 'keys') };
  expect((await choose({ ...flags, memory: true }, {})).warnings).toEqual([
    expect.stringMatching(/^Tokens end with this process, because .*ENOTDIR/),
  ]);
  expect((await choose({ ...flags, data }, {})).warnings).toEqual([
    expect.stringContaining(`The key of tokens is kept in ${join(data, 'certificates')}, because`),
  ]);
  for (const place of [{ data }, { memory: true }]) {
    expect((await choose({ ...flags, ...place, noTokenEndpoint: true }, {})).warnings).toEqual([]);
  }
});

test('of a data directory that cannot be written, the journal alone complains', async () => {
  writeFileSync(data, '');
  const certificateDirectory = join(data, 'certificates');
  expect(await choose({ data, certDirectory: certificateDirectory }, {})).toEqual({
    certificateDirectory,
    warnings: [],
  });
});

test('the owner of a directory is told where it is another user, but for the root of all', () => {
  expect(ownerSentence('/data', 1000, 12345)).toBe(
    '. /data belongs to the user with id 1000, and this process runs as 12345',
  );
  expect([
    ownerSentence('/data', 1000, 1000),
    ownerSentence('/data', undefined, 1000),
    ownerSentence('/', 0, 1000),
  ]).toEqual(['', '', '']);
});

test('without a home that can be written, certificates are kept with the data, and a line says so', async () => {
  const file = join(directory, 'file');
  writeFileSync(file, '');
  const certificateDirectory = join(data, 'certificates');
  const line = `Certificates are kept in ${certificateDirectory}, and not in one place for all projects: `;
  expect(await choose({ data }, {})).toEqual({
    certificateDirectory,
    warnings: [`${line}the environment names no home directory`],
  });
  expect(await choose({ data }, homeAt(file))).toEqual({
    certificateDirectory,
    warnings: [
      expect.stringContaining(`${line}${join(file, 'jitney')} cannot be written: ENOTDIR: not a directory`),
    ],
  });
});

test('what keeps nothing and finds no home has no folder for certificates', async () => {
  expect(await choose({ memory: true }, {})).toEqual({ certificateDirectory: undefined, warnings: [] });
});

test('these tests have a home of their own', () => {
  const { XDG_CONFIG_HOME = '', LOCALAPPDATA } = process.env;
  expect(XDG_CONFIG_HOME).toContain('jitney-tests-');
  expect(XDG_CONFIG_HOME.startsWith(homedir())).toBe(false);
  expect(LOCALAPPDATA).toBe(XDG_CONFIG_HOME);
  expect(readSettings({}, process.env).userDirectory).toBe(join(XDG_CONFIG_HOME, 'jitney'));
});
