// `jitney env` in process: which variables there are, and what they say of the options.

import { X509Certificate } from 'node:crypto';
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { AskRunning } from '../../../src/cli/control/running-authority.js';
import { runCerts } from '../../../src/cli/files/certs-command.js';
import type { Credential } from '../../../src/cli/files/client-variables.js';
import { runEnv } from '../../../src/cli/files/env-command.js';
import { formatConnectionString } from '../../../src/config/connection-string.js';
import type { Environment, Flags } from '../../../src/config/environment.js';
import { openCertificates } from '../../../src/security/certificates.js';

let directory: string;
/** The user's. */
let home: string;
let userDirectory: string;

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'jitney-env-'));
  home = join(directory, 'home');
  userDirectory = join(
    home,
    process.platform === 'darwin' ? 'Library/Application Support' : '.config',
    'jitney',
  );
});
afterEach(() => rmSync(directory, { recursive: true }));

type Runner = (streams: {
  readonly environment: Environment;
  readonly askRunning: AskRunning;
  readonly stdout: (text: string) => void;
  readonly stderr: (text: string) => void;
}) => Promise<number>;

/** As a test was told to find it: no emulator of this machine is asked. */
let askRunning: AskRunning;
const NOBODY: AskRunning = async () => ({ kind: 'none', why: 'nothing answers' });
const WARNING =
  '⚠ This is the certificate that a start with these options would use, because no emulator answers: nothing answers\n';

beforeEach(() => {
  askRunning = NOBODY;
});

/** Of a user of this system, Windows too. */
const ownHome = (): Environment => ({ HOME: home, LOCALAPPDATA: dirname(userDirectory) });

async function run(runner: Runner, environment = ownHome()) {
  let stdout = '';
  let stderr = '';
  const exitCode = await runner({
    environment,
    askRunning: (settings) => askRunning(settings),
    stdout: (text) => {
      stdout += text;
    },
    stderr: (text) => {
      stderr += text;
    },
  });
  return { exitCode, stdout, stderr };
}

async function env(flags: Flags, environment?: Environment, credential?: Credential) {
  const format = 'json';
  const result = await run(
    (streams) => runEnv(flags, { ...streams, format, ...(credential && { credential }) }),
    environment,
  );
  return { ...result, variables: result.stdout === '' ? {} : JSON.parse(result.stdout) };
}

test('a program is told where the emulator is, whom to trust and where to get tokens', async () => {
  const { exitCode, stderr, variables } = await env({ port: '5673', data: directory });
  expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: WARNING });
  const connectionString = formatConnectionString('localhost', 5673);
  expect(variables).toEqual({
    SERVICEBUS_CONNECTION_STRING: connectionString,
    AZURE_SERVICEBUS_CONNECTION_STRING: connectionString,
    AzureWebJobsServiceBus: connectionString,
    SERVICEBUS_SAS_POLICY: 'RootManageSharedAccessKey',
    SERVICEBUS_SAS_KEY: 'SAS_KEY_VALUE',
    SERVICEBUS_FQDN: 'localhost:5673',
    SERVICEBUS_FULLY_QUALIFIED_NAMESPACE: 'localhost:5673',
    SERVICEBUS_ENDPOINT: 'localhost:5673',
    SERVICEBUS_HOSTNAME: 'localhost:5673',
    IDENTITY_ENDPOINT: 'http://localhost:5673/msi/token',
    IDENTITY_HEADER: 'jitney',
    AZURE_TOKEN_CREDENTIALS: 'prod',
    AZURE_AUTHORITY_HOST: 'https://localhost:5673/adfs/../dstsv2/',
    AZURE_CLIENT_ID: '00000000-0000-0000-0000-000000000001',
    AZURE_TENANT_ID: '',
    AZURE_PASSWORD: '',
    NODE_EXTRA_CA_CERTS: join(userDirectory, 'ca.pem'),
    SSL_CERT_FILE: join(userDirectory, 'ca-bundle.pem'),
    REQUESTS_CA_BUNDLE: join(userDirectory, 'ca-bundle.pem'),
    NO_PROXY: 'localhost,127.0.0.1,::1',
  });
});

