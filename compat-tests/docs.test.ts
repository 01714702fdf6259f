// What the pages at the root, in `docs` and of the examples name exists and is as it is there: quotations, files, headings, options, variables, error codes and connection strings.

import { readFileSync } from 'node:fs';
import { access, readdir, readFile } from 'node:fs/promises';
// Pages link with slashes on every system.
import { dirname, join } from 'node:path/posix';
import { expect, test } from 'vitest';
import { PROJECT, readPages } from './support/documentation.js';
import { writeQuotations } from './support/quotations.js';
import { RunningProcess } from './support/running-process.js';

const OPTION = /(?<![\w-])--[a-z][a-z-]*/g;
const VARIABLE = /\b(?:(?:JITNEY|EMULATOR)_[A-Z_]+|CONFIG_JSON)\b/g;
const ERROR_CODE = /JIT\d{4}/g;
const LINK = /\]\((?!https?:)([^)#]*)(?:#([^)]+))?\)/g;
/** A path of the project in backticks, such as `test/rules.md` or `compat-tests/languages`; `src/test/java` is in the project of a reader. */
const NAMED_PATH =
  /`(?!src\/test\/java\/)((?:src|test|compat-tests|examples|tools|config|docs|dist)\/[\w./-]+)`/g;
const CONNECTION_STRING = /Endpoint=sb:\/\/[^;\s]+(;SharedAccessKeyName=[\w=;]*true;)/g;
const CONNECTION_STRING_END =
  ';SharedAccessKeyName=RootManageSharedAccessKey;SharedAccessKey=SAS_KEY_VALUE;UseDevelopmentEmulator=true;';
const UNESCAPED_BAR = /(?<!\\)\|/;
/** The words of the report itself, where a code would stand. */
const NO_CODE = 'JIT0000';
/** Options of `start` that every command line has. */
const OPTIONS_OF_ALL = ['--version', '--help'];

const pages = await readPages();
/** Pages for programs, which only point to the others. */
const forPrograms = await Promise.all(
  ['AGENTS.md', 'llms.txt'].map(async (path) => ({
    path,
    text: await readFile(join(PROJECT, path), 'utf8'),
  })),
);
const MESSAGE_COMMANDS = ['send', 'peek', 'receive', 'dead-letter list', 'dead-letter resubmit'];
const ENTITY_COMMANDS = ['create rule', 'create queue', 'delete queue'];
const COMMANDS = [
  'exec',
  'ls',
  'tail',
  'mcp',
  'healthcheck',
  'env',
  'config',
  'fault',
  'import',
  'export',
  'diff',
  'resubmit',
  ...MESSAGE_COMMANDS,
  ...ENTITY_COMMANDS,
].map((command) => command.split(' '));
const [helpOfStart = '', ...helpOfOthers] = await Promise.all([[], ...COMMANDS].map(helpOf));
const textOf = (path: string) => pages.find((page) => page.path === path)?.text ?? '';

test('blocks that quote a file are as the file is; `npm run fix` writes them', () => {
  const quoting = pages.filter(({ blocks }) => blocks.some(({ isQuoted }) => isQuoted));
  expect(quoting).not.toEqual([]);
  for (const { path, text } of quoting) {
    expect(text, path).toBe(writeQuotations(text, (file) => readFileSync(join(PROJECT, file), 'utf8')));
  }
});

test('links lead to files that exist, with a heading for each anchor', async () => {
  let anchorCount = 0;
  for (const { path, text } of [...pages, ...forPrograms]) {
    for (const [, file = '', anchor] of text.matchAll(LINK)) {
      const target = file === '' ? path : join(dirname(path), file);
      await access(join(PROJECT, target)).catch(() => expect.fail(`${path} links to ${target}`));
      if (anchor === undefined) continue;
      expect(anchorsOf(await readFile(join(PROJECT, target), 'utf8')), path).toContain(anchor);
      anchorCount += 1;
    }
  }
  expect(anchorCount).toBeGreaterThan(10);
});

test.each([
  ['the pages', 'docs/README.md', (path: string) => !path.startsWith('docs/decisions/')],
  ['the decisions', 'docs/decisions/README.md', (path: string) => path.startsWith('docs/decisions/')],
])('the index of %s has each of them', (_, index, isListed) => {
  const linked = [...textOf(index).matchAll(LINK)].map(([, file = '']) => join(dirname(index), file));
  expect(new Set(linked.filter((path) => path !== 'docs/decisions/README.md'))).toEqual(
    new Set(pages.map(({ path }) => path).filter((path) => isListed(path) && path !== index)),
  );
});

test('paths of the project that a page names exist', async () => {
  const named = pages.flatMap(({ path, text }) =>
    [...text.matchAll(NAMED_PATH)].map(([, name = '']) => ({ path, name })),
  );
  expect(named.length).toBeGreaterThan(10);
  for (const { path, name } of named) {
    await access(join(PROJECT, name)).catch(() => expect.fail(`${path} names ${name}`));
  }
});

test('scripts that a page names are in package.json', async () => {
  const { scripts } = JSON.parse(await readFile(join(PROJECT, 'package.json'), 'utf8'));
  const named = pages.flatMap(({ text }) => [...text.matchAll(/npm run ([\w-]+)/g)].map(([, name]) => name));
  expect(named.length).toBeGreaterThan(10);
  expect(named.filter((name) => !(String(name) in scripts))).toEqual([]);
});

test('the page on options has each option of the help, each variable of the source, and no others', async () => {
  const page = textOf('docs/options.md');
  const rows = page.match(/^\| .*/gm)?.map((row) => row.split(UNESCAPED_BAR)) ?? [];
  const options = rows.flatMap(([, option = '']) => option.match(OPTION) ?? []);
  const variables = rows.flatMap(([, , variable = '']) => variable.match(VARIABLE) ?? []);
  const help = helpOfStart.match(OPTION) ?? [];
  const known = (await sourceText('config')).match(VARIABLE) ?? [];
  const ofOptions = help.filter((option) => !OPTIONS_OF_ALL.includes(option));
  expect([...new Set(options)].sort()).toEqual([...new Set(ofOptions)].sort());
  expect([...new Set(variables)].sort()).toEqual(
    [...new Set(known)].filter((name) => !name.endsWith('_')).sort(),
  );
});

test('options of commands are those of the help, and variables those of the page on options', async () => {
  const known = new Set(`${helpOfStart}${helpOfOthers.join('')}`.match(OPTION));
  const page = textOf('docs/options.md');
  let count = 0;
  let variableCount = 0;
  for (const { path, text } of [...pages, ...forPrograms]) {
    const commands = text
      .replaceAll('\\\n', ' ')
      .match(/(?:npx jitney|npm start --|docker run jitney)[^`&|\n]*/g);
    for (const option of commands?.flatMap(optionsOf) ?? []) {
      expect(known, `${option} in ${path}`).toContain(option);
      count += 1;
    }
    for (const [variable] of text.matchAll(VARIABLE)) {
      expect(page, path).toContain(`\`${variable}\``);
      variableCount += 1;
    }
  }
  expect(Math.min(count, variableCount)).toBeGreaterThan(10);
});

test('the page on errors has each code of the source with its kind, and no others', async () => {
  const source = await sourceText();
  const codes = new Set(source.match(ERROR_CODE));
  codes.delete(NO_CODE);
  const page = textOf('docs/errors.md');
  expect([...page.matchAll(/^\| `(JIT\d{4})`/gm)].map(([, code]) => code)).toEqual([...codes].sort());
  const kinds = [...source.matchAll(/^ {2}'?([a-z-]+)'?: '(JIT\d{4})',$/gm)].map(([, kind, code]) => [
    code,
    kind,
  ]);
  expect([...page.matchAll(/^\| `(JIT\d{4})` \| `([a-z-]+)`/gm)].map(([, ...row]) => row)).toEqual(kinds);
});

test("connection strings are the emulator's", () => {
  const ends = pages.flatMap(({ path, text }) =>
    [...text.matchAll(CONNECTION_STRING)].map(([, end]) => ({ path, end })),
  );
  expect(ends.length).toBeGreaterThan(0);
  expect(ends).toEqual(ends.map(({ path }) => ({ path, end: CONNECTION_STRING_END })));
});

/** Those of `npx jitney exec --queue orders -- mvn --quiet test` before the command that it runs. */
function optionsOf(command: string): readonly string[] {
  const [own = ''] = command.replace('npm start -- ', '').split(' -- ');
  return own.match(OPTION) ?? [];
}

async function helpOf(command: readonly string[]): Promise<string> {
  const program = new RunningProcess([join(PROJECT, 'dist/cli/main.js'), ...command, '--help']);
  await program.exited;
  return program.stdout;
}

async function sourceText(room = ''): Promise<string> {
  const folder = join(PROJECT, 'src', room);
  const files = (await readdir(folder, { recursive: true })).filter((file) => file.endsWith('.ts'));
  return (await Promise.all(files.map((file) => readFile(join(folder, file), 'utf8')))).join('\n');
}

/** The anchors that GitHub makes of headings: in lower case, without punctuation, dashes for spaces. */
function anchorsOf(markdown: string): string[] {
  return (markdown.match(/(?<=^#+ ).*$/gm) ?? []).map((heading) =>
    heading
      .toLowerCase()
      .replace(/[^\w -]/g, '')
      .replaceAll(' ', '-'),
  );
}
