// The command line: which words run which command with which flags.

import { expect, test } from 'vitest';
import type { MessageRequest } from '../../src/cli/messages/message-commands.js';
import { runProgram } from '../../src/cli/program.js';
import type { Flags } from '../../src/config/environment.js';

async function run(...words: string[]) {
  const result = {
    exitCode: -1,
    stdout: '',
    stderr: '',
    given: {} as object,
    command: '',
    flags: {} as Flags,
    isJson: false,
    files: [] as readonly string[],
    directory: '',
    format: '',
    credential: '',
    request: undefined as MessageRequest | undefined,
  };
  const note = (command: string, exitCode: number) => (flags: Flags) => {
    Object.assign(result, { command, flags });
    return Promise.resolve(exitCode);
  };
  result.exitCode = await runProgram(words, {
    version: '1.2.3',
    stdout: (text) => {
      result.stdout += text;
    },
    stderr: (text) => {
      result.stderr += text;
    },
    start: note('start', 7),
    exec: (words, flags) => {
      Object.assign(result, { files: words });
      return note('exec', 16)(flags);
    },
    healthcheck: note('healthcheck', 8),
    control: ({ name, ...given }, flags) => {
      Object.assign(result, { given });
      return note(name, 13)(flags);
    },
    config: (flags, isJson) => {
      Object.assign(result, { isJson });
      return note('config', 9)(flags);
    },
    certs: (flags, isJson) => {
      Object.assign(result, { isJson });
      return note('certs', 11)(flags);
    },
    env: (flags, format, credential) => {
      Object.assign(result, { format, credential });
      return note('env', 12)(flags);
    },
    copy: () => note('copy', 15)({}),
    check: (directory, flags) => {
      Object.assign(result, { directory });
      return note('check', 14)(flags as Flags);
    },
    validate: (files, flags) => {
      Object.assign(result, { files });
      return note('validate', 10)(flags);
    },
    entities: (request) => {
      Object.assign(result, { request });
      return note(`${request.change} ${request.kind}`, 15)(request.flags);
    },
    messages: (request) => {
      Object.assign(result, { request });
      return note(request.command, 13)(request.flags);
    },
    definitions: ({ name, flags, ...given }) => {
      Object.assign(result, { given });
      return note(name, 15)(flags);
    },
  });
  return result;
}

test('without words, the emulator is started', async () => {
  expect(await run()).toMatchObject({ command: 'start', flags: {}, exitCode: 7, stdout: '', stderr: '' });
});

test('every flag is read, with or without the word start', async () => {
  const words =
    '--host ::1 --port 1 --http-port off --data d --memory --reset --config c --durability fsync --tier basic --limits none --expiry-sweep always --release-locks-on-detach --expire-whole-session false --idle-timeouts azure --authorization-timeout 20 --log-level warn --tls-port 2 --https-port 443 --no-tls --cert a.pem --key b.pem --cert-directory e --auth strict --cors https://a.test,https://b.test --allow-host a.test --no-token-endpoint';
  const flags = {
    host: '::1',
    port: '1',
    httpPort: 'off',
    data: 'd',
    memory: true,
    reset: true,
    config: 'c',
    durability: 'fsync',
    tier: 'basic',
    limits: 'none',
    expirySweep: 'always',
    releaseLocksOnDetach: true,
    expireWholeSession: 'false',
    idleTimeouts: 'azure',
    authorizationTimeout: '20',
    logLevel: 'warn',
    tlsPort: '2',
    httpsPort: '443',
    noTls: true,
    cert: 'a.pem',
    key: 'b.pem',
    certDirectory: 'e',
    auth: 'strict',
    cors: 'https://a.test,https://b.test',
    allowHost: 'a.test',
    noTokenEndpoint: true,
  };
  expect(await run(...words.split(' '))).toMatchObject({ command: 'start', flags });
  expect(await run('start', ...words.split(' '))).toMatchObject({ command: 'start', flags });
  expect(await run(...words.split(' '), 'start')).toMatchObject({ command: 'start', flags });
});

