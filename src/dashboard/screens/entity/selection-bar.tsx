// The acts on the messages that are selected.

import { Icon } from '../../parts/icon.js';
import { numberText } from '../../state/format.js';
import { useStore } from '../../state/use-store.js';
import { ActButtons } from './act-buttons.js';
import { actsFor } from './acts.js';
import type { Place } from './read-messages.js';
import type { Selection } from './selection.js';
import type { Acts } from './use-acts.js';

type BarProps = {
  readonly place: Place;
  readonly selection: Selection;
  readonly acts: Acts;
  /** The messages of all that match; undefined while they are not known. */
  readonly count: number | undefined;
  readonly isFiltered: boolean;
};

export function SelectionBar({ place, selection, acts, count, isFiltered }: BarProps) {
  const { isReadOnly } = useStore();
  const { isAll, numbers } = selection;
  if (acts.running !== undefined) {
    return (
      <div class="selbar" role="toolbar" aria-label="Selection">
        <b role="status">{acts.running}</b>
        <span class="push" />
        <button type="button" onClick={acts.stop}>
          Stop <kbd>Esc</kbd>
        </button>
      </div>
    );
  }
  if (!isAll && numbers.size === 0) return null;
  const all = `All${count === undefined ? '' : ` ${numberText(count)}`}${isFiltered ? ' that match' : ''}`;
  const isOne = !isAll && numbers.size === 1;
  return (
    <div class="selbar" role="toolbar" aria-label="Selection">
      <b>{isAll ? `${all} selected` : `${numberText(numbers.size)} selected`}</b>
      {isAll ? null : (
        <button type="button" class="flat sm" onClick={selection.selectAll}>
          {all} <kbd>a</kbd>
        </button>
      )}
      <span class="push" />
      <ActButtons
        acts={actsFor(place.tab, isReadOnly.value).filter(({ isForOne }) => !isForOne || isOne)}
        onStart={acts.start}
      />
      <button type="button" class="ic flat" aria-label="Clear selection" onClick={selection.clear}>
        <Icon name="close" />
      </button>
    </div>
  );
}
