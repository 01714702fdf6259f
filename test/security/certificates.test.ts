// The certificates of TLS: made once, shared by all who use their folder, and never made anew where that would take trust away.

import { createPrivateKey, X509Certificate } from 'node:crypto';
import { chmod, mkdir, mkdtemp, readdir, readFile, rm, stat, unlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { ServerCertificate } from '../../src/security/certificate-authority.js';
import { newKeyPem } from '../../src/security/certificate-authority.js';
import { certificateNames, isCertificateName } from '../../src/security/certificate-names.js';
import { type CertificateOptions, openCertificates } from '../../src/security/certificates.js';

const DAY_MS = 24 * 60 * 60 * 1000;
const START = Date.UTC(2026, 5, 1);

let directory: string;
let told: string[];
let nowMs: number;

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'jitney-certificates-'));
  told = [];
  nowMs = START;
});

afterEach(() => rm(directory, { recursive: true, force: true }));

function open(options: CertificateOptions = {}) {
  return openCertificates({ directory, warn: (text) => told.push(text), now: () => nowMs, ...options });
}

function read({ cert }: ServerCertificate): X509Certificate {
  return new X509Certificate(cert);
}

async function authorityOf(options?: CertificateOptions): Promise<string> {
  return (await (await open(options)).authority()) ?? '';
}

async function leafOf(options?: CertificateOptions): Promise<ServerCertificate> {
  return (await open(options)).server();
}

function inFolder(name: string): string {
  return join(directory, name);
}

test('nothing is made before it is requested', async () => {
  const folder = inFolder('not/yet/there');
  const certificates = await open({ directory: folder });
  expect(certificates.authorityPath).toBe(join(folder, 'ca.pem'));
  expect(await readdir(directory)).toEqual([]);
  await certificates.server();
  expect((await readdir(folder)).sort()).toEqual(['ca-key.pem', 'ca.pem', 'leaf.pem']);
});

test('the certificate is issued by the authority, for a year, with a key of its own', async () => {
  const leaf = await leafOf();
  const authority = new X509Certificate(await authorityOf());
  const certificate = read(leaf);
  expect(certificate.checkIssued(authority)).toBe(true);
  expect(certificate.verify(authority.publicKey)).toBe(true);
  expect(certificate.checkPrivateKey(createPrivateKey(leaf.key))).toBe(true);
  expect([authority.ca, certificate.ca]).toEqual([true, false]);
  const lifeDays = (Date.parse(certificate.validTo) - Date.parse(certificate.validFrom)) / DAY_MS;
  expect(lifeDays).toBeGreaterThan(365);
  expect(lifeDays).toBeLessThan(398);
  expect(Date.parse(authority.validTo) - START).toBeGreaterThan(3650 * DAY_MS);
});

test('it is for every name by which this machine is found, and for those that are given', async () => {
  const certificate = read(await leafOf({ hosts: ['Bus.Example.Test', '192.168.7.7'] }));
  for (const name of [
    ...[
      'localhost',
      'host.docker.internal',
      'host.containers.internal',
      'servicebus-emulator',
      'sb-emulator',
    ],
    ...['my-bus.servicebus.windows.net', 'bus.example.test'],
  ]) {
    expect(certificate.checkHost(name)).toBeDefined();
  }
  for (const address of ['127.0.0.1', '::1', '192.168.7.7'])
    expect(certificate.checkIP(address)).toBe(address);
  expect(certificate.subjectAltName).toContain('DNS:*.localhost');
  expect(certificate.checkHost('example.com')).toBeUndefined();
});

test('names that cannot stand in a certificate are left out', () => {
  expect(certificateNames(['ok-name', 'not ok', 'päckchen', '-x', '*.a.b', 'a.*.b'])).toEqual(
    expect.arrayContaining(['ok-name', '*.a.b']),
  );
  for (const name of [
    'not ok',
    'päckchen',
    '-x',
    'a.*.b',
    '',
    'a..b',
    '[::1]',
    'a:',
    ':1',
    '*.a.b:1',
    'a:1:1',
  ]) {
    expect(isCertificateName(name)).toBe(false);
  }
});

// Windows has no such modes.
test.skipIf(process.platform === 'win32')('keys are for their owner alone', async () => {
  await leafOf();
  for (const name of ['ca-key.pem', 'leaf.pem']) {
    expect((await stat(inFolder(name))).mode & 0o777).toBe(0o600);
  }
  expect(await readFile(inFolder('ca.pem'), 'utf8')).not.toContain('PRIVATE');
});

test('a later process gets the same authority and the same certificate', async () => {
  const first = await open();
  const leaf = await first.server();
  expect(await first.server()).toBe(leaf);
  expect(await leafOf()).toEqual(leaf);
  expect(await authorityOf()).toBe(await first.authority());
  expect(told).toEqual([]);
});

