// The commands for messages where they fail: which service they go to, what they say in one sentence, and the exit code.

import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import type { AskRunning } from '../../../src/cli/control/running-authority.js';
import { type Emulator, type EmulatorOptions, startEmulator } from '../../../src/emulator.js';
import { writeSasToken } from '../../../src/security/sas-token.js';
import { type CommandOptions, jitney } from './message-command.js';

const started: Emulator[] = [];
let shared: Emulator;
let closedPort: number;

beforeAll(async () => {
  shared = await startEmulator({
    queues: ['orders', 'baskets?requiresSession=true'],
    topics: ['events/audit'],
  });
  const server = createServer().listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  closedPort = (server.address() as AddressInfo).port;
  await new Promise((resolve) => server.close(resolve));
});
afterAll(() => shared.stop());
afterEach(async () => {
  await Promise.all(started.splice(0).map((emulator) => emulator.stop()));
});

async function start(options: EmulatorOptions): Promise<Emulator> {
  const emulator = await startEmulator(options);
  started.push(emulator);
  return emulator;
}

/** Nothing listens at port 1. */
const CLOSED =
  'Endpoint=sb://localhost:1;SharedAccessKeyName=a;SharedAccessKey=b;UseDevelopmentEmulator=true';
const NO_AUTHORITY: AskRunning = async () => ({ kind: 'none', why: 'this test has no emulator' });

/** A connection string for TLS. */
function overTls({ port }: Emulator): string {
  return `Endpoint=sb://localhost:${port}/;SharedAccessKeyName=RootManageSharedAccessKey;SharedAccessKey=SAS_KEY_VALUE`;
}

function run(words: readonly string[], options?: CommandOptions) {
  return jitney([...words, '--port', String(shared.port)], options);
}

test.each([
  ['send', 'nope', '--body', 'x'],
  ['peek', 'nope'],
  ['receive', 'nope'],
  ['dead-letter', 'list', 'nope'],
  ['dead-letter', 'resubmit', 'nope'],
])('a missing entity is named: %s', async (...words) => {
  const { exitCode, stdout, stderr } = await run(words);
  expect({ exitCode, stdout }).toEqual({ exitCode: 1, stdout: '' });
  const path = words[0] === 'dead-letter' ? 'nope/$DeadLetterQueue' : 'nope';
  expect(stderr).toBe(
    `✖ JIT6004  There is no queue, topic or subscription '${path}' at amqp://localhost:${shared.port}\n`,
  );
});

test.each([
  ['ordres', "Did you mean 'orders'?"],
  ['events/Subscriptions/audti/$DeadLetterQueue', "Did you mean 'events/Subscriptions/audit'?"],
])('a missing entity of a Jitney is answered with the one that was meant: %s', async (entity, hint) => {
  const { exitCode, stderr } = await run(['peek', entity]);
  expect(exitCode).toBe(1);
  expect(stderr).toContain(`'${entity}' at amqp://localhost:${shared.port}\n           ${hint}\n`);
});

test.each([
  [
    'events/audit',
    "'events/audit' is a subscription, which takes no messages from senders: send to its topic 'events'\n",
  ],
  ['events/audti', `There is no queue, topic or subscription 'events/audti' at amqp://localhost:`],
])('a send names no subscription as the entity that was meant: %s', async (entity, text) => {
  const { exitCode, stderr } = await run(['send', entity, '--body', 'x']);
  expect(exitCode).toBe(1);
  expect(stderr).toContain(`✖ JIT6004  ${text}`);
  expect(stderr).not.toContain('Did you mean');
});

test('messages and dead letters of a topic are looked for in its subscriptions', async () => {
  const { port } = await start({ topics: ['events/mail', 'bare'] });
  const go = async (...words: string[]) => {
    const { stderr } = await jitney([...words, '--port', String(port)]);
    return stderr;
  };
  const text =
    "'Events' is a topic: its messages are in its subscriptions, such as 'events/Subscriptions/mail'";
  for (const words of [['receive'], ['dead-letter', 'list'], ['dead-letter', 'resubmit']])
    expect(await go(...words, 'Events')).toBe(`✖ JIT6004  ${text}\n`);
  expect(await go('dead-letter', 'list', 'bare')).toContain('a topic without subscriptions');
});

