// A port that is in use: whether a Jitney has it.

import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, test } from 'vitest';
import { portHolder } from '../../../src/cli/start/port-holder.js';
import { readSettings } from '../../../src/config/settings.js';
import { startEmulator } from '../../../src/emulator.js';

const settings = readSettings({}, {});
/** So that a machine which has much else to do fails no test. */
const PATIENCE_MS = 60_000;

test('a Jitney is named with how to look at it and stop it, also if it checks keys or shows nothing', async () => {
  await using emulator = await startEmulator();
  await using strict = await startEmulator({ auth: 'strict' });
  await using closed = await startEmulator({ control: false });
  const { port } = emulator;
  expect(await portHolder(port, settings, 'npx jitney', PATIENCE_MS)).toEqual([
    expect.stringMatching(/^Jitney \S+ has it, since \d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/),
    `See what it holds:  npx jitney status --port ${port}`,
    `Stop it:            npx jitney stop --port ${port}`,
  ]);
  for (const other of [strict, closed]) {
    expect((await portHolder(other.port, settings, 'jitney', PATIENCE_MS))?.[0]).toBe('Jitney has it');
  }
});

test('another program is not taken for one', async () => {
  const server = createServer((_, response) => response.end('<html>')).listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const { port } = server.address() as AddressInfo;
  expect(await portHolder(port, settings, 'jitney', PATIENCE_MS)).toBeUndefined();
  server.close();
  expect(await portHolder(undefined, settings, 'jitney')).toBeUndefined();
});
