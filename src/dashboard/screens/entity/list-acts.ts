// The acts of a list: on the selection, or on the row under the cursor; what asks first, what can be undone, what was said.

import { useState } from 'preact/hooks';
import { numberText, spokenPath } from '../../state/format.js';
import type { MessageFilter } from '../../state/message-filter.js';
import { entityAt } from '../../state/model.js';
import { go } from '../../state/route.js';
import { attempt, say, sayError } from '../../state/said.js';
import { exportMessages } from './export-messages.js';
import { manage, type Progress, type Selected } from './manage.js';
import { type ActName, outcomeText, whyNoUndo } from './outcome.js';
import { type Place, storeOf } from './read-messages.js';
import type { Selection } from './selection.js';
import { deleteKept } from './undo-delete.js';

/** A question before an act: which one, and on what. */
export type Asking =
  | { readonly kind: 'confirm'; readonly act: ActName; readonly selected: Selected; readonly because: string }
  | { readonly kind: 'move'; readonly selected: Selected };

export type ListActs = {
  /** The progress of what goes on; undefined when nothing does. */
  readonly running: string | undefined;
  readonly asking: Asking | undefined;
  readonly resubmit: () => void;
  readonly endLock: () => void;
  readonly activate: () => void;
  readonly resend: () => void;
  readonly move: () => void;
  readonly deadLetter: () => void;
  readonly remove: () => void;
  readonly export: () => void;
  readonly exportAll: () => void;
  readonly stop: () => void;
  readonly cancel: () => void;
  /** Answers the question with yes; `to` is the destination of a move. */
  readonly confirm: (to?: string) => void;
};

type Owner = {
  readonly place: Place;
  readonly filter: MessageFilter;
  readonly selection: Selection;
  /** The number of the row under the cursor. */
  readonly current: () => number | undefined;
  readonly refresh: () => Promise<void>;
};

const RUNNING: Readonly<Record<ActName | 'export', string>> = {
  delete: 'Deleting',
  'dead-letter': 'Dead-lettering',
  resubmit: 'Resubmitting',
  move: 'Moving',
  activate: 'Activating',
  'end-lock': 'Ending locks',
  export: 'Exporting',
};
const BY_HAND = { reason: 'ByHand', description: 'Dead-lettered in the page.' };

export function useListActs(owner: Owner): ListActs {
  const { place, filter } = owner;
  const { running, run, stop } = useRunner();
  const [asking, setAsking] = useState<Asking>();
  const begin = (act: ActName, more: object = {}, to?: string) => {
    const selected = chosenOf(owner);
    if (selected?.kind === 'all') setAsking({ kind: 'confirm', act, selected, because: '' });
    else if (selected !== undefined) apply(owner, run, { act, selected, more, to });
  };
  const exportSelected = (selected: Selected | undefined) => {
    if (selected !== undefined) run('export', (control) => exportAndSay(place, selected, control));
  };
  return {
    running,
    asking,
    stop,
    resubmit: () => begin('resubmit', {}, place.path),
    endLock: () => begin('end-lock'),
    activate: () => begin('activate'),
    deadLetter: () => begin('dead-letter', BY_HAND),
    remove: () => {
      const selected = chosenOf(owner);
      if (selected === undefined) return;
      const because = whyConfirm(place, selected);
      if (because !== undefined) setAsking({ kind: 'confirm', act: 'delete', selected, because });
      else if (selected.kind === 'some') removeKept(owner, run, selected.numbers);
    },
    resend: () => {
      const selected = chosenOf(owner);
      const [from, second] = selected?.kind === 'some' ? selected.numbers : [];
      if (from !== undefined && second === undefined) go({ screen: 'compose', path: storeOf(place), from });
    },
    move: () => {
      const selected = chosenOf(owner);
      if (selected !== undefined) setAsking({ kind: 'move', selected });
    },
    export: () => exportSelected(chosenOf(owner)),
    exportAll: () => exportSelected({ kind: 'all', filter }),
    cancel: () => setAsking(undefined),
    confirm: (to) => {
      setAsking(undefined);
      if (asking === undefined) return;
      const { selected } = asking;
      if (asking.kind === 'move') apply(owner, run, { act: 'move', selected, more: { to }, to });
      else {
        const { act } = asking;
        const where = act === 'resubmit' ? place.path : undefined;
        apply(owner, run, { act, selected, more: act === 'dead-letter' ? BY_HAND : {}, to: where });
      }
    },
  };
}

type Control = { readonly signal: AbortSignal; readonly progress: Progress };
type Run = (name: ActName | 'export', act: (control: Control) => Promise<void>) => void;

/** Runs one act at a time, and says how far it is. */
function useRunner(): { readonly running: string | undefined; readonly run: Run; readonly stop: () => void } {
  const [current, setCurrent] = useState<{ readonly text: string; readonly ending: AbortController }>();
  const run: Run = (name, act) => {
    if (current !== undefined) return;
    const ending = new AbortController();
    setCurrent({ text: `${RUNNING[name]}…`, ending });
    let [done, looked] = [0, 0];
    const progress: Progress = (change) => {
      done = change.done ?? done;
      looked = change.looked ?? looked;
      const of = looked === 0 ? '' : `, ${numberText(looked)} looked at`;
      setCurrent({ text: `${RUNNING[name]}: ${numberText(done)}${of}`, ending });
    };
    attempt(() => act({ signal: ending.signal, progress })).finally(() => setCurrent(undefined));
  };
  return { running: current?.text, run, stop: () => current?.ending.abort() };
}

/** The selection, or else the row under the cursor. */
function chosenOf({ selection, filter, current }: Owner): Selected | undefined {
  const { isAll, numbers } = selection.now();
  if (isAll) return { kind: 'all', filter };
  if (numbers.size > 0) return { kind: 'some', numbers: [...numbers].sort((a, b) => a - b) };
  const number = current();
  return number === undefined ? undefined : { kind: 'some', numbers: [number] };
}

type Given = {
  readonly act: ActName;
  readonly selected: Selected;
  readonly more: object;
  readonly to: string | undefined;
};

function apply({ place, selection, refresh }: Owner, run: Run, { act, selected, more, to }: Given): void {
  run(act, async (control) => {
    const outcome = await manage({ place, act, more, selected, ...control });
    say(`${outcomeText(act, outcome, to)}${control.signal.aborted ? ' Stopped there.' : ''}`);
    selection.clear();
    await refresh();
  });
}

/** Why a deletion asks first; undefined for one that can be undone. */
function whyConfirm(place: Place, selected: Selected): string | undefined {
  if (selected.kind === 'all') return 'This cannot be undone.';
  const why = whyNoUndo(place, selected.numbers.length, entityAt(place.path));
  return why === undefined ? undefined : `This cannot be undone: ${why}`;
}

function removeKept({ place, selection, refresh }: Owner, run: Run, numbers: readonly number[]): void {
  run('delete', async (control) => {
    await deleteKept(place, numbers, { ...control, undone: refresh });
    selection.clear();
    await refresh();
  });
}

async function exportAndSay(place: Place, selected: Selected, control: Control): Promise<void> {
  const exported = await exportMessages(place, selected, control);
  if (exported === undefined) say('The export was stopped, and no file was made.');
  else {
    const { count, problem } = exported;
    const saved = `${numberText(count)} ${count === 1 ? 'message' : 'messages'} of ${spokenPath(storeOf(place))}`;
    if (problem === undefined) say(`Exported ${saved}.`);
    else sayError(new Error(`Exported ${saved} and no more: ${problem}`));
  }
}
