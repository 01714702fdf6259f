// Where a command looks for the running emulator, and with which key.

import { expect, test } from 'vitest';
import { type AddressFlags, findEmulator } from '../../../src/cli/control/emulator-address.js';
import type { Environment } from '../../../src/config/environment.js';
import { readSettings } from '../../../src/config/settings.js';

const ROOT = { keyName: 'RootManageSharedAccessKey', key: 'SAS_KEY_VALUE' };
const KEY = 'SharedAccessKeyName=Boss;SharedAccessKey=a+b/c==';
const LOCAL = `Endpoint=sb://127.0.0.1:5700;${KEY};UseDevelopmentEmulator=true;`;
const AZURE = `Endpoint=sb://mine.servicebus.windows.net/;${KEY}`;
const VARIABLE = 'SERVICEBUS_CONNECTION_STRING';

function find(flags: AddressFlags, environment: Environment = {}) {
  return findEmulator(readSettings(flags, environment), flags, environment);
}

test.each<[string, AddressFlags, Environment, object]>([
  ['nothing', {}, {}, { host: 'localhost', port: 5672, access: ROOT, from: undefined }],
  ['a port', { port: '1' }, { JITNEY_PORT: '2', [VARIABLE]: AZURE }, { port: 1, from: '--port' }],
  [
    'a host',
    { host: '::1' },
    { [VARIABLE]: AZURE, JITNEY_POLICIES: 'boss=Manage:its-key' },
    { host: '[::1]', port: 5672, access: { keyName: 'boss', key: 'its-key' } },
  ],
  [
    'a connection string',
    { connectionString: LOCAL },
    { JITNEY_PORT: '2', [VARIABLE]: AZURE },
    {
      host: '127.0.0.1',
      port: 5700,
      access: { keyName: 'Boss', key: 'a+b/c==' },
      from: '--connection-string',
    },
  ],
  ['a variable of the port', {}, { JITNEY_PORT: '2', [VARIABLE]: AZURE }, { port: 2, from: 'JITNEY_PORT' }],
  ['a variable of the connection string', {}, { [VARIABLE]: LOCAL }, { port: 5700, from: VARIABLE }],
  ['an empty variable', {}, { [VARIABLE]: '' }, { port: 5672, from: undefined }],
  ['the host of a container', {}, { JITNEY_HOST: '0.0.0.0' }, { host: 'localhost', port: 5672 }],
])('%s says where it is', (_, flags, environment, expected) => {
  expect(find(flags, environment)).toMatchObject({ isTls: false, ...expected });
});

test.each([
  [`Endpoint=sb://bus.example:5700;${KEY}`, { isTls: true, host: 'bus.example', port: 5700 }],
  [`Endpoint=sb://bus.example/;${KEY}`, { isTls: true, port: 5671 }],
  [
    `endpoint = sb://[::1]:1 ; usedevelopmentemulator = TRUE ;${KEY}`,
    { isTls: false, host: '[::1]', port: 1 },
  ],
  [`${AZURE};UseDevelopmentEmulator=true`, { isTls: false, port: 5672 }],
  [
    'Endpoint=sb://bus;SharedAccessSignature=SharedAccessSignature sr=x&sig=y',
    { access: { signature: 'SharedAccessSignature sr=x&sig=y' } },
  ],
])('%s is read as SDKs read it', (connectionString, expected) => {
  expect(find({ connectionString })).toMatchObject(expected);
});

test.each([
  [
    { connectionString: AZURE },
    {},
    /^--connection-string names 'mine.servicebus.windows.net' of Azure, .* --port/,
    'bad-option',
  ],
  [{}, { [VARIABLE]: AZURE }, /^SERVICEBUS_CONNECTION_STRING names 'mine/, 'bad-variable'],
  [{ connectionString: 'secret' }, {}, /^--connection-string must have an Endpoint=/, 'bad-option'],
  [{ connectionString: `Endpoint=localhost:5672;${KEY}` }, {}, /must have an Endpoint=/, 'bad-option'],
  [
    { connectionString: 'Endpoint=sb://bus;SharedAccessKey=secret' },
    {},
    /must have SharedAccessKeyName and SharedAccessKey/,
    'bad-option',
  ],
  [{ connectionString: LOCAL, port: '1' }, {}, /--connection-string and --port both say/, 'bad-option'],
  [{ port: '0' }, {}, /--port 0 takes a port that only the running emulator knows/, 'bad-option'],
] as const)('%j with %j is refused', (flags, environment, message, kind) => {
  const attempt = () => find(flags, environment);
  expect(attempt).toThrow(expect.objectContaining({ message: expect.stringMatching(message), kind }));
  expect(attempt).not.toThrow(/secret|a\+b/);
});
