// The tables of `test/rules.md` that hold rules, or statements of articles and the rules these come down to.

import type { Rule } from './rule-book.js';
import { isRuleId } from './rule-ids.js';

/** By the first word of their head; tables that begin with another word are for the reader only. */
const KINDS: readonly string[] = ['Rule', 'Statement'];
const CELL_COUNT = 3;

export class RuleTables {
  readonly #problems: string[];
  readonly #rules = new Map<string, Rule>();
  /** The first word of the table that is being read; undefined outside of tables. */
  #kind: string | undefined;
  #rowCount = 0;

  constructor(problems: string[]) {
    this.#problems = problems;
  }

  read(lines: readonly string[]): Map<string, Rule> {
    for (const [index, text] of lines.entries()) {
      if (!text.startsWith('|')) this.#kind = undefined;
      else this.#takeRow(cellsOf(text), index + 1);
    }
    return this.#rules;
  }

  #takeRow(cells: readonly string[], line: number): void {
    const first = cells[0] ?? '';
    if (this.#kind === undefined) {
      this.#kind = first;
      this.#rowCount = 1;
      return;
    }
    this.#rowCount++;
    if (!KINDS.includes(this.#kind)) {
      if (isRuleId(first)) this.#problem(line, `${first} stands in a table that is not one of rules`);
    } else if (this.#rowCount === 2) {
      if (!/^-+$/.test(first)) this.#problem(line, 'the dashes below the head of the table are missing');
    } else if (cells.length !== CELL_COUNT) {
      this.#problem(line, `a row has ${CELL_COUNT} cells, this one has ${cells.length}`);
    } else this.#takeRule(cells, line);
  }

  #takeRule([id = '', sentence = '', last = '']: readonly string[], line: number): void {
    const earlier = this.#rules.get(id);
    if (!isRuleId(id)) this.#problem(line, `"${id}" is not the number of a rule`);
    else if (earlier !== undefined) this.#problem(line, `${id} stands in line ${earlier.line} already`);
    else if (sentence === '' || last === '') this.#problem(line, `${id} has an empty cell`);
    else {
      const comesDownTo = this.#targets(id, last, line);
      this.#rules.set(id, { id, line, sentence, source: last, comesDownTo });
    }
  }

  #targets(id: string, cell: string, line: number): string[] {
    if (this.#kind === 'Rule') return [];
    const list = /^→ (.+)$/.exec(cell)?.[1];
    if (list === undefined) this.#problem(line, `${id} must come down to rules, such as "→ SND-01, SND-02"`);
    return list?.split(',').map((target) => target.trim()) ?? [];
  }

  #problem(line: number, what: string): void {
    this.#problems.push(`line ${line}: ${what}`);
  }
}

function cellsOf(text: string): string[] {
  const inner = text.trim().replace(/^\|/, '').replace(/\|$/, '');
  return inner.split('|').map((cell) => cell.trim());
}
