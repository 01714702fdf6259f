// The messages that are selected: some by their numbers, or all that the filter allows.

import { useSignal } from '@preact/signals';
import { useLayoutEffect } from 'preact/hooks';

type Chosen = {
  readonly numbers: ReadonlySet<number>;
  /** All that match, those that are not read yet as well. */
  readonly isAll: boolean;
};

export type Selection = Chosen & {
  /** The selection at this moment, for keys that come faster than the page is drawn. */
  readonly now: () => Chosen;
  readonly has: (sequenceNumber: number) => boolean;
  readonly toggle: (sequenceNumber: number) => void;
  readonly add: (sequenceNumbers: readonly number[]) => void;
  readonly selectAll: () => void;
  readonly clear: () => void;
};

const NONE: Chosen = { numbers: new Set(), isAll: false };

/** Nothing is selected in another list, to which a link leads or going back. */
export function useSelection(list: string): Selection {
  const chosen = useSignal<Chosen>(NONE);
  useLayoutEffect(() => {
    chosen.value = NONE;
  }, [list]);
  const { numbers, isAll } = chosen.value;
  const choose = (next: ReadonlySet<number>) => {
    chosen.value = { numbers: next, isAll: false };
  };
  return {
    numbers,
    isAll,
    now: () => chosen.peek(),
    has: (sequenceNumber) => isAll || numbers.has(sequenceNumber),
    toggle: (sequenceNumber) => {
      const before = chosen.peek();
      const next = new Set(before.numbers);
      if (before.isAll || !next.delete(sequenceNumber)) next.add(sequenceNumber);
      choose(next);
    },
    add: (sequenceNumbers) => choose(new Set([...chosen.peek().numbers, ...sequenceNumbers])),
    selectAll: () => {
      chosen.value = { numbers: new Set(), isAll: true };
    },
    clear: () => {
      chosen.value = NONE;
    },
  };
}
