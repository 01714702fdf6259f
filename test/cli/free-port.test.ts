// The port that is offered in place of one that is taken is one that can be had.

import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { freePortInstead } from '../../src/cli/free-port.js';
import { readSettings } from '../../src/config/settings.js';
import { PortError } from '../../src/gateway/port-error.js';

async function take(port: number): Promise<number> {
  const server = createServer().listen(port, '127.0.0.1');
  onTestFinished(() => void server.close());
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
}

function inUse(port: number): PortError {
  return new PortError('in-use', '127.0.0.1', port, undefined);
}

test('a port that is taken, too, is not offered', async () => {
  const port = await take(0);
  const settings = readSettings({ port: String(port) }, {});
  const first = await freePortInstead(inUse(port), settings);
  expect(await take(first ?? 0)).toBe(first);
  const second = await freePortInstead(inUse(port), settings);
  expect(second).toBeDefined();
  expect([port, first]).not.toContain(second);
});

test.each([
  ['5671, beside which 5672 is that of the start itself', 5671, { tlsPort: '5671' }],
  ['5299, beside which 5300 is the usual one', 5299, { httpPort: '5299' }],
  ['5672, beside which 5673 is named for another purpose', 5672, { httpPort: '5673' }],
])('in place of %s, none of these is offered', async (_, port, flags) => {
  const free = await freePortInstead(inUse(port), readSettings(flags, {}));
  expect([5299, 5300, 5671, 5672, ...Object.values(flags).map(Number)]).not.toContain(free);
});

test('in place of the last port one below is offered', async () => {
  expect(await freePortInstead(inUse(65_535), readSettings({}, {}))).toBeLessThan(65_535);
});

test('of another error no port is offered', async () => {
  expect(await freePortInstead(new Error('x'), readSettings({}, {}))).toBeUndefined();
});
