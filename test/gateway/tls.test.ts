// TLS on the port of all protocols: the protocol inside is detected again, and a failed handshake harms no other client.

import { once } from 'node:events';
import { get } from 'node:https';
import type { Duplex } from 'node:stream';
import { connect as connectTls } from 'node:tls';
import type { EventContext, Sender } from 'rhea';
import { afterEach, expect, test } from 'vitest';
import { hintForHandshake } from '../../src/gateway/tls-hints.js';
import { JitneyError } from '../../src/jitney-error.js';
import { openCertificates } from '../../src/security/certificates.js';
import { type EmulatorUnderTest, openEmulatorUnderTest } from '../support/emulator-under-test.js';
import {
  type GatewayOptions,
  GatewayUnderTest,
  nextOf,
  openSslCheck,
  saidBy,
} from '../support/gateway-under-test.js';
import { memoryPipe } from '../support/memory-pipe.js';
import { next, rheaConnect, until } from '../support/rhea-client.js';

const PYTHON_CIPHERS = 'ECDH+AESGCM:ECDH+CHACHA20:ECDH+AES:DHE+AES:!aNULL:!eNULL:!aDSS:!SHA1:!AESCCM';

const opened: { close(): Promise<void> }[] = [];

afterEach(async () => {
  await Promise.all(opened.splice(0).map((one) => one.close()));
});

async function open(options?: GatewayOptions): Promise<GatewayUnderTest> {
  const gateway = await GatewayUnderTest.open(options);
  opened.push(gateway);
  return gateway;
}

/** A client of TLS whose bytes go one by one to the gateway. */
async function byteByByte(gateway: GatewayUnderTest): Promise<Duplex> {
  const wire = await gateway.plain();
  const [client, middle] = memoryPipe();
  wire.on('data', (chunk) => middle.write(chunk));
  middle.on('data', (chunk: Buffer) => {
    for (const byte of chunk) wire.write(Buffer.of(byte));
  });
  return connectTls({ socket: client, ca: gateway.ca, servername: 'localhost' });
}

test('AMQP and HTTP are spoken inside of TLS on the port of both', async () => {
  const gateway = await open();
  const amqp = await gateway.secure();
  amqp.write('AMQP\x00');
  expect(await nextOf(amqp)).toBe('amqp AMQP\x00');
  const [response] = await once(
    get({ host: '127.0.0.1', port: gateway.port, ca: gateway.ca, path: '/orders', agent: false }),
    'response',
  );
  expect((await response.setEncoding('utf8').toArray()).join('')).toBe('http /orders ');
  expect(await gateway.isServing()).toBe(true);
});

test('several requests on one connection inside of TLS are all answered', async () => {
  const gateway = await open();
  const client = await gateway.secure();
  client.write('POST /a HTTP/1.1\r\nHost: localhost\r\nContent-Length: 3\r\n\r\none');
  expect(await nextOf(client)).toMatch(/http \/a one/);
  client.write('GET /b HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n');
  expect(await saidBy(client)).toMatch(/http \/b /);
});

test('a client of TLS whose bytes come one by one is understood', async () => {
  const gateway = await open();
  const client = await byteByByte(gateway);
  client.write('AMQP');
  expect(await nextOf(client)).toMatch(/^amqp A/);
});

test("rhea's client sends and receives more through TLS than any buffer on the way holds", async () => {
  const emulator: EmulatorUnderTest = await openEmulatorUnderTest({ queues: ['orders'] });
  const gateway = await open({
    amqp: (stream) => {
      const inside = emulator.connect();
      stream.pipe(inside).pipe(stream);
    },
  });
  const connection = rheaConnect(await gateway.secure());
  const sender: Sender = connection.open_sender('orders');
  await next(sender, 'sendable');
  const body = Buffer.alloc(240_000, 7);
  for (let count = 0; count < 10; count++) sender.send({ body });
  const receiver = connection.open_receiver('orders');
  const bodies: unknown[] = [];
  receiver.on('message', ({ message }: EventContext) => bodies.push(message?.body));
  await until(() => bodies.length === 10, 'all have come', 1_000_000);
  for (const received of bodies) expect(body.equals(received as Buffer)).toBe(true);
  connection.close();
  await next(connection, 'connection_close');
  await emulator.stop();
  expect(emulator.faults).toEqual([]);
});

