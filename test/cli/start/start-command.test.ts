// `jitney start` in process: what it prints, what it passes on, and with which code it ends.

import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { runStart, type StartContext } from '../../../src/cli/start/start-command.js';
import { collectEntities, DEFAULT_CONFIG_FILE } from '../../../src/config/configured-entities.js';
import { clientHost, formatConnectionString } from '../../../src/config/connection-string.js';
import type { Flags } from '../../../src/config/environment.js';
import type { EmulatorOptions } from '../../../src/config/options/emulator-options.js';
import type { Emulator } from '../../../src/emulator.js';
import { translateListenError } from '../../../src/gateway/port-error.js';
import { type EntityName, JitneyError, type JitneyErrorKind } from '../../../src/jitney-error.js';
import { journalError } from '../../../src/journal/journal-error.js';
import { Faults } from '../../../src/steer/faults.js';
import type { ActivityRecord } from '../../../src/watch/activity-record.js';
import { REAL_CLOCK } from '../../support/real-clock.js';

let directory: string;
let file: string;

beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), 'jitney-start-'));
  file = join(directory, 'Config.json');
  const queues = [{ Name: 'orders' }, { Name: 'billing' }];
  const topics = [{ Name: 'events', Subscriptions: [{ Name: 'audit' }] }];
  writeFileSync(file, JSON.stringify({ UserConfig: { Namespaces: [{ Queues: queues, Topics: topics }] } }));
});
afterAll(() => rmSync(directory, { recursive: true }));

const IN_USE = translateListenError(
  Object.assign(new Error('listen EADDRINUSE'), { code: 'EADDRINUSE', port: 5672 }),
  '127.0.0.1',
  5672,
);
const never = new Promise<never>(() => {});
const unused = () => {
  throw new Error('the command does not look into the emulator');
};

/** What of the emulator is not as its options say. */
type Given = Partial<Emulator> & { readonly tlsPort?: number; readonly httpsPort?: number };

class Run {
  stdout = '';
  stderr = '';
  options: EmulatorOptions | undefined;
  stopCount = 0;

  /** Starts, is asked to stop at once, and ends; the parts of the context that matter are given. */
  start(
    flags: Flags,
    given: Partial<StartContext> = {},
    emulator: () => Given = () => ({}),
  ): Promise<number> {
    return runStart(flags, {
      version: '1.2.3',
      stdout: (text) => {
        this.stdout += text;
      },
      stderr: (text) => {
        this.stderr += text;
      },
      startEmulator: (options) => {
        this.options = options;
        return Promise.resolve(this.#emulator(options, emulator()));
      },
      mountedConfigFile: '/none/Config.json',
      openImport: () => Promise.reject(new Error('Nothing is to be imported')),
      stopRequested: Promise.resolve('SIGTERM'),
      stopOverdue: () => never,
      elapsedMs: () => 123.4,
      ...given,
      environment: { HOME: directory, ...given.environment },
    });
  }

  #emulator({ host = '', port = 0, httpPort }: EmulatorOptions, given: Given): Emulator {
    const stop = () => {
      this.stopCount++;
      return Promise.resolve();
    };
    return {
      name: 'default',
      namespace: unused,
      connectionString: formatConnectionString(host, port),
      host: clientHost(host),
      port,
      httpPort: httpPort === 'off' ? undefined : httpPort,
      tlsPort: undefined,
      httpsPort: undefined,
      caCertificate: never,
      adminOptions: never,
      trust: unused,
      kept: { queues: [], topics: [] },
      events: { subscribe: () => () => {}, since: () => [], history: () => [] },
      clock: REAL_CLOCK,
      faults: new Faults({ nextGuid: () => '' }),
      queue: unused,
      topic: unused,
      subscription: unused,
      configure: unused,
      createQueue: unused,
      createTopic: unused,
      createSubscription: unused,
      createRule: unused,
      updateQueue: unused,
      updateTopic: unused,
      updateSubscription: unused,
      updateRule: unused,
      deleteQueue: unused,
      deleteTopic: unused,
      deleteSubscription: unused,
      deleteRule: unused,
      idle: unused,
      reset: unused,
      snapshot: unused,
      restore: unused,
      failed: never,
      stopped: never,
      stop,
      [Symbol.asyncDispose]: stop,
      ...given,
    };
  }
}

