// The longest stretch of work on large stores, during which nobody else has a turn: `npm run measure -- turns [<row> ...] [--scale 0.1]
// [--where]`. Beside it stands how much of it was garbage collection, and the longest stretch without that. `--where` says which functions
// took the time.

import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { parseArgs, promisify } from 'node:util';
import { build } from 'esbuild';
import { ROOT } from '../bench/built-programs.js';
import { type LongestStretch, SHORTEST_KEPT_MS } from './longest-stretch.js';
import { ROWS } from './rows.js';

/** At a tenth of the sizes a row is within the first column of docs/limits.md, and whole within the second. */
const COMFORTABLE_SCALE = 0.1;
const COMFORTABLE_LIMIT_MS = 50;
const LIMIT_MS = 500;
const ROW_LIMIT_MS = 180_000;
const NAME_WIDTH = 24;
const FIGURE_WIDTH = 13;

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: {
    scale: { type: 'string', default: '1' },
    where: { type: 'boolean', default: false },
  },
});
const scale = Number(values.scale);
const unknown = positionals.find((name) => !(name in ROWS));
if (unknown !== undefined || !(scale > 0)) {
  console.error(`Name rows (${Object.keys(ROWS).join(', ')}) and a --scale above 0.`);
  process.exit(2);
}
const program = await buildProgram();
await reportAll(positionals.length > 0 ? positionals : Object.keys(ROWS));

async function reportAll(names: readonly string[]): Promise<void> {
  const headings = ['longest', 'of it gc', 'longest own'].map((text) => text.padStart(FIGURE_WIDTH)).join('');
  console.log(`${''.padEnd(NAME_WIDTH)}${headings}`);
  for (const name of names) await report(name);
}

/** As plain JavaScript: what a loader adds to each function would take a third of some turns. Returns its path. */
async function buildProgram(): Promise<string> {
  const outfile = join(ROOT, 'node_modules/.cache/jitney-turns/measure.mjs');
  await build({
    entryPoints: [join(ROOT, 'tools/turns/measure.ts')],
    outfile,
    bundle: true,
    packages: 'external',
    format: 'esm',
    platform: 'node',
    target: 'node20',
  });
  return outfile;
}

/** Each row has a process of its own, because garbage of the others would be collected in it. */
async function report(name: string): Promise<void> {
  const row = ROWS[name];
  if (row === undefined) return;
  const { stdout } = await promisify(execFile)(
    process.execPath,
    ['--expose-gc', program, name, String(scale), ...(values.where ? ['where'] : [])],
    { timeout: ROW_LIMIT_MS },
  );
  const { longestMs, collectionMs, ownMs, where }: LongestStretch = JSON.parse(stdout);
  const limitMs = scale > COMFORTABLE_SCALE ? LIMIT_MS : (row.limitMs ?? COMFORTABLE_LIMIT_MS);
  const isGood = longestMs < limitMs;
  if (!isGood) process.exitCode = 1;
  const verdict = isGood ? 'ok' : `it must be below ${limitMs} ms`;
  const texts =
    longestMs === 0
      ? [`< ${SHORTEST_KEPT_MS}`, '', '']
      : [longestMs, collectionMs, ownMs].map((ms) => ms.toFixed(1));
  const figures = texts.map((text) => text.padStart(FIGURE_WIDTH)).join('');
  console.log(`${name.padEnd(NAME_WIDTH)}${figures} ms  ${row.about}: ${verdict}`);
  if (values.where) console.log(where.join('\n'));
}
