// Finds a run of characters, some of which may be any, in one pass over a text: no pattern makes it go back.

/** In place of a code point: any one character. */
export const ANY = -1;

const WORD_BITS = 32;

/**
 * Shift-and: bit `n` of the state tells that the first `n + 1` characters have just been found. A text costs its length times
 * the words of the state, 32 at the most for the longest pattern there may be.
 */
export class WildcardSearch {
  /** For each code point the places in the pattern where it may stand. */
  readonly #masks = new Map<number, Uint32Array>();
  /** Of all other code points. */
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

  /** Where the first occurrence at or behind `from` ends; -1 when there is none. */
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

/** In UTF-16 units. */
export function lengthOf(point: number): number {
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
