// Counts what happened in simulated runs, to see that a run is not a success only because nothing happened in it.

import type { Turn } from '../../src/broker/broker.js';
import type { Command } from '../../src/broker/command.js';

export class Tally {
  readonly #counts = new Map<string, number>();

  note(what: string, count = 1): void {
    this.#counts.set(what, (this.#counts.get(what) ?? 0) + count);
  }

  noteTurn(command: Command, { result, events, effects }: Turn): void {
    const asked = command.kind === 'settle' ? command.outcome.kind : command.kind;
    this.note(`${asked}: ${result.kind === 'failed' ? result.error.reason : result.kind}`);
    for (const { kind } of effects) this.note(kind);
    if (command.kind === 'tick' && events.length > 0) this.note('lock expired');
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
