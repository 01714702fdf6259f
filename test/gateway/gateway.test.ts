// The ports of an emulator: each takes everything, and one that is only a convenience may be missing.

import { createServer, type Server } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import { Gateway } from '../../src/gateway/gateway.js';
import { type Address, listen } from '../../src/gateway/listen.js';
import type { JitneyError } from '../../src/jitney-error.js';
import { echo } from '../support/gateway-under-test.js';

const ANY: Address = { host: '127.0.0.1', port: 0 };
const opened: { close(): unknown }[] = [];

afterEach(async () => {
  await Promise.all(opened.splice(0).map((one) => one.close()));
});

function make(): Gateway {
  const gateway = new Gateway({ amqp: echo, http: (socket) => socket.destroy() });
  opened.push(gateway);
  return gateway;
}

test('a port that is only a convenience is opened where it is free', async () => {
  const told: JitneyError[] = [];
  const port = await make().openIfFree(ANY, (why) => told.push(why));
  expect(port).toBeGreaterThan(0);
  expect(told).toEqual([]);
});

test('a port that is only a convenience and is in use is reported, and missing', async () => {
  const { servers, port } = await listen<Server>(ANY, () => createServer());
  opened.push(...servers);
  const told: JitneyError[] = [];
  expect(await make().openIfFree({ ...ANY, port }, (why) => told.push(why))).toBeUndefined();
  expect(told).toMatchObject([{ kind: 'in-use', cause: { port } }]);
  await expect(make().open({ ...ANY, port })).rejects.toMatchObject({ kind: 'in-use', cause: { port } });
});
