// Edits the filter of a list, and says what it excludes.

import { quoted, unquoted, wordsOf } from '../../content/filter-words.js';
import type { FilteredMessage, MessageFilter } from '../../content/message-filter.js';

export { type MessageFilter, parseFilter } from '../../content/message-filter.js';

/** Whether a message has all that the filter asks for; `without` leaves out the words of a key. */
export function matches(
  { terms }: MessageFilter,
  message: FilteredMessage,
  now: number,
  without?: string,
): boolean {
  return terms.every(({ key, test }) => key === without || test(message, now));
}

/** Says which word excludes all messages that were read. `hits` are the messages that each word alone allows. */
export function excludingText({ terms }: MessageFilter, hits: readonly number[]): string {
  const words = terms.filter((_, index) => hits[index] === 0).map(({ word }) => word);
  const last = words.pop();
  if (last === undefined) return 'No word excludes all messages alone; together they do.';
  if (words.length === 0) return `'${last}' excludes all messages.`;
  return `Each of '${words.join("', '")}' and '${last}' excludes all messages.`;
}

/** The filter with this reason in place of others; without one for undefined. */
export function withReason(text: string, reason: string | undefined): string {
  const others = wordsOf(text).filter((word) => !/^reason:/i.test(word));
  return [...others, ...(reason === undefined ? [] : [`reason:${quoted(reason)}`])].join(' ');
}

/** The reason that a chip has put into the filter. */
export function reasonOf(text: string): string | undefined {
  const word = wordsOf(text).find((one) => /^reason:/i.test(one));
  return word === undefined ? undefined : unquoted(word.slice('reason:'.length));
}