test('without options, queue.1 and topic.1 are served on the ports of the official emulator and kept in ./.jitney', async () => {
  const run = new Run();
  expect(await run.start({})).toBe(0);
  expect(run.options).toMatchObject({
    host: 'localhost',
    port: 5672,
    httpPort: 5300,
    dataDirectory: resolve('.jitney'),
    durability: 'os',
    tier: 'standard',
    limits: 'azure',
    expirySweep: 'always',
    releaseLocksOnDetach: false,
    expireWholeSession: true,
    idleTimeouts: 'off',
    queues: [{ name: 'queue.1', maxDeliveryCount: 3 }],
    topics: [{ name: 'topic.1', defaultMessageTimeToLive: 3_600_000 }],
  });
  expect(run.stdout).toBe(
    [
      'jitney 1.2.3   for development and tests, not for production use',
      'Service Bus   sb://localhost:5672   AMQP, HTTP, WebSocket, TLS; for this machine only',
      'Page          http://localhost:5672/   every message, and why it is where it is',
      'Health        http://localhost:5300/health',
      `Data          ${resolve('.jitney')}`,
      'Queues        1: queue.1',
      'Topics        1: topic.1 (4 subscriptions)',
      "Defaults      the official emulator's for 1 queue and 1 topic of the default Config.json",
      'Connection    Endpoint=sb://localhost:5672;SharedAccessKeyName=RootManageSharedAccessKey;SharedAccessKey=SAS_KEY_VALUE;UseDevelopmentEmulator=true;',
      'Emulator Service is Successfully Up! (123 ms)',
      '',
    ].join('\n'),
  );
});

test("a key of one's own is shown on a terminal, and not in a log", async () => {
  const flags = { policy: ['Root=Manage:own+key/1='] };
  const connectionString = formatConnectionString('localhost', 5672, [
    { keyName: 'Root', primaryKey: 'own+key/1=', rights: ['Manage'] },
  ]);
  const shown = async (isTerminal: boolean) => {
    const run = new Run();
    await run.start(flags, { isTerminal }, () => ({ connectionString }));
    return /^Connection .*/m.exec(run.stdout + run.stderr)?.[0];
  };
  expect(await shown(true)).toBe(`Connection    ${connectionString}`);
  expect(await shown(false)).toBe(
    'Connection    Endpoint=sb://localhost:5672;SharedAccessKeyName=Root;SharedAccessKey=<key>;UseDevelopmentEmulator=true;   (jitney env with the same options prints the key)',
  );
});

test('the banner of a stopped clock names the command that moves it, with the port of this emulator', async () => {
  const run = new Run();
  const clock = { ...REAL_CLOCK, state: { ...REAL_CLOCK.state, mode: 'frozen' as const } };
  await run.start({ port: '5673' }, {}, () => ({ clock }));
  expect(run.stdout).toContain('(jitney clock --port 5673 moves it,');
});

test('the banner says where else it listens, what it does not keep, and whose defaults apply', async () => {
  const run = new Run();
  const queue = ['a?requiresSession=true', 'b', 'c?requiresSession=false', 'd?requiresSession=true'];
  const environment = { JITNEY_TOPICS: 'news/a+b,gossip' };
  const flags = { host: '192.168.0.7', httpPort: 'off', memory: true, config: file, queue };
  await run.start(flags, { environment });
  const rows = run.stdout.split('\n');
  expect(rows).toContain(
    'Service Bus   sb://192.168.0.7:5672   AMQP, HTTP, WebSocket, TLS; listening on 192.168.0.7',
  );
  expect(rows).toContain('Health        http://192.168.0.7:5672/health');
  expect(run.stdout).toContain('Page          http://192.168.0.7:5672/ ');
  expect(rows).toContain('Data          in memory, lost when this stops   (--data <dir> keeps it)');
  expect(rows).toContain(
    'Topics        3: events (1 subscription), news (2 subscriptions), gossip (0 subscriptions)',
  );
  expect(rows).toContain('Queues        6: orders, billing, a (sessions), b, c, ...');
  expect(rows).toContain(
    `Defaults      the official emulator's for 2 queues and 1 topic of ${file}; Azure's for 4 queues given by --queue and 2 topics given by JITNEY_TOPICS`,
  );
});

