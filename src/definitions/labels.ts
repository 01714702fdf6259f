// Names for the resources of a template, made of the names of entities, which may have characters that a template's names lack.

export class Labels {
  readonly #separator: string;
  readonly #labels = new Map<string, string>();
  /** In lower case. */
  readonly #taken: Set<string>;

  constructor(separator: string, taken: readonly string[]) {
    this.#separator = separator;
    this.#taken = new Set(taken.map((label) => label.toLowerCase()));
  }

  /** The label of what the key stands for, always the same; `words` are what a new one is made of. */
  of(key: string, words: readonly string[]): string {
    const known = this.#labels.get(key);
    if (known !== undefined) return known;
    const plain = words.join(this.#separator).replace(/[^A-Za-z0-9_]/g, '_');
    let label = plain;
    for (let number = 2; this.#taken.has(label.toLowerCase()); number++) label = `${plain}_${number}`;
    this.#taken.add(label.toLowerCase());
    this.#labels.set(key, label);
    return label;
  }
}
