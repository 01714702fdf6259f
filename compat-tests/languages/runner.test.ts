// The runner of the languages itself, with a program of our own that passes, fails, crashes, hangs and looks for what it left.

import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type TemporaryDirectory, temporaryDirectory } from '../support/temporary-directory.js';
import { readOrder, UsageError } from './command-line.js';
import { Language } from './language.js';
import type { Outcome } from './program.js';
import { hasFailed, summary } from './report.js';
import { type LanguageResult, runLanguage } from './run-language.js';
import { SCENARIOS } from './scenarios.js';
import { markdownTable, tableOf, withTable } from './table.js';

const TIME_LIMIT_MS = 3_000;
const PROGRAM = `
  import { appendFileSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
  const [, , left, starts, ...ids] = process.argv;
  appendFileSync(starts, 'x');
  const answer = (scenario, rest) => console.log(JSON.stringify({ scenario, ...rest }));
  const scenarios = {
    passes: () => answer('passes', { ok: true, detail: 'with a detail' }),
    fails: () => answer('fails', { ok: false, detail: 'expected 1, saw 2' }),
    refrains: () => answer('refrains', { leftOut: 'port 443 is taken' }),
    chatters: () => { console.log('a line of a library'); console.log('{"other":1}'); answer('chatters', { ok: true }); },
    crashes: () => { console.error('out of luck'); process.exit(3); },
    hangs: () => new Promise(() => setInterval(() => {}, 1000)),
    ends: () => process.exit(0),
    forgets: () => {},
    before: () => { writeFileSync(left, process.env.RUN); answer('before', { ok: true }); },
    after: () => answer('after', { ok: existsSync(left), detail: readFileSync(left, 'utf8') + ' ' + process.env.RUN }),
  };
  for (const id of ids) await scenarios[id]();
  process.exit(0);`;

let directory: TemporaryDirectory;

beforeAll(async () => {
  directory = await temporaryDirectory();
});

afterAll(() => directory[Symbol.asyncDispose]());

type Trial = {
  readonly result: LanguageResult;
  readonly outcomes: Record<string, Outcome>;
  readonly startCount: number;
  readonly restartCount: number;
};

let trialCount = 0;

async function folderOf(description: object): Promise<string> {
  const folder = join(directory.path, `trial-${trialCount++}`);
  await mkdir(folder);
  await writeFile(join(folder, 'program.mjs'), PROGRAM);
  const whole = { id: 'fake', title: 'Fake', library: 'fake 1.0', needs: [], ...description };
  await writeFile(join(folder, 'language.json'), JSON.stringify({ run: runOf(folder), ...whole }));
  return folder;
}

function runOf(folder: string): string[] {
  return [process.execPath, '{folder}/program.mjs', join(folder, 'left'), join(folder, 'starts')];
}

async function tryOut(ids: readonly string[], description: object = {}): Promise<Trial> {
  const folder = await folderOf(description);
  let restartCount = 0;
  const result = await runLanguage(new Language(folder, join(folder, 'cache')), {
    scenarios: ids.map((id) => ({ id, title: id, ...(id === 'after' ? { restartOf: 'before' } : {}) })),
    startServers: async () => ({
      env: { RUN: 'named by the server' },
      restart: async () => {
        restartCount++;
      },
      [Symbol.asyncDispose]: async () => {},
    }),
    timeLimitMs: TIME_LIMIT_MS,
    onOutcome: () => {},
  });
  const starts = await readFile(join(folder, 'starts'), 'utf8').catch(() => '');
  return { result, outcomes: Object.fromEntries(result.outcomes), startCount: starts.length, restartCount };
}

test('scenarios that pass, fail, refrain or are left out run in one process, whatever else a library prints', async () => {
  const { outcomes, startCount, result } = await tryOut(
    ['passes', 'fails', 'refrains', 'lacks', 'chatters'],
    { leftOut: { lacks: 'the library has none' } },
  );
  expect(outcomes).toEqual({
    passes: { kind: 'passed', detail: 'with a detail' },
    fails: { kind: 'failed', why: 'expected 1, saw 2' },
    refrains: { kind: 'left-out', why: 'port 443 is taken' },
    lacks: { kind: 'left-out', why: 'the library has none' },
    chatters: { kind: 'passed', detail: undefined },
  });
  expect(startCount).toBe(1);
  expect(hasFailed([result], [])).toBe(true);
  expect(summary([result], SCENARIOS)).toContain('2 passed, 1 failed, 2 left out (fake 1.0)');
});

test('a scenario that crashes, hangs or does not answer fails, and those behind it run all the same', async () => {
  const { outcomes, startCount } = await tryOut([
    'passes',
    'crashes',
    'chatters',
    'hangs',
    'before',
    'forgets',
  ]);
  expect(outcomes).toMatchObject({
    passes: { kind: 'passed' },
    crashes: { kind: 'failed', why: expect.stringMatching(/exit code 3 .*\nout of luck/) },
    chatters: { kind: 'passed' },
    hangs: { kind: 'failed', why: 'the program said nothing for 3 s' },
    before: { kind: 'passed' },
    forgets: { kind: 'failed', why: expect.stringContaining('exit code 0 before it answered') },
  });
  expect(startCount).toBe(3);
});

test('a program that twice answers nothing is not started again', async () => {
  const { outcomes, startCount } = await tryOut(['crashes', 'ends', 'passes']);
  expect(startCount).toBe(2);
  expect(outcomes).toMatchObject({ passes: { kind: 'failed', why: expect.stringMatching(/^not tried/) } });
});

