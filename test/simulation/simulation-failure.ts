// How a simulation fails: assertions for hot loops, and an error with all that is needed to run it again.

import { inspect } from 'node:util';
import type { Command } from '../../src/broker/contract/command.js';

/** The broker alone, or with the engine and a journal around it. */
type SimulationMode = 'broker' | 'engine';

export type SimulationOptions = {
  readonly seed: number;
  readonly turns: number;
  /** Default: drawn. */
  readonly maxFanOutCost?: number | undefined;
  /** Whether receivers may have selectors. Default: drawn. */
  readonly hasSelectors?: boolean | undefined;
};

type FailurePlace = {
  readonly mode: SimulationMode;
  readonly seed: number;
  readonly turn: number;
  readonly command: Command | undefined;
};

export class SimulationFailure extends Error {
  readonly seed: number;

  constructor({ mode, seed, turn, command }: FailurePlace, cause: unknown) {
    const what = cause instanceof Error ? cause.message : String(cause);
    super(`${mode}, seed ${seed}, turn ${turn}: ${describeCommand(command)}\n${what}`, { cause });
    this.name = 'SimulationFailure';
    this.seed = seed;
  }
}

/** Contents by their size only. */
function describeCommand(command: Command | undefined): string {
  return JSON.stringify(command, (_key, value: unknown) => {
    if (value === Number.POSITIVE_INFINITY) return 'never';
    return value instanceof Uint8Array ? `${value.length} bytes` : value;
  });
}

/** Ends a run without a failure: the model does all due work in one turn. `test/broker/pieces.test.ts` is about full ones. */
export class FullTurn extends Error {}

export function check(condition: boolean, problem: string): asserts condition {
  if (!condition) throw new Error(problem);
}

/** For plain values. */
export function checkSame(actual: unknown, expected: unknown, problem: string): void {
  if (!Object.is(actual, expected))
    throw new Error(`${problem}: ${inspect(actual)}, not ${inspect(expected)}`);
}
