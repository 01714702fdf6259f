// `npm run simulate -- --seed N --turns T`: runs one seed, or new ones for ever, through the broker and through the engine.

import { parseArgs } from 'node:util';
import { simulateBroker } from './simulate-broker.js';
import { simulateEngine } from './simulate-engine.js';
import { SimulationFailure } from './simulation-failure.js';
import type { Tally } from './tally.js';

const DEFAULT_TURNS = 1000;
const SEEDS_PER_LINE = 100;

async function simulate(seed: number, turns: number): Promise<Tally> {
  const tally = simulateBroker({ seed, turns });
  tally.add(await simulateEngine({ seed, turns }));
  return tally;
}

async function simulateForEver(firstSeed: number, turns: number): Promise<never> {
  for (let count = 1; ; count++) {
    const seed = firstSeed + count - 1;
    await simulate(seed, turns);
    if (count % SEEDS_PER_LINE === 0)
      console.log(`${count} seeds of ${turns} turns are fine, the last was ${seed}`);
  }
}

function wholeNumber(text: string, option: string): number {
  const value = Number(text);
  if (text !== '' && Number.isSafeInteger(value) && value >= 0) return value;
  throw new Error(`--${option} must be a whole number, not '${text}'`);
}

async function main(): Promise<void> {
  const { values } = parseArgs({ options: { seed: { type: 'string' }, turns: { type: 'string' } } });
  const turns = wholeNumber(values.turns ?? String(DEFAULT_TURNS), 'turns');
  if (values.seed === undefined) {
    await simulateForEver(Math.floor(Math.random() * 2 ** 31), turns);
  } else {
    console.log(String(await simulate(wholeNumber(values.seed, 'seed'), turns)));
  }
}

main().catch((error: unknown) => {
  if (error instanceof SimulationFailure) {
    console.error(error.message);
    console.error(`To see it again: npm run simulate -- --seed ${error.seed}`);
  } else {
    console.error(error);
  }
  process.exitCode = 1;
});
