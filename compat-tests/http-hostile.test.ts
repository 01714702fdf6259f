// Bodies of 100 MB that nobody wants, from many clients: each is told no, others are served, and memory stays what it was.

import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { request } from 'node:http';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { Jitney } from './support/jitney.js';

const MEBIBYTE = 1024 * 1024;
const CHUNK = Buffer.alloc(MEBIBYTE, 'x');
const CHUNKS = 100;
/** Far below one body, let alone all of them. */
const MAX_GROWTH_BYTES = 64 * MEBIBYTE;

let jitney: Jitney;

beforeAll(async () => {
  jitney = await Jitney.start({ queues: ['orders'] });
});

afterAll(() => jitney.stop());

/** The status; undefined when the connection was ended without one. */
function upload(
  method: string,
  path: string,
  headers: Readonly<Record<string, string>>,
): Promise<number | undefined> {
  const { host, port } = jitney.address;
  const client = request({ host, port, method, path, agent: false, headers });
  return new Promise((resolve) => {
    client.on('error', () => resolve(undefined));
    client.on('response', (response) => {
      resolve(response.statusCode);
      response.resume();
    });
    void pour();
  });

  async function pour(): Promise<void> {
    for (let chunk = 0; chunk < CHUNKS && !client.destroyed; chunk++) {
      if (!client.write(CHUNK))
        await Promise.race([once(client, 'drain'), once(client, 'close')]).catch(() => {});
    }
    client.end();
  }
}

async function residentBytes(): Promise<number> {
  const status = await readFile(`/proc/${jitney.process.pid}/status`, 'utf8');
  return Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1]) * 1024;
}

const AUTHORIZED = { authorization: 'Bearer any' };
const UPLOADS: readonly (readonly [string, string, Readonly<Record<string, string>>])[] = [
  ['PUT', '/new', AUTHORIZED],
  ['PUT', '/new', { ...AUTHORIZED, 'content-length': String(CHUNKS * MEBIBYTE) }],
  ['POST', '/orders/messages', AUTHORIZED],
  [
    'POST',
    '/orders/messages',
    { ...AUTHORIZED, 'content-type': 'application/vnd.microsoft.servicebus.json' },
  ],
  ['POST', '/orders/messages', {}],
];

test.runIf(process.platform === 'linux')('a hundred megabytes in a request take no memory', async () => {
  await Promise.all(UPLOADS.map((one) => upload(...one)));
  const before = await residentBytes();
  const statuses: (number | undefined)[] = [];
  for (let round = 0; round < 4; round++) {
    statuses.push(...(await Promise.all(UPLOADS.map((one) => upload(...one)))));
  }
  expect((await residentBytes()) - before).toBeLessThan(MAX_GROWTH_BYTES);
  // A client that goes on sending may hear of its connection's end before it hears the answer.
  expect(statuses.every((status) => status === undefined || (status >= 400 && status < 500))).toBe(true);
  const { host, port } = jitney.address;
  expect((await fetch(`http://${host}:${port}/orders`, { headers: AUTHORIZED })).status).toBe(200);
});
