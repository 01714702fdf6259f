// The commands that look into a running emulator: what they print of one in this process, and how they fail.

import type { AddressInfo } from 'node:net';
import { createServer } from 'node:net';
import rhea from 'rhea';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { EmulatorOptions } from '../../../src/config/options/emulator-options.js';
import { type Emulator, startEmulator } from '../../../src/emulator.js';
import { next } from '../../support/rhea-client.js';
import { openFakeEmulator, runCommand } from './control-program.js';

let emulator: Emulator;

/** No authority is known of an emulator. */
const NOBODY = { askRunning: async () => ({ kind: 'none', why: 'nothing answers' }) as const };

async function start(options: EmulatorOptions = {}): Promise<string> {
  await emulator?.stop();
  const topics = [{ name: 'notices', subscriptions: ['mail', 'audit'] }];
  emulator = await startEmulator({ queues: ['orders', 'parcels'], topics, ...options });
  return String(emulator.port);
}

let port: string;

beforeEach(async () => {
  port = await start();
});
afterEach(() => emulator.stop());

/** Sends messages with bodies of so many bytes. */
async function send(entity: string, sizes: readonly number[]): Promise<void> {
  const messages = sizes.map((size) => ({ body: 'x'.repeat(size) }));
  const response = await fetch(`http://localhost:${emulator.port}/$jitney/v1/messages?entity=${entity}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(messages),
  });
  expect(response.status).toBe(200);
}

async function lockOne(path: string): Promise<void> {
  const headers = { authorization: 'SharedAccessSignature any' };
  const address = `http://localhost:${emulator.port}/${path}/messages/head`;
  expect((await fetch(address, { method: 'POST', headers })).status).toBe(201);
}

test('ls prints a table of all entities, subscriptions below their topics', async () => {
  await send('orders', [10, 20_000, 30]);
  await send('notices', [5]);
  await lockOne('orders');
  const { exitCode, stdout, stderr } = await runCommand(['ls', '--port', port]);
  expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
  const [header, ...rows] = stdout.trimEnd().split('\n');
  expect(header).toMatch(/^NAME +KIND +ACTIVE {2}LOCKED {2}SCHEDULED {2}DEFERRED {2}DEAD +SIZE {2}LINKS$/);
  const cells = rows.map((row) => row.trimStart().split(/ {2,}/));
  expect(cells).toEqual([
    ['notices', 'topic', '0', '0', '0', '0', '0', expect.any(String), '0'],
    ['audit', 'subscription', '1', '0', '0', '0', '0', expect.stringMatching(/^\d+ B$/), '0'],
    ['mail', 'subscription', '1', '0', '0', '0', '0', expect.any(String), '0'],
    ['orders', 'queue', '2', '1', '0', '0', '0', expect.stringMatching(/^19\.\d KB$/), '0'],
    ['parcels', 'queue', '0', '0', '0', '0', '0', '0 B', '0'],
  ]);
  expect(rows.map((row) => /^ */.exec(row)?.[0].length)).toEqual([0, 2, 2, 0, 0]);
  expect(
    new Set(
      stdout
        .trimEnd()
        .split('\n')
        .map((row) => row.length),
    ).size,
    'numbers end in line',
  ).toBe(1);
});

test('ls of some paths prints these, in their order', async () => {
  const { stdout } = await runCommand(['ls', 'parcels', 'notices/subscriptions/mail', '--port', port]);
  expect(stdout.match(/^\S+ +\w+/gm)).toEqual([
    expect.stringMatching(/^NAME +KIND/),
    expect.stringMatching(/^parcels +queue/),
    expect.stringMatching(/^notices\/Subscriptions\/mail +subscription/i),
  ]);
});

test('ls --json prints the entities of the control interface, one a line', async () => {
  const { stdout } = await runCommand(['ls', '--json', '--port', port]);
  const entities = stdout
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
  expect(entities.map(({ kind, path }) => [kind, path])).toEqual([
    ['topic', 'notices'],
    ['subscription', 'notices/Subscriptions/audit'],
    ['subscription', 'notices/Subscriptions/mail'],
    ['queue', 'orders'],
    ['queue', 'parcels'],
  ]);
  expect(entities[0]).not.toHaveProperty('subscriptions');
  expect(entities[3].counts).toMatchObject({ active: 0, transfer: 0 });
});

test('ls of an emulator without entities says so on stderr', async () => {
  port = await start({ queues: [], topics: [] });
  expect(await runCommand(['ls', '--port', port])).toEqual({
    exitCode: 0,
    stdout: '',
    stderr: `The emulator at http://localhost:${port} has no queue and no topic.\n`,
  });
});

test.each([
  ['ordres', "Did you mean 'orders'?"],
  ['Notices/mial', "Did you mean 'notices/Subscriptions/mail'?"],
])('an unknown entity ends it with 1 and the one that was meant: %s', async (entity, hint) => {
  const { exitCode, stdout, stderr } = await runCommand(['ls', 'orders', entity, '--port', port]);
  expect({ exitCode, stdout }).toEqual({ exitCode: 1, stdout: '' });
  expect(stderr).toBe(
    `✖ JIT3007  The messaging entity '${entity}' could not be found.\n           ${hint}\n`,
  );
});

test('the port of a variable, or a connection string, leads to it, also over TLS', async () => {
  const secure = emulator.connectionString.replace('UseDevelopmentEmulator=true', '');
  expect(secure).toMatch(/;;$/);
  const table = await runCommand(['ls', 'orders'], { JITNEY_PORT: port });
  expect(table.exitCode).toBe(0);
  for (const text of [emulator.connectionString, secure]) {
    expect(await runCommand(['ls', 'orders', '--connection-string', text])).toEqual(table);
  }
});

test('a certificate that is not trusted ends it with 3 and says how to trust it', async () => {
  const secure = emulator.connectionString.replace('UseDevelopmentEmulator=true', '');
  const { exitCode, stdout, stderr } = await runCommand(['ls', '--connection-string', secure], {}, NOBODY);
  expect({ exitCode, stdout }).toEqual({ exitCode: 3, stdout: '' });
  expect(stderr).toContain(`✖ JIT3006  No Jitney answers at https://localhost:${port}: `);
  expect(stderr).toContain('NODE_EXTRA_CA_CERTS=');
});

const POLICIES: EmulatorOptions['policies'] = [
  { keyName: 'boss', primaryKey: 'boss-key', rights: ['Manage', 'Send', 'Listen'] },
  { keyName: 'sender', primaryKey: 'its-key', rights: ['Send'] },
];

test('with checked keys it signs a token, and a key without Manage is refused', async () => {
  port = await start({ auth: 'strict', policies: POLICIES });
  const withKey = (name: string, key: string) =>
    runCommand(['ls', 'orders', '--connection-string', connectionString(name, key)]);
  const connectionString = (name: string, key: string) =>
    `Endpoint=sb://localhost:${port};SharedAccessKeyName=${name};SharedAccessKey=${key};UseDevelopmentEmulator=true`;
  expect(await withKey('boss', 'boss-key')).toMatchObject({ exitCode: 0, stderr: '' });
  const environment = { JITNEY_POLICIES: 'boss=Manage:boss-key', JITNEY_PORT: port };
  expect(await runCommand(['ls'], environment)).toMatchObject({ exitCode: 0, stderr: '' });
  const wrong = await withKey('boss', 'other-key');
  expect(wrong).toMatchObject({ exitCode: 1, stdout: '' });
  expect(wrong.stderr).toBe(
    "✖ JIT3007  The key 'boss' is wrong: InvalidSignature: The token has an invalid signature.\n" +
      '           The address is given by --connection-string\n' +
      '           Give a key of that emulator:  --connection-string <text>   or:  JITNEY_POLICIES\n',
  );
  expect((await withKey('sender', 'its-key')).stderr).toMatch(
    /^✖ JIT3007 {2}The key 'sender' lacks the right Manage: Unauthorized access\..*\n +Give a key with Manage: /,
  );
});

test('an emulator whose control interface is off says so, with 1', async () => {
  port = await start({ control: false });
  expect(await runCommand(['ls', '--port', port])).toEqual({
    exitCode: 1,
    stdout: '',
    stderr:
      '✖ JIT3007  The control interface is switched off: the emulator was started with --no-control, or with control: false.\n' +
      '           Start without that option to use it.\n',
  });
});

test('where nothing answers it ends with 3, and names the address and what to do', async () => {
  await emulator.stop();
  const { exitCode, stdout, stderr } = await runCommand(['reset'], { JITNEY_PORT: port });
  expect({ exitCode, stdout }).toEqual({ exitCode: 3, stdout: '' });
  expect(stderr).toMatch(
    new RegExp(
      `^✖ JIT3006 {2}No Jitney answers at http://localhost:${port}: .*ECONNREFUSED.*\\n` +
        ' +The address is given by JITNEY_PORT\\n +Start it: {2}jitney start --port ' +
        `${port}\\n +On another port: {2}--port <n>\\n$`,
    ),
  );
});

test('another program at the port ends it with 3, whether it speaks HTTP or not', async () => {
  const fake = await openFakeEmulator({});
  const web = await runCommand(['ls', '--port', fake.port]);
  await fake.close();
  expect(web).toMatchObject({ exitCode: 3, stdout: '' });
  expect(web.stderr).toContain('but another program does: 404 "<html>nothing here</html>"');

  const broker = createServer((socket) =>
    socket
      .on('error', () => {})
      .resume()
      .end('AMQP\0\0\x09\x01'),
  );
  await new Promise<void>((resolve) => broker.listen(0, '127.0.0.1', resolve));
  const { port: brokerPort } = broker.address() as AddressInfo;
  const refused = await runCommand(['ls', '--host', '127.0.0.1', '--port', String(brokerPort)]);
  await new Promise((resolve) => broker.close(resolve));
  expect(refused).toMatchObject({ exitCode: 3, stdout: '' });
  expect(refused.stderr).toContain('No Jitney answers at');
});

test('connections prints each with its links', async () => {
  expect(await runCommand(['connections', '--port', port])).toEqual({
    exitCode: 0,
    stdout: '',
    stderr: `No client is connected to the emulator at http://localhost:${port}.\n`,
  });
  const options = { host: 'localhost', port: Number(port), username: 'anonymous', reconnect: false };
  const container = rhea.create_container({ id: 'sender\n\x1b[31m日本' });
  const connection = container.connect(options);
  const receiver = connection.open_receiver({ source: 'orders', credit_window: 0 });
  receiver.add_credit(100);
  await next(receiver, 'receiver_open');
  const table = await runCommand(['connections', '--port', port]);
  const json = await runCommand(['connections', '--json', '--port', port]);
  connection.close();
  await next(connection, 'connection_close');
  expect(table).toMatchObject({ exitCode: 0, stderr: '' });
  const time = '\\d{4}-\\d\\d-\\d\\d \\d\\d:\\d\\d:\\d\\d';
  expect(table.stdout.split('\n')).toEqual([
    expect.stringMatching(/^ID +CLIENT, LINK +ADDRESS, ENTITY +CREDIT {2}UNSETTLED {2}SINCE$/),
    expect.stringMatching(`^\\d+ +sender\\\\n\\\\u001b\\[31m日本 :\\d+ +\\S+ tcp +${time}$`),
    expect.stringMatching(`^ {2}\\d+ +receiver +orders +100 +0 +${time}$`),
    '',
  ]);
  expect(JSON.parse(json.stdout)).toMatchObject({ links: [{ role: 'receiver', path: 'orders' }] });
});

const ALL_REMOVED = /^Removed 2 messages from the emulator at http:\S+[^.;]\.\n$/;

test.each<[string, RegExp, number]>([
  ['purge orders --yes', /^Removed 2 messages from 'orders'\.\n$/, 0],
  ['purge orders --dead-letter --yes', /^Removed 0 messages from 'orders\/\$DeadLetterQueue'\.\n$/, 2],
  ['purge orders/$deadletterqueue --dead-letter --yes', /from 'orders\/\$deadletterqueue'\.\n$/, 2],
  ['purge orders --json --yes', /^\{"count":2,"skippedCount":0\}\n$/, 0],
  ['reset --yes', ALL_REMOVED, 0],
  ['reset --all --yes', /^Removed 2 messages from .*; its entities are those that it started with\.\n$/, 0],
  ['reset --all --json --yes', /^\{"count":2\}\n$/, 0],
])('%s removes messages, and prints how many', async (words, printed, left) => {
  await send('orders', [1, 2]);
  const { exitCode, stdout, stderr } = await runCommand([...words.split(' '), '--port', port]);
  expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
  expect(stdout).toMatch(printed);
  expect((await emulator.queue('orders').counts()).active).toBe(left);
});

test('reset asks first, if there is something to remove', async () => {
  await emulator.reset();
  expect(await runCommand(['reset', '--port', port])).toMatchObject({ exitCode: 0, stderr: '' });
  await send('orders', [1, 2]);
  const { exitCode, stdout, stderr } = await runCommand(['reset', '--port', port], {}, { answer: 'n' });
  expect({ exitCode, stdout }).toEqual({ exitCode: 1, stdout: '' });
  expect(stderr).toMatch(/^Remove 2 messages of the emulator at \S+\? \[y\/N\] Nothing is changed\n$/);
  expect((await runCommand(['reset', '--port', port])).exitCode).toBe(2);
  expect((await emulator.queue('orders').counts()).active).toBe(2);
});

test('ls --fail-if-dead-letters exits with 1 and names the entities, if there are any', async () => {
  const ls = (...words: string[]) => runCommand(['ls', '--fail-if-dead-letters', ...words, '--port', port]);
  await send('orders', [10]);
  expect(await ls()).toMatchObject({ exitCode: 0, stderr: '' });
  await fetch(`http://localhost:${port}/$jitney/v1/messages:dead-letter?entity=orders`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: '{"sequenceNumbers":[1]}',
  });
  expect(await ls()).toMatchObject({
    exitCode: 1,
    stderr: `'orders' has 1 dead letter:  jitney peek 'orders' --dead-letter --port ${port}\n`,
  });
  expect(await ls('parcels')).toMatchObject({ exitCode: 0 });
});