test.each([
  ...['localhost', 'host.docker.internal', 'host.containers.internal', 'my-bus.servicebus.windows.net'],
  // Made for who asks: clients accept no star for these.
  ...[
    'my-bus.localhost',
    'emulator',
    'gateway.docker.internal',
    'bus.tests.svc',
    'bus.tests.svc.cluster.local',
  ],
])('the certificate is for %s', async (servername) => {
  const gateway = await open();
  expect((await gateway.secure({ servername })).authorized).toBe(true);
});

test('with the port that a client has dialled in its name, as Go has it, the certificate is for that name', async () => {
  const gateway = await open();
  const name = `localhost:${gateway.port}`;
  const client = await gateway.secure({ servername: name, checkServerIdentity: openSslCheck });
  expect(client.authorized).toBe(true);
  expect(client.getPeerCertificate().subjectaltname).toContain(`DNS:${name}`);
});

test('a certificate in which a name has a port is taken by Node and OpenSSL for every other name, too', async () => {
  const certificates = await openCertificates({ hosts: ['bus.test:5671'] });
  const gateway = await open({ certificates });
  for (const servername of ['localhost', 'bus.test']) {
    const client = await gateway.secure({ servername });
    expect(client.authorized).toBe(true);
    const certificate = client.getPeerCertificate();
    expect(certificate.subjectaltname).toContain('DNS:bus.test:5671');
    for (const name of [servername, 'bus.test:5671']) expect(openSslCheck(name, certificate)).toBeUndefined();
  }
});

test('no certificate is made for a name that is neither ours nor local', async () => {
  const gateway = await open();
  await expect(gateway.secure({ servername: 'bank.example' })).rejects.toThrow(/does not match/);
});

test('HTTP/2 is refused in the handshake, and HTTP/1.1 chosen where both are offered', async () => {
  const gateway = await open();
  expect((await gateway.secure({ ALPNProtocols: ['h2', 'http/1.1'] })).alpnProtocol).toBe('http/1.1');
  // Node 22.2 closes the connection without the alert.
  await expect(gateway.secure({ ALPNProtocols: ['h2'] })).rejects.toThrow();
  await until(() => gateway.hints.length > 0, 'the hint is there');
  expect(gateway.hints).toEqual(['A client offered only HTTP/2 over TLS: set it to HTTP/1.1']);
});

test('TLS inside of TLS is nothing', async () => {
  const gateway = await open();
  const client = await gateway.secure();
  client.write('\x16\x03\x01', 'latin1');
  expect(await saidBy(client)).toBe('');
  expect(await gateway.isServing()).toBe(true);
});

/** The ciphers of Node are its own; the other lists are what these runtimes ask OpenSSL for, the last one what curl does. */
test.each([
  ['Node', undefined, 'NODE_EXTRA_CA_CERTS='],
  ['Python', PYTHON_CIPHERS, 'connection_verify='],
  [
    '.NET',
    'ECDHE-ECDSA-AES256-GCM-SHA384:ECDHE-ECDSA-AES128-GCM-SHA256:ECDHE-RSA-AES256-GCM-SHA384:ECDHE-RSA-AES128-GCM-SHA256:ECDHE-ECDSA-AES256-SHA384',
    'SSL_CERT_FILE=',
  ],
  ['no runtime', 'DEFAULT', "'jitney certs' prints for each language"],
])(
  'a hint says how a TLS 1.2 client that looks like %s can trust the certificate',
  async (runtime, ciphers, way) => {
    const gateway = await open();
    const maxVersion = 'TLSv1.2' as const;
    const options = { ca: [], maxVersion, ...(ciphers && { ciphers }) };
    await expect(gateway.secure(options)).rejects.toThrow();
    await until(() => gateway.hints.length > 0, 'the hint is there');
    expect(gateway.hints[0]).toContain(way);
    expect(gateway.hints[0]?.includes(`It looks like ${runtime}: `)).toBe(ciphers !== 'DEFAULT');
  },
);

