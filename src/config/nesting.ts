// How deep lists and objects of a JSON text lie within each other, found without calling itself once for each level.

import { createScanner } from 'jsonc-parser';

const OPENING: Readonly<Record<string, string>> = { '}': '{', ']': '[' };

/** Where the first list or object starts that lies deeper than the limit; undefined when none does. */
export function offsetBeyond(limit: number, text: string): number | undefined {
  const scanner = createScanner(text, true);
  const open: string[] = [];
  for (scanner.scan(); scanner.getTokenOffset() < text.length; scanner.scan()) {
    const start = text.charAt(scanner.getTokenOffset());
    if (start === '{' || start === '[') open.push(start);
    // Like the parser: what does not belong together closes nothing.
    else if (open.length > 0 && open.at(-1) === OPENING[start]) open.pop();
    if (open.length > limit) return scanner.getTokenOffset();
  }
  return undefined;
}
