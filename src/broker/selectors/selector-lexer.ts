// Splits the text of a JMS message selector into tokens.

import {
  type ExpressionSource,
  failOutOfRange,
  matchAt,
  readQuotes,
} from '../expressions/expression-source.js';
import { type PlacedToken, TokenCursor } from '../expressions/token-cursor.js';

const KEYWORDS = [
  'AND',
  'OR',
  'NOT',
  'BETWEEN',
  'IN',
  'LIKE',
  'ESCAPE',
  'IS',
  'NULL',
  'TRUE',
  'FALSE',
] as const;

type Keyword = (typeof KEYWORDS)[number];

export type SelectorToken = PlacedToken &
  (
    | { readonly kind: 'keyword'; readonly keyword: Keyword }
    | { readonly kind: 'name'; readonly name: string }
    | { readonly kind: 'text'; readonly value: string }
    /** Not negative. It may be 2^63, which fits into 64 bits only with a minus before it. */
    | { readonly kind: 'integer'; readonly value: bigint }
    | { readonly kind: 'double'; readonly value: number }
    | { readonly kind: 'symbol' }
    | { readonly kind: 'end' }
  );

export type TokensOfSelector = TokenCursor<SelectorToken>;

const BY_TEXT: ReadonlyMap<string, Keyword> = new Map(KEYWORDS.map((keyword) => [keyword, keyword]));

/** White space and comments. */
const SPACE = /(?:\s|--[^\r\n]*|\/\*[^*]*\*+(?:[^/*][^*]*\*+)*\/)*/y;
const HEX = /0x[\da-f]+/iy;
const OCTAL = /0[0-7]*/y;
const DECIMAL = /\d+/y;
const DOUBLE = /(?:\d+\.\d*|\.\d+)(?:e[+-]?\d+)?|\d+e[+-]?\d+/iy;
const SYMBOL = /<>|<=|>=|[=<>+\-*/%(),]/y;
const MAX_INTEGER = 2n ** 63n;

export function selectorCursor(source: ExpressionSource): TokensOfSelector {
  const tokens: SelectorToken[] = [];
  const { text } = source;
  for (let at = 0; ; ) {
    at += matchAt(SPACE, text, at).length;
    if (at === text.length) break;
    const token = readToken(source, at);
    tokens.push(token);
    at += token.text.length;
  }
  return new TokenCursor(source, [...tokens, { kind: 'end', at: text.length, text: '' }]);
}

/** The pattern is not made at the start of the process: to read the classes of Unicode takes a millisecond. */
function nameAt(text: string, at: number): string {
  return matchAt(/[\p{L}\p{Nl}_$][\p{L}\p{Nl}\p{Nd}\p{Mn}\p{Mc}\p{Pc}$]*/uy, text, at);
}

function readToken(source: ExpressionSource, at: number): SelectorToken {
  const name = nameAt(source.text, at);
  if (name !== '') {
    const keyword = BY_TEXT.get(name.toUpperCase());
    if (keyword !== undefined) return { kind: 'keyword', keyword, text: name, at };
    return { kind: 'name', name, text: name, at };
  }
  const quote = source.text.charAt(at);
  if (quote === "'" || quote === '"') return readQuoted(source, quote, at);
  if (source.text.startsWith('/*', at)) source.fail(at, 'the comment is never closed, expected */');
  return readNumber(source, at) ?? readSymbol(source, at);
}

function readQuoted(source: ExpressionSource, quote: string, at: number): SelectorToken {
  const { text, value } = readQuotes(source, quote, at);
  return quote === "'" ? { kind: 'text', value, text, at } : { kind: 'name', name: value, text, at };
}

function readNumber(source: ExpressionSource, at: number): SelectorToken | undefined {
  const double = matchAt(DOUBLE, source.text, at);
  if (double !== '') {
    const value = Number(double);
    if (!Number.isFinite(value)) source.fail(at, `the number ${double} is too large for a double`);
    failBehind(source, double, at);
    return { kind: 'double', value, text: double, at };
  }
  const digits =
    matchAt(HEX, source.text, at) || matchAt(OCTAL, source.text, at) || matchAt(DECIMAL, source.text, at);
  if (digits === '') return undefined;
  const value = BigInt(/^0[0-7]+$/.test(digits) ? `0o${digits}` : digits);
  if (value > MAX_INTEGER) failOutOfRange(source, digits, at);
  const text =
    digits +
    (/l/i.test(source.text.charAt(at + digits.length)) ? source.text.charAt(at + digits.length) : '');
  failBehind(source, text, at);
  return { kind: 'integer', value, text, at };
}

/** `12abc` is no number, and neither is `089`. */
function failBehind(source: ExpressionSource, number: string, at: number): void {
  const end = at + number.length;
  const behind = nameAt(source.text, end) || matchAt(DECIMAL, source.text, end);
  if (behind !== '') source.fail(end, `found '${behind}' right behind the number ${number}`);
}

function readSymbol(source: ExpressionSource, at: number): SelectorToken {
  const text = matchAt(SYMBOL, source.text, at);
  if (text !== '') return { kind: 'symbol', text, at };
  const found = String.fromCodePoint(source.text.codePointAt(at) ?? 0);
  return source.fail(at, `found '${found}', expected a name, a value or an operator`);
}
