// Settings: flags, environment variables and defaults, and what is said about bad ones.

import { resolve } from 'node:path';
import { expect, test } from 'vitest';
import { readSettings } from '../../src/config/settings.js';

test('without flags and variables the defaults hold', () => {
  expect(readSettings({}, {})).toEqual({
    host: 'localhost',
    port: 5672,
    httpPort: 5300,
    tls: 'on',
    tlsPort: 5671,
    tlsPortFrom: undefined,
    httpsPort: 'off',
    cert: undefined,
    key: undefined,
    certHosts: [],
    certificateDirectory: undefined,
    userDirectory: undefined,
    auth: 'any',
    tokenEndpoint: 'on',
    control: true,
    allowedOrigins: [],
    allowedHosts: [],
    dataDirectory: resolve('.jitney'),
    reset: false,
    seed: undefined,
    namespaces: [],
    autoCreate: false,
    configFile: undefined,
    configJson: undefined,
    queues: [],
    queuesFrom: undefined,
    topics: [],
    topicsFrom: undefined,
    durability: 'os',
    tier: 'standard',
    tierFrom: undefined,
    limits: 'azure',
    jms: 'azure',
    ui: 'on',
    label: undefined,
    faultProperty: false,
    expirySweep: 'always',
    releaseLocksOnDetach: false,
    watch: false,
    prune: false,
    open: false,
    untilStdinEnds: false,
    expireWholeSession: true,
    idleTimeouts: 'off',
    authorizationTimeoutMs: undefined,
    logLevel: 'info',
    logFormat: 'pretty',
    logFile: undefined,
    logBodies: false,
    warnings: [],
  });
});

const FLAGS = {
  host: '10.0.0.1',
  port: '0',
  httpPort: 'off',
  data: '/tmp/by-flag',
  reset: true,
  seed: 'flag.ndjson',
  namespaces: 'A,auto',
  autoCreate: true,
  config: 'flag.json',
  queue: ['by-flag'],
  topic: ['by-flag/a'],
  durability: 'fsync',
  tier: 'premium',
  limits: 'azure',
  jms: 'azure',
  ui: 'off',
  label: 'by flag',
  faultProperty: true,
  expirySweep: 'always',
  releaseLocksOnDetach: true,
  watch: true,
  prune: true,
  open: false,
  untilStdinEnds: false,
  expireWholeSession: 'true',
  idleTimeouts: 'off',
  authorizationTimeout: 'PT1M',
  tlsPort: '5674',
  httpsPort: '443',
  cert: 'flag.pem',
  key: 'flag-key.pem',
  certHost: ['flag.test'],
  certDirectory: '/keys/by-flag',
  auth: 'any',
  noTokenEndpoint: true,
  noControl: true,
  cors: 'https://flag.test',
  allowHost: 'flag.test',
  logLevel: 'debug',
  logFormat: 'json',
  logFile: 'flag.log',
  logBodies: true,
};
const VARIABLES = {
  JITNEY_HOST: '0.0.0.0',
  JITNEY_PORT: '5673',
  JITNEY_HTTP_PORT: '5301',
  JITNEY_DATA: '/tmp/by-variable',
  JITNEY_RESET: 'yes',
  JITNEY_CONFIG: 'variable.json',
  JITNEY_SEED: 'variable.ndjson',
  JITNEY_WATCH: 'yes',
  JITNEY_PRUNE: 'yes',
  JITNEY_NAMESPACES: 'tests-1, Tests_2',
  JITNEY_AUTO_CREATE: 'true',
  JITNEY_QUEUES: 'orders, billing?lockDuration=PT5S,',
  JITNEY_TOPICS: 'events/audit+mail, news',
  JITNEY_DURABILITY: 'fsync',
  JITNEY_TIER: 'basic',
  JITNEY_LIMITS: 'None',
  JITNEY_JMS: 'All',
  JITNEY_UI: 'Read-Only',
  JITNEY_LABEL: 'by variable',
  JITNEY_FAULT_PROPERTY: 'yes',
  JITNEY_EXPIRY_SWEEP: 'whenlistening',
  JITNEY_RELEASE_LOCKS_ON_DETACH: 'yes',
  JITNEY_EXPIRE_WHOLE_SESSION: 'FALSE',
  JITNEY_IDLE_TIMEOUTS: 'Azure',
  JITNEY_AUTHORIZATION_TIMEOUT: '30',
  JITNEY_TLS_PORT: '5675',
  JITNEY_HTTPS_PORT: '8443',
  JITNEY_CERT: 'variable.pem',
  JITNEY_KEY: 'variable-key.pem',
  JITNEY_CERT_HOSTS: 'A.test, *.b.test, ::1',
  JITNEY_CERT_DIRECTORY: '/keys/by-variable',
  JITNEY_AUTH: 'Strict',
  JITNEY_NO_TOKEN_ENDPOINT: 'yes',
  JITNEY_NO_CONTROL: '1',
  JITNEY_CORS: 'https://A.test:8080/, null',
  JITNEY_ALLOW_HOSTS: 'A.test,*.b.test',
  JITNEY_LOG_LEVEL: 'WARN',
  JITNEY_LOG_FORMAT: 'JSON',
  JITNEY_LOG_FILE: 'variable.log',
  JITNEY_LOG_BODIES: '1',
};