test('many that start at once share one authority', async () => {
  const all = await Promise.all(Array.from({ length: 12 }, () => open()));
  const authorities = await Promise.all(
    all.map(async (one) => {
      const { cert } = await one.server();
      const authority = (await one.authority()) ?? '';
      expect(new X509Certificate(cert).verify(new X509Certificate(authority).publicKey)).toBe(true);
      return authority;
    }),
  );
  expect(new Set(authorities).size).toBe(1);
  expect((await readdir(directory)).sort()).toEqual(['ca-key.pem', 'ca.pem', 'leaf.pem']);
});

test('for a local name that only a client knows there is a certificate of its own', async () => {
  const certificates = await open();
  const authority = new X509Certificate((await certificates.authority()) ?? '');
  for (const name of ['emulator', 'my-bus.localhost', 'bus.tests.svc', 'bus.tests.svc.cluster.local']) {
    const made = await certificates.serverFor(name.toUpperCase());
    expect(made && read(made).checkHost(name)).toBe(name);
    expect(made && read(made).verify(authority.publicKey)).toBe(true);
    expect(await certificates.serverFor(name)).toBe(made);
  }
  for (const name of [
    'localhost',
    'bank.example',
    'not ok',
    '*.localhost',
    'localhost.example',
    '*.svc',
    'svc.example',
  ]) {
    expect(await certificates.serverFor(name)).toBeUndefined();
  }
});

test('for a name with a port, as Go looks for it, there is a certificate with both', async () => {
  const certificates = await open({ hosts: ['bus.test', '192.168.7.7'] });
  for (const [name, host] of [
    ['localhost:5672', 'localhost'],
    ['emulator:443', 'emulator'],
    ['my-bus.localhost:1', 'my-bus.localhost'],
    ['bus.test:15672', 'bus.test'],
    ['my-bus.servicebus.windows.net:65535', 'my-bus.servicebus.windows.net'],
    ['192.168.7.7:5672', '192.168.7.7'],
    ['[::1]:5672', '::1'],
  ] as const) {
    const made = await certificates.serverFor(name);
    const certificate = made && read(made);
    expect(certificate?.subjectAltName?.split(', ')).toContain(`DNS:${name}`);
    expect(certificate?.checkHost(host) ?? certificate?.checkIP(host)).toBe(host);
    expect(await certificates.serverFor(name.toUpperCase())).toBe(made);
  }
  for (const name of [
    'bank.example:443',
    '8.8.8.8:443',
    'localhost:',
    'localhost:x',
    'a.b.servicebus.windows.net:1',
  ]) {
    expect(await certificates.serverFor(name)).toBeUndefined();
  }
});

test('a name that is given with a port stands in the certificate with it and without', async () => {
  const hosts = ['Bus.Test:5671', '[fd00::1]:5671'];
  const leaf = await leafOf({ hosts });
  const names = read(leaf).subjectAltName?.split(', ');
  expect(names).toEqual(expect.arrayContaining(['DNS:bus.test', 'DNS:bus.test:5671', 'DNS:[fd00::1]:5671']));
  expect(read(leaf).checkIP('fd00::1')).toBe('fd00::1');
  expect(await leafOf({ hosts })).toEqual(leaf);
  expect(read(await leafOf({ hosts: ['bus.test:5672'] })).subjectAltName).toContain('DNS:bus.test:5672');
});

test('the number of remembered certificates for local names is limited', async () => {
  const certificates = await open({ directory: undefined });
  const first = await certificates.serverFor('first');
  for (let index = 0; index < 99; index++) await certificates.serverFor(`other-${index}`);
  expect(await certificates.serverFor('first')).toBe(first);
  await certificates.serverFor('one-too-many');
  expect(await certificates.serverFor('first')).not.toBe(first);
});

test('in memory there is an authority for this process alone', async () => {
  const certificates = await open({ directory: undefined });
  const authority = new X509Certificate((await certificates.authority()) ?? '');
  expect(read(await certificates.server()).verify(authority.publicKey)).toBe(true);
  expect(certificates.authorityPath).toBeUndefined();
  expect(await authorityOf({ directory: undefined })).not.toBe(await certificates.authority());
});

test('a certificate that is near its end, damaged, of another key, or without a name that is wanted is made anew', async () => {
  const first = await leafOf();
  nowMs += 368 * DAY_MS;
  const second = await leafOf();
  expect(second.cert).not.toBe(first.cert);
  await writeFile(inFolder('leaf.pem'), second.cert.slice(0, 100));
  const third = await leafOf();
  expect(third.cert).not.toBe(second.cert);
  expect(await leafOf()).toEqual(third);
  await writeFile(inFolder('leaf.pem'), `${newKeyPem()}${third.cert}`);
  expect((await leafOf()).cert).not.toBe(third.cert);
  const fourth = await leafOf({ hosts: ['another.test'] });
  expect(read(fourth).checkHost('another.test')).toBe('another.test');
  // With fewer names wanted, what is there will do.
  expect(await leafOf()).toEqual(fourth);
});

