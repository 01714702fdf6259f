// Settings of TLS: which ports it has of its own, where certificates are kept, and what does not go together.

import { join, normalize, resolve } from 'node:path';
import { expect, test } from 'vitest';
import type { Environment, Flags } from '../../src/config/environment.js';
import { certificateOptions } from '../../src/config/part-options.js';
import { readSettings } from '../../src/config/settings.js';
import { JitneyError } from '../../src/jitney-error.js';

function read(flags: Flags, environment: Environment = {}, platform: NodeJS.Platform = 'linux') {
  return readSettings(flags, environment, platform);
}

test.each<[Flags, Environment, number | 'off', string | undefined]>([
  [{}, {}, 5671, undefined],
  [{ port: '5673' }, {}, 'off', undefined],
  [{ port: '5673', tlsPort: '5671' }, {}, 5671, '--tls-port'],
  [{}, { JITNEY_TLS_PORT: 'off' }, 'off', 'JITNEY_TLS_PORT'],
  [{ noTls: true }, {}, 'off', undefined],
])('with %j and %j the port of AMQP over TLS is %s, asked for by %s', (flags, environment, port, from) => {
  expect(read(flags, environment)).toMatchObject({ tlsPort: port });
  expect(read(flags, environment).tlsPortFrom).toBe(from);
});

test.each<[string, Environment, NodeJS.Platform, string | undefined]>([
  ['in the home', { HOME: '/home/me' }, 'linux', '/home/me/.config/jitney'],
  ['in XDG_CONFIG_HOME', { HOME: '/home/me', XDG_CONFIG_HOME: '/c' }, 'linux', '/c/jitney'],
  ['not in a relative XDG_CONFIG_HOME', { HOME: '/me', XDG_CONFIG_HOME: 'c' }, 'linux', '/me/.config/jitney'],
  ['in the library of macOS', { HOME: '/me' }, 'darwin', '/me/Library/Application Support/jitney'],
  ['in LOCALAPPDATA of Windows', { HOME: '/me', LOCALAPPDATA: '/local' }, 'win32', '/local/jitney'],
  ['nowhere, when there is no home', {}, 'linux', undefined],
  ['nowhere, when the home is empty', { HOME: '' }, 'darwin', undefined],
])("the user's own folder is %s", (_, environment, platform, expected) => {
  expect(read({}, environment, platform).userDirectory).toBe(expected && normalize(expected));
});

test('a directory for certificates is named by a flag or a variable', () => {
  expect(read({ certDirectory: 'keys' }).certificateDirectory).toBe(resolve('keys'));
  expect(read({}, { JITNEY_CERT_DIRECTORY: '/keys' }).certificateDirectory).toBe(resolve('/keys'));
  expect(read({}, { HOME: '/me' }).certificateDirectory).toBeUndefined();
});

test.each<[Flags, Environment, string]>([
  [{ cert: 'a.pem' }, {}, '--cert is of no use without --key'],
  [{ key: 'a.pem' }, {}, '--key is of no use without --cert'],
  [{}, { JITNEY_CERT: 'a.pem' }, 'JITNEY_CERT is of no use without --key'],
  [
    { noTls: true, httpsPort: '443' },
    {},
    '--https-port asks for TLS and --no-tls for none: give one of them',
  ],
  [{ tlsPort: '1' }, { JITNEY_NO_TLS: '1' }, '--tls-port asks for TLS and JITNEY_NO_TLS for none'],
  [{ noTls: true, cert: 'a', key: 'b' }, {}, '--cert asks for TLS and --no-tls for none'],
])('%j with %j is refused: %s', (flags, environment, message) => {
  expect(() => read(flags, environment)).toThrow(JitneyError);
  expect(() => read(flags, environment)).toThrow(message);
});

test.each([
  [{ tlsPort: 'x' }, '--tls-port must be a port number from 0 (any free one) to 65535, not "x"'],
  [{ httpsPort: 'https' }, '--https-port must be a port number from 0 (any free one) to 65535, not "https"'],
  [{ auth: 'loose' }, '--auth must be one of any, strict, not "loose"'],
  [
    { certHost: ['a.test', 'https://b.test'] },
    '--cert-host must be a host name or an IP address, with a port or without, not "https://b.test"',
  ],
  [
    { certHost: ['b.test:65536'] },
    '--cert-host must be a host name or an IP address, with a port or without, not "b.test:65536"',
  ],
  [
    { allowHost: 'http://a.test' },
    '--allow-host must be a host name or an IP address without a port, not "http://a.test"',
  ],
  ...['a.test:5672', 'cafe:5672', '10.0.0.5:5672'].map((allowHost): [Flags, string] => [
    { allowHost },
    `--allow-host must be a host name or an IP address without a port, not "${allowHost}"`,
  ]),
  [{ cors: 'a.test' }, '--cors must be an origin such as https://app.example.com, or *, not "a.test"'],
  [
    { cors: 'https://a.test/page' },
    '--cors must be an origin such as https://app.example.com, or *, not "https://a.test/page"',
  ],
  [{ cert: '--key' }, '--cert must be a file, not "--key"'],
])('the flag in %j is refused by its name', (flags, message) => {
  expect(() => readSettings(flags, {})).toThrow(expect.objectContaining({ kind: 'bad-option', message }));
});

test('a name for the certificate may have a port', () => {
  const certHost = ['B.test:5671', 'b.test', '*.b.test', '::1', '[::1]:5671'];
  expect(read({ certHost }).certHosts).toEqual(['b.test:5671', 'b.test', '*.b.test', '::1', '[::1]:5671']);
});

test('without TLS its ports may be said to be off', () => {
  expect(read({ noTls: true, tlsPort: 'off', httpsPort: 'off' })).toMatchObject({ tls: 'off' });
});

test('a certificate file may be named by a flag and its key by a variable', () => {
  expect(read({ cert: 'a.pem' }, { JITNEY_KEY: 'b.pem' })).toMatchObject({ cert: 'a.pem', key: 'b.pem' });
});

test('the certificate is made for the address that is listened on, and kept beside the data', () => {
  expect(certificateOptions({ host: '192.168.0.7', certHosts: ['a.test'], dataDirectory: '/data' })).toEqual({
    hosts: ['192.168.0.7', 'a.test'],
    directory: join('/data', 'certificates'),
    given: undefined,
  });
});

test('a certificate in a directory of its own, and one that is given, are told as such', () => {
  const options = { certificateDirectory: '/keys', dataDirectory: '/data', cert: 'a.pem', key: 'b.pem' };
  expect(certificateOptions(options)).toEqual({
    hosts: [],
    directory: '/keys',
    given: { cert: 'a.pem', key: 'b.pem' },
  });
});

test('a certificate of an emulator that keeps nothing is kept nowhere', () => {
  expect(certificateOptions({}).directory).toBeUndefined();
});
