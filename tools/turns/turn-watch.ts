// Watches the event loop of this process: how long its main thread works from one turn to the next, in its own processor time.

import { existsSync, openSync, readSync } from 'node:fs';

/** `ms`: of the processor, where that is known, or a turn would be as long as others use the machine. */
export type LoopTurn = { readonly from: number; readonly to: number; readonly ms: number };

/** What Linux knows of the main thread, whose number is that of the process: first the nanoseconds for which it ran. */
const SCHEDULED = `/proc/self/task/${process.pid}/schedstat`;
const processorMs = existsSync(SCHEDULED) ? readScheduled() : () => performance.now();

function readScheduled(): () => number {
  const file = openSync(SCHEDULED, 'r');
  const text = Buffer.alloc(64);
  return () => Number.parseInt(text.toString('latin1', 0, readSync(file, text, 0, text.length, 0)), 10) / 1e6;
}

export type TurnWatch = {
  /** Says that a turn ends here, as when another client's input is read within the same turn of the event loop. */
  mark(): void;
  /** Ends the watch, after the turn that it is called in. */
  end(): void;
};

/** Calls `seen` for each turn. */
export function watchTurns(seen: (turn: LoopTurn) => void): TurnWatch {
  let last = { at: performance.now(), ms: processorMs() };
  const see = () => {
    const now = { at: performance.now(), ms: processorMs() };
    seen({ from: last.at, to: now.at, ms: now.ms - last.ms });
    last = now;
  };
  // A timer sees each turn of the event loop by itself, in which others' requests are read; an immediate may see two as one.
  const timer = setInterval(see, 0);
  return {
    mark: see,
    end: () => {
      clearInterval(timer);
      see();
    },
  };
}
