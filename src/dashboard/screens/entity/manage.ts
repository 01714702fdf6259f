// Acts on selected messages: which call each is, in parts of so many messages as one call takes, and how the answers add up to a sentence.

import type { ManagedAnswer } from '../../../http/control/control-schemas.js';
import { post } from '../../state/api.js';
import { numberText, plural, spokenPath } from '../../state/format.js';
import type { Act } from './acts.js';
import { PAGE, type Place, storeOf, walk } from './read-messages.js';
import { isDeadTab, stateOf } from './tabs.js';

/** Some messages by their numbers, or all that a filter allows: all of the tab without one. */
export type Selected =
  | { readonly kind: 'some'; readonly numbers: readonly number[] }
  | { readonly kind: 'all'; readonly filter: string };

export type Outcome = {
  readonly count: number;
  readonly skippedCount: number;
  /** The first message of each cause why some stayed. */
  readonly reasons: ReadonlyMap<string, string>;
  /** The new number of the first message that was moved or resubmitted. */
  readonly newNumber: number | undefined;
};

export const NOTHING: Outcome = { count: 0, skippedCount: 0, reasons: new Map(), newNumber: undefined };

type Run = {
  readonly place: Place;
  readonly act: Act;
  /** Other keys of the call, such as the destination. */
  readonly more: object;
  readonly selected: Selected;
  readonly progress: Progress;
  readonly signal: AbortSignal;
};

/** Hears how many messages are done, and of how many that were looked at. */
export type Progress = (change: { readonly done?: number; readonly scanned?: number }) => void;

export async function manage({ place, act, more, selected, progress, signal }: Run): Promise<Outcome> {
  const call = (selection: object) =>
    post<ManagedAnswer>(act.call ?? '', { entity: storeOf(place) }, { ...selection, ...more });
  if (selected.kind === 'all' && selected.filter === '' && act.name !== 'end-lock') {
    const state = stateOf(place.tab) ?? ['active', 'locked', 'scheduled', 'deferred'];
    return sum(NOTHING, await call({ state: [state].flat() }));
  }
  let outcome = NOTHING;
  for await (const sequenceNumbers of chunksOf(place, selected, { signal, progress })) {
    if (signal.aborted) break;
    outcome = sum(outcome, await call({ sequenceNumbers }));
    progress({ done: outcome.count });
  }
  return outcome;
}

async function* chunksOf(
  place: Place,
  selected: Selected,
  { signal, progress }: Pick<Run, 'signal' | 'progress'>,
): AsyncGenerator<readonly number[]> {
  if (selected.kind === 'some') {
    for (let at = 0; at < selected.numbers.length; at += PAGE) yield selected.numbers.slice(at, at + PAGE);
    return;
  }
  const scanned = (count: number) => progress({ scanned: count });
  for await (const found of walk(place, selected.filter, { signal, scanned })) {
    yield found.map(({ sequenceNumber }) => sequenceNumber);
  }
}

export function sum(before: Outcome, answer: ManagedAnswer): Outcome {
  const reasons = new Map(before.reasons);
  for (const { code, message } of answer.skipped) if (!reasons.has(code)) reasons.set(code, message);
  return {
    count: before.count + answer.count,
    skippedCount: before.skippedCount + answer.skippedCount,
    reasons,
    newNumber: before.newNumber ?? answer.newSequenceNumbers?.[0],
  };
}

type Done = { readonly place: Place; readonly selected: Selected; readonly to: string | undefined };

/** `Resubmitted 12 of 13 messages to orders. 1 stayed: 'orders' has no message 7.`, and `Deleted #7 of orders.` for one. */
export function outcomeText(
  { done }: Act,
  { count, skippedCount, reasons }: Outcome,
  { place, selected, to }: Done,
): string {
  const where = to === undefined ? '' : ` to ${spokenPath(to)}`;
  const [number] = selected.kind === 'some' && selected.numbers.length === 1 ? selected.numbers : [];
  const why = [...reasons.values()].slice(0, 3).join(' ');
  if (number !== undefined) {
    if (count === 0) return why === '' ? `#${numberText(number)} is no longer there.` : why;
    return `${done} #${numberText(number)} of ${spokenPath(storeOf(place))}${where}.`;
  }
  const all = count + skippedCount;
  const what =
    skippedCount === 0 ? plural(count, 'message') : `${numberText(count)} of ${plural(all, 'message')}`;
  const stayed = skippedCount === 0 ? '' : ` ${numberText(skippedCount)} stayed: ${why}`;
  return `${done} ${what}${where}.${stayed}`;
}

/** `Delete #7 of orders?`, `Resubmit 12 messages?` */
export function questionText({ label, name }: Act, named: string): string {
  return name === 'end-lock' ? `End the locks of ${named}?` : `${label} ${named}?`;
}

/** The messages of a selection in words; `count` is of all that match, undefined while it is not known. */
export function selectedText(place: Place, selected: Selected, count: number | undefined): string {
  if (selected.kind === 'all') {
    const kind = isDeadTab(place.tab) ? 'dead letter' : 'message';
    return count === undefined ? `all ${kind}s that match` : `all ${plural(count, kind)}`;
  }
  const [number = 0] = selected.numbers;
  if (selected.numbers.length > 1) return plural(selected.numbers.length, 'message');
  return `#${numberText(number)} of ${spokenPath(storeOf(place))}`;
}
