// Splits the text of a filter or an action into tokens.

import {
  type ExpressionSource,
  failOutOfRange,
  matchAt,
  readQuotes,
} from '../expressions/expression-source.js';
import { type PlacedToken, TokenCursor } from '../expressions/token-cursor.js';

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

export type Token = PlacedToken &
  (
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
const NUMBER = /(?:\d+(\.\d*)?|(\.\d+))(e[+-]?\d+)?/iy;
const SYMBOL = /<>|!=|<=|>=|[=<>+\-*/%(),.;]/y;
const COMMENT = /--|\/\*/y;
const CLOSING: Readonly<Record<string, string>> = { "'": "'", '"': '"', '[': ']' };
/** SQL-04: the least integer, -2^63, is written as a minus and this number. */
const MAX_INTEGER = 2n ** 63n;

export type SqlCursor = TokenCursor<Token>;

/** SQL-02: a letter, then letters, digits and underscores. The patterns are not made at the start of the process, which would take time. */
function nameAt(text: string, at: number): string {
  return matchAt(/\p{L}[\p{L}\p{Nd}_]*/uy, text, at);
}

function parameterAt(text: string, at: number): string {
  return matchAt(/@\p{L}[\p{L}\p{Nd}_]*/uy, text, at);
}

export function sqlCursor(source: ExpressionSource): SqlCursor {
  return new TokenCursor(source, readTokens(source));
}

/** Returns the tokens; the last one is the end. Comments are refused. */
function readTokens(source: ExpressionSource): Token[] {
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

function readToken(source: ExpressionSource, at: number): Token {
  const name = nameAt(source.text, at);
  if (name !== '') return readName(name, at);
  const number = matchAt(NUMBER, source.text, at);
  if (number !== '') return readNumber(source, number, at);
  const parameter = parameterAt(source.text, at);
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

function readNumber(source: ExpressionSource, text: string, at: number): Token {
  const end = at + text.length;
  if (nameAt(source.text, end) !== '' || source.text.charAt(end) === '_') {
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

/** SQL-02, SQL-04 */
function readQuoted(source: ExpressionSource, closing: string, at: number): Token {
  const { text, value } = readQuotes(source, closing, at);
  if (closing === "'") return { kind: 'text', value, text, at };
  if (value === '') source.fail(at, 'the name in quotes is empty');
  return { kind: 'name', name: value, isQuoted: true, text, at };
}

function readSymbol(source: ExpressionSource, at: number): Token {
  const comment = matchAt(COMMENT, source.text, at);
  // SQL-22
  if (comment !== '') source.fail(at, `found ${comment}, but comments are not allowed`);
  const text = matchAt(SYMBOL, source.text, at);
  if (text !== '') return { kind: 'symbol', text, at };
  const found = String.fromCodePoint(source.text.codePointAt(at) ?? 0);
  return source.fail(at, `found '${found}', expected a name, a value or an operator`);
}