test.each([
  [['peek', 'orders'], 'No messages in orders\n'],
  [
    ['peek', 'baskets', '--session', 's', '--from', '3'],
    'No messages in baskets, session "s", from number 3 on\n',
  ],
  [['dead-letter', 'list', 'orders', '--json'], 'No messages in orders/$DeadLetterQueue\n'],
  [
    ['peek', 'events'],
    "No messages in events\n'events' is a topic: its messages are in its subscriptions, such as 'events/Subscriptions/audit'\n",
  ],
])('where there is nothing to show, %j says so', async (words, stderr) => {
  expect(await run(words)).toEqual({ exitCode: 0, stdout: '', stderr });
});

test('an empty subscription says what its rules take', async () => {
  const paid = { name: 'paid', filter: "sys.Label = 'paid'" };
  const { port } = await start({
    topics: [
      {
        name: 'events',
        subscriptions: ['all', { name: 'mail', rules: [paid] }, 'none'],
      },
    ],
  });
  const peek = async (entity: string) => (await jitney(['peek', entity, '--port', String(port)])).stderr;
  expect(await peek('events/mail')).toBe(
    "No messages in events/Subscriptions/mail\nIt takes only messages that one of its rules matches: 'paid' (sys.Label = 'paid')\n",
  );
  await jitney(['delete', 'rule', 'events/none/$Default', '--port', String(port)]);
  expect(await peek('events/none')).toContain('\nIt has no rule, so it takes no message\n');
  expect(await peek('events/all')).toBe('No messages in events/Subscriptions/all\n');
});

test('a message above the limit is refused with its size, before it is sent', async () => {
  const { exitCode, stdout, stderr } = await run(['send', 'orders', '-'], { input: 'x'.repeat(300_000) });
  expect({ exitCode, stdout }).toEqual({ exitCode: 1, stdout: '' });
  expect(stderr).toMatch(
    /^✖ JIT6008 {2}A message of 300\d{3} bytes is too large for 'orders' at \S+, which takes up to 262144\n +Send less/,
  );
});

test.each([
  [
    ['receive', 'baskets'],
    "✖ JIT6005  'baskets' requires sessions, but no session is named\n           Name it:  --session <id>   or take any:  --next-session\n",
  ],
  [
    ['send', 'baskets', '--body', 'x'],
    "✖ JIT6005  'baskets' requires sessions, but no session is named\n           Name it:  --session <id>\n",
  ],
  [['receive', 'orders', '--session', 's'], 'entity that does not require sessions'],
])('%j is refused with a reason', async (words, reason) => {
  const { exitCode, stderr } = await run(words);
  expect(exitCode).toBe(1);
  expect(stderr).toContain(reason);
});

test('a session that another receiver holds is named', async () => {
  const interruption = new AbortController();
  const words = ['receive', 'baskets', '--session', 's'];
  let refused: ReturnType<typeof run> | undefined;
  const unsubscribe = shared.events.subscribe(({ kind }) => {
    if (kind !== 'session-accepted' || refused !== undefined) return;
    refused = run(words);
    refused.finally(() => interruption.abort());
  });
  await run([...words, '--wait', 'PT1H'], { interrupted: interruption.signal });
  unsubscribe();
  expect(await refused).toMatchObject({
    exitCode: 1,
    stderr: expect.stringContaining("JIT6006  Another receiver holds the session of 'baskets'"),
  });
});

test('a service that is not there ends it with 3, and the address that was dialled is said', async () => {
  const { exitCode, stderr } = await jitney(['peek', 'orders', '--port', String(closedPort)]);
  expect(exitCode).toBe(3);
  expect(stderr).toMatch(`✖ JIT6001  Nothing can be reached at amqp://localhost:${closedPort}: `);
  expect(stderr).toContain('  The address is given by --port\n');
  expect(stderr).toContain(`  Start it:  jitney start --port ${closedPort}   or one on another port`);
});

