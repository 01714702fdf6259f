// The blocks of the README, each run as it is printed, against one emulator that has all that its starts name; and those of `docs`.

import { access, chmod, mkdir, readdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { RECIPES, recipe } from './package/consumer.js';
import { Jitney } from './support/jitney.js';
import { type MarkdownBlock, markdownBlocks } from './support/markdown-blocks.js';
import { RunningProcess } from './support/running-process.js';
import { type TemporaryDirectory, temporaryDirectory } from './support/temporary-directory.js';

const PROJECT = fileURLToPath(new URL('..', import.meta.url));
const JITNEY = join(PROJECT, 'dist/cli/main.js');
const LIMIT_MS = 30_000;
const OPTION = /(?<![\w-])--[a-z][a-z-]*/g;
const CONNECTION_STRING =
  'Endpoint=sb://localhost:5672;SharedAccessKeyName=RootManageSharedAccessKey;SharedAccessKey=SAS_KEY_VALUE;UseDevelopmentEmulator=true;\n';

/** `npm ci` has run, as far as the folder is concerned, and `npm start` prints its words. */
const NPM = `#!/bin/sh
[ "$1" = ci ] && exit
[ "$1" = start ] || exit 1
printf '%s\\n' "$@"
`;
/** As where the package is installed. */
const NPX = `#!/bin/sh
[ "$1" = jitney ] && shift && exec '${process.execPath}' '${JITNEY}' "$@"
exit 1
`;
/** Runs one program after the other in one process, since loading the SDK is most of the time of each. */
const RUN_ALL = `for (const file of process.argv.slice(2)) {
  console.log('# ' + file);
  await import('./' + file);
}
`;

/** Each start by itself, with nothing there from an earlier one. */
const START_EACH = `import { startEmulator } from 'jitney';
for (const options of JSON.parse(process.env.STARTS)) {
  const emulator = await startEmulator(options);
  await emulator.stop();
}
`;
/** The first goes on until it is stopped, and the commands are run meanwhile; on the second, Node reports when all is done. */
const LAST = ['processor.mjs', 'orders.test.mjs'];

/** What each program prints. */
const PRINTED: Readonly<Record<string, string>> = {
  'start-each.mjs': '',
  'hello.mjs': 'hello\n',
  'topics.mjs': 'audit [ 1, 2 ]\nmail [ 1 ]\n',
  'rules.mjs': '',
  'sessions.mjs': "order 7 pack\norder 7 ship\n{ lastStep: 'ship' }\n",
  'expiry.mjs': '[]\n',
  'processor.mjs': 'order 9 pack\n',
};

/** The number of blocks in each page of `docs` that need a container engine, a framework or another language. */
const NOT_RUN_IN_DOCS = {
  'clients.md': 0,
  'containers.md': 7,
  'frameworks.md': 9,
  'testcontainers.md': 5,
  'testing.md': 0,
};

const readmeText = await readFile(join(PROJECT, 'README.md'), 'utf8');
const readme = markdownBlocks(readmeText);
const run = readme.filter(({ notRun }) => notRun === undefined);
const isStart = ({ language, text }: MarkdownBlock) => language === 'sh' && text.includes('npm start');
const starts = run.filter(isStart);
const shellBlocks = run.filter((block) => block.language === 'sh' && !isStart(block));
const programs = run.filter(({ language }) => language === 'js');

let directory: TemporaryDirectory;
let startWords: readonly (readonly string[])[];
let jitney: Jitney;

beforeAll(async () => {
  directory = await temporaryDirectory();
  await prepareFolder();
  startWords = await Promise.all(starts.map(wordsOfStart));
  jitney = await Jitney.start({
    dataDirectory: join(directory.path, '.jitney'),
    extraArguments: ['--config', join(PROJECT, 'config/Config.json'), ...startWords.flat()],
  });
});

afterAll(async () => {
  await jitney?.[Symbol.asyncDispose]();
  await directory[Symbol.asyncDispose]();
});

test('every block of the README is run, or says above it why not', () => {
  const outputs = run.filter(({ language }) => language === '');
  expect(starts.length + shellBlocks.length + programs.length + outputs.length).toBe(run.length);
  expect(readme.length - run.length, 'blocks that are not run').toBe(1);
  expect(outputs.map(here)).toEqual([`${jitney.connectionString}\n`]);
});

test('the starts, the programs and the commands of the README do what it says of them', async () => {
  const files = programs.map(fileToRun).sort((one, other) => LAST.indexOf(one) - LAST.indexOf(other));
  const runner = new RunningProcess(['run-all.mjs', 'start-each.mjs', ...files], {
    env: {
      ...environment(),
      SERVICEBUS_CONNECTION_STRING: jitney.connectionString,
      STARTS: JSON.stringify(startWords.map(entitiesOf)),
    },
    workingDirectory: directory.path,
  });
  await runner.printed('order 9 pack\n', LIMIT_MS);
  runner.signal('SIGINT');
  const answers = await Promise.all(shellBlocks.map(runShell));
  const exit = await runner.endedWithin(LIMIT_MS);

  expect(exit, runner.output).toEqual({ code: 0, signal: null });
  const [programOutput = '', reported] = runner.stdout.split('# orders.test.mjs\n');
  expect(sections(programOutput)).toMatchObject(PRINTED);
  expect(sections(programOutput)['beta/admin.mjs']).toMatch(/^0 0\n(.*\n)*invoices\n/);
  expect(reported).toMatch(/pass 1\b/);
  expectCommands(answers);
});

test('every block of the docs is a test that `npm run package` runs, is valid JSON, or says above it why it is not run', async () => {
  const counts: Record<string, number> = {};
  const recipes: string[] = [];
  for (const [file, text] of await docs()) {
    const blocks = markdownBlocks(text);
    counts[file] = blocks.filter(({ notRun }) => notRun !== undefined).length;
    for (const { language, line, text, notRun } of blocks) {
      if (notRun !== undefined) continue;
      if (language === 'js') recipes.push(text);
      else if (language === 'json') JSON.parse(text);
      else expect(text, `line ${line} of ${file}`).toBe(CONNECTION_STRING);
    }
  }
  expect(counts).toEqual(NOT_RUN_IN_DOCS);
  expect(recipes).toEqual(RECIPES.map(recipe));
});

test('the docs print the programs that `npm run frameworks` runs', async () => {
  const frameworks = await readFile(join(PROJECT, 'docs/frameworks.md'), 'utf8');
  for (const program of ['celery/tasks.py', 'nestjs/service-bus.module.ts']) {
    const text = await readFile(join(PROJECT, 'compat-tests/frameworks', program), 'utf8');
    expect(markdownBlocks(frameworks).map((block) => block.text)).toContain(text);
  }
});

test("connection strings of the docs are the emulator's, variables are those of the README, and links lead somewhere", async () => {
  const [, ofThisEmulator] = jitney.connectionString.split(/(?<=:\d+)(?=;)/);
  for (const [file, text] of await docs()) {
    for (const [, rest] of text.matchAll(/Endpoint=sb:\/\/[^;\s]+(;SharedAccessKeyName=[\w=;]*true;)/g)) {
      expect(rest, file).toBe(ofThisEmulator);
    }
    for (const [variable] of text.matchAll(/\b(JITNEY|EMULATOR)_[A-Z_]+|\bCONFIG_JSON/g))
      expect(readmeText).toContain(`\`${variable}\``);
    expect(readmeText).toContain(`(docs/${file})`);
    await expectLinks(text, join(PROJECT, 'docs', file));
  }
  await expectLinks(readmeText, join(PROJECT, 'README.md'));
});

test('options of the commands in the docs and the README are those of the help', async () => {
  const help = await Promise.all(
    [['--help'], ['env', '--help']].map(async (words) => {
      const asked = new RunningProcess([JITNEY, ...words]);
      await asked.exited;
      return asked.stdout;
    }),
  );
  const known = new Set(help.join('').match(OPTION));
  const texts = [readmeText, ...(await docs()).map(([, text]) => text)].join('\n').replaceAll('\\\n', ' ');
  const commands = texts.match(/(?<=npx jitney|npm start --|docker run jitney)[^`&|\n]*/g) ?? [];
  const options = commands.flatMap((command) => command.match(OPTION) ?? []);
  expect(options.length).toBeGreaterThan(10);
  expect(options.filter((option) => !known.has(option))).toEqual([]);
});

/** Files that relative links name are there, with a heading for each anchor. */
async function expectLinks(text: string, file: string): Promise<void> {
  for (const [, path = '', anchor] of text.matchAll(/\]\((?!http)([^)#]*)(?:#([^)]+))?\)/g)) {
    const target = path === '' ? file : join(dirname(file), path);
    await access(target);
    if (anchor !== undefined) expect(anchorsOf(await readFile(target, 'utf8')), file).toContain(anchor);
  }
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

async function docs(): Promise<[file: string, text: string][]> {
  const files = (await readdir(join(PROJECT, 'docs'))).sort();
  return Promise.all(files.map(async (file) => [file, await readFile(join(PROJECT, 'docs', file), 'utf8')]));
}

function expectCommands(answers: readonly string[]): void {
  const [entity, administered, variables, http = ''] = answers;
  expect(answers).toHaveLength(4);
  expect(entity).toContain('<title type="text">queue.1</title>');
  expect(administered, 'with the SDK that speaks https').toMatch(/^0 0\n(.*\n)*invoices\n/);
  expect(variables).toBe(`${jitney.connectionString}\n`);
  expect(http.match(/(?<=HTTP\/1\.1 )\d+/g)).toEqual(['201', '201', '200', '204', '204']);
  expect(http).toContain('{"id":7}');
}

/** The package and the SDK as links, the programs as files, and curl that fails when the answer is an error. */
async function prepareFolder(): Promise<void> {
  const path = (...names: string[]) => join(directory.path, ...names);
  await mkdir(path('node_modules/@azure'), { recursive: true });
  await mkdir(path('beta/node_modules/@azure'), { recursive: true });
  await mkdir(path('bin'));
  await symlink(PROJECT, path('node_modules/jitney'));
  await symlink(join(PROJECT, 'node_modules/@azure/service-bus'), path('node_modules/@azure/service-bus'));
  await symlink(join(PROJECT, 'node_modules/service-bus-beta'), path('beta/node_modules/@azure/service-bus'));
  await writeFile(path('.curlrc'), 'fail\n');
  await writeFile(path('run-all.mjs'), RUN_ALL);
  await writeFile(path('start-each.mjs'), START_EACH);
  for (const [name, text] of Object.entries({ npm: NPM, npx: NPX })) {
    await writeFile(path('bin', name), text);
    await chmod(path('bin', name), 0o755);
  }
  for (const program of programs) {
    await writeFile(path(program.fileName), program.text);
    await writeFile(path(fileToRun(program)), program.text);
  }
}

/** In the folder whose SDK is the one that its first line asks for. */
function fileToRun({ fileName, text }: MarkdownBlock): string {
  return text.includes('with @azure/service-bus 7.10.0-beta') ? `beta/${fileName}` : fileName;
}

/** What the shell makes of the options of `npm start`; a block starts once, since nothing behind a start is ever reached. */
async function wordsOfStart(block: MarkdownBlock): Promise<string[]> {
  const shell = new RunningProcess(['-e', '-c', block.text], { command: 'sh', env: searchPath() });
  expect((await shell.exited).code, shell.output).toBe(0);
  const [start, dashes, ...words] = shell.stdout.trimEnd().split('\n');
  expect([start, dashes ?? '--']).toEqual(['start', '--']);
  expect(words).not.toContain('start');
  return words;
}

/** A start that has other options is not one of these, and fails here. */
function entitiesOf(args: readonly string[]) {
  const entity = { type: 'string', multiple: true } as const;
  const { values } = parseArgs({ args: [...args], options: { queue: entity, topic: entity } });
  return { queues: values.queue ?? [], topics: values.topic ?? [] };
}

/** What a block prints, and then the connection string if it has set one. */
async function runShell(block: MarkdownBlock): Promise<string> {
  const script = `${here(block)}echo "$SERVICEBUS_CONNECTION_STRING"`;
  const shell = new RunningProcess(['-e', '-c', script], {
    command: 'sh',
    env: { ...environment(), SERVICEBUS_CONNECTION_STRING: '' },
    workingDirectory: directory.path,
  });
  const exit = await shell.endedWithin(LIMIT_MS);
  expect(exit, `line ${block.line}:\n${shell.output}`).toEqual({ code: 0, signal: null });
  return shell.stdout;
}

/** The text with the port of this emulator for the one that a reader's has. */
function here({ text }: MarkdownBlock): string {
  return text.replaceAll('localhost:5672', `localhost:${jitney.address.port}`);
}

function searchPath(): Record<string, string> {
  return { PATH: `${join(directory.path, 'bin')}:${process.env.PATH}` };
}

/** Whatever a start of the README would be given to find the same emulator, and no file of the user's own. */
function environment(): Record<string, string> {
  return {
    ...searchPath(),
    HOME: directory.path,
    JITNEY_PORT: String(jitney.address.port),
    JITNEY_DATA: join(directory.path, '.jitney'),
  };
}

/** What each program has printed, by its file. */
function sections(output: string): Record<string, string> {
  const parts = output.split(/^# (\S+)\n/m).slice(1);
  return Object.fromEntries(
    parts.flatMap((name, index) => (index % 2 === 0 ? [[name, parts[index + 1] ?? '']] : [])),
  );
}
