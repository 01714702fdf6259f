// `jitney validate` in process: files that are good, files that are not, and what only an emulator can tell.

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { runValidate, type ValidateContext } from '../../../src/cli/files/validate-command.js';
import { DEFAULT_CONFIG_FILE } from '../../../src/config/configured-entities.js';
import type { Flags } from '../../../src/config/environment.js';
import { startEmulator } from '../../../src/emulator.js';

let directory: string;

beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), 'jitney-validate-'));
});
afterAll(() => rmSync(directory, { recursive: true }));

function write(name: string, ...namespaces: readonly object[]): string {
  const file = join(directory, name);
  writeFileSync(file, JSON.stringify({ UserConfig: { Namespaces: namespaces } }));
  return file;
}

async function run(files: readonly string[], flags: Flags = {}, given: Partial<ValidateContext> = {}) {
  let stdout = '';
  let stderr = '';
  const exitCode = await runValidate(files, flags, {
    environment: {},
    stdout: (text) => {
      stdout += text;
    },
    stderr: (text) => {
      stderr += text;
    },
    readInput: () => Promise.reject(new Error('The standard input was read')),
    startEmulator,
    ...given,
  });
  return { exitCode, stdout, stderr };
}

test('a good file is told with what it holds', async () => {
  expect(await run([DEFAULT_CONFIG_FILE])).toEqual({
    exitCode: 0,
    stdout: `${DEFAULT_CONFIG_FILE} is good: 1 queue, 1 topic, 4 subscriptions, 3 rules\n`,
    stderr: '',
  });
});

test('warnings of a good file go to stderr', async () => {
  const file = write('odd.json', { Queues: [{ Name: 'a', Colour: 'red' }] });
  const { exitCode, stdout, stderr } = await run([file]);
  expect(stdout).toBe(`${file} is good: 1 queue, 0 topics, 0 subscriptions, 0 rules\n`);
  expect(stderr).toMatch(/^⚠ \S+odd\.json:1:\d+ {2}UserConfig.*Colour is not known and was ignored\.\n$/);
  expect(exitCode).toBe(0);
});

test('a further namespace is tried out, too', async () => {
  const queue = { Name: 'a', Properties: { ForwardTo: 'nowhere' } };
  const file = write('two.json', { Queues: [{ Name: 'a' }] }, { Name: 'second', Queues: [queue] });
  const { exitCode, stderr } = await run([file]);
  expect(stderr).toMatch(/^✖ JIT\d+ +In the namespace 'second': forwardTo of queue 'a' is 'nowhere'/);
  expect(exitCode).toBe(1);
});

test('the counts are those of all namespaces', async () => {
  const subscriptions = [{ Name: 's', Rules: [{ Name: 'r', Properties: { FilterType: 'False' } }] }];
  const second = {
    Name: 'second',
    Queues: [{ Name: 'a' }, { Name: 'b' }],
    Topics: [{ Name: 't', Subscriptions: subscriptions }],
  };
  const file = write('all.json', { Queues: [{ Name: 'a' }] }, second);
  expect(await run([file])).toEqual({
    exitCode: 0,
    stdout: `${file} is good: 3 queues, 1 topic, 1 subscription, 1 rule in 2 namespaces\n`,
    stderr: '',
  });
});

test('what the tier ignores is told', async () => {
  const file = write('large.json', {
    Queues: [{ Name: 'a', Properties: { MaxMessageSizeInKilobytes: 1024 } }],
  });
  expect(await run([file], { memory: true })).toMatchObject({
    exitCode: 0,
    stderr: expect.stringContaining('MaxMessageSizeInKilobytes is 1024 and was ignored: the tier standard'),
  });
  expect(await run([file], { tier: 'premium' })).toMatchObject({ exitCode: 0, stderr: '' });
});

test('of several files each is looked at, and one that is bad makes it end with 1', async () => {
  const bad = write('bad.json', { Queues: [{ Name: 'a b' }, {}] });
  const good = write('good.json', { Queues: [{ Name: 'a' }] });
  const { exitCode, stdout, stderr } = await run([bad, '/nowhere/Config.json', good]);
  expect(exitCode).toBe(1);
  expect(stdout).toContain(`${good} is good: 1 queue,`);
  expect(stderr).toContain(`✖ JIT2002  The config file ${bad} has 2 problems\n`);
  expect(stderr).toContain('✖ JIT2001  Cannot read the config file /nowhere/Config.json: there is no such');
});

test('- is the standard input, whatever its encoding', async () => {
  const text = (Name: string) =>
    JSON.stringify({
      UserConfig: { Namespaces: [{ Queues: [{ Name, Properties: { RequiresSession: true } }] }] },
    });
  const readInput = () => Promise.resolve(Buffer.from(text('a')));
  expect(await run(['-'], {}, { readInput })).toEqual({
    exitCode: 0,
    stdout: 'stdin is good: 1 queue, 0 topics, 0 subscriptions, 0 rules\n',
    stderr: '',
  });
  const refused = await run(['-'], { tier: 'basic' }, { readInput });
  expect(refused.exitCode).toBe(1);
  expect(refused.stderr).toContain('It is requested by stdin:1:');
  const bad = Buffer.from(`\uFEFF${text('a b')}`, 'utf16le');
  const { exitCode, stderr } = await run(['-'], {}, { readInput: () => Promise.resolve(bad) });
  expect(exitCode).toBe(1);
  expect(stderr).toContain('✖ JIT2002  The config in stdin has a problem\n           stdin:1:');
});

test('what only an emulator refuses is told with its place: the tier, and forwarding [FWD-02]', async () => {
  const sessions = write('sessions.json', {
    Queues: [{ Name: 'a', Properties: { RequiresSession: true } }],
  });
  expect((await run([sessions])).exitCode).toBe(0);
  const basic = await run([sessions], { tier: 'basic' });
  expect(basic).toMatchObject({ exitCode: 1, stdout: '' });
  expect(basic.stderr).toContain(
    "✖ JIT2007  requiresSession of queue 'a' is true, and the tier basic does not have it\n" +
      `           It is requested by ${sessions}:1:`,
  );
  const astray = write('astray.json', { Queues: [{ Name: 'a', Properties: { ForwardTo: 'b' } }] });
  const { exitCode, stderr } = await run([astray]);
  expect(exitCode).toBe(1);
  expect(stderr).toContain(
    "✖ JIT2010  forwardTo of queue 'a' is 'b', and there is no such queue or topic; create it first.\n",
  );
});

test('the emulator that tries a file out keeps nothing, takes any port, and is stopped', async () => {
  const file = write('plain.json', { Queues: [{ Name: 'a' }] });
  const stopped: string[] = [];
  const { exitCode } = await run(
    [file],
    { port: '5672', data: directory },
    {
      startEmulator: async (options) => {
        expect(Object.keys(options).sort()).toEqual(['limits', 'namespaces', 'queues', 'tier', 'topics']);
        const emulator = await startEmulator(options);
        const stop = () => {
          stopped.push('a');
          return emulator.stop();
        };
        return { ...emulator, stop };
      },
    },
  );
  expect({ exitCode, stopped }).toEqual({ exitCode: 0, stopped: ['a'] });
});

test('a bad option is told before any file is read', async () => {
  const { exitCode, stderr } = await run(['/nowhere/Config.json'], { tier: 'gold' });
  expect(exitCode).toBe(2);
  expect(stderr).toBe(`✖ JIT1001  --tier must be one of basic, standard, premium, not "gold"
           See:  jitney validate --help
`);
});