test.each([
  [['--host', '::1'], { JITNEY_PORT: '1' }, 'is given by --host and JITNEY_PORT\n'],
  [[], { JITNEY_PORT: '1' }, 'is given by JITNEY_PORT\n'],
  [[], { SERVICEBUS_CONNECTION_STRING: CLOSED }, 'is given by SERVICEBUS_CONNECTION_STRING\n'],
  [['--connection-string', CLOSED], {}, 'is given by --connection-string\n'],
])('it says who gave the address: %j %j', async (words, environment, text) => {
  const { stderr } = await jitney(['peek', 'orders', ...words], { environment });
  expect(stderr).toContain(`The address ${text}`);
});

test('a way through firewalls is named for a host that is not this machine', async () => {
  const elsewhere = 'Endpoint=sb://nowhere.invalid;SharedAccessKeyName=a;SharedAccessKey=b';
  const { stderr } = await jitney(['peek', 'orders', '--connection-string', elsewhere]);
  expect(stderr).toMatch(/JIT6001.*\n.*\n +Behind a firewall: {2}--transport websocket\n$/);
});

test('a server that speaks something else is told apart', async () => {
  const server = createServer((_, response) => response.end()).listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const { port } = server.address() as AddressInfo;
  const plain = await jitney(['peek', 'orders', '--port', String(port)]);
  const string = `Endpoint=sb://localhost:${port};SharedAccessKeyName=a;SharedAccessKey=b`;
  const secure = await jitney(['peek', 'orders', '--connection-string', string]);
  server.close();
  expect(plain).toMatchObject({
    exitCode: 1,
    stderr: expect.stringContaining('JIT6009  The connection to amqp:'),
  });
  expect(secure).toMatchObject({
    exitCode: 3,
    stderr: expect.stringMatching(
      /it does not speak TLS there\n.*\n +For .* add UseDevelopmentEmulator=true to /,
    ),
  });
  expect(secure.stderr).not.toContain('Start it');
});

test('a connection that is lost during a wait ends it', async () => {
  const emulator = await start({ queues: ['orders'] });
  const unsubscribe = emulator.events.subscribe((event) => {
    if (event.kind === 'link-attached' && event.path === 'orders') emulator.stop();
  });
  const { exitCode, stderr } = await jitney([
    'receive',
    'orders',
    '--wait',
    'PT1H',
    '--port',
    String(emulator.port),
  ]);
  unsubscribe();
  expect(exitCode).toBe(1);
  expect(stderr).toMatch(/JIT6009 {2}The connection to amqp:.* is lost: The emulator is being stopped/);
});

test("a certificate is trusted by Jitney's own authority file or by NODE_EXTRA_CA_CERTS, and not without", async () => {
  const home = mkdtempSync(join(tmpdir(), 'jitney-trust-'));
  const environment = {
    XDG_CONFIG_HOME: home,
    LOCALAPPDATA: home,
    SERVICEBUS_CONNECTION_STRING: overTls(shared),
  };
  const options = { environment, askRunning: NO_AUTHORITY };
  const { exitCode, stderr } = await jitney(['peek', 'orders'], options);
  expect(exitCode).toBe(3);
  expect(stderr).toContain(`✖ JIT6002  The certificate of amqps://localhost:${shared.port} is not trusted: `);
  const authority = (await shared.caCertificate) ?? '';
  const extra = join(home, 'extra.pem');
  writeFileSync(extra, authority);
  const nothing = { exitCode: 0, stdout: '', stderr: 'No messages in orders\n' };
  const withExtra = { ...options, environment: { ...environment, NODE_EXTRA_CA_CERTS: extra } };
  expect(await jitney(['peek', 'orders'], withExtra)).toEqual(nothing);
  mkdirSync(join(home, 'jitney'));
  writeFileSync(join(home, 'jitney/ca.pem'), authority);
  expect(await jitney(['peek', 'orders'], options)).toEqual(nothing);
  rmSync(home, { recursive: true });
});

const POLICIES = [
  { keyName: 'Root', rights: ['Manage', 'Send', 'Listen'], primaryKey: 'right' },
  { keyName: 'Sender', rights: ['Send'], primaryKey: 'send' },
] as const;

