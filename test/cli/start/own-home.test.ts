// A start and the commands that tell programs of it, in process: in a home of their own they find each other, and touch no other.

import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir, userInfo } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { askRunning } from '../../../src/cli/control/running-authority.js';
import { runCerts } from '../../../src/cli/files/certs-command.js';
import { runEnv } from '../../../src/cli/files/env-command.js';
import { runStart } from '../../../src/cli/start/start-command.js';
import { type Emulator, startEmulator } from '../../../src/emulator.js';

let home: string;
let userDirectory: string;

beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'jitney-home-'));
  userDirectory = join(
    home,
    process.platform === 'darwin' ? 'Library/Application Support' : '.config',
    'jitney',
  );
});
afterEach(() => rmSync(home, { recursive: true }));

function streams() {
  const told = { stdout: '', stderr: '' };
  const stdout = (text: string) => {
    told.stdout += text;
  };
  const stderr = (text: string) => {
    told.stderr += text;
  };
  // Of Windows, too.
  return {
    told,
    streams: { environment: { HOME: home, LOCALAPPDATA: dirname(userDirectory) }, stdout, stderr },
  };
}

/** Gives its port, and what ends it. */
async function start(data: string) {
  const { told, streams: given } = streams();
  let stop: (signal: string) => void = () => {};
  let started: (emulator: Emulator) => void = () => {};
  const running = new Promise<Emulator>((resolve) => {
    started = resolve;
  });
  const ended = runStart(
    { data, port: '0', httpPort: 'off' },
    {
      ...given,
      version: '1.2.3',
      mountedConfigFile: '/none/Config.json',
      openImport: () => Promise.reject(new Error('Nothing is to be imported')),
      startEmulator: async (options) => {
        const emulator = await startEmulator(options);
        started(emulator);
        return emulator;
      },
      stopRequested: new Promise((resolve) => {
        stop = resolve;
      }),
      stopOverdue: () => new Promise(() => {}),
      elapsedMs: () => 1,
    },
  );
  const { port } = await Promise.race([
    running,
    ended.then(() => Promise.reject(new Error(`it did not start: ${told.stderr}`))),
  ]);
  return {
    port,
    stop: () => {
      stop('SIGTERM');
      return ended;
    },
  };
}

/** The files in the home of the user who runs the tests. Drafts of another emulator come and go. */
function realHome(): readonly string[] {
  const { homedir } = userInfo();
  return ['.config/jitney', 'Library/Application Support/jitney', 'AppData/Local/jitney'].flatMap(
    (folder) => {
      try {
        return readdirSync(join(homedir, folder)).filter((name) => !name.endsWith('.new'));
      } catch {
        return ['none'];
      }
    },
  );
}

test('a start, env and certs in two folders name one authority, and leave every other home alone', async () => {
  const before = realHome();
  const emulator = await start(join(home, 'project'));
  const served = await (await fetch(`http://localhost:${emulator.port}/ca.pem`)).text();
  const flags = { port: String(emulator.port), data: join(home, 'other') };

  const env = streams();
  expect(await runEnv(flags, { ...env.streams, askRunning, format: 'json' })).toBe(0);
  const certs = streams();
  expect(await runCerts(flags, { ...certs.streams, askRunning, isJson: true })).toBe(0);
  expect(await emulator.stop()).toBe(0);

  expect([env.told.stderr, certs.told.stderr]).toEqual(['', '']);
  const { NODE_EXTRA_CA_CERTS } = JSON.parse(env.told.stdout);
  expect(JSON.parse(certs.told.stdout).authority).toBe(NODE_EXTRA_CA_CERTS);
  expect(readFileSync(NODE_EXTRA_CA_CERTS, 'utf8')).toBe(served);
  expect(readdirSync(userDirectory).sort()).toEqual(['ca-bundle.pem', 'ca-key.pem', 'ca.pem']);
  expect(readdirSync(join(home, 'project')).sort()).toEqual(['.gitignore', 'journal']);
  expect(readdirSync(home)).not.toContain('other');
  expect(realHome()).toEqual(before);
});
