// What an attack is: what one client does that others could feel.

import { setTimeout as sleep } from 'node:timers/promises';
import type { Random } from '../../compat-tests/support/seeded-random.js';
import type { Column } from './row.js';

export type Context = {
  readonly port: number;
  /** Chooses sizes and shapes: the same ones for the same seed. */
  readonly random: Random;
  /** The part of the stated numbers that is done; 1 unless said. */
  readonly scale: number;
};

export type Told = {
  readonly text: string;
  readonly problems?: readonly string[];
  /** Paths of entities that must go with the client. */
  readonly temporary?: readonly string[];
};

export type Attack = {
  /** `works` unless all numbers are in the left column of the promise. */
  readonly column?: Column;
  readonly about: string;
  /** Options of the emulator, besides `--limits none`. */
  readonly options?: readonly string[];
  /** Makes what the attack needs, before anything is measured. */
  prepare?(context: Context): Promise<unknown>;
  /** Resolves when the client holds all that it can. Its process then ends, without a word to the emulator. */
  run(context: Context): Promise<Told>;
};

export const ATTACKED_QUEUE = 'attacked';

/** One of several. */
export function oneOf<Value>(random: Random, ...all: readonly [Value, ...Value[]]): Value {
  return all[random.integer(0, all.length - 1)] ?? all[0];
}

/** A whole number near `count`, at the scale of the run: 80 to 120 % of it. */
export function about({ random, scale }: Context, count: number): number {
  return Math.max(1, Math.round(count * scale * random.between(0.8, 1.2)));
}

/** A text of so many characters that repeats what a search may stumble over. */
export function runOf(random: Random, length: number): string {
  const repeated = oneOf(
    random,
    '2',
    '25',
    '%25',
    '+',
    '=',
    'a.',
    '/',
    '&sig=',
    'eyJ',
    'x',
    '-',
    "sig=%2B'",
    'Bearer%20',
  );
  return repeated.repeat(Math.ceil(length / repeated.length)).slice(0, length);
}

/** Waits while the client holds what it has, for less time at a small scale. */
export function hold({ scale }: Context, ms = 5000): Promise<void> {
  return sleep(ms * Math.min(1, 10 * scale));
}
