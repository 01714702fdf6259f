// Describes a row of the table for people: its kind and its entity.

import type { Stores } from '../stores.js';
import { PAGE_ROWS, parsePageKey, ROW_KIND } from '../table/rows/keys.js';

const KINDS: readonly (readonly [letters: string, what: string])[] = [
  [ROW_KIND.topic, 'a topic is'],
  [ROW_KIND.subscription, 'a subscription is'],
  [ROW_KIND.queue, 'a queue is'],
  [ROW_KIND.rule, 'a rule is'],
  [ROW_KIND.sequence, 'a counter of sequence numbers is'],
  [ROW_KIND.time, 'the last time is'],
  [ROW_KIND.emptied, 'the place of an emptied store is'],
  [ROW_KIND.discarded, 'a list of rows to remove is'],
  [ROW_KIND.importMark, 'the mark of a copy is'],
  [ROW_KIND.sessionState, 'a session state is'],
];

/** Returns subject and verb, for example `the rows of messages 100 to 199 of orders are`. */
export function describeKey(key: string, stores: Stores): string {
  const page = parsePageKey(key);
  if (page !== undefined) {
    const { storeId, firstNumber } = page;
    const what = key.startsWith(ROW_KIND.messagePage) ? 'rows of messages' : 'ids of messages';
    const last = firstNumber + PAGE_ROWS - 1;
    return `the ${what} ${firstNumber} to ${last} of ${stores.pathOf(storeId)} are`;
  }
  const found = KINDS.find(([letters]) => key.startsWith(letters));
  return found === undefined ? `the row ${JSON.stringify(key)} is` : `the row of ${found[1]}`;
}
