// A stretch of a LIKE pattern without `%`: characters that stand side by side, some of which may be any.

import { ANY, lengthOf, WildcardSearch } from './wildcard-search.js';

export class LikeSegment {
  readonly #points: readonly number[];
  /** Undefined when a character may be any. */
  readonly #text: string | undefined;
  #search: WildcardSearch | undefined;

  constructor(points: readonly number[]) {
    this.#points = points;
    this.#text = points.includes(ANY)
      ? undefined
      : points.map((point) => String.fromCodePoint(point)).join('');
  }

  /** Where it ends when it starts at `from`; -1 when it does not. */
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

  /** Where its first occurrence at or behind `from` ends; -1 when there is none. */
  endOfFirst(text: string, from: number): number {
    if (this.#text === undefined) {
      this.#search ??= new WildcardSearch(this.#points);
      return this.#search.endOfFirst(text, from);
    }
    const start = text.indexOf(this.#text, from);
    return start < 0 ? -1 : start + this.#text.length;
  }

  /** Where it has to start to end with the text; -1 when the text is too short. */
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
