// `jitney import`, `export` and `diff`, and `start --import`, in this process from their words on.

import { existsSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { askRunning } from '../../../src/cli/control/running-authority.js';
import { openSource } from '../../../src/cli/definitions/definition-source.js';
import { runDefinitionCommand } from '../../../src/cli/definitions/run-definition-command.js';
import { runProgram } from '../../../src/cli/program.js';
import { runConfig } from '../../../src/cli/start/config-command.js';
import { runStart } from '../../../src/cli/start/start-command.js';
import type { Environment, Flags } from '../../../src/config/environment.js';
import { type Emulator, type EmulatorOptions, startEmulator } from '../../../src/emulator.js';

let directory: string;
beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), 'jitney-definitions-'));
});
afterAll(() => rmSync(directory, { recursive: true }));

const emulators: Emulator[] = [];
afterEach(async () => {
  for (const emulator of emulators.splice(0)) await emulator.stop();
});

async function start(options: EmulatorOptions): Promise<Emulator> {
  const emulator = await startEmulator(options);
  emulators.push(emulator);
  return emulator;
}

function write(name: string, content: object | string): string {
  const file = join(directory, name);
  writeFileSync(file, typeof content === 'string' ? content : JSON.stringify(content));
  return file;
}

const unused = () => Promise.reject(new Error('another command was run'));
const OTHERS = {
  version: '1.2.3',
  start: unused,
  exec: unused,
  config: unused,
  certs: unused,
  env: unused,
  validate: unused,
  check: unused,
  healthcheck: unused,
  control: unused,
  messages: unused,
  copy: unused,
  entities: unused,
};

type Given = { readonly input?: string; readonly environment?: Environment };

async function run(words: readonly string[], { input, environment = {} }: Given = {}) {
  const output = { stdout: '', stderr: '' };
  const streams = {
    stdout: (text: string) => {
      output.stdout += text;
    },
    stderr: (text: string) => {
      output.stderr += text;
    },
  };
  const context = {
    ...streams,
    environment,
    askRunning,
    readInput: async () => Buffer.from(input ?? ''),
    interrupted: new AbortController().signal,
    now: () => 0,
    isTerminal: false,
  };
  const exitCode = await runProgram(words, {
    ...OTHERS,
    ...streams,
    definitions: (request) => runDefinitionCommand(request, context),
  });
  return { exitCode, ...output };
}

const TEMPLATE = {
  contentVersion: '1.0.0.0',
  parameters: { name: { type: 'string' } },
  resources: [
    {
      type: 'Microsoft.ServiceBus/namespaces/queues',
      name: "[concat('ns/', parameters('name'))]",
      properties: { lockDuration: 'PT30S' },
    },
    { type: 'Microsoft.Storage/storageAccounts', name: 'x' },
  ],
};

const QUEUES = ['orders?lockDuration=PT5S&forwardTo=billing', 'billing'];
const TOPICS = [{ name: 'events', subscriptions: [{ name: 'eu', filter: "region = 'EU'" }, 'all'] }] as const;

test('a template becomes a Config.json, with the values of a file for its parameters', async () => {
  const template = write('main.json', TEMPLATE);
  const parameters = write('p.json', { parameters: { name: { value: 'orders' } } });
  const output = join(directory, 'Config.json');
  expect(await run(['import', template, '--parameters', parameters, '--output', output])).toEqual({
    exitCode: 0,
    stdout: `${output} has 1 queue, 0 topics, 0 subscriptions, 0 rules\n`,
    stderr:
      '⚠ Left out, because they are no queues, topics, subscriptions or rules: 1 Microsoft.Storage/storageAccounts.\n',
  });
  const [namespace] = JSON.parse(readFileSync(output, 'utf8')).UserConfig.Namespaces;
  expect(namespace.Queues).toMatchObject([
    { Name: 'orders', Properties: { LockDuration: 'PT30S', MaxDeliveryCount: 10 } },
  ]);
});

