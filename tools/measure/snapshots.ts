// `npm run measure -- snapshots`: how long it takes to take and to restore a snapshot in memory, which should be below 50 ms for
// 1,000 messages. CPU time is what counts while others use the machine.

import { startEmulator } from '../../src/emulator.js';

const SIZES = [1000, 10_000, 100_000];
const ROUNDS = 15;
const TEXT = 'x'.repeat(100);
const MOST_SENT = 1000;

for (const size of SIZES) await measure(size);

async function measure(size: number): Promise<void> {
  await using emulator = await startEmulator({ queues: ['orders'], tls: 'off' });
  for (let sent = 0; sent < size; sent += MOST_SENT) await send(emulator.port, MOST_SENT);
  const takes: Took[] = [];
  const restores: Took[] = [];
  let snapshot = new Uint8Array();
  for (let round = 0; round < ROUNDS; round++) {
    takes.push(
      await timed(async () => {
        snapshot = new Uint8Array(await emulator.snapshot());
      }),
    );
    restores.push(await timed(() => emulator.restore(snapshot)));
  }
  console.log(`${size} messages, ${snapshot.length} bytes: take ${shown(takes)}, restore ${shown(restores)}`);
}

async function send(port: number, count: number): Promise<void> {
  const messages = Array.from({ length: count }, (_, id) => ({ body: { id, text: TEXT } }));
  const answer = await fetch(`http://localhost:${port}/$jitney/v1/messages?entity=orders`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(messages),
  });
  if (!answer.ok) throw new Error(await answer.text());
}

type Took = { readonly wallMs: number; readonly cpuMs: number };

async function timed(work: () => Promise<unknown>): Promise<Took> {
  const cpu = process.cpuUsage();
  const started = performance.now();
  await work();
  const { user, system } = process.cpuUsage(cpu);
  return { wallMs: performance.now() - started, cpuMs: (user + system) / 1000 };
}

/** The medians: the first rounds compile the code. */
function shown(all: readonly Took[]): string {
  const median = (of: (took: Took) => number) =>
    all.map(of).sort((a, b) => a - b)[Math.floor(all.length / 2)];
  return `${median(({ wallMs }) => wallMs)?.toFixed(1)} ms (CPU ${median(({ cpuMs }) => cpuMs)?.toFixed(1)} ms)`;
}