test('status says what runs, where, since when, and what it holds', async () => {
  await send('orders', [10, 20]);
  await lockOne('orders');
  const { stdout } = await runCommand(['status', '--port', port]);
  const rows = stdout
    .trimEnd()
    .split('\n')
    .map((row) => row.split(/ {2,}/));
  expect(rows).toEqual([
    ['Jitney', expect.stringMatching(new RegExp(`^\\S+ at http://localhost:${port}, ports ${port}$`))],
    ['Since', expect.stringMatching(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d, for \d+ seconds?$/)],
    ['Data', 'in memory'],
    ['Entities', '2 queues, 1 topic, 2 subscriptions'],
    ['Messages', '1 active, 1 locked, 0 scheduled, 0 deferred, 0 dead letters'],
    ['Clients', '0 connections'],
  ]);
  const json = await runCommand(['status', '--port', port, '--json']);
  expect(JSON.parse(json.stdout)).toMatchObject({
    url: `http://localhost:${port}`,
    ports: { port: Number(port) },
    entities: { queues: 2, topics: 1, subscriptions: 2 },
    messages: { active: 1, locked: 1, deadLetter: 0 },
    connectionCount: 0,
  });
});

test('stop ends the emulator, with --auth strict only by a key with Manage', async () => {
  const policies = [
    { keyName: 'looker', primaryKey: 'a-key', rights: ['Listen'] },
    { keyName: 'boss', primaryKey: 'b-key', rights: ['Manage', 'Send', 'Listen'] },
  ] as const;
  port = await start({ auth: 'strict', policies });
  const stopBy = (name: string, key: string) => {
    const address = `Endpoint=sb://localhost:${port};SharedAccessKeyName=${name};SharedAccessKey=${key};UseDevelopmentEmulator=true`;
    return runCommand(['stop', '--connection-string', address], {}, NOBODY);
  };
  expect(await stopBy('looker', 'a-key')).toMatchObject({
    exitCode: 1,
    stderr: expect.stringContaining('lacks the right Manage'),
  });
  expect(await stopBy('boss', 'b-key')).toMatchObject({
    exitCode: 0,
    stdout: `Stopped the emulator at http://localhost:${port}.\n`,
  });
  await emulator.stopped;
  expect(await stopBy('boss', 'b-key')).toMatchObject({ exitCode: 3 });
});

