// The patterns of LIKE: `%` is any run of characters, `_` any one; matched without ever going back (SQL-14).

import { LikeSegment } from './like-segment.js';
import { ANY } from './wildcard-search.js';

/** In UTF-16 units: as long as an expression may be, also where the pattern comes from elsewhere. */
export const MAX_PATTERN_LENGTH = 1024;

const ANY_RUN = '%';
const ANY_ONE = '_';

/** Characters are Unicode code points. */
export class LikePattern {
  readonly #first: LikeSegment;
  /** Between the first `%` and the last. */
  readonly #middle: readonly LikeSegment[];
  /** Undefined when there is no `%`. */
  readonly #last: LikeSegment | undefined;

  /** `escaping` is one character, or undefined. */
  constructor(pattern: string, escaping: string | undefined) {
    const [first = new LikeSegment([]), ...others] = splitAtRuns(pattern, escaping);
    this.#first = first;
    this.#last = others.pop();
    this.#middle = others;
  }

  /** SQL-14: the whole text, its line ends being characters like others. */
  matches(text: string): boolean {
    let at = this.#first.endAt(text, 0);
    if (at < 0) return false;
    if (this.#last === undefined) return at === text.length;
    for (const segment of this.#middle) {
      // The first place is as good as any: what follows may be anywhere behind it.
      at = segment.endOfFirst(text, at);
      if (at < 0) return false;
    }
    const start = this.#last.startAtEndOf(text);
    return start >= at && this.#last.endAt(text, start) === text.length;
  }
}

/** What stands between the `%` of a pattern. */
function splitAtRuns(pattern: string, escaping: string | undefined): LikeSegment[] {
  const segments: number[][] = [[]];
  let isEscaped = false;
  for (const character of pattern) {
    if (character === escaping && !isEscaped) isEscaped = true;
    else if (character === ANY_RUN && !isEscaped) segments.push([]);
    else {
      const isAny = character === ANY_ONE && !isEscaped;
      segments.at(-1)?.push(isAny ? ANY : pointOf(character));
      isEscaped = false;
    }
  }
  // With nothing behind it, the escape character stands for itself.
  if (isEscaped && escaping !== undefined) segments.at(-1)?.push(pointOf(escaping));
  return segments.map((points) => new LikeSegment(points));
}

function pointOf(character: string): number {
  return character.codePointAt(0) ?? 0;
}

export function isOneCharacter(text: string): boolean {
  return text.length > 0 && [...text.slice(0, 3)].length === 1;
}
