// Asking the emulator that runs for its certificate authority: on loopback alone, and believing nothing else that answers.

import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeAll, expect, test } from 'vitest';
import { askRunning } from '../../../src/cli/control/running-authority.js';
import { openCertificates } from '../../../src/security/certificates.js';

let authority: string;
let leaf: string;
let server: Server | undefined;

beforeAll(async () => {
  const certificates = await openCertificates({});
  authority = (await certificates.authority()) ?? '';
  leaf = (await certificates.server()).cert;
});
afterEach(async () => {
  await new Promise((resolve) => (server === undefined ? resolve(undefined) : server.close(resolve)));
  server = undefined;
});

/** Its port. */
async function answering(status: number, body: string): Promise<number> {
  const started = createServer(({ url }, response) => {
    response.writeHead(url === '/ca.pem' ? status : 500, { connection: 'close' }).end(body);
  });
  server = started;
  await new Promise<void>((resolve) => started.listen(0, '127.0.0.1', resolve));
  return (started.address() as AddressInfo).port;
}

test.each(['localhost', '0.0.0.0', '::', '127.0.0.1'])(
  'an emulator on %s tells its authority',
  async (host) => {
    const asked = await askRunning({ host, port: await answering(200, authority) });
    expect(asked.kind === 'authority' && asked.certificate.toString()).toBe(authority);
  },
);

test.each<[string, number, () => string, string]>([
  ['a certificate of its own', 404, () => 'It is your own.\n', 'answers 404: It is your own.'],
  ['a certificate that issues none', 200, () => leaf, 'answers 200: -----BEGIN CERTIFICATE-----'],
  ['anything else', 200, () => '<html>', 'answers 200: <html>'],
  ['more than a certificate can be', 200, () => authority.repeat(200), 'nothing answers at'],
])('who answers with %s is not believed', async (_, status, body, why) => {
  const port = await answering(status, body());
  expect(await askRunning({ host: 'localhost', port })).toEqual({
    kind: 'none',
    why: expect.stringContaining(why),
  });
});

test('where nothing listens, that is said', async () => {
  const port = await answering(200, authority);
  await new Promise((resolve) => server?.close(resolve));
  server = undefined;
  expect(await askRunning({ host: 'localhost', port })).toEqual({
    kind: 'none',
    why: `nothing answers at http://127.0.0.1:${port}/ca.pem`,
  });
});

test('an emulator that other machines alone can reach is not asked, nor one on a free port', async () => {
  const port = await answering(200, authority);
  expect(await askRunning({ host: '192.0.2.7', port })).toEqual({
    kind: 'none',
    why: 'an emulator that listens only on 192.0.2.7 is not asked',
  });
  expect((await askRunning({ host: 'localhost', port: 0 })).kind).toBe('none');
});
