// Runs the acts on messages: on the selection of a list, or on the message of a screen. The question before, the progress, the outcome.

import { useRef, useState } from 'preact/hooks';
import type { RawMessageAnswer } from '../../../http/control/control-schemas.js';
import { copyText } from '../../parts/copy-button.js';
import { get } from '../../state/api.js';
import { numberText, plural, spokenPath } from '../../state/format.js';
import type { Keys } from '../../state/keys.js';
import type { NoticeAct, Notices } from '../../state/notices.js';
import { go, hrefOf } from '../../state/route.js';
import { useStore } from '../../state/use-store.js';
import { ACTS, type Act, type ActName, actOf, actsFor, elsewhereText } from './acts.js';
import { exportMessages, messageJson } from './export-messages.js';
import { manage, type Outcome, outcomeText, type Progress, type Selected } from './manage.js';
import { type Place, storeOf } from './read-messages.js';

/** A question before an act: which one, and on what. */
type Asking = { readonly act: Act; readonly selected: Selected };

export type Acts = {
  /** The progress of what goes on; undefined when nothing does. */
  readonly running: string | undefined;
  readonly asking: Asking | undefined;
  readonly start: (name: ActName) => void;
  readonly exportAll: (filter: string) => void;
  /** Asks whether to delete all that match. */
  readonly deleteAll: (filter: string) => void;
  readonly stop: () => void;
  readonly cancel: () => void;
  /** Answers the question with yes; `to` is the destination of a move. */
  readonly confirm: (to?: string) => void;
  /** The keys of the acts: one that is not for these messages says so. */
  readonly keys: Keys;
};

type Owner = {
  readonly place: Place;
  /** The messages that an act is about at this moment: keys come faster than the page is drawn. */
  readonly chosen: () => Selected | undefined;
  /** The entity that a dead letter comes from, if that is another than its queue. */
  readonly originOf: (sequenceNumber: number) => string | undefined;
  /** Called after an act has changed something. */
  readonly after: (act: Act) => void | Promise<void>;
};

export function useActs({ place, chosen, originOf, after }: Owner): Acts {
  const store = useStore();
  const { notices, isReadOnly } = store;
  const { running, run, stop } = useRunner(notices);
  const [asking, setAsking] = useState<Asking>();
  const apply = ({ act, selected }: Asking, to?: string) =>
    run(act.doing, async (control) => {
      const [first = 0] = selected.kind === 'some' ? selected.numbers : [];
      // Known before the act: the row goes with the message.
      const path = to ?? originOf(first) ?? place.path;
      const more = { ...act.body, ...(to === undefined ? {} : { to }) };
      const outcome = await manage({ place, act, more, selected, ...control });
      const text = outcomeText(act, outcome, { place, selected, to });
      notices.show(`${text}${control.signal.aborted ? ' Stopped there.' : ''}`, linkTo(outcome, path));
      // The counts of the tabs change with the list.
      if (outcome.count > 0) await Promise.all([store.refreshEntities(), after(act)]);
    });
  const exportThose = (selected: Selected) =>
    run(actOf('export').doing, (control) => exportAndSay(notices, place, selected, control));
  const start = (name: ActName) => {
    const act = actOf(name);
    if (!actsFor(place.tab, isReadOnly.peek()).includes(act)) return notices.show(elsewhereText(act));
    const selected = chosen();
    if (selected === undefined) return;
    if (act.isForOne) startOne(name, selected);
    else if (name === 'export') exportThose(selected);
    else if (act.question !== 'all' || selected.kind === 'all') setAsking({ act, selected });
    else apply({ act, selected });
  };
  const startOne = (name: ActName, selected: Selected) => {
    const [from, second] = selected.kind === 'some' ? selected.numbers : [];
    if (from === undefined || second !== undefined) notices.show(`${actOf(name).label} is for one message.`);
    else if (name === 'resend') go({ screen: 'compose', path: storeOf(place), from });
    else notices.attempt(() => copyOne(notices, place, from));
  };
  return {
    running,
    asking,
    start,
    stop,
    deleteAll: (filter) => setAsking({ act: actOf('delete'), selected: { kind: 'all', filter } }),
    exportAll: (filter) => exportThose({ kind: 'all', filter }),
    cancel: () => setAsking(undefined),
    confirm: (to) => {
      setAsking(undefined);
      if (asking !== undefined) apply(asking, to);
    },
    keys: Object.fromEntries(
      ACTS.flatMap(({ name, key, isHarmless }) =>
        key === undefined || (isReadOnly.value && !isHarmless) ? [] : [[key, () => start(name)]],
      ),
    ),
  };
}

type Control = { readonly signal: AbortSignal; readonly progress: Progress };
type Run = (doing: string, act: (control: Control) => Promise<void>) => void;

/** Runs one act at a time, and says how far it is. */
function useRunner(notices: Notices): {
  readonly running: string | undefined;
  readonly run: Run;
  readonly stop: () => void;
} {
  const [running, setRunning] = useState<string>();
  const ending = useRef<AbortController>(undefined);
  const run: Run = (doing, act) => {
    if (ending.current !== undefined) return;
    ending.current = new AbortController();
    const { signal } = ending.current;
    setRunning(`${doing}…`);
    let [done, scanned] = [0, 0];
    const progress: Progress = (change) => {
      done = change.done ?? done;
      scanned = change.scanned ?? scanned;
      setRunning(
        `${doing}: ${numberText(done)}${scanned === 0 ? '' : ` of ${numberText(scanned)} looked at`}`,
      );
    };
    notices
      .attempt(() => act({ signal, progress }))
      .finally(() => {
        ending.current = undefined;
        setRunning(undefined);
      });
  };
  return { running, run, stop: () => ending.current?.abort() };
}

/** The link to the message that a move or a resubmission of one has made. */
function linkTo({ count, newNumber }: Outcome, path: string): NoticeAct | undefined {
  if (count !== 1 || newNumber === undefined) return undefined;
  const href = hrefOf({ screen: 'message', path, tab: 'active', sequenceNumber: newNumber });
  return { text: `→ #${numberText(newNumber)}`, href };
}

async function copyOne(notices: Notices, place: Place, sequenceNumber: number): Promise<void> {
  const message = await get<RawMessageAnswer>(`messages/${sequenceNumber}`, { entity: storeOf(place) });
  await copyText(messageJson(message));
  notices.show(`Copied #${numberText(sequenceNumber)} of ${spokenPath(storeOf(place))} as JSON.`);
}

async function exportAndSay(
  notices: Notices,
  place: Place,
  selected: Selected,
  control: Control,
): Promise<void> {
  const exported = await exportMessages(place, selected, control);
  if (exported === undefined) return notices.show('The export was stopped, and no file was made.');
  const saved = `${plural(exported.count, 'message')} of ${spokenPath(storeOf(place))}`;
  if (exported.problem === undefined) notices.show(`Exported ${saved}.`);
  else notices.showError(new Error(`Exported ${saved} and no more: ${exported.problem}`));
}