test('Node, which disconnects without an alert, causes a hint after TLS 1.3, too', async () => {
  const gateway = await open();
  await expect(gateway.secure({ ca: [] })).rejects.toThrow();
  await until(() => gateway.hints.length > 0, 'the hint is there');
  expect(gateway.hints).toEqual([expect.stringContaining('It looks like Node: ')]);
});

test.each(['before', 'after'])(
  'a connection that sends nothing is spare, and causes no hint, if it was opened %s one of the same client that sends something',
  async (order) => {
    const gateway = await open();
    const early = order === 'before' ? await gateway.secure() : undefined;
    const speaking = await gateway.secure();
    speaking.write('AMQP');
    await nextOf(speaking);
    const spare = early ?? (await gateway.secure());
    expect(await gateway.isServing()).toBe(true);
    speaking.destroy();
    spare.destroy();
    const other = await gateway.secure({ maxVersion: 'TLSv1.2', ciphers: PYTHON_CIPHERS });
    other.destroy();
    await until(() => gateway.hints.length > 0, 'the hint is there');
    expect(gateway.hints).toEqual([expect.stringContaining('It looks like Python: ')]);
  },
);

test('a client that sends nothing causes a hint when those of its runtime that have sent something are gone', async () => {
  const gateway = await open();
  const speaking = await gateway.secure();
  speaking.write('AMQP');
  await nextOf(speaking);
  speaking.destroy();
  expect(await gateway.isServing()).toBe(true);
  (await gateway.secure()).destroy();
  await until(() => gateway.hints.length > 0, 'the hint is there');
});

test.each([
  [
    'ERR_SSL_SSLV3_ALERT_BAD_CERTIFICATE',
    'Go',
    'It looks like Go: on Linux, start it with SSL_CERT_FILE=/ca.pem.',
  ],
  ['ERR_SSL_SSLV3_ALERT_CERTIFICATE_UNKNOWN', 'Java', 'It looks like Java: import /ca.pem with keytool'],
  ['ERR_SSL_TLSV1_ALERT_INTERNAL_ERROR', 'Java', 'It looks like Java: import /ca.pem with keytool'],
  ['ERR_SSL_TLSV1_ALERT_UNKNOWN_CA', 'Python', "connection_verify='/ca.pem'"],
  [
    'ERR_SSL_TLSV1_ALERT_UNKNOWN_CA',
    undefined,
    "'jitney certs' prints for each language how to trust /ca.pem",
  ],
  ['ERR_SSL_TLSV1_ALERT_INTERNAL_ERROR', undefined, 'the client must speak TLS 1.2 or 1.3'],
] as const)('the alert %s of a client that looks like %s is told as such', (code, runtime, text) => {
  const error = Object.assign(new Error(code), { code });
  expect(hintForHandshake(error, { runtime, isForHttps: true, authorityPath: '/ca.pem' })).toContain(text);
});

test.each(['ECONNRESET', 'EPIPE', 'ERR_TLS_HANDSHAKE_TIMEOUT'])(
  '%s alone says nothing of a client',
  (code) => {
    const error = Object.assign(new Error(code), { code });
    expect(
      hintForHandshake(error, { runtime: undefined, isForHttps: true, authorityPath: '/ca.pem' }),
    ).toBeUndefined();
  },
);

test.each([
  ['AMQP', undefined, /^A client \w.*If its connection string lacks UseDevelopmentEmulator=true, add that/],
  ['HTTPS', ['http/1.1'], /^A client for HTTPS (?!.*UseDevelopmentEmulator)/],
])(
  'the hint about a client for %s says whether its connection string is to be changed',
  async (_, protocols, text) => {
    const gateway = await open();
    await expect(
      gateway.secure({ ca: [], ...(protocols && { ALPNProtocols: protocols }) }),
    ).rejects.toThrow();
    await until(() => gateway.hints.length > 0, 'the hint is there');
    expect(gateway.hints).toEqual([expect.stringMatching(text)]);
  },
);