test('every setting can be given by a variable', () => {
  expect(readSettings({}, VARIABLES)).toEqual({
    host: '0.0.0.0',
    port: 5673,
    httpPort: 5301,
    dataDirectory: resolve('/tmp/by-variable'),
    reset: true,
    seed: 'variable.ndjson',
    namespaces: ['tests-1', 'tests_2'],
    autoCreate: true,
    configFile: 'variable.json',
    queues: ['orders', 'billing?lockDuration=PT5S'],
    queuesFrom: 'JITNEY_QUEUES',
    topics: ['events/audit+mail', 'news'],
    topicsFrom: 'JITNEY_TOPICS',
    durability: 'fsync',
    tier: 'basic',
    tierFrom: 'JITNEY_TIER',
    limits: 'none',
    jms: 'all',
    ui: 'read-only',
    label: 'by variable',
    faultProperty: true,
    expirySweep: 'whenListening',
    releaseLocksOnDetach: true,
    watch: true,
    prune: true,
    open: false,
    untilStdinEnds: false,
    expireWholeSession: false,
    idleTimeouts: 'azure',
    authorizationTimeoutMs: 30_000,
    tls: 'on',
    tlsPort: 5675,
    tlsPortFrom: 'JITNEY_TLS_PORT',
    httpsPort: 8443,
    cert: 'variable.pem',
    key: 'variable-key.pem',
    certHosts: ['a.test', '*.b.test', '::1'],
    certificateDirectory: resolve('/keys/by-variable'),
    userDirectory: undefined,
    auth: 'strict',
    tokenEndpoint: 'off',
    control: false,
    allowedOrigins: ['https://a.test:8080', 'null'],
    allowedHosts: ['a.test', '*.b.test'],
    logLevel: 'warn',
    logFormat: 'json',
    logFile: 'variable.log',
    logBodies: true,
    warnings: [],
  });
});

test('a flag wins over its variable', () => {
  expect(readSettings(FLAGS, VARIABLES)).toEqual({
    host: '10.0.0.1',
    port: 0,
    httpPort: 'off',
    dataDirectory: resolve('/tmp/by-flag'),
    reset: true,
    seed: 'flag.ndjson',
    namespaces: ['a', 'auto'],
    autoCreate: true,
    configFile: 'flag.json',
    queues: ['by-flag'],
    queuesFrom: '--queue',
    topics: ['by-flag/a'],
    topicsFrom: '--topic',
    durability: 'fsync',
    tier: 'premium',
    tierFrom: '--tier',
    limits: 'azure',
    jms: 'azure',
    ui: 'off',
    label: 'by flag',
    faultProperty: true,
    expirySweep: 'always',
    releaseLocksOnDetach: true,
    watch: true,
    prune: true,
    open: false,
    untilStdinEnds: false,
    expireWholeSession: true,
    idleTimeouts: 'off',
    authorizationTimeoutMs: 60_000,
    tls: 'on',
    tlsPort: 5674,
    tlsPortFrom: '--tls-port',
    httpsPort: 443,
    cert: 'flag.pem',
    key: 'flag-key.pem',
    certHosts: ['flag.test'],
    certificateDirectory: resolve('/keys/by-flag'),
    userDirectory: undefined,
    auth: 'any',
    tokenEndpoint: 'off',
    control: false,
    allowedOrigins: ['https://flag.test'],
    allowedHosts: ['flag.test'],
    logLevel: 'debug',
    logFormat: 'json',
    logFile: 'flag.log',
    logBodies: true,
    warnings: [],
  });
});

