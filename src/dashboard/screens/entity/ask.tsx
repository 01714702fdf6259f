// The questions before an act on messages, with their number, and about the destination of a move.

import { useState } from 'preact/hooks';
import { Confirm, Dialog } from '../../parts/dialog.js';
import { spokenPath } from '../../state/format.js';
import { useStore } from '../../state/use-store.js';
import { questionText, selectedText } from './manage.js';
import type { Place } from './read-messages.js';
import { TAB_NAMES } from './tabs.js';
import type { Acts } from './use-acts.js';

type AskProps = {
  readonly place: Place;
  readonly acts: Acts;
  /** How many match; undefined while that is not known. */
  readonly count?: number | undefined;
};

export function Ask({ place, acts, count }: AskProps) {
  const { asking } = acts;
  if (asking === undefined) return null;
  const { act, selected } = asking;
  const named = selectedText(place, selected, count);
  if (act.question === 'destination') return <Move {...{ acts, named, place }} />;
  return (
    <Confirm
      title={questionText(act, named)}
      act={act.name === 'end-lock' ? 'End the locks' : act.label}
      onConfirm={() => acts.confirm()}
      onClose={acts.cancel}
    >
      {selected.kind === 'all' ? (
        <>
          All {TAB_NAMES[place.tab].toLowerCase()} messages of <b>{spokenPath(place.path)}</b>{' '}
          {selected.filter === ''
            ? 'that are there when it begins.'
            : 'that match the filter, with those that come until then.'}{' '}
        </>
      ) : null}
      {act.name === 'delete' ? 'This cannot be undone.' : ''}
    </Confirm>
  );
}

type MoveProps = { readonly acts: Acts; readonly named: string; readonly place: Place };

function Move({ acts, named, place }: MoveProps) {
  const { listed } = useStore();
  const [to, setTo] = useState('');
  const targets = listed.value.filter(({ kind, path }) => kind !== 'subscription' && path !== place.path);
  const isKnown = targets.some(({ path }) => path.toLowerCase() === to.trim().toLowerCase());
  return (
    <Dialog title={`Move ${named}`} onClose={acts.cancel}>
      <form
        class="stack"
        onSubmit={(event) => {
          event.preventDefault();
          if (isKnown) acts.confirm(to.trim());
        }}
      >
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
            ? `There is no other queue or topic '${to.trim()}'.`
            : 'They are accepted there as if they were sent, and get new numbers.'}
        </p>
        <footer>
          <button type="button" onClick={acts.cancel}>
            Cancel
          </button>
          <button type="submit" class="pri" disabled={!isKnown}>
            Move
          </button>
        </footer>
      </form>
    </Dialog>
  );
}
