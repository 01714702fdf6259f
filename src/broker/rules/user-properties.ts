// The application properties of a message as rules find them: whatever the case of their names, the exact one first (SQL-05).

import type { RuleValue } from './rule-value.js';

export class UserProperties {
  readonly #values: Map<string, RuleValue>;
  /** By the name in lower case, the first such name there is; made when it is first needed. */
  #names: Map<string, string> | undefined;

  constructor(entries: Iterable<readonly [string, RuleValue]> = []) {
    this.#values = new Map(entries);
  }

  /** In the order of the message, what was added last. */
  entries(): Iterable<[string, RuleValue]> {
    return this.#values.entries();
  }

  get(name: string): RuleValue | undefined {
    const value = this.#values.get(name);
    if (value !== undefined) return value;
    const found = this.find(name);
    return found === undefined ? undefined : this.#values.get(found);
  }

  has(name: string): boolean {
    return this.find(name) !== undefined;
  }

  /** As it is written in the message. */
  find(name: string): string | undefined {
    // SQL-05
    return this.#values.has(name) ? name : this.#spellings().get(name.toLowerCase());
  }

  set(name: string, value: RuleValue): void {
    const found = this.find(name) ?? name;
    if (!this.#values.has(found)) this.#names = undefined;
    this.#values.set(found, value);
  }

  remove(name: string): void {
    const found = this.find(name);
    if (found === undefined) return;
    this.#values.delete(found);
    this.#names = undefined;
  }

  #spellings(): Map<string, string> {
    if (this.#names !== undefined) return this.#names;
    const names = new Map<string, string>();
    for (const name of this.#values.keys()) {
      const lower = name.toLowerCase();
      if (!names.has(lower)) names.set(lower, name);
    }
    this.#names = names;
    return names;
  }
}
