// Edits the filter of a list, which the emulator reads.

import { quoted, unquoted, wordsOf } from '../../content/filter-words.js';

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
