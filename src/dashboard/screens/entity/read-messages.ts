// Reads the messages of a list, page by page, as the emulator filters and orders them.

import type { MessageAnswer, MessagesAnswer } from '../../../http/control/control-schemas.js';
import { get, pathOf } from '../../state/api.js';
import { storePathOf } from '../../state/destination.js';
import { type MessageTab, stateOf } from './tabs.js';

/** Messages of one page: the most that the interface gives. */
export const PAGE = 250;

export type Place = { readonly path: string; readonly tab: MessageTab };
export type Order = 'oldest' | 'newest';

/** One call looks at so many messages as take it little time: with a filter it may find none, and go on at `next`. */
export type MessagesPage = MessagesAnswer;

export function storeOf({ path, tab }: Place): string {
  return storePathOf(path, tab);
}

type Question = { readonly filter: string; readonly order: Order; readonly from?: number | undefined };

/** The call that answers a page. */
export function pageOf(place: Place, { filter, order, from }: Question): string {
  const query = {
    ...{ entity: storeOf(place), state: stateOf(place.tab), order, from, limit: PAGE },
    filter: filter === '' ? undefined : filter,
  };
  return pathOf('messages', query);
}

type Walk = { readonly signal: AbortSignal; readonly scanned: (count: number) => void };

/** All messages that match, page by page, until the signal ends it. `scanned` hears how many were looked at. */
export async function* walk(
  place: Place,
  filter: string,
  { signal, scanned }: Walk,
): AsyncGenerator<readonly MessageAnswer[]> {
  let count = 0;
  let from: number | undefined;
  do {
    const answer: MessagesPage = await get(pageOf(place, { filter, order: 'oldest', from }));
    from = answer.next;
    count += answer.scannedCount;
    scanned(count);
    if (answer.messages.length > 0) yield answer.messages;
  } while (from !== undefined && !signal.aborted);
}