test('--cert-host can be repeated', async () => {
  const { flags } = await run('--cert-host', 'a.test', '--cert-host', 'b.test');
  expect(flags).toEqual({ certHost: ['a.test', 'b.test'] });
});

test('--queue and --topic can be repeated, and the common flags have short names', async () => {
  const common = await run('-p', '1', '-c', 'c', '-d', 'd', '-q', 'a', '--queue', 'b?lockDuration=PT5S');
  expect(common.flags).toEqual({ port: '1', config: 'c', data: 'd', queue: ['a', 'b?lockDuration=PT5S'] });
  const { flags } = await run('-t', 'a', '--topic', 'b/c+d');
  expect(flags).toEqual({ topic: ['a', 'b/c+d'] });
});

test('healthcheck is a command of its own, with the flags that say where', async () => {
  expect(await run('healthcheck', '--http-port', '5301', '--host', '::1')).toMatchObject({
    command: 'healthcheck',
    flags: { httpPort: '5301', host: '::1' },
    exitCode: 8,
  });
  expect((await run('--http-port', '5301', 'healthcheck')).flags).toEqual({ httpPort: '5301' });
});

test('check takes a directory, and where to write a repaired one', async () => {
  expect(await run('check', './bus', '--repair', './new', '--json')).toMatchObject({
    command: 'check',
    directory: './bus',
    exitCode: 14,
    flags: { repair: './new', json: true },
  });
  expect((await run('check')).exitCode).toBe(2);
});

test('config takes the options of start, before it or behind it, and --json', async () => {
  const flags = { port: '1', queue: ['a', 'b'], memory: true };
  const words = ['--port', '1', '-q', 'a', '--queue', 'b', '--memory'];
  expect(await run('config', ...words)).toMatchObject({
    command: 'config',
    flags,
    isJson: false,
    exitCode: 9,
  });
  expect(await run(...words, 'config', '--json')).toMatchObject({ command: 'config', flags, isJson: true });
  const named = await run('config', '--json', '--config', 'c');
  expect(named).toMatchObject({ flags: { config: 'c' }, isJson: true });
  expect(named.flags).toEqual({ config: 'c' });
});

test('certs takes the options of start and --json', async () => {
  expect(await run('certs', '--data', 'd')).toMatchObject({
    command: 'certs',
    flags: { data: 'd' },
    isJson: false,
    exitCode: 11,
  });
  const { command, flags, isJson } = await run('--cert-host', 'a.test', 'certs', '--json');
  expect({ command, flags, isJson }).toEqual({
    command: 'certs',
    flags: { certHost: ['a.test'] },
    isJson: true,
  });
});

test('env takes the options of start, a format and a credential: dotenv and a managed identity unless they are given', async () => {
  expect(await run('env', '--port', '1')).toMatchObject({
    command: 'env',
    exitCode: 12,
    format: 'dotenv',
    credential: 'managed-identity',
  });
  const words = ['--format', 'local.settings', '--credential', 'secret'];
  const { flags, format, credential } = await run('--port', '1', 'env', ...words);
  expect({ flags, format, credential }).toEqual({
    flags: { port: '1' },
    format: 'local.settings',
    credential: 'secret',
  });
});

test.each([
  [['--format', 'yaml'], 'dotenv, json, shell, powershell, github, local.settings'],
  [['--credential', 'certificate'], 'managed-identity, secret, workload'],
])('env %j is refused with what there is', async (words, known) => {
  const { exitCode, command, stderr } = await run('env', ...words);
  expect({ exitCode, command }).toEqual({ exitCode: 2, command: '' });
  expect(stderr).toContain(known);
});

test('validate takes one file or several, and the tier', async () => {
  expect(await run('validate', 'a.json', 'b.json', '--tier', 'basic')).toMatchObject({
    command: 'validate',
    files: ['a.json', 'b.json'],
    flags: { tier: 'basic' },
    exitCode: 10,
  });
  expect(await run('--limits', 'none', 'validate', 'a.json')).toMatchObject({
    files: ['a.json'],
    flags: { limits: 'none' },
  });
});