test('in memory, no data directory is passed on', async () => {
  const run = new Run();
  await run.start({ memory: true });
  expect(run.options).not.toHaveProperty('dataDirectory');
});

test('what is chosen of the broker and of idle clients is passed on', async () => {
  const run = new Run();
  const chosen = { limits: 'none', releaseLocksOnDetach: true, idleTimeouts: 'azure' };
  const given = { ...chosen, expirySweep: 'whenlistening', expireWholeSession: 'FALSE' };
  await run.start({ ...given, authorizationTimeout: 'PT5S' });
  expect(run.options).toMatchObject({
    ...chosen,
    expirySweep: 'whenListening',
    expireWholeSession: false,
    authorizationTimeoutMs: 5000,
  });
});

test('a time for authorization that is not given is left to the other idle timeouts', async () => {
  const run = new Run();
  await run.start({ idleTimeouts: 'azure' });
  expect(run.options).not.toHaveProperty('authorizationTimeoutMs');
});

test('when a queue is named, the default file does not count', async () => {
  const run = new Run();
  await run.start({ queue: ['orders'] });
  expect(run.options?.queues).toMatchObject([{ name: 'orders', maxDeliveryCount: 10 }]);
  expect(run.options?.topics).toEqual([]);
});

test('when a topic is named, the default file does not count either', async () => {
  const run = new Run();
  await run.start({ topic: ['events/audit?lockDuration=PT5S'] });
  expect(run.options?.queues).toEqual([]);
  expect(run.options?.topics).toMatchObject([
    { name: 'events', subscriptions: [{ name: 'audit', lockDuration: 5000 }] },
  ]);
});

test('in the tier basic, topic.1 of the default file is left out', async () => {
  const run = new Run();
  expect(await run.start({ tier: 'basic' })).toBe(0);
  expect(run.options).toMatchObject({ queues: [{ name: 'queue.1' }], topics: [] });
  expect(run.stdout).toContain('Topics        none named\n');
});

test('rules of the file are passed on, and taken as they are by the emulator', async () => {
  const run = new Run();
  await run.start({});
  const { topics } = await collectEntities({ topics: run.options?.topics });
  expect(topics).toEqual((await collectEntities({ configFile: DEFAULT_CONFIG_FILE })).topics);
});

test('a mounted config file counts when none is named, also beside named queues', async () => {
  const run = new Run();
  await run.start({ queue: ['extra'] }, { mountedConfigFile: file });
  expect(run.options?.queues).toMatchObject([{ name: 'orders' }, { name: 'billing' }, { name: 'extra' }]);
  await run.start({ config: DEFAULT_CONFIG_FILE }, { mountedConfigFile: file });
  expect(run.options?.queues).toMatchObject([{ name: 'queue.1' }]);
});

test('a config in a variable counts before a mounted file, and the banner names the variable', async () => {
  const run = new Run();
  const text = JSON.stringify({ UserConfig: { Namespaces: [{ Queues: [{ Name: 'inline' }] }] } });
  await run.start({}, { environment: { JITNEY_CONFIG_JSON: text }, mountedConfigFile: file });
  expect(run.options?.queues).toMatchObject([{ name: 'inline', maxDeliveryCount: 3 }]);
  expect(run.options?.topics).toEqual([]);
  expect(run.stdout).toContain("Defaults      the official emulator's for 1 queue of JITNEY_CONFIG_JSON\n");
});