test('a template that cannot be read ends with 1, its problems with their places, and writes nothing', async () => {
  const template = write('bad.json', TEMPLATE);
  const output = join(directory, 'None.json');
  const { exitCode, stdout, stderr } = await run(['import', template, '--output', output]);
  expect([exitCode, stdout, existsSync(output)]).toEqual([1, '', false]);
  expect(stderr).toMatch(
    /✖ JIT2019 {2}\S+bad\.json has a problem\n {11}\S+bad\.json:1:\d+ {2}resources\[0\]\.name cannot be evaluated: the parameter name/,
  );
});

test('a file that is missing and one that cannot be written are errors of their own', async () => {
  expect(await run(['import', '/nowhere/x.json'])).toMatchObject({
    exitCode: 1,
    stderr: expect.stringContaining('✖ JIT2020  Cannot read /nowhere/x.json: there is no such file'),
  });
  const config = write('c.json', { UserConfig: { Namespaces: [{}] } });
  expect(await run(['export', config, '--format', 'arm', '--output', '/nowhere/x.json'])).toMatchObject({
    exitCode: 1,
    stderr: expect.stringContaining('✖ JIT3008  /nowhere/x.json cannot be written: '),
  });
});

test('a file that is there is overwritten only with --force, also through a link', async () => {
  const config = write('source.json', { UserConfig: { Namespaces: [{ Queues: [{ Name: 'orders' }] }] } });
  const output = write('mine.json', 'written by hand');
  const link = join(directory, 'link.json');
  symlinkSync(output, link);
  for (const words of [
    ['import', '/nowhere/x.json'],
    ['export', config, '--format', 'bicep'],
  ]) {
    expect(await run([...words, '--output', output])).toEqual({
      exitCode: 2,
      stdout: '',
      stderr: `✖ JIT1001  ${output} is there already. To overwrite it:  --force\n           See:  jitney ${words[0]} --help\n`,
    });
  }
  expect(readFileSync(output, 'utf8')).toBe('written by hand');
  const forced = await run(['import', config, '--output', link, '--force']);
  expect(forced).toMatchObject({ exitCode: 0, stderr: '' });
  expect(readFileSync(output, 'utf8')).toContain('"orders"');
  expect(await run(['import', config, '--output', directory, '--force'])).toMatchObject({
    exitCode: 1,
    stderr: expect.stringContaining(`✖ JIT3008  ${directory} cannot be written: it is a directory`),
  });
});

test('an import without a file says what it has printed, and how to go on', async () => {
  const template = write('two words.json', TEMPLATE);
  const parameters = write('q.json', { parameters: { name: { value: 'orders' } } });
  const { stdout, stderr } = await run(['import', template, '--parameters', parameters]);
  expect(JSON.parse(stdout).UserConfig.Namespaces).toHaveLength(1);
  expect(stderr).toContain(
    [
      'Printed a Config.json with 1 queue, 0 topics, 0 subscriptions, 0 rules.',
      'To write it to a file:  --output <file>',
      `To start with it:       jitney --import '${template}' --parameters ${parameters}`,
      '',
    ].join('\n'),
  );
  const input = JSON.stringify({ UserConfig: { Namespaces: [{}] } });
  expect((await run(['import', '-'], { input })).stderr).toContain('  ... | jitney --import -\n');
  const ofNamespace = await run(['import', template, '--parameters', parameters, '--namespace', 'ns']);
  expect(ofNamespace.stderr).toContain('  jitney --config <file>, when it is written\n');
  expect((await run(['import', '-', '--log-level', 'warn'], { input })).stderr).toBe('');
});

test('standard input is a source', async () => {
  const input = JSON.stringify({ UserConfig: { Namespaces: [{ Queues: [{ Name: 'q' }] }] } });
  const { exitCode, stdout } = await run(['export', '-', '--format', 'bicep'], { input });
  expect(exitCode).toBe(0);
  expect(stdout).toContain("resource queue_q 'Microsoft.ServiceBus/namespaces/queues@2024-01-01' = {");
});

