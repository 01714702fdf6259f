// The rows and contents of a batch. A batch with many rows is made in steps, between which others have their turn.

import { setImmediate as nextLoop } from 'node:timers/promises';
import type { JournalEvent } from '../engine/ports.js';
import { encodeRows, type NewContent, type RowChange } from './log/record.js';
import type { RowWriter } from './table/rows/row-writer.js';
import { writeInSteps } from './table/rows/rows.js';

/** The rows of a step: 2 to 5 ms, in whatever is done with them. */
const STEP_ROWS = 4000;

export class GatheredBatch implements RowWriter {
  readonly rows: RowChange[] = [];
  readonly contents: NewContent[] = [];
  readonly #steps: Generator<void>;
  /** Whether no step is left. */
  isComplete: boolean;
  /** Whether it takes more than one step. */
  readonly isLarge: boolean;

  /** Takes the first step. */
  constructor(events: readonly JournalEvent[]) {
    this.#steps = writeInSteps(this, events, STEP_ROWS);
    this.isComplete = this.#steps.next().done === true;
    this.isLarge = !this.isComplete;
  }

  async complete(): Promise<void> {
    while (!this.isComplete) {
      await nextLoop();
      this.isComplete = this.#steps.next().done === true;
    }
  }

  change(row: RowChange): void {
    this.rows.push(row);
  }

  put(key: string, text: string): void {
    this.rows.push([key, text]);
  }

  del(key: string): void {
    this.rows.push([key, undefined]);
  }

  putContent(contentId: number, bytes: Uint8Array): void {
    this.contents.push({ contentId, bytes });
  }
}

/** The rows as a record of the log has them. */
export async function encodeInSteps(rows: readonly RowChange[]): Promise<readonly Uint8Array[]> {
  const encoded: Uint8Array[] = [];
  await eachStep(rows, (some) => encoded.push(encodeRows(some)));
  return encoded;
}

/** Calls `take` with all rows, some at a time. */
export async function eachStep(
  rows: readonly RowChange[],
  take: (some: readonly RowChange[]) => void,
): Promise<void> {
  for (let start = 0; start < rows.length; start += STEP_ROWS) {
    await nextLoop();
    take(rows.slice(start, start + STEP_ROWS));
  }
}
