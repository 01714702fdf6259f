// Options of startEmulator, given by JavaScript that knows no types.

import { expect, test } from 'vitest';
import { checkOptions } from '../../src/config/options/option-check.js';
import { startEmulator } from '../../src/emulator.js';

test.each([
  {},
  { port: 0, httpPort: 65_535, tier: 'premium', durability: 'fsync' },
  { httpPort: 'off', configJson: '{}' },
  {
    limits: 'none',
    expirySweep: 'whenListening',
    releaseLocksOnDetach: false,
    expireWholeSession: false,
    idleTimeouts: 'azure',
    authorizationTimeoutMs: 1,
  },
  { authorizationTimeoutMs: 'off', contentBudgetBytes: 0 },
  { contentBudgetBytes: 1_000_000 },
  { tlsPort: 'ifFree', httpsPort: 443, tls: 'on', cert: 'a.pem', key: 'b.pem', certHosts: ['a.test', '::1'] },
  { certificateDirectory: 'keys', allowedOrigins: ['*', 'https://a.test'], allowedHosts: ['*.a.test'] },
  { auth: 'strict', policies: [{ keyName: 'sender', rights: ['Send'], primaryKey: 'k' }] },
] as const)('%j is good', (options) => {
  expect(() => checkOptions(options)).not.toThrow();
});

test.each<[Readonly<Record<string, unknown>>, string]>([
  [{ port: 70_000 }, 'port must be a port number from 0 (any free one) to 65535, not 70000'],
  [{ port: '5672' }, 'port must be a port number from 0 (any free one) to 65535, not "5672"'],
  [{ port: 'off' }, 'port must be a port number from 0 (any free one) to 65535, not "off"'],
  [{ httpPort: -1 }, "httpPort must be a port number or 'off', not -1"],
  [{ tier: 'gold' }, 'tier must be one of basic, standard, premium, not "gold"'],
  [{ durability: true }, 'durability must be one of os, fsync, not true'],
  [{ queues: 'orders' }, 'queues must be an array of queue specs or objects, not "orders"'],
  [{ topics: 'events' }, 'topics must be an array of topic specs or objects, not "events"'],
  [{ configJson: { UserConfig: {} } }, 'configJson must be the text of a Config.json, not {"UserConfig":{}}'],
  [{ queue: ['orders'] }, "there is no option 'queue'. Did you mean 'queues'?"],
  [{ data: './bus' }, "there is no option 'data'. Did you mean 'dataDirectory'?"],
  [{ config: 'Config.json' }, "there is no option 'config'. Did you mean 'configFile'?"],
  [{ 'auto-create': true }, "there is no option 'auto-create'. Did you mean 'autoCreate'?"],
  [
    { memory: true },
    "there is no option 'memory'. Leave it out: without dataDirectory, everything is in memory.",
  ],
  [{ watch: true }, "there is no option 'watch'. Only the command line has it: leave it out."],
  [{ constructor: 1 }, "there is no option 'constructor'."],
  [{ limits: 'None' }, 'limits must be one of azure, none, not "None"'],
  [{ expirySweep: 'never' }, 'expirySweep must be one of always, whenListening, not "never"'],
  [{ reset: 'yes' }, 'reset must be true or false, not "yes"'],
  [{ releaseLocksOnDetach: 'yes' }, 'releaseLocksOnDetach must be true or false, not "yes"'],
  [{ expireWholeSession: 'false' }, 'expireWholeSession must be true or false, not "false"'],
  [{ idleTimeouts: true }, 'idleTimeouts must be one of off, azure, not true'],
  [
    { authorizationTimeoutMs: 0 },
    "authorizationTimeoutMs must be a whole number of milliseconds above 0, or 'off', not 0",
  ],
  [
    { authorizationTimeoutMs: Number.POSITIVE_INFINITY },
    "authorizationTimeoutMs must be a whole number of milliseconds above 0, or 'off', not Infinity",
  ],
  [
    { authorizationTimeoutMs: 'PT20S' },
    'authorizationTimeoutMs must be a whole number of milliseconds above 0, or \'off\', not "PT20S"',
  ],
  [{ tlsPort: 'on' }, `tlsPort must be a port number, 'ifFree' or 'off', not "on"`],
  [{ control: 'off' }, 'control must be true or false, not "off"'],
  [{ tokenEndpoint: false }, 'tokenEndpoint must be one of on, off, not false'],
  [{ httpsPort: 'ifFree' }, `httpsPort must be a port number or 'off', not "ifFree"`],
  [{ tls: false }, 'tls must be one of on, off, not false'],
  [{ auth: 'none' }, 'auth must be one of any, strict, not "none"'],
  [{ cert: 'a.pem' }, 'cert is of no use without key: give both or none'],
  [{ key: 'a.pem' }, 'key is of no use without cert: give both or none'],
  [{ cert: 1, key: 'a' }, 'cert must be the path of a PEM file, not 1'],
  [{ certificateDirectory: '' }, 'certificateDirectory must be the path of a directory, not ""'],
  [{ certHosts: 'a.test' }, 'certHosts must be an array of texts, not "a.test"'],
  [
    { allowedHosts: ['a.test:1'] },
    'each of allowedHosts must be a host name or an IP address without a port, not "a.test:1"',
  ],
  [
    { allowedOrigins: ['a.test'] },
    'each of allowedOrigins must be an origin such as https://app.example.com, or *, not "a.test"',
  ],
  [{ policies: {} }, 'policies must be an array of policies, not {}'],
  [
    { policies: [{ keyName: 'a', rights: ['Send'] }] },
    "each of policies must have a keyName, a primaryKey and rights, such as ['Send']",
  ],
  [
    { policies: [{ keyName: 'a', primaryKey: 'k', rights: ['Read'] }] },
    `a right of policy 'a' must be one of Manage, Send, Listen, not "Read"`,
  ],
  [
    { policies: [{ keyName: 'a', primaryKey: 'k', rights: ['Manage'] }] },
    "policies has an authorization rule 'a' with Manage alone; it needs Send and Listen as well",
  ],
  [{ contentBudgetBytes: '1MB' }, 'contentBudgetBytes must be a whole number of bytes, not "1MB"'],
  [{ contentBudgetBytes: -1 }, 'contentBudgetBytes must be a whole number of bytes, not -1'],
  [{ contentBudgetBytes: 0.5 }, 'contentBudgetBytes must be a whole number of bytes, not 0.5'],
  [{ host: 5 }, 'host must be a host name or an IP address, not 5'],
  [{ dataDirectory: 5 }, 'dataDirectory must be the path of a directory, not 5'],
  [{ configFile: 5 }, 'configFile must be the path of a Config.json, not 5'],
  [{ log: true }, 'log must be a function of (level, text, details), not true'],
])('%j is refused with a word on what it may be', (options, message) => {
  expect(() => checkOptions(options)).toThrow(
    expect.objectContaining({ name: 'JitneyError', kind: 'bad-option', message }),
  );
});

test.each<[unknown, string]>([
  ['orders', '"orders"'],
  [['orders'], '["orders"]'],
  [null, 'null'],
])('%j in place of the options is refused', async (given, seen) => {
  const message = `the argument of startEmulator must be an object such as { queues: ['orders'] }, not ${seen}`;
  await expect(startEmulator(given as object)).rejects.toMatchObject({ code: 'JIT1001', message });
});
