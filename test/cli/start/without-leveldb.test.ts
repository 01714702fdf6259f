// An install without LevelDB: what runs in memory, and what is refused.

import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import manifest from '../../../package.json' with { type: 'json' };
import { runCheck } from '../../../src/cli/files/check-command.js';
import { runConfig } from '../../../src/cli/start/config-command.js';
import { runStart } from '../../../src/cli/start/start-command.js';
import { type EmulatorOptions, startEmulator } from '../../../src/emulator.js';

const found = vi.hoisted(() => ({ error: new Error() }));
vi.mock('level', () => ({
  get Level() {
    throw found.error;
  },
}));

const MISSING = Object.assign(
  new Error("Cannot find module 'level'\nRequire stack:\n- /x/dist/chunks/level.cjs"),
  {
    code: 'MODULE_NOT_FOUND',
  },
);
const NO_NATIVE_PART = new Error(
  'No native build was found for platform=linux arch=riscv64\n    loaded from: /x',
);
const PORTS = { port: '0', httpPort: '0', tlsPort: 'off', tls: 'off', host: '127.0.0.1' } as const;

let directory: string;
let stdout: string;
let stderr: string;
let started: EmulatorOptions | undefined;

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'jitney-without-'));
  [stdout, stderr, started, found.error] = ['', '', undefined, MISSING];
});
afterEach(() => rmSync(directory, { recursive: true }));

const writers = {
  stdout: (text: string) => {
    stdout += text;
  },
  stderr: (text: string) => {
    stderr += text;
  },
};

function start(
  flags: Readonly<Record<string, string>>,
  environment: Readonly<Record<string, string>> = {},
): Promise<number> {
  return runStart(
    { ...PORTS, ...flags },
    {
      ...writers,
      version: '1.2.3',
      environment: { HOME: directory, ...environment },
      startEmulator: (options) => {
        started = options;
        return startEmulator(options);
      },
      mountedConfigFile: '/none/Config.json',
      openImport: () => Promise.reject(new Error('Nothing is to be imported')),
      stopRequested: Promise.resolve('SIGTERM'),
      stopOverdue: () => new Promise(() => {}),
      elapsedMs: () => 1,
    },
  );
}

test('a start that names no directory runs in memory, and warns once', async () => {
  expect(await start({})).toBe(0);
  expect(started).not.toHaveProperty('dataDirectory');
  expect(stdout).toContain('in memory, lost when this stops');
  const warnings = stderr.split('\n').filter((line) => line.includes('JIT4009'));
  expect(warnings).toEqual([
    expect.stringMatching(
      /JIT4009 Everything is kept in memory and lost when this stops\. The journal in \S+\.jitney is not opened, because LevelDB cannot be loaded: Cannot find module 'level'\. Install its package: `npm install level@10`\.$/,
    ),
  ]);
});

test('a start in memory does not ask for LevelDB', async () => {
  expect(await start({}, { JITNEY_MEMORY: '1' })).toBe(0);
  expect(stderr).not.toContain('JIT4009');
});

test.each(['flag', 'variable'])('a directory that a %s names is refused, and left as it was', async (by) => {
  const data = join(directory, 'data');
  mkdirSync(data);
  const code = by === 'flag' ? await start({ data }) : await start({}, { JITNEY_DATA: data });
  expect(code).toBe(1);
  expect(stderr).toBe(
    `✖ JIT4009  The journal in ${join(data, 'journal')} is not opened, because LevelDB cannot be loaded: Cannot find module 'level'. ` +
      'Install its package: `npm install level@10`.\n           Keep it nowhere:  --memory\n',
  );
  expect(existsSync(join(data, 'journal'))).toBe(false);
});

test('the package that the message names is the one that this version needs', () => {
  expect(manifest.optionalDependencies.level).toMatch(/^10\./);
});

test('a missing native part is told from a missing package', async () => {
  found.error = NO_NATIVE_PART;
  expect(await start({ data: join(directory, 'data') })).toBe(1);
  expect(stderr).toContain(
    'LevelDB cannot be loaded: No native build was found for platform=linux arch=riscv64. ' +
      'Build its native part for this system: `npm rebuild classic-level`.\n',
  );
});

test('config shows that a start would keep nothing', async () => {
  const given = {
    ...writers,
    environment: {},
    mountedConfigFile: '/none/Config.json',
    isJson: false,
    openImport: () => Promise.reject(new Error('Nothing is to be imported')),
  };
  expect(await runConfig({}, { ...given, startEmulator })).toBe(0);
  expect(stderr).toContain('JIT4009');
  expect(stdout).toMatch(/^ +--data +- +default$/m);
});

test('check is refused, and does not advise to keep nothing', async () => {
  mkdirSync(join(directory, 'journal'));
  writeFileSync(join(directory, 'journal', 'CURRENT'), '');
  expect(await runCheck(directory, {}, { ...writers, isTerminal: false })).toBe(1);
  expect(stderr).toMatch(/^✖ JIT4009 {2}.* Install its package: `npm install level@10`\.\n$/);
});
