// The row under the cursor, known by its number, so that it stays on its message while others come and go.

import { useSignal } from '@preact/signals';
import type { Row } from './message-row.js';
import type { MessageRows } from './message-rows.js';

export type Cursor = {
  /** Where it is at this moment, for keys that come faster than the page is drawn. */
  readonly index: () => number;
  /** Undefined also while the rows of the next list are on their way. */
  readonly number: () => number | undefined;
  readonly moveTo: (index: number) => void;
};

/** `show` brings a row into view. */
export function useCursor(rows: MessageRows<Row> | undefined, show: (index: number) => void): Cursor {
  const pointed = useSignal<number | undefined>(undefined);
  const indexOf = (number: number | undefined) => {
    if (rows === undefined || number === undefined) return 0;
    return Math.min(rows.indexOf(number), Math.max(0, rows.count - 1));
  };
  // Read here so that a move draws the list.
  indexOf(pointed.value);
  const index = () => indexOf(pointed.peek());
  return {
    index,
    number: () => (rows?.isEnded ? undefined : rows?.rowAt(index())?.sequenceNumber),
    moveTo: (next) => {
      const row = rows?.rowAt(next);
      if (row === undefined) return;
      pointed.value = row.sequenceNumber;
      show(next);
    },
  };
}
