// Random damage to one file of a journal: everything is as it was, or the damage is told. `npm run measure -- trials damage` tries 500.

import { expect, test } from 'vitest';
import { DamageTrials } from '../../tools/trials/damage.js';
import { countFor } from '../support/thorough.js';

const ROUNDS = countFor(10, 40);
const SEED = 1;

test('a flipped, cut, zeroed, removed or swapped file, or one with bytes too many or too few, changes nothing, or is told', async () => {
  const trials = new DamageTrials(SEED);
  try {
    await trials.prepare(SEED);
    const outcomes = new Set<string>();
    for (let round = 1; round <= ROUNDS; round++) {
      const { description, outcome, problem } = await trials.run();
      expect(problem, description).toBeUndefined();
      outcomes.add(outcome);
    }
    expect([...outcomes], 'the damage was damage').toContain('told');
  } finally {
    trials.close();
  }
});
