// The text of an expression, and how one is told what is wrong with it, where (SQL-23).

import { ServiceBusError } from '../service-bus-error.js';

/** Characters of a filter or an action (SQL-21, ACT-06). */
const MAX_LENGTH = 1024; // LIM-12

const LINE_END = /\r\n|\r|\n/;

export class SqlSource {
  readonly text: string;
  readonly #what: 'filter' | 'action';

  /** Throws argument when the text is too long, or empty. */
  constructor(what: 'filter' | 'action', text: string) {
    this.#what = what;
    this.text = text;
    // SQL-21, ACT-06
    if (text.length > MAX_LENGTH) {
      this.fail(MAX_LENGTH, `the expression has ${text.length} characters; the most are ${MAX_LENGTH}`);
    }
    if (text.trim() === '') this.fail(0, 'the expression is empty'); // SQL-21
  }

  /** SQL-23: always with line and column, which count from 1, in UTF-16 units. */
  fail(at: number, problem: string): never {
    const lines = this.text.slice(0, at).split(LINE_END);
    const line = lines.length;
    const column = (lines.at(-1) ?? '').length + 1;
    throw new ServiceBusError(
      'argument',
      `The SQL ${this.#what} is invalid at line ${line}, column ${column}: ${problem}.`,
      { property: this.#what, sql: { line, column, problem } },
    );
  }
}