test('a client that does not trust the certificate causes one hint, with the remedy', async () => {
  const gateway = await open();
  for (const maxVersion of ['TLSv1.2', 'TLSv1.2', 'TLSv1.3'] as const) {
    await expect(gateway.secure({ ca: [], maxVersion })).rejects.toThrow();
  }
  await until(() => gateway.hints.length > 0, 'the hint is there');
  expect(await gateway.isServing()).toBe(true);
  expect(gateway.hints.filter((hint) => /does not trust/.test(hint)).length).toBeGreaterThan(0);
  expect(gateway.hints).toEqual([...new Set(gateway.hints)]);
  expect(gateway.hints[0]).toMatch(/ca\.pem/);
});

test('no certificate is made, and none is missed, before the first TLS client', async () => {
  const failure = new JitneyError('authority-incomplete', 'ca-key.pem is missing');
  let asked = 0;
  const gateway = await open({
    certificates: {
      authorityPath: undefined,
      authority: () => Promise.reject(failure),
      server: () => {
        asked++;
        return Promise.reject(failure);
      },
      serverFor: () => Promise.reject(failure),
    },
  });
  expect(await gateway.isServing()).toBe(true);
  expect(asked).toBe(0);
  await expect(gateway.secure()).rejects.toThrow();
  await expect(gateway.secure()).rejects.toThrow();
  expect(asked).toBe(2);
  expect(gateway.hints).toEqual(['There is no certificate for TLS: ca-key.pem is missing']);
});

test('clients that are reset in the handshake, or send nonsense in it, do no harm', async () => {
  const gateway = await open();
  (await gateway.plain()).end('\x16', 'latin1');
  const reset = await gateway.plain();
  reset.write('\x16\x03\x01\x02\x00', 'latin1');
  reset.resetAndDestroy();
  const nonsense = await gateway.plain();
  nonsense.write(Buffer.concat([Buffer.of(0x16), Buffer.alloc(100, 0xff)]));
  await saidBy(nonsense);
  expect(await gateway.isServing()).toBe(true);
  expect((await gateway.secure()).authorized).toBe(true);
});

test('a handshake that does not go on is not waited for', async () => {
  const gateway = await open({ handshakeMs: 1 });
  const client = await gateway.plain();
  client.write('\x16\x03\x01\x02\x00', 'latin1');
  expect(await saidBy(client)).toBe('');
});

test('a greeting that never ends is ended', async () => {
  const gateway = await open();
  const client = await gateway.plain();
  // A greeting of 16 MiB, in records as large as records may be.
  const record = Buffer.concat([Buffer.from('160301400001ffffff', 'hex'), Buffer.alloc(0x4000 - 4)]);
  const ended = saidBy(client);
  let sentBytes = 0;
  while (!client.destroyed && sentBytes < 16 * 1024 * 1024) {
    sentBytes += record.length;
    await Promise.race([new Promise((resolve) => client.write(record, resolve)), ended]);
  }
  await ended;
  expect(sentBytes).toBeLessThan(16 * 1024 * 1024);
  expect(await gateway.isServing()).toBe(true);
});

test('closing drops clients that hang in the handshake or are silent after it, and lets the others end', async () => {
  const gateway = await open();
  const hanging = await gateway.plain();
  hanging.write('\x16\x03\x01', 'latin1');
  const client = await gateway.secure();
  client.write('AMQP');
  expect(await nextOf(client)).toBe('amqp AMQP');
  const silent = await gateway.secure();
  // Whose handshake is over for the gateway as well: it has accepted who came later.
  const later = await gateway.secure();
  later.write('AMQP');
  await nextOf(later);
  later.destroy();
  const dropped = Promise.all([saidBy(hanging), saidBy(silent)]);
  const stopped = gateway.stop();
  await dropped;
  expect(client.destroyed).toBe(false);
  client.end();
  await stopped;
});
