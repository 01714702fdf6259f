// The code blocks of the README and of `docs`, each run as it is printed, against one emulator with all entities that their starts name.

import { readFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { RECIPES, recipe } from './package/consumer.js';
import { PROJECT, readPages } from './support/documentation.js';
import { Jitney } from './support/jitney.js';
import type { MarkdownBlock } from './support/markdown-blocks.js';
import { ReaderFolder } from './support/reader-folder.js';
import { LAST_LIMIT_MS, RunningProcess } from './support/running-process.js';

/** Blocks of each page that need a container engine, a framework, a test runner with its own settings or another language, or that run this test; above each of them stands the reason. */
const NOT_RUN: Readonly<Record<string, number>> = {
  'README.md': 1,
  'CONTRIBUTING.md': 1,
  'docs/ci.md': 9,
  'docs/frameworks.md': 10,
  'docs/from-the-emulator.md': 1,
  'docs/namespaces.md': 3,
  'docs/testing.md': 1,
  'docs/traces.md': 5,
  'examples/README.md': 6,
};

/** Runs one program after the other in one process, since loading the SDK is most of the time of each. */
const RUN_ALL = `for (const file of process.argv.slice(2)) {
  console.log('# ' + file);
  await import('./' + file);
}
`;
/** Starts an emulator for each set of options, with nothing there from an earlier one. */
const START_EACH = `import { startEmulator } from 'jitney';
for (const options of JSON.parse(process.env.STARTS)) {
  const emulator = await startEmulator(options);
  await emulator.stop();
}
`;
/** For what starts many programs, or runs many tests, one after the other. */
const MANY_LIMIT_MS = 3 * LAST_LIMIT_MS;
/** Shell blocks that are run at a time. */
const AT_ONCE = 3;
/** The first goes on until it is stopped, and the commands are run meanwhile; on the other, Node reports when all is done. */
const LAST = ['processor.mjs', 'orders-kit.test.mjs'];
/** vitest also runs the files for jest and mocha, which have the same functions under these names; `npm run package` runs jest and mocha themselves. */
const VITEST_CONFIG = `export default {
  test: { globals: true, include: ['runners/**/orders*'], setupFiles: ['./mocha.mjs'], isolate: false, maxWorkers: 1, testTimeout: ${LAST_LIMIT_MS} },
};
`;
const MOCHA = 'Object.assign(globalThis, { before: beforeAll, after: afterAll });\n';

/** What each program prints. */
const PRINTED: Readonly<Record<string, string>> = {
  'start-each.mjs': '',
  'hello.mjs': 'hello\n',
  'topics.mjs': 'audit [ 1, 2 ]\nmail [ 1 ]\n',
  'rules.mjs': '',
  'sessions.mjs': "order 7 pack\norder 7 ship\n{ lastStep: 'ship' }\n",
  'namespaces.mjs': '1 0\n',
  'processor.mjs': 'order 9 pack\n',
};

/** What a reader does with a block; there is at least one of each. */
const USES = [
  'not run',
  'quotation',
  'picture',
  'output',
  'start',
  'shell',
  'program',
  'test runner',
  'config',
  'batch',
  'settings',
];
type Use = (typeof USES)[number];

const pages = await readPages();
const blocks = pages.flatMap((page) =>
  page.blocks.map((block) => ({ ...block, page: page.path, use: useOf(page.path, block) })),
);
type Block = (typeof blocks)[number];
const starts = used('start');
const programs = used('program');
/** The matchers for jest need jest, which `npm run package` gets. */
const testFiles = used('test runner').filter(({ text }) => !text.includes("'jitney/jest'"));

let folder: ReaderFolder;
let optionsOfStarts: readonly (readonly string[])[];
let jitney: Jitney;

/** The blocks of the pages are for a POSIX shell, which Windows does not have. */
const onPosix = test.skipIf(process.platform === 'win32');

beforeAll(async () => {
  if (process.platform === 'win32') return;
  folder = await ReaderFolder.create();
  optionsOfStarts = await Promise.all(starts.map(({ text }) => folder.optionsOfStart(text)));
  const { queues, topics } = entitiesOf(optionsOfStarts.flat());
  const entities = [...queues.map((spec) => ['--queue', spec]), ...topics.map((spec) => ['--topic', spec])];
  jitney = await Jitney.start({
    dataDirectory: join(folder.path, '.jitney'),
    extraArguments: ['--config', join(PROJECT, 'config/Config.json'), ...entities.flat()],
  });
});

afterAll(async () => {
  await jitney?.[Symbol.asyncDispose]();
  await folder?.[Symbol.asyncDispose]();
});

onPosix('every block of the README and the docs is run, or says above it why it is not', () => {
  const counts = blocks.filter(({ use }) => use === 'not run').map(({ page }) => page);
  for (const { path } of pages) {
    expect(counts.filter((page) => page === path).length, `not run in ${path}`).toBe(NOT_RUN[path] ?? 0);
  }
  for (const use of USES) expect(used(use), `blocks of use '${use}'`).not.toEqual([]);
  expect(used('output').map(here)).toEqual(used('output').map(() => `${jitney.connectionString}\n`));
  for (const { text } of used('settings')) JSON.parse(text);
  expect(new Set(programs.map(({ fileName }) => fileName)).size, 'programs of one name').toBe(
    programs.length,
  );
});

onPosix('the starts, programs and commands do what the pages say', async () => {
  await folder.write('run-all.mjs', RUN_ALL);
  await folder.write('start-each.mjs', START_EACH);
  for (const program of programs) {
    await folder.write(program.fileName, program.text);
    await folder.write(fileToRun(program), program.text);
  }
  const files = programs.map(fileToRun).sort((one, other) => LAST.indexOf(one) - LAST.indexOf(other));
  const configs = used('config').map(({ text }) => ({ configJson: text }));
  const runner = new RunningProcess(['run-all.mjs', 'start-each.mjs', ...files], {
    env: {
      ...folder.environment(),
      SERVICEBUS_CONNECTION_STRING: jitney.connectionString,
      STARTS: JSON.stringify([...optionsOfStarts.map(entitiesOf), ...configs]),
    },
    workingDirectory: folder.path,
  });
  // The limit is for one program, and there are many.
  for (const file of files.slice(0, -LAST.length)) await runner.printed(`# ${file}\n`, LAST_LIMIT_MS);
  await runner.printed('order 9 pack\n', LAST_LIMIT_MS);
  runner.signal('SIGINT');
  const answers = await runShells(used('shell'));
  const exit = await runner.endedWithin(LAST_LIMIT_MS);

  expect(exit, runner.output).toEqual({ code: 0, signal: null });
  const [programOutput = '', reported] = runner.stdout.split('# orders-kit.test.mjs\n');
  expect(sections(programOutput)).toMatchObject(PRINTED);
  expect(sections(programOutput)['beta/admin.mjs']).toMatch(/^0 0\n(.*\n)*invoices\n/);
  expect(reported).toMatch(/pass 1\b/);
  expectAnswers(answers);
});

onPosix('the tests that the pages print pass', async () => {
  await folder.write('vitest.config.mjs', VITEST_CONFIG);
  await folder.write('mocha.mjs', MOCHA);
  for (const { page, line, fileName, text } of testFiles) {
    await folder.write(`runners/${page}-${line}/${fileName}`, text);
  }
  const vitest = new RunningProcess(['node_modules/vitest/vitest.mjs', 'run', '--reporter', 'json'], {
    env: folder.environment(),
    workingDirectory: folder.path,
  });
  const exit = await vitest.endedWithin(MANY_LIMIT_MS);
  expect(exit, vitest.output).toEqual({ code: 0, signal: null });
  const testCount = testFiles.reduce(
    (sum, { text }) => sum + (text.match(/^ *(?:test|it)\(/gm)?.length ?? 0),
    0,
  );
  expect(testCount).toBeGreaterThan(5);
  expect(JSON.parse(vitest.stdout).numPassedTests).toBe(testCount);
});

test('the page on tests prints the files that `npm run package` runs', () => {
  const printed = blocks.filter(({ page, language }) => page === 'docs/testing.md' && language === 'js');
  expect(printed.map(({ text }) => text)).toEqual(RECIPES.map(recipe));
});

test('the page on frameworks prints the programs that `npm run frameworks` runs', async () => {
  const printed = blocks.filter(({ page }) => page === 'docs/frameworks.md').map(({ text }) => text);
  for (const program of ['celery/tasks.py', 'nestjs/service-bus.module.ts']) {
    expect(printed).toContain(await readFile(join(PROJECT, 'compat-tests/frameworks', program), 'utf8'));
  }
});

onPosix('a batch over HTTP works as the page on administration prints it', async () => {
  const [batch] = used('batch');
  const { status } = await fetch(`http://localhost:${jitney.address.port}/queue.1/messages`, {
    method: 'POST',
    headers: {
      authorization: 'SharedAccessSignature any',
      'content-type': 'application/vnd.microsoft.servicebus.json',
    },
    body: batch?.text ?? '',
  });
  expect(status).toBe(201);
});

function used(use: Use): Block[] {
  return blocks.filter((block) => block.use === use);
}

/** Throws for a block that nothing here runs and no comment explains. */
function useOf(page: string, { language, text, command, notRun, isQuoted, line }: MarkdownBlock): Use {
  if (isQuoted) return 'quotation';
  if (notRun !== undefined) return 'not run';
  if (language === 'text') return 'picture';
  if (language === '') return 'output';
  if (language === 'sh')
    return /npm start|^npx jitney --/.test(text) && !startsInBackground(text) ? 'start' : 'shell';
  if (language === 'js' && command !== undefined)
    return command.startsWith('npx') ? 'test runner' : 'program';
  if (language === 'json')
    return text.includes('"UserConfig"') ? 'config' : text.includes('"Body"') ? 'batch' : 'settings';
  throw new Error(`no test runs the block at line ${line} of ${page}:\n${text}`);
}

/** Whether it starts an emulator of its own, for the commands that follow. */
function startsInBackground(text: string): boolean {
  return text.includes(' &\n');
}

/** A few at a time, since each starts one program after the other. */
async function runShells(shells: readonly Block[]): Promise<Awaited<ReturnType<typeof runShell>>[]> {
  const answers: Awaited<ReturnType<typeof runShell>>[] = [];
  const waiting = shells.values();
  const runNext = async () => {
    for (const block of waiting) answers.push(await runShell(block));
  };
  await Promise.all(Array.from({ length: AT_ONCE }, runNext));
  return answers;
}

/** Runs it against the emulator of all blocks, or with ports of its own where it starts one itself. */
async function runShell(block: Block): Promise<{ readonly block: Block; readonly stdout: string }> {
  const environment = startsInBackground(block.text)
    ? { JITNEY_PORT: String(await freePort()), JITNEY_HTTP_PORT: String(await freePort()) }
    : { JITNEY_PORT: String(jitney.address.port), JITNEY_DATA: join(folder.path, '.jitney') };
  const script = `${here(block)}echo "$SERVICEBUS_CONNECTION_STRING"\n`;
  const { exit, stdout, output } = await folder.runShell(
    script,
    { ...environment, SERVICEBUS_CONNECTION_STRING: '' },
    MANY_LIMIT_MS,
  );
  expect(exit, `line ${block.line} of ${block.page}:\n${output}`).toEqual({ code: 0, signal: null });
  if (startsInBackground(block.text)) {
    expect(stdout).toContain(`\nEndpoint=sb://localhost:${environment.JITNEY_PORT};`);
    expect(stdout, 'the block stops what it has started').toContain('Stopped the emulator');
  }
  return { block, stdout };
}

function expectAnswers(answers: Awaited<ReturnType<typeof runShell>>[]): void {
  const answerTo = (words: string) => answers.find(({ block }) => block.text.includes(words))?.stdout ?? '';
  expect(answers).toHaveLength(14);
  expect(answers.filter(({ block }) => startsInBackground(block.text))).not.toEqual([]);
  expect(answerTo('Bearer any')).toContain('<title type="text">queue.1</title>');
  expect(answerTo('node admin.mjs'), 'with the SDK that speaks https').toMatch(/^0 0\n(.*\n)*invoices\n/);
  expect(answerTo('.env.sh')).toBe(`${jitney.connectionString}\n`);
  expect(answerTo('jitney export')).toMatch(/^Exported\.json and Imported\.json are the same$/m);
  expect(answerTo('healthcheck')).toContain('Emulator Service is Successfully Up!');
  const messages = answerTo('jitney receive letters');
  expect(messages).toContain('  dead: MaxDeliveryCountExceeded');
  expect(messages).toContain('"weight":{"type":"int","value":3}');
  const control = answerTo('rules:test');
  expect(control).toContain('{"sequenceNumbers":[1]}');
  expect(control).toContain('"weight":{"type":"ulong","value":3}');
  expect(control).toContain('"raw":{"base64":');
  expect(control).toContain(
    '"rules":[{"subscription":"mail","rule":"$Default","outcome":"matched","filter":{',
  );
  const entities = answerTo('entity?entity=labels');
  expect(entities).toContain('"lockDuration":"PT10S","maxDeliveryCount":3,');
  expect(entities).toContain('{"name":"heavy","filter":{"type":"sql","text":"weight > 5"},');
  expect(entities).toContain('{"deleted":"heavy"}{"deleted":"labels"}');
  const changes = answerTo('messages:resubmit');
  expect(changes).toContain(
    '{"count":2,"sequenceNumbers":[1,2],"newSequenceNumbers":[3,4],"skippedCount":1,"skipped":[{"sequenceNumber":9,',
  );
  expect(changes).toContain('{"count":2,"sequenceNumbers":[3,4],"skippedCount":0,"skipped":[]}');
  expect(changes).toContain('{"connections":[');
  expect(answerTo('jitney ls')).toMatch(/^parcels +queue /m);
  const created = answerTo('jitney create queue');
  expect(created).toContain("Created subscription 'alerts/mail'\nCreated rule 'alerts/audit/red'\n");
  expect(created).toContain("Updated queue 'parts': lockDuration PT30S -> PT1M\n");
  expect(created).toContain("Deleted topic 'alerts'\n");
  const faults = answerTo('jitney fault add');
  expect(faults).toContain('on send, entity refunds, error com.microsoft:server-busy, times 2.\n');
  expect(faults).toMatch(/^ *\d+ +active +0 of 0 +on complete, entity refunds, /m);
  expect(faults).toContain('3 faults removed.');
  expect(faults).toContain('{"count":1}');
  const http = answerTo('messages/head');
  expect(http.match(/(?<=HTTP\/1\.1 )\d+/g)).toEqual(['201', '201', '200', '204', '204']);
  expect(http).toContain('{"id":7}');
}

/** The file, in the folder with the SDK that its first line asks for. */
function fileToRun({ fileName, text }: MarkdownBlock): string {
  return text.includes('with @azure/service-bus 7.10.0-beta') ? `beta/${fileName}` : fileName;
}

/** The entities of a start, each once; options of another kind fail here. */
function entitiesOf(args: readonly string[]): { readonly queues: string[]; readonly topics: string[] } {
  const entity = { type: 'string', multiple: true } as const;
  const { values } = parseArgs({ args: [...args], options: { queue: entity, topic: entity } });
  return { queues: [...new Set(values.queue)], topics: [...new Set(values.topic)] };
}

/** The text with the port of this emulator in place of a reader's. */
function here({ text }: MarkdownBlock): string {
  return text.replaceAll('localhost:5672', `localhost:${jitney.address.port}`);
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, 'localhost', resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  return typeof address === 'object' && address !== null ? address.port : 0;
}

/** What each program has printed, by its file. */
function sections(output: string): Record<string, string> {
  const parts = output.split(/^# (\S+)\n/m).slice(1);
  return Object.fromEntries(
    parts.flatMap((name, index) => (index % 2 === 0 ? [[name, parts[index + 1] ?? '']] : [])),
  );
}
