// What `jitney env` and `jitney certs` print, given to programs that know nothing else: no network, no login, no code for the emulator.

import { execFile } from 'node:child_process';
import { mkdir, readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { Jitney } from './support/jitney.js';
import { RunningProcess } from './support/running-process.js';
import { type TemporaryDirectory, temporaryDirectory } from './support/temporary-directory.js';

const PROJECT = fileURLToPath(new URL('..', import.meta.url));
const JITNEY = join(PROJECT, 'dist/cli/main.js');
const LIMIT_MS = 30_000;

/** Sends one message and receives it. */
const ROUND_TRIP = `
const queue = process.env.QUEUE_NAME;
await client.createSender(queue).sendMessages({ body: 'by ' + queue });
const receiver = client.createReceiver(queue, { receiveMode: 'receiveAndDelete' });
const [message] = await receiver.receiveMessages(1, { maxWaitTimeInMs: 10_000 });
console.log(message.body);
await client.close();
`;
const IMPORTS = `
import { ServiceBusAdministrationClient, ServiceBusClient } from '@azure/service-bus';
import { DefaultAzureCredential, EnvironmentCredential } from '@azure/identity';
`;

const PROGRAMS: readonly (readonly [name: string, text: string])[] = [
  ['a connection string', 'const client = new ServiceBusClient(process.env.SERVICEBUS_CONNECTION_STRING);'],
  [
    'DefaultAzureCredential',
    'const client = new ServiceBusClient(process.env.SERVICEBUS_FQDN, new DefaultAzureCredential());',
  ],
  [
    "a client's secret",
    'const client = new ServiceBusClient(process.env.SERVICEBUS_ENDPOINT, new EnvironmentCredential());',
  ],
];

let directory: TemporaryDirectory;
let jitney: Jitney;
let variables: Readonly<Record<string, string>>;

/** All that `env` is told of the emulator, whose folder it does not know. */
let options: readonly string[];
/** Where another program has its home. */
let elsewhere: string;

beforeAll(async () => {
  directory = await temporaryDirectory();
  const queues = ['administered', 'queue-0', 'queue-1', 'queue-2', 'by-shell'];
  const extraArguments = ['--auth', 'strict'];
  jitney = await Jitney.start({ dataDirectory: join(directory.path, 'data'), queues, extraArguments });
  options = ['--port', String(jitney.address.port)];
  elsewhere = join(directory.path, 'elsewhere');
  await mkdir(elsewhere);
  variables = JSON.parse(await told(['env', ...options, '--format', 'json']));
});

afterAll(async () => {
  await jitney[Symbol.asyncDispose]();
  await directory[Symbol.asyncDispose]();
});

async function told(words: readonly string[]): Promise<string> {
  const { stdout, stderr } = await promisify(execFile)(process.execPath, [JITNEY, ...words], {
    cwd: elsewhere,
  });
  expect(stderr).toBe('');
  return stdout;
}

test.each(PROGRAMS.map(([name, text], index) => [name, text, `queue-${index}`] as const))(
  'with the variables of jitney env, a program with %s sends and receives in strict mode',
  async (_, text, queue) => {
    const program = new RunningProcess(['--input-type=module', '--eval', `${IMPORTS}${text}${ROUND_TRIP}`], {
      env: { ...variables, QUEUE_NAME: queue },
      workingDirectory: PROJECT,
    });
    const exit = await program.endedWithin(LIMIT_MS);
    expect({ code: exit?.code, stdout: program.stdout, stderr: program.stderr }).toEqual({
      code: 0,
      stdout: `by ${queue}\n`,
      stderr: '',
    });
  },
);

test('the administration client trusts the certificate, too', async () => {
  const text = `${IMPORTS}
    const client = new ServiceBusAdministrationClient(process.env.SERVICEBUS_FQDN, new DefaultAzureCredential());
    console.log((await client.getQueue('administered')).name);`;
  const program = new RunningProcess(['--input-type=module', '--eval', text], {
    env: variables,
    workingDirectory: PROJECT,
  });
  const exit = await program.endedWithin(LIMIT_MS);
  expect({ code: exit?.code, output: program.output }).toEqual({ code: 0, output: 'administered\n' });
});

test('the certificate is that of the running emulator, and the folder of the caller gets no file', async () => {
  const fetched = await fetch(`http://localhost:${jitney.address.port}/ca.pem`);
  expect(await readFile(variables.NODE_EXTRA_CA_CERTS ?? '', 'utf8')).toBe(await fetched.text());
  expect(await readdir(elsewhere)).toEqual([]);
  expect(await readdir(join(directory.path, 'data'))).not.toContain('certificates');
});

test('a shell that evaluates what jitney env prints runs the same program', async () => {
  const [, text] = PROGRAMS[1] ?? [];
  const script = `eval "$(cd '${elsewhere}' && "$0" "$1" env --format shell ${options.join(' ')})"
    export QUEUE_NAME=by-shell
    exec "$0" --input-type=module --eval "$2"`;
  const words = ['-c', script, process.execPath, JITNEY, `${IMPORTS}${text}${ROUND_TRIP}`];
  const { stdout } = await promisify(execFile)('sh', words, { cwd: PROJECT });
  expect(stdout).toBe('by by-shell\n');
});

test('a program that trusts the certificate of `jitney certs` speaks https, and one that does not is cut off', async () => {
  const { authority } = JSON.parse(await told(['certs', '--json', ...options]));
  const url = `https://localhost:${jitney.address.port}/health`;
  const text = `console.log((await fetch('${url}').catch((error) => error.cause)).status);`;
  const fetched = async (env: Readonly<Record<string, string>>) => {
    const program = new RunningProcess(['--input-type=module', '--eval', text], { env });
    await program.endedWithin(LIMIT_MS);
    return program.stdout;
  };
  expect(await fetched({ NODE_EXTRA_CA_CERTS: authority })).toBe('200\n');
  expect(await fetched({ NODE_EXTRA_CA_CERTS: '' })).toBe('undefined\n');
});