test('stop in a namespace stops nothing and says so; with --namespace default it ends the emulator', async () => {
  port = await start({ namespaces: ['tests-1'] });
  const address = `Endpoint=sb://localhost:${port};SharedAccessKeyName=a@tests-1;SharedAccessKey=b;UseDevelopmentEmulator=true`;
  expect(await runCommand(['stop', '--connection-string', address], {}, NOBODY)).toMatchObject({
    exitCode: 2,
    stderr: expect.stringContaining('give --namespace default'),
  });
  const words = ['stop', '--connection-string', address, '--namespace', 'default'];
  expect(await runCommand(words, {}, NOBODY)).toMatchObject({ exitCode: 0 });
});

test('with --json an error is one line of JSON on standard error, also for a mistake in the command line', async () => {
  const { stderr, ...refused } = await runCommand(['ls', 'order', '--port', port, '--json']);
  expect(refused).toEqual({ exitCode: 1, stdout: '' });
  expect(JSON.parse(stderr)).toEqual({
    error: { code: 'JIT3007', message: expect.any(String), help: [expect.stringContaining("'orders'")] },
  });
  const mistake = await runCommand(['ls', '--jsn', '--json']);
  expect(mistake.exitCode).toBe(2);
  expect(JSON.parse(mistake.stderr)).toEqual({
    error: {
      code: 'JIT1001',
      message: expect.stringContaining("unknown option '--jsn'"),
      help: ['See:  jitney ls --help'],
    },
  });
});
