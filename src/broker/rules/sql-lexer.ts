// Splits the text of an expression into tokens, and reports errors by line and column (SQL-23).

import { ServiceBusError } from '../contract/service-bus-error.js';

/** The most characters of a filter or an action (SQL-21, ACT-06). */
const MAX_LENGTH = 1024; // LIM-12

const LINE_END = /\r\n|\r|\n/;

/** The text of an expression, which reports errors by their position. */
export class SqlSource {
  readonly text: string;
  readonly #kind: 'filter' | 'action';

  /** Throws argument when the text is too long, or empty. */
  constructor(kind: 'filter' | 'action', text: string) {
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
      `The SQL ${this.#kind} is invalid at line ${line}, column ${column}: ${problem}.`,
      { property: this.#kind, sql: { line, column, problem } },
    );
  }
}

/** SQL-03: a keyword is a name only in quotes. SYS and USER are no keywords: they are scopes before a dot. */
const KEYWORDS = [
  'AND',
  'OR',
  'NOT',
  'IN',
  'LIKE',
  'ESCAPE',
  'IS',
  'NULL',
  'EXISTS',
  'TRUE',
  'FALSE',
  'SET',
  'REMOVE',
] as const;

type Keyword = (typeof KEYWORDS)[number];

export type Token = {
  /** The offset of the first character. */
  readonly at: number;
  /** The token as written; empty for the end. */
  readonly text: string;
} & (
  | { readonly kind: 'keyword'; readonly keyword: Keyword }
  | { readonly kind: 'name'; readonly name: string; readonly isQuoted: boolean }
  | { readonly kind: 'parameter' }
  | { readonly kind: 'text'; readonly value: string }
  /** Not negative. It may be 2^63, which fits into 64 bits only with a minus before it. */
  | { readonly kind: 'integer'; readonly value: bigint }
  | { readonly kind: 'double'; readonly value: number }
  | { readonly kind: 'symbol' }
  | { readonly kind: 'end' }
);

const BY_TEXT: ReadonlyMap<string, Keyword> = new Map(KEYWORDS.map((keyword) => [keyword, keyword]));

/** Case does not count. */
function findKeyword(text: string): Keyword | undefined {
  return BY_TEXT.get(text.toUpperCase());
}

const WHITE_SPACE = /\s*/y;
/** SQL-02: a letter, then letters, digits and underscores. */
const NAME = /\p{L}[\p{L}\p{Nd}_]*/uy;
const PARAMETER = /@\p{L}[\p{L}\p{Nd}_]*/uy;
const NUMBER = /(?:\d+(\.\d*)?|(\.\d+))(e[+-]?\d+)?/iy;
const SYMBOL = /<>|!=|<=|>=|[=<>+\-*/%(),.;]/y;
const COMMENT = /--|\/\*/y;
const CLOSING: Readonly<Record<string, string>> = { "'": "'", '"': '"', '[': ']' };
/** SQL-04: the least integer, -2^63, is written as a minus and this number. */
const MAX_INTEGER = 2n ** 63n;

/** Returns the tokens; the last one is the end. Comments are refused. */
function readTokens(source: SqlSource): Token[] {
  const tokens: Token[] = [];
  for (let at = 0; ; ) {
    at += matchAt(WHITE_SPACE, source.text, at).length; // SQL-22
    if (at === source.text.length) break;
    const token = readToken(source, at);
    tokens.push(token);
    at += token.text.length;
  }
  return [...tokens, { kind: 'end', at: source.text.length, text: '' }];
}

function readToken(source: SqlSource, at: number): Token {
  const name = matchAt(NAME, source.text, at);
  if (name !== '') return readName(name, at);
  const number = matchAt(NUMBER, source.text, at);
  if (number !== '') return readNumber(source, number, at);
  const parameter = matchAt(PARAMETER, source.text, at);
  if (parameter !== '') return { kind: 'parameter', text: parameter, at };
  const closing = CLOSING[source.text.charAt(at)];
  if (closing !== undefined) return readQuoted(source, closing, at);
  return readSymbol(source, at);
}

function readName(text: string, at: number): Token {
  const keyword = findKeyword(text); // SQL-03
  if (keyword !== undefined) return { kind: 'keyword', keyword, text, at };
  return { kind: 'name', name: text, isQuoted: false, text, at };
}

