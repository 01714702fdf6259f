// The list "Left for later" of `test/rules.md`: under each subject the rules that wait for it, and those that do in part.

import type { Rule } from './rule-book.js';

const SUBJECT = /^- ([^:]+): (.+)$/;
const IN_PART = /^ {2}- in part: (.+)$/;
const CONTINUED = /^ +[^ -].*$/;

export class LaterList {
  readonly #rules: ReadonlyMap<string, Rule>;
  readonly #order: readonly string[];
  readonly #problems: string[];
  readonly #subjects = new Map<string, string>();
  readonly #inPart: { readonly id: string; readonly line: number }[] = [];

  constructor(rules: ReadonlyMap<string, Rule>, problems: string[]) {
    this.#rules = rules;
    this.#order = [...rules.keys()];
    this.#problems = problems;
  }

  /** Each waiting rule with the subject it waits for. */
  get subjects(): ReadonlyMap<string, string> {
    return this.#subjects;
  }

  /** From the line with this index to the next heading. What is no list is for the reader only. */
  read(lines: readonly string[], start: number): void {
    let subject: string | undefined;
    let isInPart = false;
    for (let index = start; index < lines.length; index++) {
      const text = lines[index] ?? '';
      if (text.startsWith('## ')) break;
      const [, named, ids] = SUBJECT.exec(text) ?? [];
      const part = IN_PART.exec(text)?.[1];
      if (named !== undefined) subject = named;
      else if (text.startsWith('- '))
        this.#problem(index + 1, 'a subject and its rules read "- Subject: SND-01"');
      if (named !== undefined || part !== undefined) isInPart = part !== undefined;
      const list = ids ?? part ?? (CONTINUED.test(text) ? text : '');
      if (subject !== undefined) this.#take(list, subject, isInPart, index + 1);
    }
    this.#checkParts();
  }

  #take(list: string, subject: string, isInPart: boolean, line: number): void {
    for (const id of this.#idsOf(list, line)) {
      if (isInPart) this.#inPart.push({ id, line });
      else if (this.#subjects.has(id)) this.#problem(line, `${id} is left for later twice`);
      else this.#subjects.set(id, subject);
    }
  }

  #idsOf(list: string, line: number): string[] {
    const parts = list.split(',').map((part) => part.trim());
    return parts.filter((part) => part !== '').flatMap((part) => this.#idsBetween(part, line));
  }

  /** `SES-01 to SES-20` are all between them, in the order of the file; `SES-01` is itself. */
  #idsBetween(part: string, line: number): string[] {
    const [from = '', to = from] = part.split(' to ');
    const unknown = [from, to].filter((id) => !this.#rules.has(id));
    for (const id of new Set(unknown)) this.#problem(line, `${id} is left for later, but is no rule`);
    if (unknown.length > 0) return [];
    const [start, end] = [this.#order.indexOf(from), this.#order.indexOf(to)];
    if (end < start) this.#problem(line, `${from} comes behind ${to}`);
    return this.#order.slice(start, end + 1);
  }

  #checkParts(): void {
    for (const { id, line } of this.#inPart)
      if (this.#subjects.has(id)) this.#problem(line, `${id} waits as a whole, not in part`);
  }

  #problem(line: number, what: string): void {
    this.#problems.push(`line ${line}: ${what}`);
  }
}
