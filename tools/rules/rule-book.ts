// The rules of `test/rules.md`: which there are, which wait for a later part, and which are therefore in force.
export type Rule = {
  readonly id: string;
  /** Where it stands in the file, counted from 1. */
  readonly line: number;
  readonly sentence: string;
  /** What it was taken from; of a move in the life of a message, the rules that make it. */
  readonly source: string;
  /** Of a statement of an article: the rules it comes down to. Of a rule: nothing. */
  readonly comesDownTo: readonly string[];
};

export class RuleBook {
  readonly #rules: ReadonlyMap<string, Rule>;
  readonly #subjects: ReadonlyMap<string, string>;

  /** `subjects` has each rule that was left for later, with the subject it waits for. */
  constructor(rules: ReadonlyMap<string, Rule>, subjects: ReadonlyMap<string, string>) {
    this.#rules = rules;
    this.#subjects = subjects;
  }

  get rules(): Rule[] {
    return [...this.#rules.values()];
  }

  get inForce(): Rule[] {
    return this.rules.filter((rule) => this.subjectOf(rule.id) === undefined);
  }

  find(id: string): Rule | undefined {
    return this.#rules.get(id);
  }

  /** What it waits for, if it does; a statement waits as long as one of its rules. */
  subjectOf(id: string): string | undefined {
    const own = this.#subjects.get(id);
    if (own !== undefined) return own;
    const rules = this.#rules.get(id)?.comesDownTo ?? [];
    return rules.map((rule) => this.#subjects.get(rule)).find((subject) => subject !== undefined);
  }

  /** The rules to test when this one is to be tested: itself, or what it comes down to. */
  testedBy(rule: Rule): Rule[] {
    if (rule.comesDownTo.length === 0) return [rule];
    return rule.comesDownTo.flatMap((id) => this.find(id) ?? []);
  }
}
