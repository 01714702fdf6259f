// The questions of a list: about an act on all, and about the destination of a move.

import { useState } from 'preact/hooks';
import { Confirm, Dialog } from '../../parts/dialog.js';
import { numberText, spokenPath } from '../../state/format.js';
import { listed } from '../../state/model.js';
import type { ListActs } from './list-acts.js';
import type { ActName } from './outcome.js';
import type { Place } from './read-messages.js';
import { TAB_NAMES } from './tabs.js';

const VERBS: Readonly<Record<ActName, string>> = {
  delete: 'Delete',
  'dead-letter': 'Dead-letter',
  resubmit: 'Resubmit',
  move: 'Move',
  activate: 'Activate',
  'end-lock': 'End the locks of',
};

type AskProps = {
  readonly place: Place;
  readonly acts: ListActs;
  /** How many match; undefined while that is not known. */
  readonly count: number | undefined;
};

export function Ask({ place, acts, count: matching }: AskProps) {
  const { asking } = acts;
  if (asking === undefined) return null;
  const { selected } = asking;
  const count = selected.kind === 'all' ? matching : selected.numbers.length;
  const named =
    count === undefined ? 'all messages' : count === 1 ? '1 message' : `${numberText(count)} messages`;
  if (asking.kind === 'move') return <Move {...{ acts, named, place }} />;
  const verb = VERBS[asking.act];
  const isFiltered = selected.kind === 'all' && selected.filter.terms.length > 0;
  return (
    <Confirm
      title={`${verb} ${named}?`}
      act={asking.act === 'end-lock' ? 'End the locks' : verb}
      onConfirm={() => acts.confirm()}
      onClose={acts.cancel}
    >
      {selected.kind === 'all' ? 'All ' : ''}
      {TAB_NAMES[place.tab].toLowerCase()} messages of <b>{spokenPath(place.path)}</b>
      {isFiltered
        ? ' that match the filter, with those that come until then.'
        : selected.kind === 'all'
          ? ' that are there when it begins.'
          : ', those that are selected.'}{' '}
      {asking.because}
    </Confirm>
  );
}

type MoveProps = { readonly acts: ListActs; readonly named: string; readonly place: Place };

function Move({ acts, named, place }: MoveProps) {
  const [to, setTo] = useState('');
  const targets = listed.value.filter(({ kind, path }) => kind !== 'subscription' && path !== place.path);
  const isKnown = targets.some(({ path }) => path.toLowerCase() === to.trim().toLowerCase());
  return (
    <Dialog title={`Move ${named}`} onClose={acts.cancel}>
      <label class="labelled">
        To the queue or topic
        <input
          type="text"
          list="move-targets"
          value={to}
          onInput={(event) => setTo(event.currentTarget.value)}
          aria-invalid={to !== '' && !isKnown}
        />
      </label>
      <datalist id="move-targets">
        {targets.map(({ path }) => (
          <option key={path} value={path} />
        ))}
      </datalist>
      <p class="t2">
        {to !== '' && !isKnown
          ? `There is no queue or topic '${to.trim()}'.`
          : 'They are accepted there as if they were sent, and get new numbers.'}
      </p>
      <footer>
        <button type="button" onClick={acts.cancel}>
          Cancel
        </button>
        <button type="button" class="pri" disabled={!isKnown} onClick={() => acts.confirm(to.trim())}>
          Move
        </button>
      </footer>
    </Dialog>
  );
}
