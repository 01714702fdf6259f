// Ten ordinary mistakes, made with the real SDK or a real program: the log at its default level names the cause of each in one line.

import { createHmac } from 'node:crypto';
import { request } from 'node:http';
import { join } from 'node:path';
import { ServiceBusAdministrationClient } from '@azure/service-bus';
import { expect, test } from 'vitest';
import { importBuiltPackage } from './support/built-package.js';
import { connect, receiveOne, sendBodies } from './support/service-bus.js';
import { temporaryDirectory } from './support/temporary-directory.js';
import { until } from './support/until.js';

const { startEmulator } = await importBuiltPackage();
type Options = NonNullable<Parameters<typeof startEmulator>[0]>;

const ONCE = { retryOptions: { maxRetries: 0, timeoutInMs: 5000 } };
const POLICIES = [{ keyName: 'boss', rights: ['Manage', 'Send', 'Listen'], primaryKey: 'right' }] as const;

/** An emulator, and the lines of its log without the level. */
async function logged(options: Options) {
  const lines: string[] = [];
  const emulator = await startEmulator({ ...options, log: (_level, text) => lines.push(text) });
  return {
    emulator,
    lines,
    /** Waits for the line, and checks that the cause is told once. */
    async expectLine(pattern: RegExp): Promise<void> {
      await until('a line', () => lines.some((line) => pattern.test(line))).catch(() => {
        expect(lines, 'no line matches').toContainEqual(expect.stringMatching(pattern));
      });
      expect(lines.filter((line) => pattern.test(line))).toHaveLength(1);
    },
    [Symbol.asyncDispose]: () => emulator.stop(),
  };
}

test('a wrong key', async () => {
  await using log = await logged({ auth: 'strict', policies: POLICIES, queues: ['orders'] });
  await using client = connect(log.emulator.connectionString.replace('Key=right', 'Key=wrong'), ONCE);
  await expect(sendBodies(client, 'orders', ['x'])).rejects.toThrow();
  await log.expectLine(/^A token of connection 1, JavaScript \S+ :\d+ for 'orders' was refused: .*signature/);
});

test('an expired token', async () => {
  await using log = await logged({ auth: 'strict', policies: POLICIES, queues: ['orders'] });
  const { host, port } = log.emulator;
  const token = signedToken(`sb://${host}:${port}/orders`, Date.UTC(2001, 0, 1) / 1000);
  const connectionString = `Endpoint=sb://${host}:${port};SharedAccessSignature=${token};UseDevelopmentEmulator=true`;
  await using client = connect(connectionString, ONCE);
  await expect(sendBodies(client, 'orders', ['x'])).rejects.toThrow();
  await log.expectLine(/^A token of .* for 'orders' was refused: .*expired.*2001/);
});

test('an authority that the client does not trust', async () => {
  await using log = await logged({ queues: ['orders'] });
  const admin = new ServiceBusAdministrationClient(log.emulator.connectionString, {
    retryOptions: { maxRetries: 0 },
  });
  await expect(admin.getQueue('orders')).rejects.toThrow();
  await log.expectLine(/^A client .*certificate.*NODE_EXTRA_CA_CERTS/);
});

test('an entity that is not there', async () => {
  await using log = await logged({ queues: ['orders'] });
  await using client = connect(log.emulator.connectionString, ONCE);
  await expect(sendBodies(client, 'order', ['x'])).rejects.toThrow();
  await log.expectLine(/'order' .*could not be found\. Did you mean 'orders'\?/);
});

test('a session receiver on a queue without sessions, and the reverse', async () => {
  await using log = await logged({ queues: ['plain', { name: 'sessions', requiresSession: true }] });
  await using client = connect(log.emulator.connectionString, ONCE);
  await expect(client.acceptNextSession('plain')).rejects.toThrow();
  await log.expectLine(/^'plain' refused a session receiver .*does not require sessions/);
  const receiver = client.createReceiver('sessions');
  await expect(receiver.receiveMessages(1, { maxWaitTimeInMs: 100 })).rejects.toThrow();
  await log.expectLine(/^'sessions' refused a receiver .*requires sessions/);
});

test('a handler that takes longer than the lock', async () => {
  await using log = await logged({ queues: [{ name: 'orders', lockDuration: 'PT5S' }], clock: 'virtual' });
  await using client = connect(log.emulator.connectionString, ONCE);
  await sendBodies(client, 'orders', ['x']);
  const receiver = client.createReceiver('orders', { maxAutoLockRenewalDurationInMs: 0 });
  await receiveOne(receiver);
  await log.emulator.clock.advance('PT6S');
  await log.expectLine(/^The lock of 'orders' #1 ended after 5 s while its receiver .* was still connected/);
});

test('a message that no handler can take', async () => {
  await using log = await logged({ queues: [{ name: 'orders', maxDeliveryCount: 2 }] });
  await using client = connect(log.emulator.connectionString, ONCE);
  await sendBodies(client, 'orders', ['x']);
  const receiver = client.createReceiver('orders');
  for (let count = 0; count < 2; count++) await receiver.abandonMessage(await receiveOne(receiver));
  await log.expectLine(
    /^'orders' #1, id '.*', at [\d:.]+ was dead-lettered: MaxDeliveryCountExceeded: .* Last abandoned by connection 1, JavaScript \S+ :\d+ after \d+ ms\.$/,
  );
});

test('a host name that the emulator does not answer to', async () => {
  await using log = await logged({ queues: ['orders'] });
  const { port } = log.emulator;
  await answered(request({ host: '127.0.0.1', port, path: '/orders', headers: { host: 'bus.example' } }));
  await log.expectLine(/bus\.example.*--allow-host/);
});

test('two emulators on one data directory', async () => {
  await using directory = await temporaryDirectory();
  const dataDirectory = join(directory.path, 'data');
  await using _first = await logged({ queues: ['orders'], dataDirectory });
  await expect(startEmulator({ queues: ['orders'], dataDirectory })).rejects.toMatchObject({
    message: expect.stringMatching(/in use/),
  });
});

test('a proxy setting that names the emulator', async () => {
  await using log = await logged({ queues: ['orders'] });
  const { port } = log.emulator;
  const tunnel = request({ host: '127.0.0.1', port, method: 'CONNECT', path: 'example.com:443' });
  await new Promise((resolve) => tunnel.once('connect', resolve).once('error', resolve).end());
  await log.expectLine(/^A client took this port for a proxy .*"example\.com:443".*HTTPS_PROXY/);
});

function signedToken(resource: string, expiresAt: number): string {
  const encoded = encodeURIComponent(resource);
  const signature = createHmac('sha256', 'right').update(`${encoded}\n${expiresAt}`).digest('base64');
  return `SharedAccessSignature sr=${encoded}&sig=${encodeURIComponent(signature)}&se=${expiresAt}&skn=boss`;
}

function answered(call: ReturnType<typeof request>): Promise<void> {
  return new Promise((resolve, reject) => {
    call.once('response', (response) => response.resume().once('end', resolve)).once('error', reject);
    call.end();
  });
}