test('mistakes in a config in a variable are located in it', async () => {
  const run = new Run();
  const environment = { CONFIG_JSON: '{ "UserConfig": { "Namespaces": [\n  { "Queues": 1 }] } }' };
  expect(await run.start({}, { environment })).toBe(1);
  expect(run.stderr).toBe(`✖ JIT2002  The config in CONFIG_JSON has a problem
           CONFIG_JSON:2:5  UserConfig.Namespaces[0].Queues must be a list, not 1
`);
});

test('a config file without entities serves none', async () => {
  const empty = join(directory, 'empty.json');
  writeFileSync(empty, '{ "UserConfig": { "Namespaces": [{}] } }');
  const run = new Run();
  await run.start({ config: empty });
  expect(run.stdout).toContain(
    'Queues        none named\nTopics        none named\nDefaults      not needed\n',
  );
});

test('warnings and the word about stopping go to stderr', async () => {
  const run = new Run();
  await run.start({ queue: ['orders'] }, { environment: { JITNEY_QUEUE: 'x' } });
  expect(run.stderr).toBe(
    "⚠ The variable JITNEY_QUEUE is not known and does nothing. Did you mean 'JITNEY_QUEUES'?\n" +
      'Stopping: SIGTERM\n',
  );
});

test('what the emulator has to say while it runs goes to stderr', async () => {
  const run = new Run();
  await run.start({ logLevel: 'warn', queue: ['orders'] });
  run.options?.log?.('warn', 'a remark');
  run.options?.log?.('error', 'a fault');
  expect(run.stderr).toBe('⚠ a remark\n✖ a fault\n');
});

test.each([
  ['debug', ['⚠', 'Stopping']],
  ['info', ['⚠', 'Stopping']],
  ['warn', ['⚠']],
  ['error', []],
  ['silent', []],
])('at log level %s, stderr has %j', async (logLevel, expected) => {
  const run = new Run();
  await run.start({ logLevel, queue: ['q'] }, { environment: { JITNEY_QUEUE: 'x' } });
  expect(['⚠', 'Stopping'].filter((word) => run.stderr.includes(word))).toEqual(expected);
});

test('it runs until it is asked to stop, then stops the emulator and ends with 0', async () => {
  const run = new Run();
  let ask: (signal: string) => void = () => {};
  const stopRequested = new Promise<string>((resolve) => {
    ask = resolve;
  });
  let ended: Promise<number> = never;
  await new Promise<void>((up) => {
    ended = run.start({}, { stopRequested, stdout: () => up() });
  });
  expect(run.stopCount).toBe(0);
  ask('SIGINT');
  expect(await ended).toBe(0);
  expect(run.stopCount).toBe(1);
});

test('a stop that takes too long is told, and ends with 1', async () => {
  const run = new Run();
  const hangs = () => ({ stop: () => never });
  expect(await run.start({}, { stopOverdue: () => Promise.resolve() }, hangs)).toBe(1);
  expect(run.stderr).toContain('✖ JIT3002  The emulator does not stop in time, so its process is ended\n');
});

function fault(): Promise<never> {
  return Promise.reject(new Error('x is not a function'));
}

test('an emulator that breaks is stopped, told about, and ends with 1', async () => {
  const run = new Run();
  expect(await run.start({}, { stopRequested: never }, () => ({ failed: fault() }))).toBe(1);
  expect(run.stderr).toContain('✖ JIT3001  The emulator broke and has stopped: x is not a function\n');
  expect(run.stopCount).toBe(1);
});

test('an emulator whose disk is full ends with the code of that', async () => {
  const run = new Run();
  const failed = () => Promise.reject(journalError('unwritable', '/data', 'ENOSPC: no space left on device'));
  expect(await run.start({}, { stopRequested: never }, () => ({ failed: failed() }))).toBe(1);
  expect(run.stderr).toContain('✖ JIT4005  The journal in /data cannot be written: ENOSPC: no space left');
  expect(run.stopCount).toBe(1);
});