test("a shell loses the variables of a login of the user's own, which no program then tries", async () => {
  const { stdout } = await run((streams) => runEnv({ data: directory }, { ...streams, format: 'shell' }));
  expect(stdout).toMatch(
    /^unset AZURE_TENANT_ID AZURE_CLIENT_SECRET AZURE_CLIENT_CERTIFICATE_PATH AZURE_USERNAME AZURE_PASSWORD AZURE_FEDERATED_TOKEN_FILE\n/,
  );
});

test('a client with a secret, and a workload with a token in a file, are told what they need', async () => {
  const identityOf = async (credential: Credential) => {
    const { variables } = await env({ data: directory }, undefined, credential);
    const entries = Object.entries(variables).filter(([name]) => /^(AZURE_(?!SERV)|IDENTITY_)/.test(name));
    return Object.fromEntries(entries) as Record<string, string>;
  };
  const authority = {
    AZURE_TOKEN_CREDENTIALS: 'prod',
    AZURE_AUTHORITY_HOST: 'https://localhost:5672/adfs/../dstsv2/',
    AZURE_CLIENT_ID: '00000000-0000-0000-0000-000000000001',
    AZURE_TENANT_ID: 'adfs',
    AZURE_PASSWORD: '',
  };
  expect(await identityOf('secret')).toEqual({ ...authority, AZURE_CLIENT_SECRET: 'jitney' });
  const file = join(userDirectory, 'federated-token');
  expect(await identityOf('workload')).toEqual({ ...authority, AZURE_FEDERATED_TOKEN_FILE: file });
  expect(readFileSync(file, 'utf8')).toBe('jitney');
});

test.each<[Flags, Environment | undefined, Credential, string]>([
  [{ noTls: true }, undefined, 'secret', 'leave out --no-tls and --no-token-endpoint'],
  [{ noTokenEndpoint: true }, undefined, 'workload', 'leave out --no-tls and --no-token-endpoint'],
  [{ memory: true }, {}, 'workload', 'name a directory with --cert-directory <dir>'],
])('with %j, in the environment %j, there is nothing for a credential of the kind %s', async (...given) => {
  const [flags, environment, credential, why] = given;
  const { exitCode, stdout, stderr } = await env(flags, environment, credential);
  expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: '' });
  expect(stderr).toContain(why);
});

test('the files it names are there, and what replaces the trust of a program keeps all others in it', async () => {
  const { variables } = await env({ data: directory });
  const ours = readFileSync(variables.NODE_EXTRA_CA_CERTS, 'utf8').trim();
  expect(ours.match(/BEGIN CERTIFICATE/g)).toHaveLength(1);
  const bundle = readFileSync(variables.SSL_CERT_FILE, 'utf8');
  expect(bundle.startsWith(ours)).toBe(true);
  expect(bundle.match(/BEGIN CERTIFICATE/g)?.length).toBeGreaterThan(50);
});

test('asked again, it changes nothing', async () => {
  const { variables } = await env({ data: directory });
  const before = readFileSync(variables.SSL_CERT_FILE, 'utf8');
  expect((await env({ data: directory })).variables).toEqual(variables);
  expect(readFileSync(variables.SSL_CERT_FILE, 'utf8')).toBe(before);
});

test('where TLS listens on the port that SDKs dial by themselves, the namespace is the host alone', async () => {
  const namespaceOf = async (flags: Flags) => {
    const {
      SERVICEBUS_FQDN,
      SERVICEBUS_FULLY_QUALIFIED_NAMESPACE,
      SERVICEBUS_ENDPOINT,
      SERVICEBUS_HOSTNAME,
    } = (await env({ data: directory, ...flags })).variables;
    return [
      ...new Set([
        SERVICEBUS_FQDN,
        SERVICEBUS_FULLY_QUALIFIED_NAMESPACE,
        SERVICEBUS_ENDPOINT,
        SERVICEBUS_HOSTNAME,
      ]),
    ];
  };
  expect(await namespaceOf({})).toEqual(['localhost']);
  expect(await namespaceOf({ port: '5673', tlsPort: '5671' })).toEqual(['localhost']);
  expect(await namespaceOf({ tlsPort: 'off' })).toEqual(['localhost:5672']);
  expect(await namespaceOf({ tlsPort: '5673', httpsPort: '443' })).toEqual(['localhost:5672']);
});

