// Edits the filter of a list, which the emulator reads.

import { quoted, wordsOf } from '../../content/filter-words.js';

/** The filter with this reason in place of others; without one for undefined. `…` in a reason stands for any text, as in causes. */
export function withReason(text: string, reason: string | undefined): string {
  const others = wordsOf(text).filter((word) => !/^reason:/i.test(word));
  return [...others, ...(reason === undefined ? [] : [wordOf(reason)])].join(' ');
}

/** Whether the filter asks for this reason. */
export function hasReason(text: string, reason: string): boolean {
  return wordsOf(text).includes(wordOf(reason));
}

function wordOf(reason: string): string {
  return `reason:${quoted(reason).replaceAll('…', '*')}`;
}
