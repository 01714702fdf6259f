// Reads messages for a list: a page of one state, filtered, with counts of reasons and of what each word of the filter allows.

import type { MessageAnswer, MessagesAnswer } from '../../../http/control/control-schemas.js';
import { get } from '../../state/api.js';
import { type MessageFilter, matches } from '../../state/message-filter.js';
import { storePathOf } from '../../state/route.js';
import type { ReadPage } from './message-pages.js';
import { type Row, rowOf } from './message-row.js';
import { isDeadTab, type MessageTab, statesOf } from './tabs.js';

/** Messages of one page: the most that the interface gives. */
export const PAGE = 250;

export type Place = { readonly path: string; readonly tab: MessageTab };

export function storeOf({ path, tab }: Place): string {
  return storePathOf(path, tab);
}

export function readAnswer(
  place: Place,
  from: number,
  max = PAGE,
  signal?: AbortSignal,
): Promise<MessagesAnswer> {
  // A dead-letter queue shows all states: without the parameter, the emulator need not look at each.
  const state = isDeadTab(place.tab) ? undefined : statesOf(place.tab).join(',');
  return get<MessagesAnswer>('messages', { entity: storeOf(place), state, from, max }, signal);
}

export async function readPage(
  place: Place,
  filter: MessageFilter,
  { from, before }: { readonly from: number; readonly before: number | undefined },
  signal: AbortSignal,
): Promise<ReadPage<Row>> {
  const answer = await readAnswer(place, from, PAGE, signal);
  const isBefore = ({ sequenceNumber }: MessageAnswer) => before === undefined || sequenceNumber < before;
  const messages = answer.messages.filter(isBefore);
  const isCut = before !== undefined && (answer.next === undefined || answer.next >= before);
  return { ...pageOf(messages, filter), next: isCut ? before : answer.next };
}

function pageOf(messages: readonly MessageAnswer[], filter: MessageFilter): Omit<ReadPage<Row>, 'next'> {
  const now = Date.now();
  const reasons = new Map<string, number>();
  const rows: Row[] = [];
  const hits = filter.terms.map(() => 0);
  for (const message of messages) {
    for (const [index, { test }] of filter.terms.entries()) {
      if (test(message, now)) hits[index] = (hits[index] ?? 0) + 1;
    }
    if (matches(filter, message, now)) rows.push(rowOf(message));
    const reason = message.deadLetterReason;
    if (reason !== undefined && matches(filter, message, now, 'reason'))
      reasons.set(reason, (reasons.get(reason) ?? 0) + 1);
  }
  return { rows, seen: messages.length, reasons, hits };
}

/** Walks through all messages that match, page by page, until the signal ends it. `looked` hears how many it has seen. */
export async function* matching(
  place: Place,
  filter: MessageFilter,
  { signal, looked }: { readonly signal: AbortSignal; readonly looked: (count: number) => void },
): AsyncGenerator<readonly MessageAnswer[]> {
  const now = Date.now();
  let seen = 0;
  for (let from: number | undefined = 0; from !== undefined && !signal.aborted; ) {
    const answer: MessagesAnswer = await readAnswer(place, from);
    const found = answer.messages.filter((message) => matches(filter, message, now));
    from = answer.next;
    seen += answer.messages.length;
    looked(seen);
    if (found.length > 0) yield found;
  }
}