test('without a token endpoint, no variable says where tokens are', async () => {
  const { variables } = await env({ data: directory, noTokenEndpoint: true });
  expect(variables).toHaveProperty('SERVICEBUS_FQDN');
  expect(Object.keys(variables).filter((name) => /^(AZURE_(?!SERVICEBUS)|IDENTITY_)/.test(name))).toEqual([]);
});

test('the key belongs to the policy that may do everything, however it is given', async () => {
  const policy = ['Sender=Send:c2VuZA==', 'Boss=Manage:Ym9zcw=='];
  const { variables } = await env({ data: directory, policy });
  expect(variables).toMatchObject({
    SERVICEBUS_CONNECTION_STRING: expect.stringContaining(
      ';SharedAccessKeyName=Boss;SharedAccessKey=Ym9zcw==;',
    ),
    SERVICEBUS_SAS_POLICY: 'Boss',
    SERVICEBUS_SAS_KEY: 'Ym9zcw==',
  });
});

test('without TLS there is the connection string alone, and no certificate is made', async () => {
  const data = join(directory, 'without');
  const { variables } = await env({ data, noTls: true });
  expect(Object.keys(variables)).toEqual([
    'SERVICEBUS_CONNECTION_STRING',
    'AZURE_SERVICEBUS_CONNECTION_STRING',
    'AzureWebJobsServiceBus',
    'SERVICEBUS_SAS_POLICY',
    'SERVICEBUS_SAS_KEY',
    'NO_PROXY',
  ]);
  expect(existsSync(data)).toBe(false);
  expect(existsSync(join(userDirectory, 'ca.pem'))).toBe(false);
});

test('a port that will only be known later is refused', async () => {
  expect(await env({ port: '0', data: directory })).toMatchObject({
    exitCode: 2,
    stdout: '',
    stderr:
      '✖ JIT1001  --port 0 takes a port that only the running emulator knows: give a number\n' +
      '           See:  jitney env --help   and, for the options of a start:  jitney --help\n',
  });
});

test('a wrong value of an option names the help of certs and of a start', async () => {
  const { stderr } = await run((streams) => runCerts({ port: 'x' }, { ...streams, isJson: false }));
  expect(stderr).toMatch(
    /^✖ JIT1001 {2}--port must .*\n {11}See: {2}jitney certs --help {3}and, .* {2}jitney --help\n$/,
  );
});

test('where certificates cannot be kept, all else is told, with a warning', async () => {
  const { exitCode, stderr, variables } = await env({ memory: true }, {});
  expect(exitCode).toBe(0);
  expect(stderr).toBe(
    '⚠ No variable names a certificate to trust, because there is no directory to keep a certificate in: name a directory with --cert-directory <dir>\n',
  );
  expect(variables).toHaveProperty('SERVICEBUS_FQDN');
  expect(variables).not.toHaveProperty('NODE_EXTRA_CA_CERTS');
});

test('certs prints where the certificate is and a line for each language', async () => {
  const { exitCode, stdout } = await run((streams) =>
    runCerts({ data: directory }, { ...streams, isJson: false }),
  );
  const file = join(userDirectory, 'ca.pem');
  expect(exitCode).toBe(0);
  expect(existsSync(file)).toBe(true);
  expect(stdout).toContain(`Certificate   ${file}\n`);
  expect(stdout).toContain(`Node          export NODE_EXTRA_CA_CERTS=${file}\n`);
  for (const name of ['Python', 'Go', '.NET', 'Java', 'curl']) expect(stdout).toMatch(`\n${name}`);
});

