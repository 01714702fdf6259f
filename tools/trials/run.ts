// Runs trials of copies, of damage, of kills, of kills amid a restore, of full disks and of power cuts: `npm run measure -- trials
// copy|damage|kill|restore|disk-full|power [--rounds N] [--seed S]`, and `kill [--namespaces N]`.

import { parseArgs } from 'node:util';
import { runCopies } from './copy.js';
import { runCopiesToOther } from './copy-to-other.js';
import { DamageTrials } from './damage.js';
import { runDiskFull } from './disk-full.js';
import { runKills } from './kill.js';
import { runPowerCuts } from './power.js';
import { runRestores } from './restore.js';

const TRIALS: Readonly<Record<string, (options: TrialOptions) => Promise<number>>> = {
  copy: async (options) => (await runCopies(options)) + (await runCopiesToOther(options)),
  damage: runDamage,
  kill: runKills,
  restore: runRestores,
  'disk-full': runDiskFull,
  power: runPowerCuts,
};

export type TrialOptions = {
  readonly rounds: number | undefined;
  readonly seed: number;
  /** Of the emulator whose power is cut: `os` shows that losses are found. */
  readonly durability: string | undefined;
  /** The namespaces beside `default` that are killed under load; 0 is a load on `default`. */
  readonly namespaceCount: number;
};

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: {
    rounds: { type: 'string' },
    seed: { type: 'string' },
    durability: { type: 'string' },
    namespaces: { type: 'string', default: '0' },
  },
});
const run = TRIALS[positionals[0] ?? ''];
if (run === undefined) {
  console.error(`Name what is tried: ${Object.keys(TRIALS).join(', ')}`);
  process.exit(2);
}
const seed = Number(values.seed ?? Date.now() % 1_000_000);
const rounds = values.rounds === undefined ? undefined : Number(values.rounds);
const { durability, namespaces } = values;
process.exitCode = (await run({ rounds, seed, durability, namespaceCount: Number(namespaces) })) > 0 ? 1 : 0;

/** Returns the number of violations. */
async function runDamage({ rounds = 500, seed }: TrialOptions): Promise<number> {
  const trials = new DamageTrials(seed);
  const counts = { unharmed: 0, told: 0, earlier: 0 };
  let violations = 0;
  try {
    await trials.prepare(seed);
    for (let round = 1; round <= rounds; round++) {
      const { description, outcome, problem } = await trials.run();
      counts[outcome] += 1;
      if (problem !== undefined) {
        violations += 1;
        console.log(`round ${round}: ${description}: ${problem}`);
      }
      if (round % 100 === 0) console.log(`${round} of ${rounds} rounds, ${violations} violations`);
    }
  } finally {
    trials.close();
  }
  console.log(
    `seed ${seed}: ${rounds} rounds, ${counts.unharmed} unharmed, ${counts.told} told, ${counts.earlier} an earlier state; ${violations} violations`,
  );
  return violations;
}