test('a format is needed, and must be one of four', async () => {
  expect(await run(['export'])).toMatchObject({
    exitCode: 2,
    stderr: expect.stringContaining("required option '--format"),
  });
  expect(await run(['export', '--format', 'yaml'])).toMatchObject({
    exitCode: 2,
    stderr: expect.stringContaining('Allowed choices are config, bicep, terraform, arm'),
  });
});

test('the running emulator is exported, and what is imported of that is the same', async () => {
  const { port } = await start({ queues: [...QUEUES], topics: [...TOPICS] });
  for (const format of ['config', 'arm', 'terraform']) {
    const file = join(directory, `export.${format}.json`);
    expect(await run(['export', '--format', format, '--output', file, '--port', String(port)])).toMatchObject(
      {
        exitCode: 0,
        stdout: `${file} has 2 queues, 1 topic, 2 subscriptions, 1 rule\n`,
      },
    );
    expect(await run(['diff', file, '--port', String(port)])).toEqual({
      exitCode: 0,
      stdout: `${file} and localhost are the same\n`,
      stderr: '',
    });
  }
});

test('a namespace that checks keys is read over TLS, as Azure is, and no key is printed', async () => {
  const primaryKey = 'a+very/secret=key';
  const policies = [
    { keyName: 'boss', rights: ['Manage', 'Send', 'Listen'], primaryKey },
    { keyName: 'worker', rights: ['Listen'], primaryKey },
  ] as const;
  const { port } = await start({ auth: 'strict', policies, queues: [...QUEUES] });
  const stringFor = (keyName: string) =>
    `Endpoint=sb://localhost:${port}/;SharedAccessKeyName=${keyName};SharedAccessKey=${primaryKey}`;
  const imported = await run(['import', stringFor('boss')]);
  expect(imported).toMatchObject({
    exitCode: 0,
    stderr: expect.stringContaining('  jitney --import "<the connection string>"\n'),
  });
  expect(JSON.parse(imported.stdout).UserConfig.Namespaces[0].Queues).toHaveLength(2);
  const refused = await run(['import', stringFor('worker')]);
  expect(refused).toMatchObject({ exitCode: 1, stdout: '', stderr: expect.stringContaining('✖ JIT6003') });
  for (const { stdout, stderr } of [imported, refused]) expect(`${stdout}${stderr}`).not.toContain('secret');
});

test('a diff lists what differs, and ends with 1', async () => {
  const { port } = await start({ queues: [...QUEUES] });
  const config = write('other.json', {
    UserConfig: {
      Namespaces: [
        {
          Queues: [
            {
              Name: 'orders',
              Properties: {
                LockDuration: 'PT5S',
                MaxDeliveryCount: 10,
                ForwardTo: 'billing',
                DefaultMessageTimeToLive: 'P10675199DT2H48M5.4775807S',
              },
            },
          ],
        },
      ],
    },
  });
  expect(await run(['diff', config], { environment: { JITNEY_PORT: String(port) } })).toEqual({
    exitCode: 1,
    stdout: [
      `queue orders: duplicateDetectionHistoryTimeWindow is PT20S in ${config}, and PT10M in localhost`,
      'queue billing is only in localhost',
      '2 differences',
      '',
    ].join('\n'),
    stderr: '',
  });
});

test('nothing answers where no service is', async () => {
  const { port, ...emulator } = await start({});
  await emulators.pop()?.stop();
  expect(emulator).toBeDefined();
  expect(await run(['export', '--format', 'config', '--port', String(port)])).toMatchObject({
    exitCode: 3,
    stdout: '',
  });
});