test('a command for messages takes an entity and its own options, and the options of start that say where', async () => {
  const { request } = await run('dead-letter', 'resubmit', 'orders', '--max', '3', '--port', '1', '--json');
  expect(request).toEqual({
    command: 'dead-letter resubmit',
    entity: 'orders',
    input: undefined,
    own: { max: '3', json: true },
    flags: { port: '1' },
  });
  const sent = await run('-p', '1', 'send', 'orders', '-', '--property', 'a=1', '--property', 'b=2');
  expect(sent).toMatchObject({ exitCode: 13, command: 'send' });
  expect(sent.request).toMatchObject({ input: '-', own: { property: ['a=1', 'b=2'] }, flags: { port: '1' } });
});

test.each([
  ['ls', { entities: [] }],
  ['ls orders a/Subscriptions/b --json', { entities: ['orders', 'a/Subscriptions/b'], isJson: true }],
  ['tail', { entity: undefined, kind: undefined, since: undefined }],
  [
    'tail orders --kind locked,expired --since 7 --json',
    { entity: 'orders', kind: 'locked,expired', since: '7', isJson: true },
  ],
  ['connections --json', { isJson: true }],
  ['purge orders --state scheduled,dead', { entity: 'orders', manage: { state: ['scheduled', 'dead'] } }],
  ['move orders --to bin --json', { entity: 'orders', manage: { to: 'bin', json: true }, isJson: true }],
  ['show orders 7', { entity: 'orders', number: 7n }],
  ['reset', { isAll: false, isAgreed: false }],
  ['reset --all --yes --json', { isAll: true, isAgreed: true, isJson: true }],
])('%s asks the running emulator, which flags before it or behind it name', async (words, given) => {
  const [command = '', ...more] = words.split(' ');
  const expected = { command, given: { isJson: false, ...given }, exitCode: 13, stderr: '' };
  expect(await run(command, ...more, '-p', '1', '--connection-string', 'c')).toMatchObject({
    ...expected,
    flags: { port: '1', connectionString: 'c' },
  });
  const before = await run('--host', 'h', command, ...more);
  expect(before).toMatchObject(expected);
  expect(before.flags).toEqual({ host: 'h' });
});

test('help shows the help, or the help of the command that is named', async () => {
  const general = await run('--help');
  expect(await run('help')).toEqual(general);
  expect(await run('help', 'start')).toEqual(general);
  expect(general.stdout).toMatch(/^ {2}help \[command\.\.\.\] /m);
  expect(await run('help', 'config')).toEqual(await run('config', '--help'));
  expect(await run('help', 'dead-letter', 'list')).toEqual(await run('dead-letter', 'list', '--help'));
  expect(await run('help', 'snapshot', 'restore')).toEqual(await run('snapshot', '--help'));
});

test('validate takes - for its standard input', async () => {
  expect(await run('validate', '-', 'a.json')).toMatchObject({ files: ['-', 'a.json'], stderr: '' });
});

test('--version prints the version and ends with 0', async () => {
  expect(await run('--version')).toMatchObject({ stdout: '1.2.3\n', exitCode: 0, command: '' });
});

test('--help shows every option, the variables and examples, and ends with 0', async () => {
  const { stdout, exitCode } = await run('--help');
  expect(exitCode).toBe(0);
  for (const option of (
    '--host --port --http-port --data --memory --reset --config --queue --topic --durability --tier --limits --expiry-sweep ' +
    '--release-locks-on-detach --expire-whole-session --idle-timeouts --authorization-timeout --log-level ' +
    '--tls-port --https-port --no-tls --cert --key --cert-host --cert-directory --policy --auth --cors --allow-host --no-token-endpoint'
  ).split(' ')) {
    expect(stdout).toContain(option);
  }
  expect(stdout).toContain('JITNEY_QUEUES');
  expect(stdout).toContain('JITNEY_TOPICS');
  expect(stdout).toContain('not for\nproduction use');
  expect(stdout.match(/^ {2}jitney/gm)).toHaveLength(3);
  expect(stdout).toContain('JITNEY_CONFIG_JSON');
});

