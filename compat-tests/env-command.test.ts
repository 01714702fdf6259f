// What `jitney env` and `jitney certs` print, given to programs that know nothing else: no network, no login, no code for the emulator.

import { execFile } from 'node:child_process';
import { mkdir, readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { Jitney } from './support/jitney.js';
import { LAST_LIMIT_MS, RunningProcess } from './support/running-process.js';
import { type TemporaryDirectory, temporaryDirectory } from './support/temporary-directory.js';

const PROJECT = fileURLToPath(new URL('..', import.meta.url));
const JITNEY = join(PROJECT, 'dist/cli/main.js');

const CREDENTIALS = ['managed-identity', 'secret', 'workload'];
/**
 * Once with a connection string, and once with the login that each set of variables stands for: sends a message, receives it, and asks
 * for a queue. All in one process, because loading the SDK takes most of its time.
 */
const PROGRAM = `
import { ServiceBusAdministrationClient, ServiceBusClient } from '@azure/service-bus';
import { DefaultAzureCredential } from '@azure/identity';
async function pass(client, body) {
  await client.createSender('orders').sendMessages({ body });
  const receiver = client.createReceiver('orders', { receiveMode: 'receiveAndDelete' });
  const [message] = await receiver.receiveMessages(1, { maxWaitTimeInMs: 10_000 });
  console.log(message.body);
  await client.close();
}
await pass(new ServiceBusClient(process.env.SERVICEBUS_CONNECTION_STRING), 'with a connection string');
const before = { ...process.env };
for (const [credential, variables] of Object.entries(JSON.parse(process.env.LOGINS))) {
  process.env = { ...before, ...variables };
  const { SERVICEBUS_FQDN } = process.env;
  await pass(new ServiceBusClient(SERVICEBUS_FQDN, new DefaultAzureCredential()), 'with ' + credential);
  const administration = new ServiceBusAdministrationClient(SERVICEBUS_FQDN, new DefaultAzureCredential());
  console.log((await administration.getQueue('orders')).name);
}
`;

let directory: TemporaryDirectory;
let jitney: Jitney;
let variables: Readonly<Record<string, string>>;

/** All that `env` is told of the emulator, whose folder it does not know. */
let options: readonly string[];
/** Where another program has its home. */
let elsewhere: string;

beforeAll(async () => {
  directory = await temporaryDirectory();
  const dataDirectory = join(directory.path, 'data');
  jitney = await Jitney.start({ dataDirectory, queues: ['orders'], extraArguments: ['--auth', 'strict'] });
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

test('with the variables of jitney env, a program logs in with each credential in strict mode, and trusts the certificate', async () => {
  const given = await Promise.all(
    CREDENTIALS.map((one) => told(['env', ...options, '--format', 'json', '--credential', one])),
  );
  const logins = given.map((text) => JSON.parse(text));
  const program = new RunningProcess(['--input-type=module', '--eval', PROGRAM], {
    env: {
      SERVICEBUS_CONNECTION_STRING: logins[0].SERVICEBUS_CONNECTION_STRING,
      NODE_EXTRA_CA_CERTS: logins[0].NODE_EXTRA_CA_CERTS,
      LOGINS: JSON.stringify(Object.fromEntries(CREDENTIALS.map((one, index) => [one, logins[index]]))),
    },
    workingDirectory: PROJECT,
  });
  const exit = await program.endedWithin(LAST_LIMIT_MS);
  const printed = CREDENTIALS.map((one) => `with ${one}\norders\n`);
  expect({ code: exit?.code, stdout: program.stdout, stderr: program.stderr }).toEqual({
    code: 0,
    stdout: `with a connection string\n${printed.join('')}`,
    stderr: '',
  });
});

test('the certificate is that of the running emulator, and the folder of the caller gets no file', async () => {
  const fetched = await fetch(`http://localhost:${jitney.address.port}/ca.pem`);
  expect(await readFile(variables.NODE_EXTRA_CA_CERTS ?? '', 'utf8')).toBe(await fetched.text());
  expect(await readdir(elsewhere)).toEqual([]);
  expect(await readdir(join(directory.path, 'data'))).not.toContain('certificates');
});

// It needs sh.
test.skipIf(process.platform === 'win32')(
  "a shell that evaluates what jitney env prints has the same variables, and none of a login of the user's own",
  async () => {
    const script = `eval "$(cd '${elsewhere}' && "$0" "$1" env --format shell ${options.join(' ')})"
    exec "$0" --print 'JSON.stringify(process.env)'`;
    const env = { ...process.env, AZURE_TENANT_ID: 'mine', AZURE_PASSWORD: 'mine' };
    const { stdout } = await promisify(execFile)('sh', ['-c', script, process.execPath, JITNEY], { env });
    const { AZURE_TENANT_ID, AZURE_PASSWORD, ...others } = variables;
    expect([AZURE_TENANT_ID, AZURE_PASSWORD]).toEqual(['', '']);
    expect(JSON.parse(stdout)).toMatchObject(others);
    expect(JSON.parse(stdout)).not.toHaveProperty('AZURE_TENANT_ID');
  },
);

test('a program that trusts the certificate of `jitney certs` speaks https, and one that does not is cut off', async () => {
  const { authority } = JSON.parse(await told(['certs', '--json', ...options]));
  const url = `https://localhost:${jitney.address.port}/health`;
  const text = `console.log((await fetch('${url}').catch((error) => error.cause)).status);`;
  const fetched = async (env: Readonly<Record<string, string>>) => {
    const program = new RunningProcess(['--input-type=module', '--eval', text], { env });
    await program.endedWithin(LAST_LIMIT_MS);
    return program.stdout;
  };
  expect(await fetched({ NODE_EXTRA_CA_CERTS: authority })).toBe('200\n');
  expect(await fetched({ NODE_EXTRA_CA_CERTS: '' })).toBe('undefined\n');
});
