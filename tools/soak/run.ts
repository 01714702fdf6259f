// Mixed load of all features for half an hour, after which everything is as it was: `npm run measure -- soak [--minutes 30] [--workers 4]`
// (Linux). A load of more workers, for a sixth of the time, warms up before: V8 compiles code that runs often, and keeps it. Then and at
// the end the load pauses, and what the emulator holds is compared.

import { rmSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { temporaryDirectory } from '../bench/brokers.js';
import { JITNEY } from '../bench/built-programs.js';
import { Child } from '../bench/child.js';
import { differences, type State } from './compare.js';
import { entitiesFor, work } from './load.js';
import { probe } from './probe.js';

const READY = 'Successfully Up';
const PORT_TEXT = /Endpoint=sb:\/\/localhost:(\d+)/;
const INSPECTOR_TEXT = /ws:\/\/\S+/;
/** By then the message-ids of the load are forgotten, and dead files of the journal are gone. */
const QUIET_MS = 40_000;
const MINUTE = 60_000;
const WARM_UP_WORKERS = 24;
const METRIC = /^(servicebus_(?:links|connections|entity_messages|entity_sessions))(?:\{[^}]*\})? (\d+)$/gm;

const { values } = parseArgs({
  options: { minutes: { type: 'string', default: '30' }, workers: { type: 'string', default: '4' } },
});
const minutes = Number(values.minutes);
const workers = Number(values.workers);
if (!(minutes > 0 && workers > 0)) {
  console.error('Give --minutes and --workers above 0.');
  process.exit(2);
}

const directory = temporaryDirectory();
const programArguments = [
  'start',
  '--data',
  directory,
  '--port',
  '0',
  '--http-port',
  'off',
  ...entitiesFor(Math.max(workers, WARM_UP_WORKERS)),
];
const server = new Child(JITNEY, {
  nodeArguments: ['--inspect=127.0.0.1:0'],
  programArguments,
  isAsked: false,
});
try {
  await server.printed(READY);
  const port = Number(PORT_TEXT.exec(server.output)?.[1]);
  const inspector = INSPECTOR_TEXT.exec(server.output)?.[0] ?? '';
  await load(port, WARM_UP_WORKERS, minutes / 6);
  const before = await stateOf(port, inspector);
  await load(port, workers, minutes);
  const after = await stateOf(port, inspector);
  const found = differences(before, after);
  for (const text of found) console.log(text);
  console.log(
    found.length === 0 ? 'ok: everything is as it was' : `${found.length} things are not as they were`,
  );
  if (found.length > 0) process.exitCode = 1;
} finally {
  await server.stop();
  rmSync(directory, { recursive: true, force: true });
}

async function load(port: number, workerCount: number, forMinutes: number): Promise<void> {
  const connectionString = `Endpoint=sb://localhost:${port};SharedAccessKeyName=any;SharedAccessKey=any;UseDevelopmentEmulator=true;`;
  const signal = AbortSignal.timeout(Math.round(forMinutes * MINUTE));
  const running = Array.from({ length: workerCount }, (_, worker) => work(connectionString, worker, signal));
  const rounds = await Promise.all(running);
  console.log(`${rounds.reduce((sum, count) => sum + count, 0)} rounds in ${forMinutes.toFixed(1)} minutes`);
}

async function stateOf(port: number, inspector: string): Promise<State> {
  await sleep(QUIET_MS);
  const text = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
  await sleep(6000); // the connection of the request is idle for five seconds
  const counts: Record<string, number> = {};
  for (const [, name = '', count] of text.matchAll(METRIC))
    counts[name] = (counts[name] ?? 0) + Number(count);
  const state = { ...(await probe(inspector, server.pid)), counts };
  console.log(JSON.stringify(state));
  return state;
}