test('an empty variable counts as not given', () => {
  expect(readSettings({}, { JITNEY_PORT: '', JITNEY_DATA: '' })).toEqual(readSettings({}, {}));
});

test('the HTTP port can be given by the variable of the official image', () => {
  expect(readSettings({}, { EMULATOR_HTTP_PORT: '8080' }).httpPort).toBe(8080);
  expect(readSettings({}, { EMULATOR_HTTP_PORT: '8080', JITNEY_HTTP_PORT: '8081' }).httpPort).toBe(8081);
});

test('the other variables of the official image are accepted in silence', () => {
  const official = { ACCEPT_EULA: 'N', SQL_SERVER: 'mssql', MSSQL_SA_PASSWORD: 'x', SQL_WAIT_INTERVAL: '0' };
  expect(readSettings({}, official)).toEqual(readSettings({}, {}));
});

test.each([
  ['--memory', { memory: true }, {}, undefined],
  ['JITNEY_MEMORY=1', {}, { JITNEY_MEMORY: '1' }, undefined],
  ['JITNEY_MEMORY=false', {}, { JITNEY_MEMORY: 'false' }, resolve('.jitney')],
  ['--memory over JITNEY_DATA', { memory: true }, { JITNEY_DATA: '/tmp/a' }, undefined],
  ['--data over JITNEY_MEMORY', { data: '/tmp/a' }, { JITNEY_MEMORY: '1' }, resolve('/tmp/a')],
  ['JITNEY_DATA over JITNEY_MEMORY', {}, { JITNEY_DATA: '/tmp/a', JITNEY_MEMORY: '1' }, resolve('/tmp/a')],
])('%s decides where the data is kept', (_, flags, environment, dataDirectory) => {
  expect(readSettings(flags, environment).dataDirectory).toBe(dataDirectory);
});

test.each([
  ['--release-locks-on-detach', { releaseLocksOnDetach: true }, {}, true],
  ['JITNEY_RELEASE_LOCKS_ON_DETACH=1', {}, { JITNEY_RELEASE_LOCKS_ON_DETACH: '1' }, true],
  ['JITNEY_RELEASE_LOCKS_ON_DETACH=no', {}, { JITNEY_RELEASE_LOCKS_ON_DETACH: 'no' }, false],
  ['JITNEY_RELEASE_LOCKS_ON_DETACH=', {}, { JITNEY_RELEASE_LOCKS_ON_DETACH: '' }, false],
  [
    'the flag over JITNEY_RELEASE_LOCKS_ON_DETACH=no',
    { releaseLocksOnDetach: true },
    { JITNEY_RELEASE_LOCKS_ON_DETACH: 'no' },
    true,
  ],
])('%s decides whether a receiver that goes gives its messages back', (_, flags, environment, expected) => {
  expect(readSettings(flags, environment).releaseLocksOnDetach).toBe(expected);
});

test.each([
  ['--expire-whole-session false', { expireWholeSession: 'false' }, {}, false],
  ['--expire-whole-session True', { expireWholeSession: 'True' }, {}, true],
  ['JITNEY_EXPIRE_WHOLE_SESSION=False', {}, { JITNEY_EXPIRE_WHOLE_SESSION: 'False' }, false],
  ['JITNEY_EXPIRE_WHOLE_SESSION=', {}, { JITNEY_EXPIRE_WHOLE_SESSION: '' }, true],
  [
    'the flag over JITNEY_EXPIRE_WHOLE_SESSION=false',
    { expireWholeSession: 'true' },
    { JITNEY_EXPIRE_WHOLE_SESSION: 'false' },
    true,
  ],
])('%s decides whether an expired message takes its session along', (_, flags, environment, expected) => {
  expect(readSettings(flags, environment).expireWholeSession).toBe(expected);
});

test.each([
  ['PREMIUM', 'NONE', 'WhenListening', 'AZURE'],
  ['premium', 'none', 'WHENLISTENING', 'azure'],
])(
  'words are read in any case: --tier %s --limits %s --expiry-sweep %s --idle-timeouts %s',
  (tier, limits, expirySweep, idleTimeouts) => {
    expect(readSettings({ tier, limits, expirySweep, idleTimeouts }, {})).toMatchObject({
      tier: 'premium',
      limits: 'none',
      expirySweep: 'whenListening',
      idleTimeouts: 'azure',
    });
  },
);

