// Matches LIKE patterns without backtracking: `%` is any run of characters, `_` any one character (SQL-14).

/** UTF-16 units: the longest expression, which limits a pattern that comes from a message or a parameter, too. */
export const MAX_PATTERN_LENGTH = 1024;

const ANY_RUN = '%';
const ANY_ONE = '_';

/** Characters are Unicode code points. */
export class LikePattern {
  readonly #first: LikeSegment;
  /** The segments between the first `%` and the last. */
  readonly #middle: readonly LikeSegment[];
  /** Undefined when the pattern has no `%`. */
  readonly #last: LikeSegment | undefined;

  /** `escaping` is one character, or undefined. */
  constructor(pattern: string, escaping: string | undefined) {
    const [first = new LikeSegment([]), ...others] = splitAtRuns(pattern, escaping);
    this.#first = first;
    this.#last = others.pop();
    this.#middle = others;
  }

  /** The characters that `matches` looks at, at most: a text is gone through once, and each is compared with all words of a segment. */
  effortFor(text: string): number {
    return text.length * this.#middle.reduce((most, { words }) => Math.max(most, words), 1);
  }

  /** SQL-14: the pattern matches the whole text. A line end is an ordinary character. */
  matches(text: string): boolean {
    let at = this.#first.endAt(text, 0);
    if (at < 0) return false;
    if (this.#last === undefined) return at === text.length;
    for (const segment of this.#middle) {
      // The first occurrence is enough: the rest may be anywhere behind it.
      at = segment.endOfFirst(text, at);
      if (at < 0) return false;
    }
    const start = this.#last.startAtEndOf(text);
    return start >= at && this.#last.endAt(text, start) === text.length;
  }
}

/** Splits a pattern into the segments between its `%`. */
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
  // An escape character at the end stands for itself.
  if (isEscaped && escaping !== undefined) segments.at(-1)?.push(pointOf(escaping));
  return segments.map((points) => new LikeSegment(points));
}

function pointOf(character: string): number {
  return character.codePointAt(0) ?? 0;
}

export function isOneCharacter(text: string): boolean {
  return text.length > 0 && [...text.slice(0, 3)].length === 1;
}

/** In a longer text `indexOf` may compare each character of the subject with each of its own. */
const MAX_INDEX_OF_LENGTH = 64;

/** The characters and wildcards between two `%` of a pattern. */
class LikeSegment {
  readonly #points: readonly number[];
  /** Undefined when the segment has a wildcard, or is long. */
  readonly #text: string | undefined;
  #search: WildcardSearch | undefined;

  constructor(points: readonly number[]) {
    this.#points = points;
    const isShortText = points.length <= MAX_INDEX_OF_LENGTH && !points.includes(ANY);
    this.#text = isShortText ? points.map((point) => String.fromCodePoint(point)).join('') : undefined;
  }

  /** The words of its state in the search. */
  get words(): number {
    return Math.ceil(this.#points.length / WORD_BITS);
  }

  /** The end of the segment that starts at `from`, or -1 when it does not match there. */
  endAt(text: string, from: number): number {
    if (this.#text !== undefined) return text.startsWith(this.#text, from) ? from + this.#text.length : -1;
    let at = from;
    for (const expected of this.#points) {
      const point = text.codePointAt(at);
      if (point === undefined || (expected !== ANY && expected !== point)) return -1;
      at += lengthOf(point);
    }
    return at;
  }

  /** The end of the first occurrence at or behind `from`, or -1. */
  endOfFirst(text: string, from: number): number {
    if (this.#text === undefined) {
      this.#search ??= new WildcardSearch(this.#points);
      return this.#search.endOfFirst(text, from);
    }
    const start = text.indexOf(this.#text, from);
    return start < 0 ? -1 : start + this.#text.length;
  }

  /** The start of the segment if it ends with the text; negative when the text is too short. */
  startAtEndOf(text: string): number {
    if (this.#text !== undefined) return text.length - this.#text.length;
    let at = text.length;
    for (let count = this.#points.length; count > 0 && at >= 0; count--) {
      at -= isPairBefore(text, at) ? 2 : 1;
    }
    return at;
  }
}

function isPairBefore(text: string, at: number): boolean {
  return at >= 2 && (text.codePointAt(at - 2) ?? 0) > 0xffff;
}

/** Stands for any one character in a list of code points. */
const ANY = -1;

const WORD_BITS = 32;

/**
 * Finds a segment in one pass over a text, by the shift-and algorithm: bit `n` of the state is set when the first
 * `n + 1` characters of the segment end here. The cost is the length of the text times the words of the state, at most 32.
 */
class WildcardSearch {
  /** The positions in the segment at which a code point may stand. */
  readonly #masks = new Map<number, Uint32Array>();
  /** The positions at which any other code point may stand. */
  readonly #mask: Uint32Array;
  readonly #lastIndex: number;

  constructor(points: readonly number[]) {
    this.#lastIndex = points.length - 1;
    this.#mask = new Uint32Array(Math.ceil(points.length / WORD_BITS));
    points.forEach((point, index) => {
      if (point === ANY) setBit(this.#mask, index);
    });
    points.forEach((point, index) => {
      if (point !== ANY) setBit(this.#maskFor(point), index);
    });
  }

  /** The end of the first occurrence at or behind `from`, or -1. */
  endOfFirst(text: string, from: number): number {
    const state = new Uint32Array(this.#mask.length);
    for (let at = from; at < text.length; ) {
      const point = text.codePointAt(at) ?? 0;
      at += lengthOf(point);
      advance(state, this.#masks.get(point) ?? this.#mask);
      if (hasBit(state, this.#lastIndex)) return at;
    }
    return -1;
  }

  #maskFor(point: number): Uint32Array {
    const mask = this.#masks.get(point) ?? this.#mask.slice();
    this.#masks.set(point, mask);
    return mask;
  }
}

/** UTF-16 units of a code point. */
function lengthOf(point: number): number {
  return point > 0xffff ? 2 : 1;
}

function advance(state: Uint32Array, mask: Uint32Array): void {
  let carry = 1;
  for (let index = 0; index < state.length; index++) {
    const word = state[index] ?? 0;
    state[index] = ((word << 1) | carry) & (mask[index] ?? 0);
    carry = word >>> (WORD_BITS - 1);
  }
}

function setBit(words: Uint32Array, index: number): void {
  const word = Math.floor(index / WORD_BITS);
  words[word] = (words[word] ?? 0) | (1 << (index % WORD_BITS));
}

function hasBit(words: Uint32Array, index: number): boolean {
  return ((words[Math.floor(index / WORD_BITS)] ?? 0) & (1 << (index % WORD_BITS))) !== 0;
}
