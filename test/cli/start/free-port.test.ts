// A start that is offered in place of one whose ports or directory are taken can be had.

import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { startInstead } from '../../../src/cli/start/free-port.js';
import type { Flags } from '../../../src/config/environment.js';
import { readSettings } from '../../../src/config/settings.js';
import { JitneyError } from '../../../src/jitney-error.js';

async function take(port: number): Promise<number> {
  const server = createServer().listen(port, '127.0.0.1');
  onTestFinished(() => void server.close());
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
}

/** The ports that the command offers. */
async function offered(error: unknown, flags: Flags): Promise<number[]> {
  const command = await startInstead(error, flags, { settings: readSettings(flags, {}), typedAs: 'jitney' });
  return [...(command ?? '').matchAll(/port (\d+)/g)].map(([, port]) => Number(port));
}

function inUse(port: number): JitneyError {
  return new JitneyError('in-use', `Port ${port} is in use`, { cause: { port } });
}

test('one command replaces each port that is taken by a free one, and a directory in use, and keeps the rest', async () => {
  const [port, httpPort, httpsPort] = [await take(0), await take(0), await freeOne()];
  const flags = {
    port: String(port),
    httpPort: String(httpPort),
    httpsPort: String(httpsPort),
    tlsPort: 'off',
    queue: ["or ders's"],
    policy: ['a=Send:secret'],
    data: '/nowhere/bus',
    reset: true,
  };
  const locked = new JitneyError('locked', 'The directory is in use');
  const command =
    (await startInstead(locked, flags, { settings: readSettings(flags, {}), typedAs: 'npx jitney' })) ?? '';
  const [, first, second] = /^npx jitney --port (\d+) --http-port (\d+) /.exec(command) ?? [];
  expect(await take(Number(first))).not.toBe(port);
  expect(await take(Number(second))).not.toBe(httpPort);
  expect(command.split(`${second} `)[1]).toBe(
    `--https-port ${httpsPort} --tls-port off --queue 'or ders'\\''s' --policy 'a=Send:<key>' --data /nowhere/bus-2 --reset`,
  );
});

test.each([
  ['5671, beside which the start itself has 5672', 5671, { tlsPort: '5671' }],
  ['5299, beside which 5300 is the usual one', 5299, { httpPort: '5299' }],
  ['5672, beside which 5673 is named for another purpose', 5672, { httpPort: '5673' }],
])('in place of %s, none of these is offered', async (_, port, flags) => {
  const ports = await offered(inUse(port), flags);
  expect(ports.length).toBeGreaterThan(0);
  expect(ports).not.toContain(port);
  for (const usual of [5300, 5671, 5672]) expect(ports).not.toContain(usual);
});

test('in place of the last port one below is offered', async () => {
  const [port] = await offered(inUse(65_535), { port: '65535', httpPort: 'off' });
  expect(port).toBeLessThan(65_535);
});

test('of another error no command is offered', async () => {
  expect(
    await startInstead(new Error('x'), {}, { settings: readSettings({}, {}), typedAs: 'jitney' }),
  ).toBeUndefined();
});

async function freeOne(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  return port;
}
