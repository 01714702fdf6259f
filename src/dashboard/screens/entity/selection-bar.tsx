// The acts on the messages that are selected.

import { Icon } from '../../parts/icon.js';
import { numberText, shortName } from '../../state/format.js';
import { isReadOnly } from '../../state/settings.js';
import type { ListActs } from './list-acts.js';
import type { Place } from './read-messages.js';
import type { Selection } from './selection.js';
import { isDeadTab } from './tabs.js';

type BarProps = {
  readonly place: Place;
  readonly selection: Selection;
  readonly acts: ListActs;
  /** `All 13 that match`; undefined where all are selected. */
  readonly allText: string | undefined;
  /** The messages of all that match, as far as they are known. */
  readonly count: string;
};

export function SelectionBar({ place, selection, acts, allText, count }: BarProps) {
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
  return (
    <div class="selbar" role="toolbar" aria-label="Selection">
      <b>{isAll ? `All ${count} selected` : `${numberText(numbers.size)} selected`}</b>
      {isAll || allText === undefined ? null : (
        <button type="button" class="flat sm" onClick={selection.selectAll}>
          {allText} <kbd>a</kbd>
        </button>
      )}
      <span class="push" />
      {isReadOnly.value ? null : <Changes place={place} acts={acts} isOne={!isAll && numbers.size === 1} />}
      <button type="button" onClick={acts.export}>
        <Icon name="out" />
        NDJSON
      </button>
      {isReadOnly.value ? null : (
        <button type="button" class="bad" onClick={acts.remove}>
          Delete <kbd>d</kbd>
        </button>
      )}
      <button type="button" class="ic flat" aria-label="Clear selection" onClick={selection.clear}>
        <Icon name="close" />
      </button>
    </div>
  );
}

type ChangesProps = Pick<BarProps, 'place' | 'acts'> & { readonly isOne: boolean };

function Changes({ place: { path, tab }, acts, isOne }: ChangesProps) {
  const isHeld = tab === 'active' || tab === 'locked';
  return (
    <>
      {isDeadTab(tab) ? (
        <button type="button" class="pri" onClick={acts.resubmit}>
          <Icon name="undo" />
          Resubmit to {shortName(path)} <kbd>r</kbd>
        </button>
      ) : null}
      {tab === 'locked' ? (
        <button type="button" onClick={acts.endLock}>
          <Icon name="end" />
          End lock
        </button>
      ) : null}
      {tab === 'scheduled' || tab === 'deferred' ? (
        <button type="button" onClick={acts.activate}>
          <Icon name="active" />
          Activate now
        </button>
      ) : null}
      <button
        type="button"
        disabled={!isOne}
        title={isOne ? undefined : 'For one message'}
        onClick={acts.resend}
      >
        <Icon name="edit" />
        Edit and resend <kbd>e</kbd>
      </button>
      <button type="button" onClick={acts.move}>
        Move…
      </button>
      {isHeld ? (
        <button type="button" onClick={acts.deadLetter}>
          <Icon name="dead" />
          Dead-letter
        </button>
      ) : null}
    </>
  );
}