test.each<[Flags, readonly string[], readonly string[]]>([
  [
    {},
    [
      'Python: with DefaultAzureCredential, give ServiceBusClient as connection_verify the path in',
      'Java: administration dials 443, so start with --https-port 443;',
      'UseDevelopmentEmulator needs azure-messaging-servicebus 7.17.8',
      'azure-servicebus-jms: dials 5671 for any connection string.',
      'by its name alone dials 443',
    ],
    ['--tls-port', 'SERVICEBUS_FULLY_QUALIFIED_NAMESPACE has a port'],
  ],
  [
    { port: '5673' },
    [
      'azure-servicebus-jms: dials 5671 for any connection string, so start with --tls-port 5671.',
      'SERVICEBUS_FULLY_QUALIFIED_NAMESPACE has a port, which .NET refuses, and',
      'localhost and the custom endpoint address sb://localhost:5673, in Java https://localhost:5673,',
    ],
    ['by its name alone'],
  ],
  [{ httpsPort: '443' }, ['Java: administration dials 443;'], ['--https-port', 'by its name alone']],
])('with %j, certs and env say what no variable can', async (flags, said, unsaid) => {
  const given = { data: directory, ...flags };
  const certs = await run((streams) => runCerts(given, { ...streams, isJson: false }));
  const certsJson = await run((streams) => runCerts(given, { ...streams, isJson: true }));
  const shell = await run((streams) => runEnv(given, { ...streams, format: 'shell' }));
  for (const text of [certs.stdout, JSON.parse(certsJson.stdout).notes.join('\n'), shell.stdout]) {
    for (const one of said) expect(text).toContain(one);
    for (const one of unsaid) expect(text).not.toContain(one);
  }
});

test('without TLS there is nothing more to say', async () => {
  const { stdout } = await run((streams) =>
    runEnv({ data: directory, noTls: true }, { ...streams, format: 'shell' }),
  );
  expect(stdout).not.toContain('#');
});

test('certs quotes a path that a shell would take apart', async () => {
  const certDirectory = join(directory, "it's here");
  const { stdout } = await run((streams) => runCerts({ certDirectory }, { ...streams, isJson: true }));
  const { authority, trust } = JSON.parse(stdout);
  expect(authority).toBe(join(certDirectory, 'ca.pem'));
  expect(trust.python).toBe(
    `ServiceBusClient(..., connection_verify='${join(directory, "it\\'s here", 'ca.pem')}')`,
  );
  expect(trust.curl).toBe(`curl --cacert '${join(directory, "it'\\''s here", 'ca.pem')}' ...`);
});

test.each<[string, Flags, string]>([
  ['without TLS', { noTls: true }, 'TLS is off, by --no-tls or JITNEY_NO_TLS, so there is no certificate'],
  ['without a place', { memory: true }, 'there is no directory to keep a certificate in'],
])('%s, certs has nothing to print', async (_, flags, message) => {
  for (const isJson of [true, false]) {
    const { exitCode, stdout, stderr } = await run((streams) => runCerts(flags, { ...streams, isJson }), {});
    expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: '' });
    expect(stderr).toContain(message);
  }
});

test.each<[string, Environment, Flags]>([
  ['has no home', {}, {}],
  ['names a folder in it', { HOME: '/none' }, { certDirectory: 'data/keys' }],
])(
  'before the first start, a data directory is made as a start would, by a user that %s',
  async (...given) => {
    const [, environment, { certDirectory }] = given;
    const data = join(directory, 'data');
    const flags = { data, ...(certDirectory && { certDirectory: join(directory, certDirectory) }) };
    const { exitCode } = await run((streams) => runCerts(flags, { ...streams, isJson: false }), environment);
    expect(exitCode).toBe(0);
    expect(readFileSync(join(data, '.gitignore'), 'utf8')).toBe('*\n');
    // Windows has no such modes.
    expect(statSync(data).mode & 0o777).toBe(process.platform === 'win32' ? 0o666 : 0o700);
  },
);