test('what broke the emulator is told even when it then does not stop either', async () => {
  const run = new Run();
  const stop = () => Promise.reject(new Error('Not open'));
  expect(await run.start({}, { stopRequested: never }, () => ({ failed: fault(), stop }))).toBe(1);
  expect(run.stderr).toContain('x is not a function');
  expect(run.stderr).not.toContain('Not open');
});

test('a queue that the tier does not allow is refused with the place in the file and the origin of the tier', async () => {
  const run = new Run();
  const environment = { JITNEY_TIER: 'basic' };
  expect(
    await run.start({ config: file }, { environment, startEmulator: refuse('entity-beyond-tier') }),
  ).toBe(1);
  expect(run.stderr).toBe(
    `✖ JIT2007  refused
           It is requested by ${file}:1:41  UserConfig.Namespaces[0].Queues[0]
           The tier is given by JITNEY_TIER=basic
           Leave it out, or take another tier:  --tier standard
`,
  );
});

test('a queue of an earlier start is told with the data directory and how to do without it', async () => {
  const run = new Run();
  const flags = { queue: ['orders'], data: directory };
  expect(await run.start(flags, { startEmulator: refuse('entity-fixed') })).toBe(1);
  expect(run.stderr).toBe(
    `✖ JIT2006  refused
           It is requested by --queue
           The stored entity of that name is kept, with its messages, in ${directory}
           Leave it as it was, or start afresh:  --reset   or:  --memory   or:  --data <another dir>
`,
  );
});

test.each([
  [{ topic: ['events/audit'] }, {}, '--topic'],
  [{}, { JITNEY_TOPICS: 'events/audit' }, 'JITNEY_TOPICS'],
])(
  'a subscription that is refused is reported with the origin of its topic: %j %j',
  async (flags, environment, from) => {
    const run = new Run();
    const entity = { topicName: 'events', name: 'audit' };
    const given = { environment, startEmulator: refuse('entity-beyond-limits', entity) };
    expect(await run.start({ ...flags, queue: ['audit'] }, given)).toBe(1);
    expect(run.stderr).toContain(`✖ JIT2004  refused\n           It is requested by ${from}\n`);
  },
);

function refuse(
  kind: JitneyErrorKind,
  entity: EntityName = { name: 'orders' },
): StartContext['startEmulator'] {
  const refused = { entity, property: 'requiresSession' };
  return () => Promise.reject(new JitneyError(kind, 'refused', { refused }));
}

test.each([
  [{ port: 'x' }, 2, 'JIT1001  --port must be'],
  [{ queue: ['a b'] }, 2, 'JIT2003  Queue "a b"'],
  [{ topic: ['a/b c'] }, 2, 'JIT2008  Topic "a/b c"'],
  [{ config: '/nowhere/Config.json' }, 1, 'JIT2001  Cannot read the config file /nowhere/Config.json'],
])('with the flags %j it ends with %d, before anything is started', async (flags, exitCode, message) => {
  const run = new Run();
  expect(await run.start(flags)).toBe(exitCode);
  expect(run.stderr).toContain(`✖ ${message}`);
  expect(run.stdout).toBe('');
  expect(run.options).toBeUndefined();
});

test('an error while starting is told with its stack only at log level debug or trace', async () => {
  const startEmulator = () => Promise.reject(IN_USE);
  const run = new Run();
  expect(await run.start({}, { startEmulator })).toBe(1);
  expect(run.stderr).toContain('✖ JIT1003  Port 5672 on 127.0.0.1 is in use\n');
  expect(run.stderr).not.toContain('    at ');
  for (const logLevel of ['debug', 'trace']) {
    const verbose = new Run();
    await verbose.start({ logLevel }, { startEmulator });
    expect(verbose.stderr).toContain('    at ');
    expect(verbose.stderr).toContain('Caused by: Error: listen EADDRINUSE');
  }
});

test('the port of AMQP over TLS may be missing unless it is asked for', async () => {
  const run = new Run();
  await run.start({});
  expect(run.options).toMatchObject({ tls: 'on', tlsPort: 'ifFree', httpsPort: 'off', auth: 'any' });
  expect(run.options).toMatchObject({ tokenEndpoint: 'on' });
  await run.start({ tlsPort: '5671' });
  expect(run.options).toMatchObject({ tlsPort: 5671 });
  await run.start({ port: '5673' });
  expect(run.options).toMatchObject({ tlsPort: 'off' });
});

