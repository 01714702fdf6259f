// `jitney config` in process: every setting and property, and who says so.

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type ConfigContext, runConfig } from '../../../src/cli/start/config-command.js';
import { runStart } from '../../../src/cli/start/start-command.js';
import { DEFAULT_CONFIG_FILE } from '../../../src/config/configured-entities.js';
import type { Flags } from '../../../src/config/environment.js';
import { startEmulator } from '../../../src/emulator.js';

const CONFIG = `{ "UserConfig": { "Namespaces": [{
  "Queues": [
    { "Name": "orders", "Properties": {
      "MaxDeliveryCount": 7,
      "AuthorizationRules": [{ "KeyName": "sender", "Rights": ["Send"], "PrimaryKey": "secret" }] } }],
  "Topics": [{ "Name": "events", "Subscriptions": [
    { "Name": "audit", "Rules": [] },
    { "Name": "mail", "Rules": [
      { "Name": "eu", "Properties": { "FilterType": "Sql", "SqlFilter": { "SqlExpression": "a = 1" },
        "Action": { "SqlExpression": "SET\\n b = 2" } } }] },
    { "Name": "all" }] }] }] } }`;

let directory: string;
let file: string;

beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), 'jitney-config-command-'));
  file = join(directory, 'Config.json');
  writeFileSync(file, CONFIG);
});
afterAll(() => rmSync(directory, { recursive: true }));

async function run(flags: Flags, given: Partial<ConfigContext> = {}) {
  let stdout = '';
  let stderr = '';
  const exitCode = await runConfig(flags, {
    mountedConfigFile: '/none/Config.json',
    openImport: () => Promise.reject(new Error('Nothing is to be imported')),
    isJson: false,
    startEmulator,
    stdout: (text) => {
      stdout += text;
    },
    stderr: (text) => {
      stderr += text;
    },
    ...given,
    environment: { HOME: directory, ...given.environment },
  });
  return { exitCode, stdout, stderr };
}

/** As a program reads it. */
async function runJson(flags: Flags, given: Partial<ConfigContext> = {}) {
  return JSON.parse((await run(flags, { ...given, isJson: true })).stdout);
}

test('each setting is shown with the flag or variable that gives it, or as a default', async () => {
  const environment = {
    JITNEY_TIER: 'premium',
    EMULATOR_HTTP_PORT: '5301',
    JITNEY_MEMORY: 'true',
    JITNEY_HTTPS_PORT: '8443',
    JITNEY_CERT_HOSTS: 'a.test, b.test',
    JITNEY_ALLOW_HOSTS: 'jitney.test',
    JITNEY_NO_TOKEN_ENDPOINT: 'true',
  };
  const flags = {
    port: '0',
    authorizationTimeout: '20',
    auth: 'strict',
    certDirectory: '/keys',
    policy: ['sender=Send:its key'],
  };
  const { settings } = await runJson(flags, { environment });
  expect(settings).toEqual({
    host: { value: 'localhost', from: 'default' },
    port: { value: 0, from: '--port' },
    httpPort: { value: 5301, from: 'EMULATOR_HTTP_PORT' },
    tlsPort: { value: 'off', from: 'default' },
    httpsPort: { value: 8443, from: 'JITNEY_HTTPS_PORT' },
    noTls: { value: false, from: 'default' },
    cert: { value: null, from: 'default' },
    key: { value: null, from: 'default' },
    certHost: { value: 'a.test,b.test', from: 'JITNEY_CERT_HOSTS' },
    certDirectory: { value: '/keys', from: '--cert-directory' },
    policy: { value: 'sender=Send', from: '--policy' },
    data: { value: null, from: 'JITNEY_MEMORY' },
    config: { value: DEFAULT_CONFIG_FILE, from: 'default' },
    import: { value: null, from: 'default' },
    parameters: { value: null, from: 'default' },
    durability: { value: 'os', from: 'default' },
    tier: { value: 'premium', from: 'JITNEY_TIER' },
    limits: { value: 'azure', from: 'default' },
    clock: { value: null, from: 'default' },
    ui: { value: 'on', from: 'default' },
    open: { value: false, from: 'default' },
    untilStdinEnds: { value: false, from: 'default' },
    jms: { value: 'azure', from: 'default' },
    label: { value: null, from: 'default' },
    faultProperty: { value: false, from: 'default' },
    expirySweep: { value: 'always', from: 'default' },
    reset: { value: false, from: 'default' },
    seed: { value: null, from: 'default' },
    namespaces: { value: null, from: 'default' },
    autoCreate: { value: false, from: 'default' },
    watch: { value: false, from: 'default' },
    prune: { value: false, from: 'default' },
    releaseLocksOnDetach: { value: false, from: 'default' },
    expireWholeSession: { value: true, from: 'default' },
    idleTimeouts: { value: 'off', from: 'default' },
    authorizationTimeout: { value: 'PT20S', from: '--authorization-timeout' },
    auth: { value: 'strict', from: '--auth' },
    noControl: { value: false, from: 'default' },
    noTokenEndpoint: { value: true, from: 'JITNEY_NO_TOKEN_ENDPOINT' },
    cors: { value: null, from: 'default' },
    allowHost: { value: 'jitney.test', from: 'JITNEY_ALLOW_HOSTS' },
    logLevel: { value: 'info', from: 'default' },
    logFormat: { value: 'pretty', from: 'default' },
    logFile: { value: null, from: 'default' },
    logBodies: { value: false, from: 'default' },
  });
});

