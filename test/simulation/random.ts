// Random numbers and habits that are the same for the same seed, so that every run can be repeated.

export class Random {
  #state: number;

  constructor(seed: number) {
    this.#state = seed >>> 0;
    for (let i = 0; i < 4; i++) this.#next(); // neighbouring seeds drift apart
  }

  /** A whole number from 0 to `below - 1`. */
  integer(below: number): number {
    return Math.floor(this.#next() * below);
  }

  chance(probability: number): boolean {
    return this.#next() < probability;
  }

  pick<T>(choices: readonly T[]): T {
    if (choices.length === 0) throw new Error('there is nothing to choose from');
    return choices[this.integer(choices.length)] as T; // undefined may be one of them
  }

  shuffled<T>(items: readonly T[]): readonly T[] {
    return items
      .map((item) => ({ item, place: this.#next() }))
      .sort((a, b) => a.place - b.place)
      .map(({ item }) => item);
  }

  /** One of the choices, as often as its weight says. */
  pickWeighted<T>(choices: readonly (readonly [choice: T, weight: number])[]): T {
    let left = this.#next() * choices.reduce((sum, [, weight]) => sum + weight, 0);
    for (const [choice, weight] of choices) {
      left -= weight;
      if (left < 0) return choice;
    }
    throw new Error('there is nothing to choose from');
  }

  /** The "mulberry32" generator: 32 bits of state, from 0 up to but not including 1. */
  #next(): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), this.#state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }
}

export type Weighted<T> = readonly (readonly [choice: T, weight: number])[];

/** Most of the choices, rarely without a frequent one; some of them more often than usual and some less. */
export function drawHabits<T>(random: Random, choices: Weighted<T>): Weighted<T> {
  const chosen = choices.filter(([, weight]) => random.chance(weight > 1 ? 0.95 : 0.7));
  if (chosen.length === 0) return choices;
  return chosen.map(([choice, weight]) => [choice, weight * random.pick([0.3, 1, 3])] as const);
}