test.each([
  ['PT20S', 20_000],
  ['00:00:20', 20_000],
  ['20', 20_000],
  ['1.5', 1500],
  ['off', 'off'],
  ['OFF', 'off'],
  ['P10675199DT2H48M5.4775807S', 'off'],
])('--authorization-timeout %s is %s, in milliseconds', (authorizationTimeout, expected) => {
  expect(readSettings({ authorizationTimeout }, {}).authorizationTimeoutMs).toBe(expected);
});

test('--data and --memory together are refused', () => {
  expect(() => readSettings({ data: 'a', memory: true }, {})).toThrow(
    '--data keeps the messages and --memory does not: give one of them',
  );
});

test('one number for two ports is refused, unless both are any free one', () => {
  expect(() => readSettings({ port: '5300' }, {})).toThrow(
    '--port and --http-port must differ, and both are 5300',
  );
  expect(() => readSettings({ tlsPort: '5300' }, {})).toThrow(
    '--http-port and --tls-port must differ, and both are 5300',
  );
  expect(readSettings({ port: '0', httpPort: '0' }, {})).toMatchObject({ port: 0, httpPort: 0 });
});

test.each([
  [{ port: 'abc' }, '--port must be a port number from 0 (any free one) to 65535, not "abc"'],
  [{ port: '65536' }, '--port must be a port number from 0 (any free one) to 65535, not "65536"'],
  [{ port: '-1' }, '--port must be a port number from 0 (any free one) to 65535, not "-1"'],
  [{ httpPort: 'none' }, '--http-port must be a port number from 0 (any free one) to 65535, not "none"'],
  [{ durability: 'disk' }, '--durability must be one of os, fsync, not "disk"'],
  [{ tier: 'gold' }, '--tier must be one of basic, standard, premium, not "gold"'],
  [{ limits: 'no' }, '--limits must be one of azure, none, not "no"'],
  [{ expirySweep: 'never' }, '--expiry-sweep must be one of always, whenListening, not "never"'],
  [{ expireWholeSession: 'no' }, '--expire-whole-session must be true or false, not "no"'],
  [{ expireWholeSession: '0' }, '--expire-whole-session must be true or false, not "0"'],
  [{ expireWholeSession: '--queue' }, '--expire-whole-session must be true or false, not "--queue"'],
  [{ host: '--port' }, '--host must be an address, not "--port"'],
  [{ data: '--memory' }, '--data must be a directory, not "--memory"'],
  [{ config: '-q' }, '--config must be a file, not "-q"'],
  [{ idleTimeouts: 'on' }, '--idle-timeouts must be one of off, azure, not "on"'],
  [
    { authorizationTimeout: 'soon' },
    '--authorization-timeout must be a duration such as PT20S, a number of seconds, or off, not "soon"',
  ],
  [
    { authorizationTimeout: '-5' },
    '--authorization-timeout must be a duration such as PT20S, a number of seconds, or off, not "-5"',
  ],
  [{ authorizationTimeout: '0' }, '--authorization-timeout must be more than 0, or off, not "0"'],
  [{ authorizationTimeout: 'PT0S' }, '--authorization-timeout must be more than 0, or off, not "PT0S"'],
  [{ logLevel: 'loud' }, '--log-level must be one of trace, debug, info, warn, error, silent, not "loud"'],
])('the flag in %j is refused by its name', (flags, message) => {
  expect(() => readSettings(flags, {})).toThrow(expect.objectContaining({ kind: 'bad-option', message }));
});

