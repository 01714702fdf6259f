// Counts what happened in simulated runs, to see that a run is not a success only because nothing happened in it.

import type { Turn } from '../../src/broker/broker.js';
import type { Command } from '../../src/broker/command.js';
import type { Result } from '../../src/broker/result.js';
import { partsOfStep } from './steps.js';

export class Tally {
  readonly #counts = new Map<string, number>();

  note(what: string, count = 1): void {
    this.#counts.set(what, (this.#counts.get(what) ?? 0) + count);
  }

  /** `happened` is what the reference model saw in the turn. */
  noteTurn(command: Command, { result, effects }: Turn, happened: readonly string[]): void {
    this.note(`${whatWasAsked(command)}: ${whatWasAnswered(result)}`);
    if (command.kind === 'step') {
      for (const { command: one } of partsOfStep(command, result))
        this.note(`${whatWasAsked(one)} in a step`);
    }
    if (command.kind === 'enlist') {
      this.note(`${whatWasAsked(command.command)} in a transaction: ${whatWasAnswered(result)}`);
    }
    for (const { kind } of effects) this.note(kind);
    for (const what of happened) this.note(what);
  }

  add(other: Tally): void {
    for (const [what, count] of other.#counts) this.note(what, count);
  }

  /** The names of all that happened, sorted. */
  seen(): readonly string[] {
    return [...this.#counts.keys()].sort();
  }

  toString(): string {
    return this.seen()
      .map((what) => `${String(this.#counts.get(what)).padStart(10)} ${what}`)
      .join('\n');
  }
}

function whatWasAnswered(result: Result): string {
  return result.kind === 'failed' ? result.error.reason : result.kind;
}

function whatWasAsked(command: Command): string {
  if (command.kind === 'settle') return command.outcome.kind;
  return command.kind === 'settle-many' ? `${command.outcome.kind} many` : command.kind;
}
