// Attacks the built product while others work beside: `npm run measure -- crowd [--only <attack>,... --seed N --scale 0.1]` (Linux). Each attack
// is a process; it has an emulator of its own, whose turns and memory are held against the promise (docs/limits.md).

import { parseArgs } from 'node:util';
import { seededRandom } from '../../compat-tests/support/seeded-random.js';
import { ATTACKS } from './attacks.js';
import { measure } from './measure.js';
import { problemsOf, reportOf, titleOf, verdictOf } from './row.js';
import { buildProbe } from './server.js';
import { START_ATTACKS } from './starts.js';

const ALL = [...Object.keys(START_ATTACKS), ...Object.keys(ATTACKS)];

const { values } = parseArgs({
  options: {
    only: { type: 'string', default: ALL.join() },
    seed: { type: 'string', default: `${Date.now() % 1_000_000}` },
    scale: { type: 'string', default: '1' },
  },
});
const run = { seed: Number(values.seed), scale: Number(values.scale) };
const names = values.only.split(',');
const unknown = names.find((name) => !ALL.includes(name));
if (unknown !== undefined || !(run.scale > 0) || !Number.isInteger(run.seed)) {
  console.error(`Give --seed and --scale as numbers, and --only of these: ${ALL.join(', ')}`);
  process.exit(2);
}
await buildProbe();
console.log(`seed ${values.seed}`);
for (const name of names) {
  const isGood = await report(name);
  if (isGood) continue;
  console.log(
    `  again: npm run measure -- crowd --only ${name} --seed ${values.seed} --scale ${values.scale}`,
  );
  process.exitCode = 1;
}
process.exit(); // the bystanders' last requests would wait for long

/** Whether all was good. */
async function report(name: string): Promise<boolean> {
  const [start, attack] = [START_ATTACKS[name], ATTACKS[name]];
  if (start !== undefined) {
    const { text, problems = [] } = await start.run(seededRandom(run.seed));
    console.log(`${titleOf(name)} ${text} · ${verdictOf(problems)}`);
    return problems.length === 0;
  }
  if (attack === undefined) return true;
  try {
    const row = await measure(name, attack, run);
    console.log(reportOf(row));
    return problemsOf(row).length === 0;
  } catch (error) {
    console.log(`${titleOf(name)} ${verdictOf([error instanceof Error ? error.message : String(error)])}`);
    return false;
  }
}