test.each([
  [{ JITNEY_PORT: 'abc' }, 'JITNEY_PORT must be a port number from 0 (any free one) to 65535, not "abc"'],
  [
    { EMULATOR_HTTP_PORT: 'x' },
    'EMULATOR_HTTP_PORT must be a port number from 0 (any free one) to 65535, not "x"',
  ],
  [{ JITNEY_MEMORY: 'maybe' }, 'JITNEY_MEMORY must be true or false, not "maybe"'],
  [{ JITNEY_DURABILITY: 'disk' }, 'JITNEY_DURABILITY must be one of os, fsync, not "disk"'],
  [{ JITNEY_TIER: 'gold' }, 'JITNEY_TIER must be one of basic, standard, premium, not "gold"'],
  [{ JITNEY_LIMITS: 'no' }, 'JITNEY_LIMITS must be one of azure, none, not "no"'],
  [{ JITNEY_EXPIRY_SWEEP: 'never' }, 'JITNEY_EXPIRY_SWEEP must be one of always, whenListening, not "never"'],
  [
    { JITNEY_RELEASE_LOCKS_ON_DETACH: 'maybe' },
    'JITNEY_RELEASE_LOCKS_ON_DETACH must be true or false, not "maybe"',
  ],
  [{ JITNEY_EXPIRE_WHOLE_SESSION: 'no' }, 'JITNEY_EXPIRE_WHOLE_SESSION must be true or false, not "no"'],
  [{ JITNEY_IDLE_TIMEOUTS: 'on' }, 'JITNEY_IDLE_TIMEOUTS must be one of off, azure, not "on"'],
  [
    { JITNEY_AUTHORIZATION_TIMEOUT: 'soon' },
    'JITNEY_AUTHORIZATION_TIMEOUT must be a duration such as PT20S, a number of seconds, or off, not "soon"',
  ],
  [
    { JITNEY_AUTHORIZATION_TIMEOUT: '0' },
    'JITNEY_AUTHORIZATION_TIMEOUT must be more than 0, or off, not "0"',
  ],
  [
    { JITNEY_LOG_LEVEL: 'loud' },
    'JITNEY_LOG_LEVEL must be one of trace, debug, info, warn, error, silent, not "loud"',
  ],
])('the variable in %j is refused by its name', (environment, message) => {
  expect(() => readSettings({}, environment)).toThrow(
    expect.objectContaining({ kind: 'bad-variable', message }),
  );
});

test('a misspelt variable is warned about', () => {
  expect(readSettings({}, { JITNEY_QUEUE: 'orders' }).warnings).toEqual([
    "The variable JITNEY_QUEUE is not known and does nothing. Did you mean 'JITNEY_QUEUES'?",
  ]);
});

test.each(['host', 'data', 'config', 'port', 'limits'] as const)(
  'an empty --%s is refused, whatever it would mean to the system',
  (setting) => {
    expect(() => readSettings({ [setting]: '' }, {})).toThrow(
      new RegExp(`^--${setting} is empty: give it a value or leave it out$`),
    );
  },
);

test.each([
  [{ JITNEY_CONFIG_JSON: '{}' }, { name: 'JITNEY_CONFIG_JSON', text: '{}' }],
  [{ CONFIG_JSON: '{}' }, { name: 'CONFIG_JSON', text: '{}' }],
  [
    { CONFIG_JSON: '1', JITNEY_CONFIG_JSON: '2' },
    { name: 'JITNEY_CONFIG_JSON', text: '2' },
  ],
  [
    { CONFIG_JSON: '1', JITNEY_CONFIG_JSON: '', JITNEY_CONFIG: '' },
    { name: 'CONFIG_JSON', text: '1' },
  ],
])('with %j the whole config is %j', (environment, expected) => {
  expect(readSettings({}, environment)).toMatchObject({ configJson: expected, configFile: undefined });
  expect(readSettings({}, environment).warnings).toEqual([]);
});

test('a file named by a flag wins over a config in a variable', () => {
  const environment = { JITNEY_CONFIG_JSON: '{}', CONFIG_JSON: '{}' };
  expect(readSettings({ config: 'a.json' }, environment)).toMatchObject({
    configFile: 'a.json',
    configJson: undefined,
    warnings: [],
  });
});

test('a file and a config, both given by our own variables, are refused', () => {
  expect(() => readSettings({}, { JITNEY_CONFIG: 'a.json', JITNEY_CONFIG_JSON: '{}' })).toThrow(
    expect.objectContaining({
      kind: 'bad-variable',
      message: 'JITNEY_CONFIG names a config file and JITNEY_CONFIG_JSON holds a config: give one of them',
    }),
  );
});

test('CONFIG_JSON, which may be there for another program, gives way to a file with a warning', () => {
  const settings = readSettings({}, { JITNEY_CONFIG: 'a.json', CONFIG_JSON: '{}' });
  expect(settings).toMatchObject({ configFile: 'a.json', configJson: undefined });
  expect(settings.warnings).toEqual(['The variable CONFIG_JSON is not used, because JITNEY_CONFIG is set.']);
});

test('with port 0 the second port is a free one too, unless it is named', () => {
  expect(readSettings({ port: '0' }, {})).toMatchObject({ port: 0, httpPort: 0, tlsPort: 'off' });
  expect(readSettings({ port: '0', httpPort: 'off' }, {}).httpPort).toBe('off');
  expect(readSettings({}, { JITNEY_PORT: '0', EMULATOR_HTTP_PORT: '5301' }).httpPort).toBe(5301);
});