test('a bundle or token of the user is not overwritten', async () => {
  const certDirectory = join(directory, 'mine');
  mkdirSync(certDirectory);
  const bundle = join(certDirectory, 'ca-bundle.pem');
  const token = join(certDirectory, 'federated-token');
  writeFileSync(bundle, 'my certificates');
  writeFileSync(token, 'my token');
  const { stderr, variables } = await env({ certDirectory }, undefined, 'workload');
  expect(stderr).toBe(WARNING);
  expect(variables.SSL_CERT_FILE).toMatch(/ca-bundle-[0-9a-f]{16}\.pem$/);
  expect(dirname(variables.SSL_CERT_FILE ?? '')).toBe(userDirectory);
  writeFileSync(join(directory, 'file'), '');
  const nowhere = { HOME: join(directory, 'file'), LOCALAPPDATA: join(directory, 'file') };
  expect((await env({ certDirectory }, nowhere)).stderr).toContain(
    `✖ JIT2012  ${bundle} is there already, and Jitney has not written it. Move it away`,
  );
  expect(readFileSync(bundle, 'utf8')).toBe('my certificates');
  expect(readFileSync(token, 'utf8')).toBe('my token');
});

test('a certificate that is not there is refused by certs and by env', async () => {
  const flags = { cert: join(directory, 'no.pem'), key: join(directory, 'no.pem') };
  const certs = await run((streams) => runCerts(flags, { ...streams, isJson: false }));
  expect(certs).toMatchObject({ exitCode: 1, stdout: '' });
  expect(certs.stderr).toContain('✖ JIT2011  ');
  expect((await env(flags)).stderr).toBe(certs.stderr);
});

/** Of an emulator that was started elsewhere. */
async function authorityElsewhere(): Promise<string> {
  return (await (await openCertificates({})).authority()) ?? '';
}

test('where an emulator runs, its authority is kept under its fingerprint beside the own one, and named', async () => {
  const text = await authorityElsewhere();
  askRunning = async () => ({ kind: 'authority', certificate: new X509Certificate(text) });
  const { stderr, variables } = await env({ data: join(directory, 'data') });
  expect(stderr).toBe('');
  const fingerprint = new X509Certificate(text).fingerprint256.replaceAll(':', '').toLowerCase().slice(0, 16);
  expect(variables).toMatchObject({
    NODE_EXTRA_CA_CERTS: join(userDirectory, `ca-${fingerprint}.pem`),
    SSL_CERT_FILE: join(userDirectory, `ca-bundle-${fingerprint}.pem`),
  });
  expect(readFileSync(variables.NODE_EXTRA_CA_CERTS, 'utf8')).toBe(text);
  expect(readFileSync(variables.SSL_CERT_FILE, 'utf8').startsWith(text)).toBe(true);
  expect(existsSync(join(directory, 'data'))).toBe(false);
  expect(existsSync(join(userDirectory, 'ca.pem'))).toBe(false);
});

test("where the running emulator's authority is the user's own, that is named", async () => {
  const text = await (await openCertificates({ directory: userDirectory })).authority();
  askRunning = async () => ({ kind: 'authority', certificate: new X509Certificate(text ?? '') });
  expect((await env({})).variables.NODE_EXTRA_CA_CERTS).toBe(join(userDirectory, 'ca.pem'));
});

test('the authority of the running emulator is named, also in a folder that has its own', async () => {
  const text = await (await openCertificates({ directory: userDirectory })).authority();
  await (await openCertificates({ directory: join(directory, 'data/certificates') })).authority();
  const data = join(directory, 'data');
  expect((await env({ data })).variables.NODE_EXTRA_CA_CERTS).toBe(join(data, 'certificates/ca.pem'));
  askRunning = async () => ({ kind: 'authority', certificate: new X509Certificate(text ?? '') });
  expect((await env({ data })).variables.NODE_EXTRA_CA_CERTS).toBe(join(userDirectory, 'ca.pem'));
});

