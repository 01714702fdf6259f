// Acts on selected messages: which call each is, in parts of so many messages as one call takes.

import type { ManagedAnswer } from '../../../http/control/control-schemas.js';
import { post } from '../../state/api.js';
import type { MessageFilter } from '../../state/message-filter.js';
import { type ActName, NOTHING, type Outcome, sum } from './outcome.js';
import { matching, PAGE, type Place, storeOf } from './read-messages.js';
import { statesOf } from './tabs.js';

/** Some messages by their numbers, or all that a filter allows: all of the tab without one. */
export type Selected =
  | { readonly kind: 'some'; readonly numbers: readonly number[] }
  | { readonly kind: 'all'; readonly filter: MessageFilter };

const CALLS: Readonly<Record<ActName, string>> = {
  delete: 'messages:delete',
  'dead-letter': 'messages:dead-letter',
  resubmit: 'messages:resubmit',
  move: 'messages:move',
  activate: 'messages:activate',
  'end-lock': 'locks:end',
};
type Run = {
  readonly place: Place;
  readonly act: ActName;
  /** Other keys of the call, such as the destination. */
  readonly more: object;
  readonly selected: Selected;
  readonly progress: Progress;
  readonly signal: AbortSignal;
};

/** Hears how many messages are done, and of how many that were looked at. */
export type Progress = (change: { readonly done?: number; readonly looked?: number }) => void;

export async function manage({ place, act, more, selected, progress, signal }: Run): Promise<Outcome> {
  const call = (selection: object) =>
    post<ManagedAnswer>(CALLS[act], { entity: storeOf(place) }, { ...selection, ...more });
  const isWhole = selected.kind === 'all' && selected.filter.terms.length === 0;
  if (isWhole && act !== 'end-lock') return sum(NOTHING, await call({ state: statesOf(place.tab) }));
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
  for await (const found of matching(place, selected.filter, {
    signal,
    looked: (looked) => progress({ looked }),
  })) {
    yield found.map(({ sequenceNumber }) => sequenceNumber);
  }
}
