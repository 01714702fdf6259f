// `npm run measure -- namespaces`: how much memory 100 idle namespaces take, which should be at most 0.5 MB each, and how long it takes to
// make them; in memory and on the disk, and again when each has had a client.

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { type Emulator, startEmulator } from '../../src/emulator.js';

const COUNT = 100;
const MEBIBYTE = 1024 * 1024;
setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;

/** A log that is thrown away, so that each namespace records as in `jitney start`. */
const RECORDING = { log: () => {}, tls: 'off', queues: ['orders'] } as const;

const directory = await mkdtemp(join(tmpdir(), 'jitney-namespaces-'));
try {
  await measure('in memory', await startEmulator(RECORDING));
  await measure('on the disk', await startEmulator({ ...RECORDING, dataDirectory: directory }));
} finally {
  await rm(directory, { recursive: true, force: true });
}

async function measure(where: string, emulator: Emulator): Promise<void> {
  // The first ones load and compile code that all share.
  for (const name of ['warm-1', 'warm-2']) await use(emulator, name);
  const before = used();
  const started = performance.now();
  for (let index = 0; index < COUNT; index++) await emulator.namespace(`idle-${index}`);
  const startMs = (performance.now() - started) / COUNT;
  const idle = used();
  for (let index = 0; index < COUNT; index++) await use(emulator, `idle-${index}`);
  const after = used();
  await emulator.stop();
  const each = ({ heap, resident }: Used) =>
    `${(heap / MEBIBYTE / COUNT).toFixed(2)} MB (resident ${(resident / MEBIBYTE / COUNT).toFixed(2)} MB)`;
  console.log(
    `${COUNT} namespaces ${where}: ${each(minus(idle, before))} each idle, ` +
      `${each(minus(after, before))} each once used; ${startMs.toFixed(1)} ms to make one`,
  );
}

/** Sends a message to the namespace and removes it. */
async function use(emulator: Emulator, name: string): Promise<void> {
  await emulator.namespace(name);
  const root = `http://localhost:${emulator.port}/$jitney/v1/namespaces/${name}`;
  const post = async (path: string, body: object) => {
    const headers = { 'content-type': 'application/json' };
    const answer = await fetch(`${root}/${path}`, { method: 'POST', headers, body: JSON.stringify(body) });
    if (!answer.ok) throw new Error(await answer.text());
  };
  await post('messages?entity=orders', { body: 'one' });
  await post('reset', {});
}

/** `heap`: what JavaScript holds, with the bytes of its buffers. */
type Used = { readonly heap: number; readonly resident: number };

function used(): Used {
  for (let round = 0; round < 4; round++) collect();
  const { heapUsed, external, rss } = process.memoryUsage();
  return { heap: heapUsed + external, resident: rss };
}

function minus(a: Used, b: Used): Used {
  return { heap: a.heap - b.heap, resident: a.resident - b.resident };
}