function startContext(output: { text: string }, given: (options: EmulatorOptions) => void) {
  const note = (text: string) => {
    output.text += text;
  };
  return {
    version: '1.2.3',
    environment: {},
    stdout: note,
    stderr: note,
    mountedConfigFile: '/none/Config.json',
    isJson: false,
    stopRequested: Promise.resolve('SIGTERM'),
    stopOverdue: () => new Promise<void>(() => {}),
    elapsedMs: () => 1,
    startEmulator: (options: EmulatorOptions) => {
      given(options);
      return startEmulator({ ...options, port: 0, httpPort: 'off' });
    },
    openImport: async (source: string, settings: Parameters<typeof openSource>[1]['settings']) => {
      const context = {
        environment: {},
        stderr: note,
        askRunning,
        readInput: unused,
        interrupted: new AbortController().signal,
        now: () => 0,
        isTerminal: false,
      };
      const { name, definitions } = await openSource(source, { flags: {}, settings }, context);
      return { ...definitions, name };
    },
  };
}

async function startWith(flags: Flags) {
  const output = { text: '' };
  const started: EmulatorOptions[] = [];
  const exitCode = await runStart(
    { memory: true, port: '0', noTls: true, ...flags },
    startContext(output, (options) => started.push(options)),
  );
  return { exitCode, text: output.text, started };
}

test('a start imports from a template, whose entities have the defaults of Azure', async () => {
  const file = write('start.json', { ...TEMPLATE, parameters: { name: { defaultValue: 'orders' } } });
  const { exitCode, started, text } = await startWith({ import: file, queue: ['extra'] });
  expect(exitCode).toBe(0);
  expect(started[0]?.queues).toMatchObject([
    { name: 'orders', lockDuration: 30_000, maxDeliveryCount: 10 },
    { name: 'extra', maxDeliveryCount: 10 },
  ]);
  expect(text).toContain('1 Microsoft.Storage/storageAccounts');
  expect(text).toContain(`none for what comes from ${file}; Azure's for 1 queue given by --queue`);
});

test('a start imports from a template with a file of parameters, which needs --import', async () => {
  const file = write('main.json', TEMPLATE);
  const parameters = write('parameters.json', { parameters: { name: { value: 'given' } } });
  const { exitCode, started } = await startWith({ import: file, parameters });
  expect([exitCode, started[0]?.queues]).toMatchObject([0, [{ name: 'given' }]]);
  const alone = await startWith({ parameters });
  expect(alone.exitCode).toBe(2);
  expect(alone.text).toContain(
    '--parameters needs --import: it gives values to the template that is imported',
  );
});

test('what --import reads is not watched, and the way to watch it is told', async () => {
  const { exitCode, text, started } = await startWith({ import: write('main.json', TEMPLATE), watch: true });
  expect([exitCode, started]).toEqual([2, []]);
  expect(text).toContain('write the file with "jitney import <source> --output Config.json"');
});

test('a start imports from a live namespace, and never shows the key of its connection string', async () => {
  const primaryKey = 'a+very/secret=key';
  const policies = [{ keyName: 'boss', rights: ['Manage', 'Send', 'Listen'], primaryKey }] as const;
  const { connectionString, port } = await start({
    auth: 'strict',
    policies,
    queues: [...QUEUES],
    topics: [...TOPICS],
  });
  expect(connectionString).toContain(primaryKey);
  const { exitCode, started, text } = await startWith({ import: connectionString });
  expect([exitCode, started[0]?.queues?.length, started[0]?.topics?.length]).toEqual([0, 2, 1]);
  expect(text).not.toContain('secret');
  const output = { text: '' };
  const flags = { import: connectionString, memory: true };
  expect(
    await runConfig(
      flags,
      startContext(output, () => {}),
    ),
  ).toBe(0);
  expect(output.text).toMatch(new RegExp(`--import +sb://localhost:${port} +--import`));
  expect(output.text).not.toContain('secret');
});

test('a start has its entities from a config or by import, not both', async () => {
  const { exitCode, text } = await startWith({ import: 'main.json', config: 'Config.json' });
  expect(exitCode).toBe(2);
  expect(text).toContain(
    '--import and --config both say which queues and topics there are: give one of them',
  );
});