test('a process that runs for a year gets another certificate in time', async () => {
  const certificates = await open();
  const first = await certificates.server();
  nowMs += 360 * DAY_MS;
  expect(await certificates.server()).toBe(first);
  nowMs += 10 * DAY_MS;
  const second = await certificates.server();
  expect(second).not.toBe(first);
  expect(await certificates.server()).toBe(second);
});

test('an authority whose certificate is damaged or old is made anew with its key, and clients still trust it', async () => {
  const trusted = new X509Certificate(await authorityOf());
  await writeFile(inFolder('ca.pem'), '-----BEGIN CERTIFICATE-----\n');
  const repaired = new X509Certificate(await authorityOf());
  expect(told).toEqual([expect.stringContaining('ca.pem was damaged and has been replaced')]);
  nowMs += 3400 * DAY_MS;
  const leaf = read(await leafOf());
  expect(told[1]).toContain('close to its end');
  for (const one of [trusted, repaired]) {
    expect(leaf.checkIssued(one)).toBe(true);
    expect(leaf.verify(one.publicKey)).toBe(true);
  }
});

test('a key without its certificate gets one: a start was interrupted', async () => {
  await writeFile(inFolder('ca-key.pem'), newKeyPem());
  expect(new X509Certificate(await authorityOf()).ca).toBe(true);
  expect(told).toEqual([]);
});

test.each([
  ['is missing', () => unlink(inFolder('ca-key.pem')), /ca-key\.pem is missing.*delete ca\.pem/],
  ['is damaged', () => writeFile(inFolder('ca-key.pem'), 'half'), /ca-key\.pem is damaged.*delete it/],
  [
    'is another one',
    () => writeFile(inFolder('ca-key.pem'), newKeyPem()),
    /ca\.pem does not belong to ca-key\.pem.*delete both/,
  ],
])('an authority whose key %s is left as it is, and told of', async (_, spoil, text) => {
  const before = await authorityOf();
  await spoil();
  const certificates = await open();
  await expect(certificates.server()).rejects.toMatchObject({
    kind: 'authority-incomplete',
    message: expect.stringMatching(text),
  });
  expect(await readFile(inFolder('ca.pem'), 'utf8')).toBe(before);
  // As the text says; nothing needs to be started again.
  await rm(inFolder('ca.pem'), { force: true });
  await rm(inFolder('ca-key.pem'), { force: true });
  await certificates.server();
});

test('a folder that cannot be made is reported', async () => {
  await writeFile(inFolder('file'), '');
  const folder = join(inFolder('file'), 'certificates');
  await expect(authorityOf({ directory: folder })).rejects.toMatchObject({ kind: 'certificate-unwritable' });
  await mkdir(inFolder('ca.pem'));
  await expect(authorityOf()).rejects.toMatchObject({ kind: 'certificate-unreadable' });
});

// Root may write everywhere, and Windows has no such modes.
test.skipIf(process.platform === 'win32' || process.getuid?.() === 0)(
  'a folder that may not be written to still gives what is in it',
  async () => {
    const before = await authorityOf();
    await chmod(directory, 0o500);
    expect(await authorityOf()).toBe(before);
    await leafOf();
    expect(told).toEqual([expect.stringContaining('leaf.pem cannot be written')]);
    await chmod(directory, 0o700);
  },
);

async function place(name: string, text: string): Promise<string> {
  await writeFile(inFolder(name), text);
  return inFolder(name);
}

test("a certificate of the user's own is served as it is, and there is nothing of ours to trust", async () => {
  const leaf = await leafOf({ directory: undefined });
  const given = { cert: await place('own.pem', leaf.cert), key: await place('own.key', leaf.key) };
  const certificates = await open({ given });
  expect(await certificates.server()).toEqual(leaf);
  expect(await certificates.authority()).toBeUndefined();
  expect(certificates.authorityPath).toBeUndefined();
});

test("an error in the user's own certificate is reported at the start", async () => {
  const leaf = await leafOf({ directory: undefined });
  const cert = await place('own.pem', leaf.cert);
  const key = await place('own.key', leaf.key);
  const other = await place('other.key', newKeyPem());
  const nonsense = await place('nonsense.pem', 'nonsense');
  const missing = inFolder('missing.pem');
  for (const [given, kind, path] of [
    [{ cert: missing, key }, 'certificate-unreadable', missing],
    [{ cert: nonsense, key }, 'certificate-invalid', nonsense],
    [{ cert, key: nonsense }, 'certificate-invalid', nonsense],
    [{ cert, key: other }, 'certificate-key-mismatch', other],
  ] as const) {
    await expect(open({ given })).rejects.toMatchObject({
      kind,
      message: expect.stringContaining(path),
    });
  }
  nowMs += 400 * DAY_MS;
  await expect(open({ given: { cert, key } })).rejects.toMatchObject({ kind: 'certificate-expired' });
});