/** A directory that not even root can write to. */
function unwritable(): string {
  writeFileSync(join(directory, 'file'), '');
  return join(directory, 'file', 'certificates');
}

test('where the named directory cannot be written, the running emulator is asked all the same', async () => {
  const text = await authorityElsewhere();
  askRunning = async () => ({ kind: 'authority', certificate: new X509Certificate(text) });
  const flags = { memory: true, certDirectory: unwritable() };
  const { stderr, variables } = await env(flags);
  expect(stderr).toBe('');
  expect(readFileSync(variables.NODE_EXTRA_CA_CERTS, 'utf8')).toBe(text);
  const certs = await run((streams) => runCerts(flags, { ...streams, isJson: true }));
  expect(JSON.parse(certs.stdout).authority).toBe(variables.NODE_EXTRA_CA_CERTS);
  // Where there is no home either, there is no place for it.
  expect((await env(flags, {})).variables).not.toHaveProperty('NODE_EXTRA_CA_CERTS');
});

test('a named directory that cannot be written is what certs and env complain of, where no emulator runs', async () => {
  const certDirectory = unwritable();
  const why = `${certDirectory} cannot be written: ENOTDIR: not a directory, and there is no directory to keep a certificate in`;
  const remedy = 'name a directory with --cert-directory <dir>';
  const flags = { memory: true, certDirectory };
  const certs = await run((streams) => runCerts(flags, { ...streams, isJson: false }));
  expect(certs.exitCode).toBe(2);
  expect(certs.stderr).toMatch(/^✖ JIT1001 /);
  expect(certs.stderr.replace(/\s+/g, ' ')).toContain(`${why}: ${remedy}`);
  expect((await env(flags)).stderr).toBe(
    `⚠ No variable names a certificate to trust, because ${why}: ${remedy}\n`,
  );
});

test.runIf(process.platform === 'linux')(
  'where a directory has an authority and takes no bundle, that lies in the folder of the user',
  async () => {
    // Linux allows paths of 4095 bytes, and the path of a draft is longer.
    const certDirectory = directoryOfLength(4095 - '/ca-bundle.pem'.length);
    const made = join(directory, 'made');
    await (await openCertificates({ directory: made })).authority();
    for (const name of ['ca.pem', 'ca-key.pem']) copyFileSync(join(made, name), join(certDirectory, name));
    const { exitCode, variables } = await env({ memory: true, certDirectory });
    expect(exitCode).toBe(0);
    expect(variables.NODE_EXTRA_CA_CERTS).toBe(join(certDirectory, 'ca.pem'));
    expect(dirname(variables.SSL_CERT_FILE)).toBe(userDirectory);
    expect(readFileSync(variables.SSL_CERT_FILE, 'utf8')).toContain(
      readFileSync(join(made, 'ca.pem'), 'utf8').trim(),
    );
  },
);

function directoryOfLength(length: number): string {
  let path = directory;
  while (length - path.length > 202) path += `/${'d'.repeat(100)}`;
  path += `/${'d'.repeat(length - path.length - 1)}`;
  mkdirSync(path, { recursive: true });
  return path;
}

test.each<[Environment, Flags, Record<string, string>]>([
  [{ NO_PROXY: 'corp.test, localhost' }, {}, { NO_PROXY: 'corp.test,localhost,127.0.0.1,::1' }],
  [
    { no_proxy: 'corp.test' },
    {},
    { NO_PROXY: 'corp.test,localhost,127.0.0.1,::1', no_proxy: 'corp.test,localhost,127.0.0.1,::1' },
  ],
  [{ NO_PROXY: '*' }, {}, { NO_PROXY: '*' }],
  [{}, { host: '192.168.7.7' }, { NO_PROXY: 'localhost,127.0.0.1,::1,192.168.7.7' }],
])('with %j and %j no proxy is asked for the emulator', async (environment, flags, expected) => {
  expect((await env(flags, { ...environment, ...ownHome() })).variables).toMatchObject(expected);
});