test.each([
  ['the right key', 'Root', 'right', 0, ''],
  ['a wrong key', 'Root', 'wrong', 1, "refuses the key 'Root' for 'orders'"],
  ['an unknown key', 'Other', 'right', 1, "refuses the key 'Other' for 'orders'"],
  ['a key without the right', 'Sender', 'send', 1, "refuses the key 'Sender' for 'orders'"],
])('with checked keys, %s is told from others', async (_, keyName, key, exitCode, reason) => {
  const { port } = await start({ queues: ['orders'], auth: 'strict', policies: POLICIES });
  const string = `Endpoint=sb://localhost:${port};SharedAccessKeyName=${keyName};SharedAccessKey=${key};UseDevelopmentEmulator=true`;
  const result = await jitney(['peek', 'orders', '--connection-string', string]);
  expect(result.exitCode).toBe(exitCode);
  expect(result.stderr).toContain(reason);
  expect(result.stderr).not.toContain(key === 'wrong' ? key : 'sig=');
});

test('a connection string may hold a signature in place of a key', async () => {
  const { port } = await start({ queues: ['orders'], auth: 'strict', policies: POLICIES });
  const token = { keyName: 'Root', key: 'right', expiresAtMs: Date.now() + 60_000 };
  const signature = writeSasToken({ ...token, audience: `sb://localhost:${port}/orders` });
  const string = `Endpoint=sb://localhost:${port};SharedAccessSignature=${signature};UseDevelopmentEmulator=true`;
  const go = (entity: string) => jitney(['peek', entity, '--connection-string', string]);
  expect(await go('orders')).toMatchObject({ exitCode: 0, stdout: '' });
  expect(await go('others')).toMatchObject({
    exitCode: 1,
    stderr: expect.stringContaining('refuses the token'),
  });
});

test('a flag says where to go before a variable, and a port before a connection string', async () => {
  const port = String(shared.port);
  const elsewhere = `Endpoint=sb://localhost:${closedPort};SharedAccessKeyName=a;SharedAccessKey=b;UseDevelopmentEmulator=true`;
  const here = elsewhere.replace(String(closedPort), port);
  const exitCode = async (words: string[], environment: Readonly<Record<string, string>> = {}) =>
    (await jitney(['peek', 'orders', ...words], { environment })).exitCode;
  expect(await exitCode([], { JITNEY_PORT: port })).toBe(0);
  expect(await exitCode([], { SERVICEBUS_CONNECTION_STRING: here })).toBe(0);
  expect(await exitCode(['--port', port], { SERVICEBUS_CONNECTION_STRING: elsewhere })).toBe(0);
  expect(await exitCode(['--connection-string', here], { SERVICEBUS_CONNECTION_STRING: elsewhere })).toBe(0);
  expect(await exitCode([], { SERVICEBUS_CONNECTION_STRING: elsewhere, JITNEY_PORT: port })).toBe(0);
  expect(await exitCode(['--port', port, '--connection-string', here])).toBe(2);
});

const STRING = 'Endpoint=sb://localhost:1;SharedAccessKeyName=a;SharedAccessKey=secret';

