// The lines of the log whose cause comes again and again: one at once, and then one a minute with the number of those that came meanwhile.
// Lines that come in groups, such as dead letters, wait half a second for the rest of their group.

import type { StartTimer } from '../engine/timer.js';

/** A line of a cause comes again only after this time. */
export const QUIET_MS = 60_000;
/** A group is gathered for so long. */
export const GATHER_MS = 500;
/** The most causes whose repetitions are counted. */
const MAX_CAUSES = 1000;

/** Lines of one cause that were not written yet. */
export type Repeated<Line> = { readonly first: Line; readonly last: Line; readonly count: number };

type Cause<Line> = {
  waiting: Repeated<Line> | undefined;
  readonly write: (repeated: Repeated<Line>) => void;
  cancel: () => void;
};

export class RepeatedLines<Line> {
  readonly #startTimer: StartTimer;
  readonly #causes = new Map<string, Cause<Line>>();

  constructor(startTimer: StartTimer) {
    this.#startTimer = startTimer;
  }

  /** Writes the line now or later, alone or as one of several. With `gathers`, the first one waits for others, too. */
  add(
    key: string,
    line: Line,
    { gathers, write }: { readonly gathers: boolean; readonly write: Cause<Line>['write'] },
  ): void {
    const known = this.#causes.get(key);
    if (known !== undefined) {
      const { first = line, count = 0 } = known.waiting ?? {};
      known.waiting = { first, last: line, count: count + 1 };
      return;
    }
    if (this.#causes.size >= MAX_CAUSES) this.end();
    const only = { first: line, last: line, count: 1 };
    const cause: Cause<Line> = { waiting: gathers ? only : undefined, write, cancel: () => {} };
    this.#causes.set(key, cause);
    this.#wait(key, cause, gathers ? GATHER_MS : QUIET_MS);
    if (!gathers) write(only);
  }

  end(): void {
    const waiting = [...this.#causes.values()];
    this.discard();
    for (const cause of waiting) {
      if (cause.waiting !== undefined) cause.write(cause.waiting);
    }
  }

  /** Ends without the repetitions that wait. */
  discard(): void {
    for (const cause of this.#causes.values()) cause.cancel();
    this.#causes.clear();
  }

  #wait(key: string, cause: Cause<Line>, delayMs: number): void {
    cause.cancel = this.#startTimer(delayMs, () => {
      const { waiting } = cause;
      cause.waiting = undefined;
      if (waiting === undefined) {
        this.#causes.delete(key);
        return;
      }
      this.#wait(key, cause, QUIET_MS);
      cause.write(waiting);
    });
  }
}