test('what is chosen of TLS and of who is let in is passed on', async () => {
  const run = new Run();
  const files = { cert: 'a.pem', key: 'b.pem' };
  const access = { auth: 'strict', noTokenEndpoint: true };
  const flags = { httpsPort: '443', certHost: ['a.test'], certDirectory: '/keys', ...access };
  await run.start({ ...flags, ...files, cors: 'https://a.test', allowHost: 'b.test' });
  expect(run.options).toMatchObject({
    ...files,
    httpsPort: 443,
    certHosts: ['a.test'],
    certificateDirectory: resolve('/keys'),
    auth: 'strict',
    tokenEndpoint: 'off',
    allowedOrigins: ['https://a.test'],
    allowedHosts: ['b.test'],
  });
});

test('the banner shows the ports of TLS, the own certificate and who is let in, where there is something to say', async () => {
  const run = new Run();
  const flags = { auth: 'strict', cert: 'a.pem', key: 'b.pem' };
  await run.start(flags, {}, () => ({ tlsPort: 5671, httpsPort: 443 }));
  const rows = run.stdout.split('\n');
  expect(rows).toContain('TLS           amqps://localhost:5671   https://localhost:443');
  expect(rows).toContain('Certificate   your own, a.pem');
  expect(rows).toContain('Access        strict: keys and tokens are checked');
});

test("certificates are kept in the user's home, and where there is none, with the data, which a line says", async () => {
  const run = new Run();
  const environment = { HOME: '', XDG_CONFIG_HOME: directory, LOCALAPPDATA: directory };
  await run.start({}, { environment });
  expect(run.options).toMatchObject({ certificateDirectory: join(directory, 'jitney') });
  expect(run.stderr).toBe('Stopping: SIGTERM\n');
  await run.start({ data: directory }, { environment: { HOME: '' } });
  expect(run.options).toMatchObject({ certificateDirectory: join(directory, 'certificates') });
  expect(run.stderr).toContain(`⚠ Certificates are kept in ${join(directory, 'certificates')}, and not in `);
});

test('further namespaces of the option and of a Config.json are started, each with its own entities', async () => {
  const run = new Run();
  const json = JSON.stringify({
    UserConfig: { Namespaces: [{ Queues: [{ Name: 'a' }] }, { Name: 'Second', Queues: [{ Name: 'b' }] }] },
  });
  expect(
    await run.start({ namespaces: 'tests-1,auto,second' }, { environment: { JITNEY_CONFIG_JSON: json } }),
  ).toBe(0);
  expect(run.options?.queues).toMatchObject([{ name: 'a' }]);
  expect(run.options?.namespaces).toMatchObject([
    'tests-1',
    'auto',
    { name: 'second', queues: [{ name: 'b' }], topics: [] },
  ]);
  expect(run.stdout).toContain(
    '\nNamespaces    default, tests-1, second, and each that a client names   (SharedAccessKeyName=<policy>@<namespace>)\n',
  );
});

test('the banner says when TLS is off, and when its certificate will be gone', async () => {
  const run = new Run();
  await run.start({ noTls: true });
  expect(run.stdout).toContain('   AMQP, HTTP, WebSocket; for this machine only\n');
  expect(run.stdout).not.toContain('Certificate');
  await run.start({ memory: true }, { environment: { HOME: '' } });
  expect(run.stdout).toContain('Certificate   lost when this stops   (--cert-directory <dir> keeps it)\n');
});