test('the options and the commands of --help are in groups', async () => {
  const { stdout } = await run('--help');
  expect(stdout.match(/^[A-Z].*:$/gm)).toEqual([
    'Options:',
    'Where it listens:',
    'Entities:',
    'What is kept:',
    'How it behaves:',
    'TLS and certificates:',
    'Who is let in:',
    'Commands:',
    'Look into the running emulator, and change it:',
    'Messages, with Jitney or Azure:',
    'Entities and whole namespaces, with Jitney or Azure:',
    'Examples:',
  ]);
});

test.each([
  ['healthcheck', 2],
  ['config', 2],
  ['validate', 3],
  ['certs', 2],
  ['env', 2],
  ['send', 3],
  ['peek', 2],
  ['receive', 2],
  ['dead-letter', 2],
  ['dead-letter list', 2],
  ['dead-letter resubmit', 2],
  ['ls', 3],
  ['tail', 3],
  ['status', 2],
  ['stop', 2],
  ['exec', 3],
  ['connections', 2],
  ['copy', 4],
  ['purge', 2],
  ['move', 2],
  ['resubmit', 2],
  ['load', 1],
  ['show', 2],
  ['history', 2],
  ['reset', 2],
  ['clock', 4],
  ['mcp', 2],
])('the help of %s shows %d examples', async (command, count) => {
  const { stdout, exitCode } = await run(...command.split(' '), '--help');
  expect(stdout.match(new RegExp(`^ {2}jitney ${command}`, 'gm'))).toHaveLength(count);
  expect(exitCode).toBe(0);
});

test.each([
  [['--expire-whole-session', '--queue', 'steps'], { expireWholeSession: '--queue' }],
  [['--tier', '-q', 'steps'], { tier: '-q' }],
  [['--queue', '--tier', 'basic'], { queue: ['--tier'] }],
  [['config', '--queue', '--tier', 'basic'], { queue: ['--tier'] }, 'config'],
])(
  'an option that has taken the next one is left to the reader of its values: %j',
  async (words, flags, command = 'start') => {
    expect(await run(...words)).toMatchObject({ command, flags, stderr: '' });
  },
);