test('the scenarios after a restart run in a process of their own', async () => {
  const { outcomes, startCount, restartCount } = await tryOut(['after', 'before']);
  expect(outcomes).toMatchObject({
    before: { kind: 'passed' },
    after: { kind: 'passed', detail: 'named by the server named by the server' },
  });
  expect({ startCount, restartCount }).toEqual({ startCount: 2, restartCount: 1 });
});

test('nothing is restarted for a library that leaves out the scenarios before it', async () => {
  const { outcomes, restartCount } = await tryOut(['before', 'after'], { leftOut: { before: 'no state' } });
  expect(outcomes).toMatchObject({ before: { kind: 'left-out' }, after: { kind: 'left-out' } });
  expect(restartCount).toBe(0);
});

test('a language whose runtime is missing is left out with what to install, and fails only if it is required', async () => {
  const { result, startCount } = await tryOut(['passes'], {
    needs: [['no-such-runtime', '--version']],
    toInstall: 'Runtime 3 or newer',
  });
  expect(result.notRun).toEqual({
    why: '"no-such-runtime --version" does not work here; it takes Runtime 3 or newer',
    isFault: false,
  });
  expect(startCount).toBe(0);
  expect(hasFailed([result], [])).toBe(false);
  expect(hasFailed([result], ['fake'])).toBe(true);
});

test('a folder is installed once, anew when a file of it changes, and a failed install is a fault', async () => {
  const append = "require('node:fs').appendFileSync(process.argv[1] + '/installs', 'x')";
  const folder = await folderOf({ install: [[process.execPath, '-e', append, '{cache}']] });
  const cache = join(folder, '..', 'cache');
  const installs = () => readFile(join(cache, 'fake', 'installs'), 'utf8');
  await new Language(folder, cache).install();
  await new Language(folder, cache).install();
  expect(await installs()).toBe('x');
  await writeFile(join(folder, 'requirements.txt'), 'one==1');
  await new Language(folder, cache).install();
  expect(await installs()).toBe('xx');

  const { result } = await tryOut(['passes'], { install: [[process.execPath, '-e', 'process.exit(4)']] });
  expect(result.notRun).toMatchObject({ isFault: true, why: expect.stringContaining('ended with 4') });
  expect(hasFailed([result], [])).toBe(true);
});

test('the table has a row for each behaviour, a column for each library, and the reasons below', async () => {
  const ids = ['passes', 'fails', 'refrains'];
  const { result } = await tryOut(ids);
  const { result: missing } = await tryOut([], {
    title: 'Missing',
    needs: [['no-such-runtime', '--version']],
  });
  const lines = markdownTable(
    [result, missing],
    ids.map((id) => ({ id, title: `what ${id}` })),
  ).split('\n');
  expect(lines).toEqual(
    expect.arrayContaining([
      '|  | Fake |',
      '| what passes | yes |',
      '| what fails | **no** |',
      '| what refrains | - |',
      '- **Fake**: fake 1.0. Left out: port 443 is taken',
      '- **Missing** was not run: "no-such-runtime --version" does not work here; it takes no-such-runtime.',
    ]),
  );
});

test('a language with an example alone runs no scenario and has no column', async () => {
  const { result, startCount } = await tryOut(['passes'], { title: 'Exemplary', run: undefined });
  expect(startCount).toBe(0);
  expect(result.outcomes.size).toBe(0);
  expect(markdownTable([result], [])).not.toContain('Exemplary');
  expect(readOrder(['--scenario', 'batch'], [result.language]).languages).toEqual([]);
  expect(readOrder([], [result.language]).languages).toEqual([result.language]);
});

test('docs/clients.md has a table of the existing scenarios, in whose place a run writes its own', async () => {
  const page = await readFile(new URL('../../docs/clients.md', import.meta.url), 'utf8');
  expect(tableOf(withTable(page, 'another\n'))).toBe('another\n');
  expect(withTable(page, tableOf(page))).toBe(page);
  expect(() => withTable('a page', 'another')).toThrow('the page has no lines <!-- table');
  const titles = Array.from(tableOf(page).matchAll(/^\| ([^|]+[^-|]) \|/gm), ([, title]) => title);
  expect(titles).toEqual(SCENARIOS.map(({ title }) => title));
});

test('a command line names existing languages, scenarios and a build', async () => {
  const known = [new Language(await folderOf({}))];
  const { scenarios } = readOrder(['--only', 'fake', '--scenario', 'restart-after'], known);
  expect(scenarios.map(({ id }) => id)).toEqual(['restart-before', 'restart-after']);
  for (const wrong of [
    ['--only', 'cobol'],
    ['--require', 'cobol'],
    ['--scenario', 'sing'],
    ['--jitney', 'nowhere.js'],
    ['--loud'],
    ['--table', 'half.md', '--only', 'fake'],
    ['--table', 'half.md', '--scenario', 'batch'],
    ['--table', 'half.md', '--examples'],
    ['--examples', '--scenario', 'batch'],
  ]) {
    expect(() => readOrder(wrong, known)).toThrow(UsageError);
  }
});

test('a description that lacks something or says more is refused with its file and key', async () => {
  const folder = await folderOf({ run: [], colour: 'red' });
  expect(() => new Language(folder)).toThrow(/language\.json: .*(run|colour)/s);
});