test.each<[Flags, Partial<ConfigContext>, string | null, string]>([
  [{ config: 'FILE' }, {}, 'FILE', '--config'],
  [{}, { environment: { JITNEY_CONFIG: 'FILE' } }, 'FILE', 'JITNEY_CONFIG'],
  [{}, { environment: { JITNEY_CONFIG_JSON: CONFIG } }, 'JITNEY_CONFIG_JSON', 'JITNEY_CONFIG_JSON'],
  [{}, { mountedConfigFile: 'FILE' }, 'FILE', 'the place where the official emulator has its own'],
  [{ queue: ['a'] }, {}, null, 'default'],
])('with %j and %j the config is %j by %s', async (flags, given, value, from) => {
  const text = JSON.stringify({ flags, given }).replaceAll('"FILE"', JSON.stringify(file));
  const filled: { flags: Flags; given: Partial<ConfigContext> } = JSON.parse(text);
  const { settings } = await runJson(filled.flags, filled.given);
  expect(settings.config).toEqual({ value: value === 'FILE' ? file : value, from });
});

test('each property of a file is shown with its place, or with whose default it has', async () => {
  const { queues, topics } = await runJson({ config: file });
  const [orders] = queues;
  expect(orders).toMatchObject({ name: 'orders', from: `${file}:3:5` });
  expect(orders.properties).toMatchObject({
    maxDeliveryCount: { value: 7, from: `${file}:4:7` },
    lockDuration: { value: 'PT1M', from: "the official emulator's default" },
    autoDeleteOnIdle: { value: 'P10675199DT2H48M5.4775807S', from: "Azure's default" },
    forwardTo: { value: null, from: "Azure's default" },
  });
  expect(topics).toMatchObject([
    {
      name: 'events',
      properties: { defaultMessageTimeToLive: { value: 'PT1H', from: "the official emulator's default" } },
      subscriptions: [{ name: 'audit', from: `${file}:7:5` }, { name: 'mail' }, { name: 'all' }],
    },
  ]);
});

test('keys are not shown, only what may be done with them', async () => {
  const { stdout } = await run({ config: file });
  expect(stdout).toMatch(/authorizationRules +sender \(Send\) +\S+:5:7\n/);
  expect(stdout).not.toContain('secret');
});

test('rules are shown with their place, and default rules as such', async () => {
  const [{ subscriptions }] = (await runJson({ config: file })).topics;
  const all = { name: '$Default', filter: { kind: 'true' }, action: null };
  expect(subscriptions.map(({ rules }: { rules: unknown }) => rules)).toEqual([
    [{ ...all, from: `${file}:7:5` }],
    [
      {
        name: 'eu',
        filter: { kind: 'sql', expression: 'a = 1' },
        action: { kind: 'sql', expression: 'SET\n b = 2' },
        from: `${file}:9:7`,
      },
    ],
    [{ ...all, from: 'every new subscription; one that exists keeps its rules' }],
  ]);
});

test('what is named one by one is shown with its flag or variable, and what it does not say is of Azure', async () => {
  const environment = { JITNEY_TOPICS: 'Events/audit+mail?LockDuration=PT5S&defaultMessageTimeToLive=PT1H' };
  const { queues, topics } = await runJson({ queue: ['b', 'A?maxDeliveryCount=5'] }, { environment });
  expect(queues.map(({ name, from }: { name: string; from: string }) => [name, from])).toEqual([
    ['b', '--queue'],
    ['a', '--queue'],
  ]);
  expect(queues[1].properties).toMatchObject({
    maxDeliveryCount: { value: 5, from: '--queue' },
    lockDuration: { value: 'PT1M', from: "Azure's default" },
  });
  const [events] = topics;
  expect(events.properties.defaultMessageTimeToLive).toEqual({ value: 'PT1H', from: 'JITNEY_TOPICS' });
  expect(events.subscriptions[1].properties).toMatchObject({
    lockDuration: { value: 'PT5S', from: 'JITNEY_TOPICS' },
    defaultMessageTimeToLive: { value: 'P10675199DT2H48M5.4775807S', from: "Azure's default" },
  });
});

test('places in a variable and in the default file are shown, too', async () => {
  const inline = await runJson({}, { environment: { CONFIG_JSON: CONFIG } });
  expect(inline.queues[0].properties.maxDeliveryCount.from).toBe('CONFIG_JSON:4:7');
  const byDefault = await runJson({});
  expect(byDefault.queues[0].properties.maxDeliveryCount.from).toMatch(/Config\.json:\d+:\d+$/);
});