test.each<[string[], string, string?]>([
  [['--prot', '1'], "✖ JIT1001  unknown option '--prot'. Did you mean '--port'?\n"],
  [['--limit', 'none'], "✖ JIT1001  unknown option '--limit'. Did you mean '--limits'?\n"],
  [['--authorization-timeout'], "✖ JIT1001  option '--authorization-timeout <time|off>' argument missing\n"],
  [['--port'], "✖ JIT1001  option '-p, --port <n>' argument missing\n"],
  [['helthcheck'], "✖ JIT1001  unknown command 'helthcheck'. Did you mean 'healthcheck'?\n"],
  [['snd', 'a', '--body', 'x'], "✖ JIT1001  unknown command 'snd'. Did you mean 'send'?\n"],
  [['-v'], "✖ JIT1001  unknown option '-v'. Did you mean '--version'?\n"],
  [['evn'], "✖ JIT1001  unknown command 'evn'. Did you mean 'env'?\n"],
  [['peek'], "✖ JIT1001  missing required argument 'entity'\n", 'peek '],
  [
    ['dead-letter', 'lst', 'a'],
    "✖ JIT1001  unknown command 'lst'. Did you mean 'list'?\n           Give one of list, resubmit\n",
    'dead-letter ',
  ],
  [
    ['send', 'a', '--body', 'x', '--body', 'y'],
    "✖ JIT1001  option '--body <text>' argument 'y' is invalid. Give it once: each further message is a command of its own, or a line with --lines.\n",
    'send ',
  ],
  [
    ['show', 'a', '7,8'],
    "✖ JIT1001  command-argument value '7,8' is invalid for argument 'number'. Give one sequence number, such as 7.\n",
    'show ',
  ],
  [['start', 'peek'], "✖ JIT1001  give only one command, not 'start peek'\n"],
  [['validat'], "✖ JIT1001  unknown command 'validat'. Did you mean 'validate'?\n"],
  [['validate'], "✖ JIT1001  missing required argument 'file'\n", 'validate '],
  [
    ['start', 'other'],
    "✖ JIT1001  start takes options alone, not 'other': a queue is named by  --queue other\n",
  ],
  [['purge'], "✖ JIT1001  missing required argument 'entity'\n", 'purge '],
  [['tail', 'a', 'b'], "✖ JIT1001  too many arguments for 'tail'. Expected 1 argument but got 2.\n", 'tail '],
  [
    ['check', 'a', 'b'],
    "✖ JIT1001  too many arguments for 'check'. Expected 1 argument but got 2.\n",
    'check ',
  ],
  [['env', '--prot', '1'], "✖ JIT1001  unknown option '--prot'. Did you mean '--port'?\n", 'env '],
  [['certs', 'extra'], "✖ JIT1001  unknown word 'extra' after 'certs'.\n", 'certs '],
  [['env', 'certs'], "✖ JIT1001  give only one command, not 'env certs'\n", 'env '],
  [['config', 'extra'], "✖ JIT1001  unknown word 'extra' after 'config'.\n", 'config '],
  [
    ['--port', '1', 'healthcheck', 'extra'],
    "✖ JIT1001  unknown word 'extra' after 'healthcheck'.\n",
    'healthcheck ',
  ],
  [['config', 'validate'], "✖ JIT1001  give only one command, not 'config validate'\n", 'config '],
  [['start', 'config'], "✖ JIT1001  give only one command, not 'start config'\n"],
  [['start', 'start'], "✖ JIT1001  give only one command, not 'start start'\n"],
  [['start', 'conifg'], "✖ JIT1001  unknown command 'conifg'. Did you mean 'config'?\n"],
  [['help', 'conifg'], "✖ JIT1001  unknown command 'conifg'. Did you mean 'config'?\n"],
  [['help', 'create', 'queu'], "✖ JIT1001  unknown word 'queu' after 'create'. Did you mean 'queue'?\n"],
  [['help', 'clock', 'back'], "✖ JIT1001  unknown word 'back' after 'clock'.\n"],
  [['help', 'create', 'queue', 'orders'], "✖ JIT1001  unknown word 'orders' after 'create queue'.\n"],
  [['help', 'start', 'config'], "✖ JIT1001  unknown word 'config' after 'start'.\n"],
  [['hlep'], "✖ JIT1001  unknown command 'hlep'. Did you mean 'help'?\n"],
])(
  'the words %j are refused with 2, and the help of their command is named',
  async (words, text, of = '') => {
    // The help of these does not list the options of a start, which they take too.
    const more = /^(certs|config|env) $/.test(of) ? '   and, for the options of a start:  jitney --help' : '';
    const stderr = `${text}           See:  jitney ${of}--help${more}\n`;
    expect(await run(...words)).toMatchObject({ exitCode: 2, command: '', stdout: '', stderr });
  },
);

test('exec takes what follows the first -- as it is, and the options before it as those of a start', async () => {
  const words = ['exec', '--queue', 'orders', '--grace', '3', '--', 'npm', 'test', '--', '--port', '1'];
  const expected = {
    command: 'exec',
    files: ['npm', 'test', '--', '--port', '1'],
    flags: { queue: ['orders'], grace: '3' },
    exitCode: 16,
  };
  expect(await run(...words)).toMatchObject(expected);
  expect(await run('--queue', 'orders', 'exec', ...words.slice(3))).toMatchObject(expected);
  const { exitCode, stderr } = await run('exec', 'npm', 'test');
  expect(exitCode).toBe(2);
  expect(stderr).toContain('write the command after --:  jitney exec -- npm test');
});
