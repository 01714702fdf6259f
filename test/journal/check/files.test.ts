// Each kind of damage to each kind of file: `jitney check` says what a start does, and a repaired journal has all that can be read.

import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { contradictionOf, type Original, tryCheck, tryStart } from '../../support/damaged-journal.js';
import { writeHistory } from '../../support/history-journal.js';
import { makeTemporaryDirectory } from '../../support/journal-places.js';

const ZEROED_BYTES = 100;

type Kept = Original & { readonly directory: string };

const folder = mkdtempSync(join(tmpdir(), 'jitney-files-'));
let stopped: Kept;
let killed: Kept;

beforeAll(async () => {
  const directory = join(folder, 'stopped');
  stopped = { directory, history: await writeHistory(directory, { seed: 7, runs: 2 }), isClean: true };
  const left = join(folder, 'killed');
  const history = await writeHistory(join(folder, 'running'), { seed: 8, runs: 1, killed: left });
  killed = { directory: left, history, isClean: false };
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

type Damage = (bytes: Buffer) => Buffer;

const DAMAGES: Readonly<Record<string, Damage>> = {
  'a byte put in': (bytes) => {
    const middle = bytes.length >> 1;
    return Buffer.concat([bytes.subarray(0, middle), Buffer.from('x'), bytes.subarray(middle)]);
  },
  'a byte taken out': (bytes) => {
    const middle = bytes.length >> 1;
    return Buffer.concat([bytes.subarray(0, middle), bytes.subarray(middle + 1)]);
  },
  'a zeroed range': (bytes) => {
    const middle = bytes.length >> 1;
    return bytes.fill(0, middle, Math.min(middle + ZEROED_BYTES, bytes.length));
  },
  'a truncated end': (bytes) => bytes.subarray(0, bytes.length - Math.ceil(bytes.length / 8)),
};

/** Each kind of file, and how many messages damage in its middle costs at most: the one in whose content it is. */
const FILES: readonly (readonly [what: string, of: 'stopped' | 'killed', name: RegExp, mostLost: number])[] =
  [
    ['CURRENT', 'stopped', /CURRENT$/, 0],
    ['the manifest', 'stopped', /MANIFEST-\d+$/, 0],
    ['a table', 'stopped', /\.ldb$/, 0],
    ['a log of LevelDB', 'stopped', /\d\.log$/, 0],
    ['a full segment', 'stopped', /00001\.segment$/, 1],
    ['the last segment of a killed process', 'killed', /\.segment$/, 1],
  ];

for (const [what, of, name, mostLost] of FILES) {
  test.each(Object.keys(DAMAGES))(`${what} with %s`, async (damage) => {
    const original = of === 'stopped' ? stopped : killed;
    const directory = join(await makeTemporaryDirectory(), 'journal');
    cpSync(original.directory, directory, { recursive: true });
    const paths = readdirSync(directory, { recursive: true, encoding: 'utf8' });
    const path = join(
      directory,
      paths
        .filter((one) => name.test(one))
        .sort()
        .at(-1) ?? '',
    );
    writeFileSync(path, DAMAGES[damage]?.(readFileSync(path)) ?? '');

    const checked = await tryCheck(directory, original);
    const started = await tryStart(directory, original, { isLostEnd: of === 'killed' });
    const problems = [checked.problem, started.problem, contradictionOf(checked, started)];
    expect(problems).toEqual([undefined, undefined, undefined]);
    // What is cut off at the end of the log is as if it had not been written.
    const isLostEnd = started.outcome === 'earlier';
    expect(isLostEnd).toBe(of === 'killed' && damage === 'a truncated end');
    expect(checked.report.notes).toHaveLength(isLostEnd ? 1 : 0);
    const keys = [...original.history.rows.keys()].filter((key) => key.startsWith('m'));
    const lost = keys.filter((key) => !checked.rows.has(key));
    if (!isLostEnd) expect(lost.length).toBeLessThanOrEqual(mostLost);
  });
}
