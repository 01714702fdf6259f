// What a seed does often, what seldom, and what not at all.

import type { Random } from './random.js';

export type Weighted<T> = readonly (readonly [choice: T, weight: number])[];

/** Most of the choices, rarely without a frequent one; some of them more often than usual and some less. */
export function drawHabits<T>(random: Random, choices: Weighted<T>): Weighted<T> {
  const chosen = choices.filter(([, weight]) => random.chance(weight > 1 ? 0.95 : 0.7));
  if (chosen.length === 0) return choices;
  return chosen.map(([choice, weight]) => [choice, weight * random.pick([0.3, 1, 3])] as const);
}
