// What a start loads before it is ready, and that its compiled code is there for the next one.

import { isAscii } from 'node:buffer';
import { readdirSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { LAST_LIMIT_MS, RunningProcess } from './support/running-process.js';
import { temporaryDirectory } from './support/temporary-directory.js';
import { until } from './support/until.js';

const PROGRAM = fileURLToPath(new URL('../dist/cli/main.js', import.meta.url));
const EMULATOR = fileURLToPath(new URL('../dist/emulator.cjs', import.meta.url));
const PORTS = ['--port', '0', '--http-port', '0', '--tls-port', 'off'];
const READY_LINE = 'Emulator Service is Successfully Up!';
/** A module that runs before the program and tells, at its end, which files and which parts of Node it has loaded. */
const PROBE = `process.on('exit', () => {
  const builtIn = process.moduleLoadList.flatMap((name) => name.match(/^NativeModule ([a-z_0-9/]+)$/)?.[1] ?? []);
  const loaded = { files: Object.keys(require.cache), builtIn };
  require('node:fs').writeFileSync(process.env.LOADED, JSON.stringify(loaded));
});`;
/** Parts of Node that take it a millisecond or more to load, and that no start needs. */
const HEAVY = ['crypto', 'http', 'http2', 'https', 'inspector', 'readline', 'tls'];

/** The starts are ended by SIGTERM, which Windows does not have. */
const onPosix = test.skipIf(process.platform === 'win32');

type Loaded = { readonly files: readonly string[]; readonly builtIn: readonly string[] };

/** Starts the program and stops it as soon as it is ready. Returns what it loaded: the paths of files, and parts of Node. */
async function loadedAtStart(folder: string, options: readonly string[]): Promise<Loaded> {
  const [probe, loaded] = [join(folder, 'probe.cjs'), join(folder, 'loaded.json')];
  await writeFile(probe, PROBE);
  const program = new RunningProcess(['--require', probe, PROGRAM, ...PORTS, ...options], {
    env: { LOADED: loaded },
  });
  await program.printed(READY_LINE, LAST_LIMIT_MS);
  program.signal('SIGTERM');
  await program.exited;
  const { files, builtIn }: Loaded = JSON.parse(await readFile(loaded, 'utf8'));
  return { files: files.filter((path) => path !== probe), builtIn };
}

function heavyParts({ builtIn }: Loaded): string[] {
  return builtIn.filter((part) => HEAVY.includes(part));
}

/** The names of the files in `dist`, without their hashes. */
function chunksOf(paths: readonly string[]): string[] {
  const dist = dirname(dirname(PROGRAM));
  const own = paths.filter((path) => path.startsWith(dist));
  return own.map((path) => basename(path).replace(/(-[\w-]{8})+\.cjs$/, '')).sort();
}

async function packagesIn(paths: readonly string[]): Promise<string[]> {
  const texts = await Promise.all(paths.map((path) => readFile(path, 'utf8')));
  const names = texts.flatMap((text) =>
    Array.from(
      text.matchAll(/^ *\/\/ \S*node_modules\/((?:@[^/\s]+\/)?[^/\s]+)/gm),
      ([, name]) => name ?? '',
    ),
  );
  return [...new Set(names)].sort();
}

onPosix('a start in memory loads few files, and only the packages that each start needs', async () => {
  await using directory = await temporaryDirectory();
  const loaded = await loadedAtStart(directory.path, ['--memory']);
  const paths = loaded.files;
  expect(chunksOf(paths)).toEqual(['command-line', 'compile-cache', 'emulator', 'main.js', 'shared']);
  expect(await packagesIn(paths)).toEqual(['rhea']);
  // OpenTelemetry's packages are not in the bundle; they are installed, and only a variable has them loaded.
  expect(paths.filter((path) => path.includes('opentelemetry'))).toEqual([]);
  expect(heavyParts(loaded)).toEqual([]);
  // It would begin a pool of threads, which a start in memory does without.
  expect(loaded.builtIn).not.toContain('fs/promises');
});

onPosix(
  'every file of a start has one byte a character, because V8 takes two for each of any other file',
  async () => {
    await using directory = await temporaryDirectory();
    const { files } = await loadedAtStart(directory.path, ['--memory']);
    const texts = await Promise.all(files.map((path) => readFile(path)));
    expect(files.filter((_, index) => !isAscii(texts[index] ?? Buffer.alloc(0)))).toEqual([]);
  },
);

onPosix('a start in a directory also loads the journal and LevelDB, and nothing else', async () => {
  await using directory = await temporaryDirectory();
  // The rules of the default Config.json would be stored with digests, for which Node's cryptography is loaded.
  const options = ['--queue', 'orders', '--data', join(directory.path, 'data')];
  const loaded = await loadedAtStart(directory.path, options);
  const paths = loaded.files;
  expect(chunksOf(paths)).toEqual([
    'command-line',
    'compile-cache',
    'emulator',
    'journal',
    'level',
    'main.js',
    'shared',
  ]);
  expect(await packagesIn(paths)).toContain('classic-level');
  expect(await packagesIn(paths)).not.toContain('zod');
  expect(heavyParts(loaded)).toEqual([]);
});

onPosix(
  'no file of a start makes a pattern with classes of Unicode, which takes V8 a millisecond',
  async () => {
    await using directory = await temporaryDirectory();
    const { files } = await loadedAtStart(directory.path, ['--memory']);
    const texts = await Promise.all(files.map((path) => readFile(path, 'utf8')));
    expect(texts.flatMap((text) => text.match(/^(?:var|let|const) .*\\p\{.*$/gm) ?? [])).toEqual([]);
  },
);

test('an emulator in a program loads nothing of the command line, also not with its first request over HTTP', async () => {
  await using directory = await temporaryDirectory();
  const [probe, program, loaded] = ['probe.cjs', 'program.cjs', 'loaded.json'].map((name) =>
    join(directory.path, name),
  ) as [string, string, string];
  await writeFile(probe, PROBE);
  await writeFile(
    program,
    `require(${JSON.stringify(EMULATOR)}).startEmulator().then(async (emulator) => {
      await (await fetch('http://127.0.0.1:' + emulator.port + '/$jitney/v1/queues')).text();
      await emulator.stop();
      process.exit();
    });`,
  );
  const running = new RunningProcess(['--require', probe, program], { env: { LOADED: loaded } });
  expect(await running.exited).toMatchObject({ code: 0 });
  const { files }: Loaded = JSON.parse(await readFile(loaded, 'utf8'));
  expect(chunksOf(files)).toContain('interface');
  expect(chunksOf(files)).not.toContain('command-line');
});

onPosix.each([
  ['a second after it is ready', false],
  ['when it stops before that', true],
])('a start stores its compiled code %s, and the next one starts with it', async (_, stopsAtOnce) => {
  await using caches = await temporaryDirectory();
  const env = { XDG_CACHE_HOME: caches.path, LOCALAPPDATA: caches.path };
  const storedCount = () =>
    readdirSync(caches.path, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile())
      .length;
  for (let start = 0; start < 2; start++) {
    const program = new RunningProcess([PROGRAM, ...PORTS, '--memory'], { env });
    await program.printed(READY_LINE, LAST_LIMIT_MS);
    if (!stopsAtOnce) await until('compiled code is stored', () => storedCount() >= 3);
    program.signal('SIGTERM');
    expect(await program.exited).toMatchObject({ code: 0 });
    expect(storedCount()).toBeGreaterThanOrEqual(3);
  }
});

onPosix('a start whose directory of caches is a file starts all the same', async () => {
  const env = { XDG_CACHE_HOME: PROGRAM, LOCALAPPDATA: PROGRAM, NODE_COMPILE_CACHE: PROGRAM };
  const program = new RunningProcess([PROGRAM, ...PORTS, '--memory'], { env });
  await program.printed(READY_LINE, LAST_LIMIT_MS);
  program.signal('SIGTERM');
  expect(await program.exited).toMatchObject({ code: 0 });
});
