// A pattern for paths of entities, in which `*` stands for any text.

export class PathPattern {
  readonly #first: string;
  readonly #middle: readonly string[];
  readonly #last: string | undefined;

  constructor(pattern: string) {
    const [first = '', ...rest] = pattern.toLowerCase().split('*');
    this.#first = first;
    this.#last = rest.pop();
    this.#middle = rest;
  }

  /** Ignores case. The time grows only with the length of the path, however many `*` there are. */
  test(path: string): boolean {
    const text = path.toLowerCase();
    if (this.#last === undefined) return text === this.#first;
    if (!text.startsWith(this.#first)) return false;
    let from = this.#first.length;
    for (const part of this.#middle) {
      const at = text.indexOf(part, from);
      if (at < 0) return false;
      from = at + part.length;
    }
    return text.length - this.#last.length >= from && text.endsWith(this.#last);
  }
}