test('where other machines reach it, the banner says what they may do and how that is limited', async () => {
  async function reach(flags: Flags, given: Partial<StartContext> = {}): Promise<string | undefined> {
    const run = new Run();
    await run.start(flags, given);
    return /^Reach +(.*)$/m.exec(run.stdout)?.[1];
  }
  expect(await reach({})).toBeUndefined();
  expect(await reach({ host: '127.0.0.1' })).toBeUndefined();
  expect(await reach({ host: '0.0.0.0' }, { isInContainer: true })).toBeUndefined();
  expect(await reach({ host: '0.0.0.0' })).toBe(
    'other machines may send, receive and administer with any key, and by /$jitney read everything   (--auth strict and --no-control limit it, --host 127.0.0.1 ends it)',
  );
  expect(await reach({ host: '::', noControl: true })).toBe(
    'other machines may send, receive and administer with any key   (--auth strict limits it, --host 127.0.0.1 ends it)',
  );
  expect(await reach({ host: '10.0.0.1', auth: 'strict' })).toBe(
    'other machines may do everything with the well-known key or a token that everyone gets   (--policy and --no-token-endpoint limit it, --host 127.0.0.1 ends it)',
  );
  const policy = ['sender=Send:a-key'];
  expect(await reach({ host: '10.0.0.1', auth: 'strict', noTokenEndpoint: true, policy })).toBe(
    'other machines may do what their key allows   (--host 127.0.0.1 ends it)',
  );
});

describe('with --log-format json', () => {
  const lines = (text: string) =>
    text
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));

  test('start, warnings, records and stop are one object each, and no key is among them', async () => {
    const run = new Run();
    const environment = { JITNEY_QUEUE: 'x' };
    const flags = { logFormat: 'json', queue: ['orders'], memory: true, host: '0.0.0.0' };
    await run.start(flags, { environment });
    run.options?.log?.('info', 'a cause', {
      id: 1,
      time: 5,
      kind: 'unmatched',
      path: 'events',
    } as ActivityRecord);
    expect(lines(run.stdout)).toMatchObject([
      {
        level: 'info',
        message: 'Emulator Service is Successfully Up! (123 ms)',
        kind: 'started',
        version: '1.2.3',
        serviceBus: 'sb://localhost:5672',
        port: 5672,
        httpPort: 5300,
        health: 'http://localhost:5300/health',
        reach: expect.stringContaining('any key'),
      },
    ]);
    expect(lines(run.stderr)).toMatchObject([
      { level: 'warn', message: expect.stringContaining('JITNEY_QUEUE') },
      { level: 'info', message: 'Stopping: SIGTERM', kind: 'stopping', reason: 'SIGTERM' },
      {
        level: 'info',
        message: 'a cause',
        time: '1970-01-01T00:00:00.005Z',
        kind: 'unmatched',
        path: 'events',
      },
    ]);
    expect(run.stdout + run.stderr).not.toContain('SAS_KEY_VALUE');
  });

  test('a failure is an object too, even one of the options', async () => {
    const run = new Run();
    expect(await run.start({ logFormat: 'json', port: 'x' })).toBe(2);
    expect(await run.start({}, { environment: { JITNEY_LOG_FORMAT: 'JSON', JITNEY_PORT: 'x' } })).toBe(2);
    expect(await run.start({ logFormat: 'json' }, { startEmulator: fault })).toBe(1);
    expect(lines(run.stderr)).toMatchObject([
      { level: 'error', kind: 'failed', code: 'JIT1001', message: expect.stringContaining('--port') },
      { level: 'error', kind: 'failed', code: 'JIT1002', help: ['See:  jitney --help'] },
      { level: 'error', kind: 'failed', code: 'JIT5001', message: 'x is not a function' },
    ]);
    expect(run.stdout).toBe('');
  });
});

