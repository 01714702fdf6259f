// The longest stretch of work on large stores, during which nobody else has a turn: `npm run turns [-- <row> ...] [--scale 0.1]`.

import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { parseArgs, promisify } from 'node:util';
import { ROWS } from './rows.js';
import { longestStretchMs, World } from './world.js';

const LIMIT_MS = 50;
const ROW_LIMIT_MS = 180_000;
const NAME_WIDTH = 24;

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: { scale: { type: 'string', default: '1' }, here: { type: 'boolean', default: false } },
});
const scale = Number(values.scale);
const unknown = positionals.find((name) => !(name in ROWS));
if (unknown !== undefined || !(scale > 0)) {
  console.error(`Name rows (${Object.keys(ROWS).join(', ')}) and a --scale above 0.`);
  process.exit(2);
}
if (values.here) await measure(positionals[0] ?? '');
else for (const name of positionals.length > 0 ? positionals : Object.keys(ROWS)) await report(name);

/** Each row has a process of its own, because garbage of the others would be collected in it. */
async function report(name: string): Promise<void> {
  const row = ROWS[name];
  if (row === undefined) return;
  const nodeArguments = ['--expose-gc', '--import', 'tsx', fileURLToPath(import.meta.url)];
  const { stdout } = await promisify(execFile)(
    process.execPath,
    [...nodeArguments, name, '--here', '--scale', String(scale)],
    { timeout: ROW_LIMIT_MS },
  );
  const longestMs = Number(stdout);
  const limitMs = row.limitMs ?? LIMIT_MS;
  const isGood = longestMs < limitMs;
  if (!isGood) process.exitCode = 1;
  const verdict = isGood ? 'ok' : `it must be below ${limitMs} ms`;
  console.log(`${name.padEnd(NAME_WIDTH)} ${longestMs.toFixed(1).padStart(8)} ms  ${row.about}: ${verdict}`);
}

async function measure(name: string): Promise<void> {
  const world = new World();
  try {
    await world.start();
    const work = await ROWS[name]?.prepare(world, scale);
    globalThis.gc?.(); // the garbage of the preparation is not the work's
    if (work !== undefined) console.log(await longestStretchMs(work));
  } finally {
    await world.end();
  }
}