test.each([
  [['send', 'orders'], "give the body with exactly one of --body, --file and '-'"],
  [['send', 'orders', '-', '--body', 'x'], "give the body with exactly one of --body, --file and '-'"],
  [['send', 'orders', '--body', 'x', '--lines'], '--lines and --body cannot be combined'],
  [['send', 'orders', '-', '--lines', '--count', '2'], '--lines and --count cannot be combined'],
  [['send', 'orders', '-', '--lines', '--message-id', 'm'], '--lines and --message-id cannot be combined'],
  [
    ['send', 'orders', '--file', '/nowhere', '--lines'],
    '--file /nowhere cannot be read: there is no such file',
  ],
  [
    ['send', 'orders', '--file', tmpdir(), '--lines'],
    `--file must be a file, but '${tmpdir()}' is a directory`,
  ],
  [['send', 'orders', 'x'], 'unknown word "x"'],
  [['send', 'orders', '--file', '/nowhere'], '--file /nowhere cannot be read: there is no such file'],
  [['send', 'orders', '--body', 'x', '--property', 'a'], '--property must be name=value or name:type=value'],
  [
    ['send', 'orders', '--body', 'x', '--property', 'a:itn=3'],
    'one of the types string, boolean, int, long,',
  ],
  [
    ['send', 'orders', '--body', 'x', '--property', 'a:timespan=5 s'],
    '--property a must be of type timespan, not "5 s"',
  ],
  [['send', 'orders', '--body', 'x', '--property', 'a:itn=3'], 'with its type: a:itn:string=<value>'],
  [['send', 'orders', '--body', 'x', '--property', ':int=3'], 'must have a name before'],
  [['send', 'orders', '--body', 'x', '--property', 'a:int=b'], '--property a must be of type int, not "b"'],
  [
    ['send', 'orders', '--body', 'x', '--ttl', '5w'],
    '--ttl must be a duration such as PT20S, or a number of seconds, not',
  ],
  [
    ['send', 'orders', '--body', 'x', '--ttl', '0'],
    '--ttl must be at least 1 ms, not "0": leave it out to use',
  ],
  [['send', 'orders', '--body', 'x', '--ttl', 'PT0S'], '--ttl must be at least 1 ms, not "PT0S"'],
  [
    ['send', 'orders', '--body', 'x', '--schedule', 'P10675199DT2H48M5.4775807S'],
    '--schedule must be a duration',
  ],
  [
    ['send', 'orders', '--body', 'x', '--schedule', 'soon'],
    '--schedule must be a duration such as PT10M, a number of seconds, or a time',
  ],
  [['send', 'orders', '--body', 'x', '--count', '0'], '--count must be a number from 1 on, not "0"'],
  [['send', 'orders', '--body', 'x', '--content-type', 'ü'], '--content-type must be ASCII'],
  [['peek', 'orders', '--from', '-1'], '--from must be a sequence number'],
  [['peek', 'orders', '--max', 'some'], '--max must be a number from 1 on, or all'],
  [['peek', 'orders', 'more'], 'too many arguments'],
  [['peek', 'orders', '--session', '--json'], "option '--session <id>' argument missing"],
  [['peek', 'orders', '--transport', 'mqtt'], 'amqp, websocket'],
  [
    ['receive', 'orders', '--session', 'a', '--next-session'],
    'give either --session or --next-session, not both',
  ],
  [
    ['receive', 'orders', '--keep', '--receive-and-delete'],
    'give either --keep or --receive-and-delete, not both',
  ],
  [['receive', 'orders', '--keep', '--max', 'all'], 'with --keep, --max must be at most 1000'],
  [['dead-letter', 'resubmit', 'orders/$Transfer'], "'orders/$Transfer' has no dead letters of its own"],
  [['peek', 'orders', '--connection-string', 'sb://localhost'], '--connection-string must have an Endpoint'],
  [
    ['peek', 'orders', '--connection-string', 'Endpoint=sb://localhost'],
    'SharedAccessKeyName and SharedAccessKey',
  ],
  [
    ['peek', 'others', '--connection-string', `${STRING};EntityPath=orders`],
    "is only for 'orders' (EntityPath)",
  ],
  [['peek', 'orders', '--port', '0'], '--port 0 takes a port that only the running emulator knows'],
])('a mistake in the words ends it with 2 before anything is dialled: %j', async (words, reason) => {
  const { exitCode, stdout, stderr } = await jitney(words);
  expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: '' });
  expect(stderr).toMatch(/^(✖ |\{"error":\{"code":")JIT100[12]/);
  expect(stderr).toContain(reason);
  expect(stderr).not.toContain('secret');
});

test('input that breaks off in the middle is an error of the input, and what was sent is counted', async () => {
  async function* openInput() {
    yield Buffer.from('a\n');
    throw new Error('EISDIR: illegal operation on a directory, read');
  }
  const { exitCode, stderr } = await run(['send', 'orders', '-', '--lines'], { openInput });
  expect(exitCode).toBe(2);
  expect(stderr).toContain('Sent 1 message to orders\n');
  expect(stderr).toContain('✖ JIT1001  standard input cannot be read: EISDIR');
});
