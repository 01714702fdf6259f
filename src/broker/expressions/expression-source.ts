// The text of a filter, an action or a selector, which reports errors by line and column (SQL-23, JMS-85).

import { ServiceBusError } from '../contract/service-bus-error.js';

/** The most characters of an expression (SQL-21, ACT-06, JMS-86). */
const MAX_LENGTH = 1024; // LIM-12

const LINE_END = /\r\n|\r|\n/;

export type ExpressionKind = 'filter' | 'action' | 'selector';

const NAMES: Readonly<Record<ExpressionKind, string>> = {
  filter: 'SQL filter',
  action: 'SQL action',
  selector: 'selector',
};

export class ExpressionSource {
  readonly text: string;
  readonly #kind: ExpressionKind;

  /** Throws argument when the text is too long, or empty. */
  constructor(kind: ExpressionKind, text: string) {
    this.#kind = kind;
    this.text = text;
    // SQL-21, ACT-06
    if (text.length > MAX_LENGTH) {
      this.fail(MAX_LENGTH, `the expression has ${text.length} characters; the most are ${MAX_LENGTH}`);
    }
    if (text.trim() === '') this.fail(0, 'the expression is empty'); // SQL-21
  }

  /** SQL-23: lines and columns count from 1, columns in UTF-16 units. */
  fail(at: number, problem: string): never {
    const lines = this.text.slice(0, at).split(LINE_END);
    const line = lines.length;
    const column = (lines.at(-1) ?? '').length + 1;
    throw new ServiceBusError(
      'argument',
      `The ${NAMES[this.#kind]} is invalid at line ${line}, column ${column}: ${problem}.`,
      { property: this.#kind, sql: { line, column, problem } },
    );
  }
}

// SQL-04
export function failOutOfRange(source: ExpressionSource, text: string, at: number): never {
  return source.fail(at, `the integer ${text} does not fit into 64 bits`);
}

/** Reads a text or a name in quotes; a doubled closing one stands for one. `text` has the quotes, `value` is what they enclose. */
export function readQuotes(
  source: ExpressionSource,
  closing: string,
  at: number,
): { readonly text: string; readonly value: string } {
  let end = at + 1;
  for (;;) {
    end = source.text.indexOf(closing, end);
    if (end < 0) source.fail(at, `the ${source.text.charAt(at)} is never closed, expected ${closing}`);
    if (source.text.charAt(end + 1) !== closing) break;
    end += 2;
  }
  const text = source.text.slice(at, end + 1);
  return { text, value: text.slice(1, -1).replaceAll(closing + closing, closing) };
}

/** The text that a sticky pattern matches there; empty if none. */
export function matchAt(pattern: RegExp, text: string, at: number): string {
  pattern.lastIndex = at;
  return pattern.exec(text)?.[0] ?? '';
}