test('the table has a row for each value', async () => {
  const { stdout, exitCode } = await run({ config: file, memory: true });
  expect(exitCode).toBe(0);
  const rows = stdout.split('\n').map((line) => line.replace(/ {2,}/g, ' | '));
  expect(rows).toEqual(
    expect.arrayContaining([
      'Settings',
      ' | --data | - | --memory',
      `Queue orders | ${file}:3:5`,
      ` | maxDeliveryCount | 7 | ${file}:4:7`,
      " | lockDuration | PT1M | the official emulator's default",
      `Subscription events/mail | ${file}:8:5`,
      ` | rule eu | a = 1 => SET b = 2 | ${file}:9:7`,
    ]),
  );
});

test('warnings go to stderr and are no part of what a program reads', async () => {
  const odd = join(directory, 'Odd.json');
  writeFileSync(odd, '{ "UserConfig": { "Namespaces": [{ "Topic": [] }] } }');
  const { stdout, stderr, exitCode } = await run({ config: odd }, { isJson: true });
  expect(stderr).toContain(`⚠ ${odd}:1:36  UserConfig.Namespaces[0].Topic is not known and was ignored.`);
  expect(JSON.parse(stdout)).toMatchObject({ queues: [], topics: [] });
  expect(exitCode).toBe(0);
});

test('in Basic the default time to live comes from the tier', async () => {
  const { stdout } = await run({ queue: ['a'], tier: 'basic' });
  expect(stdout).toMatch(/defaultMessageTimeToLive +P14D +Azure's default/);
});

test.each<[Flags, string]>([
  [
    { queue: ['a?requiresSession=true'], tier: 'basic' },
    `✖ JIT2007  requiresSession of queue 'a' is true, and the tier basic does not have it
           It is requested by --queue
           The tier is given by --tier basic
           Leave it out, or take another tier:  --tier standard
`,
  ],
  [
    { queue: ['a?forwardTo=b'], memory: true },
    `✖ JIT2010  forwardTo of queue 'a' is 'b', and there is no such queue or topic; create it first.
           It is requested by --queue
           Forward to another queue or topic, and name that one too
`,
  ],
])('%j is shown with the refusal that a start would meet, and 1', async (flags, refusal) => {
  const { stdout, stderr, exitCode } = await run(flags);
  expect({ stderr, exitCode }).toEqual({ stderr: refusal, exitCode: 1 });
  expect(stdout).toContain('\nQueue a   --queue\n');
});

test('what a data directory may hold is no reason to refuse what is forwarded to it', async () => {
  const flags = { queue: ['a?forwardTo=b'] };
  const { stderr, exitCode } = await run({ ...flags, data: directory });
  expect(stderr).toBe(
    `⚠ forwardTo of queue 'a' is 'b', and there is no such queue or topic; create it first. This does not apply if it is kept in ${directory}, which was not opened.\n`,
  );
  expect(exitCode).toBe(0);
  expect((await run({ ...flags, data: join(directory, 'nowhere') })).exitCode).toBe(1);
});

test('the emulator that tries it out keeps nothing, takes any port, and is stopped', async () => {
  const stopped: string[] = [];
  const { exitCode } = await run(
    { config: file, port: '5672', data: directory },
    {
      startEmulator: async (options) => {
        expect(Object.keys(options).sort()).toEqual(['limits', 'namespaces', 'queues', 'tier', 'topics']);
        const emulator = await startEmulator(options);
        return { ...emulator, stop: () => emulator.stop().then(() => void stopped.push('stopped')) };
      },
    },
  );
  expect({ exitCode, stopped }).toEqual({ exitCode: 0, stopped: ['stopped'] });
});

const HELP_OF_BOTH = 'See:  jitney config --help   and, for the options of a start:  jitney --help';

test.each<Flags>([
  { port: 'x' },
  { queue: ['a b'] },
  { config: '/nowhere/Config.json' },
  { queue: ['orders'], topic: ['Orders'] },
])('%j is reported as a start reports it, and the help of both is named', async (flags) => {
  const told = await run(flags);
  let stderr = '';
  const exitCode = await runStart(flags, {
    version: '1.2.3',
    environment: { HOME: directory },
    stdout: () => {},
    stderr: (text) => {
      stderr += text;
    },
    startEmulator: () => Promise.reject(new Error('It is not to come so far')),
    openImport: () => Promise.reject(new Error('Nothing is to be imported')),
    mountedConfigFile: '/none/Config.json',
    stopRequested: Promise.resolve(''),
    stopOverdue: () => Promise.resolve(),
    elapsedMs: () => 0,
  });
  expect(told).toEqual({ stdout: '', stderr: stderr.replace('See:  jitney --help', HELP_OF_BOTH), exitCode });
  expect(stderr).toMatch(/^✖ JIT\d{4} /);
});