function readNumber(source: SqlSource, text: string, at: number): Token {
  const end = at + text.length;
  if (matchAt(NAME, source.text, end) !== '' || source.text.charAt(end) === '_') {
    source.fail(end, `found '${source.text.charAt(end)}' right behind the number ${text}`);
  }
  if (/[.e]/i.test(text)) {
    const value = Number(text);
    if (!Number.isFinite(value)) source.fail(at, `the number ${text} is too large for a double`);
    return { kind: 'double', value, text, at };
  }
  const value = BigInt(text);
  if (value > MAX_INTEGER) failOutOfRange(source, text, at);
  return { kind: 'integer', value, text, at };
}

// SQL-04
export function failOutOfRange(source: SqlSource, text: string, at: number): never {
  return source.fail(at, `the integer ${text} does not fit into 64 bits`);
}

/** SQL-02, SQL-04: a doubled closing character stands for one. */
function readQuoted(source: SqlSource, closing: string, at: number): Token {
  let end = at + 1;
  for (;;) {
    end = source.text.indexOf(closing, end);
    if (end < 0) source.fail(at, `the ${source.text.charAt(at)} is never closed, expected ${closing}`);
    if (source.text.charAt(end + 1) !== closing) break;
    end += 2;
  }
  const text = source.text.slice(at, end + 1);
  const value = text.slice(1, -1).replaceAll(closing + closing, closing);
  if (closing === "'") return { kind: 'text', value, text, at };
  if (value === '') source.fail(at, 'the name in quotes is empty');
  return { kind: 'name', name: value, isQuoted: true, text, at };
}

function readSymbol(source: SqlSource, at: number): Token {
  const comment = matchAt(COMMENT, source.text, at);
  // SQL-22
  if (comment !== '') source.fail(at, `found ${comment}, but comments are not allowed`);
  const text = matchAt(SYMBOL, source.text, at);
  if (text !== '') return { kind: 'symbol', text, at };
  const found = String.fromCodePoint(source.text.codePointAt(at) ?? 0);
  return source.fail(at, `found '${found}', expected a name, a value or an operator`);
}

function matchAt(pattern: RegExp, text: string, at: number): string {
  pattern.lastIndex = at;
  return pattern.exec(text)?.[0] ?? '';
}

/** The deepest nesting of brackets, NOTs and signs. Real expressions stay far below it; deeper ones would use up the stack. */
const MAX_NESTING = 64;

/** Walks through the tokens, with a look at the next two, and counts the nesting. */
export class TokenCursor {
  readonly source: SqlSource;
  readonly #tokens: readonly Token[];
  #index = 0;
  #nesting = 0;

  constructor(source: SqlSource) {
    this.source = source;
    this.#tokens = readTokens(source);
  }

  get next(): Token {
    return this.#peek(0);
  }

  get second(): Token {
    return this.#peek(1);
  }

  take(): Token {
    const token = this.next;
    this.#index++;
    return token;
  }

  isSymbol(text: string): boolean {
    return this.next.kind === 'symbol' && this.next.text === text;
  }

  isKeyword(keyword: Keyword): boolean {
    return this.next.kind === 'keyword' && this.next.keyword === keyword;
  }

  takeSymbol(text: string): boolean {
    if (!this.isSymbol(text)) return false;
    this.#index++;
    return true;
  }

  takeKeyword(keyword: Keyword): boolean {
    if (!this.isKeyword(keyword)) return false;
    this.#index++;
    return true;
  }

  expectSymbol(text: string): void {
    if (!this.takeSymbol(text)) this.failAtNext(`'${text}'`);
  }

  failAtNext(expected: string): never {
    const { kind, text, at } = this.next;
    const found = kind === 'end' ? 'the end' : `'${text}'`;
    return this.source.fail(at, `found ${found}, expected ${expected}`);
  }

  /** Reads one level deeper. Fails past the deepest level. */
  nested<T>(read: () => T): T {
    if (this.#nesting === MAX_NESTING) {
      this.source.fail(this.next.at, `nested deeper than ${MAX_NESTING} levels`);
    }
    this.#nesting++;
    const node = read();
    this.#nesting--;
    return node;
  }

  #peek(ahead: number): Token {
    const index = Math.min(this.#index + ahead, this.#tokens.length - 1);
    return this.#tokens[index] ?? { kind: 'end', at: this.source.text.length, text: '' };
  }
}