describe('with --log-file', () => {
  const TIME = /^\d{4}-\d\d-\d\dT[\d:.]+Z /gm;

  test('the log goes there, with its times; the banner and failures stay where they were', async () => {
    const logFile = join(directory, 'logs', 'jitney.log');
    const run = new Run();
    await run.start({ logFile, queue: ['orders'] }, { environment: { JITNEY_QUEUE: 'x' } });
    expect(run.stdout).toContain('Connection    Endpoint=sb://localhost:5672');
    expect(run.stderr).toBe('');
    const startEmulator = () => Promise.reject(IN_USE);
    expect(await run.start({ logFile, queue: ['orders'], port: '5672' }, { startEmulator })).toBe(1);
    expect(run.stderr).toContain('✖ JIT1003  Port 5672 on 127.0.0.1 is in use\n');
    const text = readFileSync(logFile, 'utf8');
    const lines = text.trimEnd().split('\n');
    expect(text.match(TIME)).toHaveLength(lines.length);
    expect(lines.map((line) => line.replace(TIME, ''))).toEqual([
      expect.stringContaining('warn  The variable JITNEY_QUEUE is not known'),
      'info  Emulator Service is Successfully Up! (123 ms) jitney 1.2.3, sb://localhost:5672',
      'info  Stopping: SIGTERM',
      // Who has the port depends on the machine: a Jitney of its owner may run there.
      expect.stringMatching(/^error JIT1003 Port 5672 on 127.0.0.1 is in use; /),
    ]);
  });

  test('faults of a running emulator go to both', async () => {
    const logFile = join(directory, 'faults.log');
    const run = new Run();
    const startEmulator = async (options: EmulatorOptions) => {
      options.log?.('error', 'a fault');
      options.log?.('info', 'a cause');
      throw new Error('enough');
    };
    await run.start({ logFile, logFormat: 'json' }, { startEmulator });
    const messages = (text: string) => text.match(/(?<="message":")[^"]+/g);
    expect(messages(run.stderr)).toEqual(['a fault', 'enough']);
    expect(messages(readFileSync(logFile, 'utf8'))).toEqual(['a fault', 'a cause', 'enough']);
  });

  test('that cannot be written, nothing is started', async () => {
    const run = new Run();
    expect(await run.start({ logFile: directory })).toBe(1);
    expect(run.stderr).toBe(
      `✖ JIT3005  The log file ${directory} cannot be written: EISDIR: illegal operation on a directory\n` +
        '           Another file:  --log-file <path>   or none, for stderr:  leave it out\n',
    );
    expect(run.options).toBeUndefined();
  });
});

test('--open opens the page; where there is no browser, a warning has its address', async () => {
  const opened: string[] = [];
  const openPage = async (url: string) => void opened.push(url);
  await new Run().start({}, { openPage });
  expect(opened).toEqual([]);
  await new Run().start({ open: true }, { openPage });
  expect(opened).toEqual(['http://localhost:5672/']);

  const without = new Run();
  const failing = () => Promise.reject(new Error('The page cannot be opened'));
  await without.start(
    { open: true },
    { openPage: failing, stopRequested: new Promise((end) => setImmediate(() => end('SIGTERM'))) },
  );
  expect(without.stderr).toContain(
    '⚠ The page cannot be opened. Open it yourself:  http://localhost:5672/\n',
  );
  const refused = new Run();
  expect(await refused.start({ open: true, ui: 'off' }, { openPage })).toBe(2);
  expect(refused.stderr).toContain('--open shows the page, and --ui off leaves it out');
});

test('when the program that started it has ended, it stops without a word; at debug the log says why', async () => {
  const ends = { stopRequested: never, starterEnded: Promise.resolve('npm, which started it, has ended') };
  const [quiet, debug] = [new Run(), new Run()];
  expect(await quiet.start({}, ends)).toBe(0);
  expect([quiet.stopCount, quiet.stderr]).toEqual([1, '']);
  await debug.start({ logLevel: 'debug' }, ends);
  expect(debug.stderr).toContain('Stopping: npm, which started it, has ended');
});

test('--until-stdin-ends stops it when standard input ends, and is refused where another program has that', async () => {
  const run = new Run();
  const whenInputEnds = async () => 'standard input has ended';
  expect(await run.start({ untilStdinEnds: true }, { stopRequested: never, whenInputEnds })).toBe(0);
  expect(run.stopCount).toBe(1);
  const refused = new Run();
  expect(await refused.start({ untilStdinEnds: true })).toBe(2);
  expect(refused.stderr).toContain('--until-stdin-ends is not for exec');
  expect(refused.options).toBeUndefined();
});
